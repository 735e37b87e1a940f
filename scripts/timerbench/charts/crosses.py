"""Points with the intervals of both their figures, on two logarithmic axes."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from timerbench.charts.cells import Cell
from timerbench.charts.style import GREY


def draw_intervals(axes: Axes, right: Cell, up: Cell) -> tuple[float, float]:
    """A line each way; returns where they cross."""
    x, y = right.mean, up.mean
    axes.plot([x, x], [up.low, up.high], color=GREY, linewidth=0.9)
    axes.plot([right.low, right.high], [y, y], color=GREY, linewidth=0.9)
    return x, y


def set_ticks(
    axes: Axes, write_right: Callable[[float], str], write_up: Callable[[float], str]
) -> None:
    """To 1, 2 and 5 on the axis to the right, and to 1 on that up."""
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _position: write_right(value)))
    axes.yaxis.set_major_locator(LogLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _position: write_up(value)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.tick_params(labelsize=8)
    axes.grid(which="major", color="#dddddd", linewidth=0.6)
