"""Pages of panels with lines: where each stands, with room for the names at their right ends."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from timerbench.charts.line_ends import LINE_HEIGHT
from timerbench.charts.sheet import TOP, axes_at, page
from timerbench.charts.style import DARK, LETTER, WIDTH

LEFT = 0.8  # inches; for the figures of the axis
RIGHT = 1.8  # inches; for the names, if they are not too long
HEAD = 0.3  # inches; above a panel, for its title
TICKS = 0.5  # inches; below a panel
LEAST_HEIGHT = 2.7  # inches


@dataclass(frozen=True)
class Layout:
    """How high all panels are, and how much room is around each, in inches."""

    height: float
    left: float = LEFT
    right: float = RIGHT
    head: float = HEAD
    columns: int = 1

    def page(self, panels: int, title: str, line: str, *notes: str) -> tuple[Canvas, list[Axes]]:
        """Returns a page with this number of panels, row by row."""
        step = self.head + self.height + TICKS
        across = WIDTH / self.columns
        canvas = page(step * math.ceil(panels / self.columns), title, line, *notes)
        axes = []
        for row, column in (divmod(place, self.columns) for place in range(panels)):
            left, top = column * across + self.left, TOP + row * step + self.head
            axes.append(axes_at(canvas, left, top, across - self.left - self.right, self.height))
        return canvas, axes


def layout_for(names: Sequence[Collection[str]], head: float = HEAD) -> Layout:
    """Returns the layout of panels with these names."""
    height = max(LEAST_HEIGHT, max(map(len, names)) * LINE_HEIGHT)
    return Layout(height, right=room_for(set().union(*names)), head=head)


def room_for(names: Collection[str]) -> float:
    """Returns the room for these names at the right, in inches."""
    return max(RIGHT, 0.3 + LETTER * max(map(len, names), default=0))


def write_titles(axes: Axes, title: str, remark: str) -> None:
    """Writes the title of a panel above it at the left, and the remark at the right."""
    axes.set_title(title, fontsize=9)
    axes.set_title(remark, loc="right", fontsize=8, fontweight="normal", color=DARK)
