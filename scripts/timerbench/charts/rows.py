"""A row for each workload above one logarithmic axis: its name at the left, words at the right."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from timerbench.charts.sheet import TOP, axes_at, write
from timerbench.charts.style import WIDTH


def draw_rows(
    canvas: Canvas, words: Mapping[str, str], height: float, left: float, right: float
) -> Axes:
    """Draws the axes of rows, and their words.

    `words` are given by the names of the rows. `height` is that of a row, and `left` and `right`
    are margins, in inches. On the y axis a row has a height of 1, and the first row is on top.
    """
    top = TOP + 0.1
    axes = axes_at(canvas, left, top, WIDTH - left - right, height * len(words))
    axes.set(xscale="log", ylim=(len(words), 0), yticks=[])
    axes.spines["left"].set_visible(False)
    axes.tick_params(labelsize=7.5)
    axes.grid(True, axis="x")
    for place, (name, of_row) in enumerate(words.items()):
        middle = top + (place + 0.5) * height
        write(canvas, left - 0.1, middle, name, size=8, ha="right")
        write(canvas, WIDTH - right + 0.1, middle, of_row, size=8)
    return axes
