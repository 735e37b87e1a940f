"""Points with the intervals of both their figures, on two logarithmic axes."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from timerbench.charts.cells import Cell
from timerbench.charts.scales import Writer, set_ticks
from timerbench.charts.style import GREY, Style


def set_axes(axes: Axes, write_right: Writer, write_up: Writer) -> None:
    """Sets the axes, with ticks at 1, 2 and 5 on the x axis, and at 1 on the y axis."""
    axes.set(xscale="log", yscale="log")
    set_ticks(axes.xaxis, LogLocator(subs=(1, 2, 5)), write_right)
    set_ticks(axes.yaxis, LogLocator(), write_up)
    axes.grid(True)


def draw_point(axes: Axes, right: Cell, up: Cell, style: Style) -> None:
    """Draws a point, with a line for the interval in each direction."""
    x, y = right.mean, up.mean
    axes.plot([x, x], [up.low, up.high], color=GREY, linewidth=0.9)
    axes.plot([right.low, right.high], [y, y], color=GREY, linewidth=0.9)
    axes.plot([x], [y], linestyle="none", markersize=5, **style)
