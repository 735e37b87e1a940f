"""A grid of times, each coloured by how far it is from the best of its row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from timerbench.charts.cells import Cell, cell_of, notes
from timerbench.charts.sheet import axes_at, write
from timerbench.charts.style import HATCH, WIDTH
from timerbench.results import Name, Results, ns_per_operation
from timerbench.standing import times_best

RIGHT = 1.0  # inches; the last name leans over it
NAMES = 1.15  # inches; the names of the queues above the first row
ROW = 0.25  # inches
WORST = 10  # from here on all are as dark


@dataclass(frozen=True)
class Row:
    """A case: of each queue that was measured its cell, and how many times the best it takes."""

    label: str
    cells: Sequence[tuple[Cell, float] | None]

    @property
    def best(self) -> Cell | None:
        """Not a bound, unless all are."""
        measured = [of_queue for of_queue in self.cells if of_queue]
        known = [of_queue for of_queue in measured if not of_queue[0].is_bound]
        return min(known or measured, key=lambda of_queue: of_queue[1])[0] if measured else None


# What is written into a cell, of its figure and how many times the best it is.
Text = Callable[[float, float], str]


def row_of(results: Results, label: str, bench: str, case: str) -> Row:
    cells: list[tuple[Cell, float] | None] = []
    for name in (Name(bench, queue, case) for queue in results.queues):
        cell = cell_of(results, name, ns_per_operation)
        times = times_best(results, name, ns_per_operation)
        cells.append((cell, times) if cell and times else None)
    return Row(label, cells)


def notes_on(rows: Iterable[Row]) -> str:
    """What the marks of these cells mean."""
    return notes(of_queue and of_queue[0] for row in rows for of_queue in row.cells)


def colours() -> ScalarMappable:
    return ScalarMappable(LogNorm(1, WORST), plt.get_cmap("YlGnBu"))


def draw_grid(
    canvas: Canvas,
    left_top: tuple[float, float],
    queues: Sequence[str],
    rows: Sequence[Row],
    text: Text,
) -> Axes:
    """The grid without the names of queues, so many inches from the left and the upper edge."""
    left, top = left_top
    axes = axes_at(canvas, left, top, WIDTH - left - RIGHT, ROW * len(rows))
    axes.set_xlim(0, len(queues))
    axes.set_ylim(len(rows), 0)
    axes.set_axis_off()
    for row, of_row in enumerate(rows):
        write(canvas, left - 0.08, top + (row + 0.5) * ROW, of_row.label, size=8, side="right")
        for column, (queue, of_queue) in enumerate(zip(queues, of_row.cells, strict=True)):
            if of_queue is None:
                _write(axes, column, row, "–")
                continue
            cell, ratio = of_queue
            ink = _colour(axes, (column, row), cell, ratio, f"{of_row.label}:{queue}")
            words = (">" if cell.is_bound else "") + text(cell.figure.median, ratio)
            _write(axes, column, row, words, ink, bold=ratio == 1 and not cell.is_bound)
            if cell.mark == "window":
                axes.text(column + 0.94, row + 0.08, "w", size=5.5, color=ink, ha="right", va="top")
    return axes


def _colour(axes: Axes, place: tuple[int, int], cell: Cell, ratio: float, gid: str) -> str:
    """Colours a cell, and hatches it if it is unstable; returns what can be read upon it."""
    colour = colours().to_rgba(np.array(min(ratio, WORST)))
    red, green, blue, _ = colour
    ink = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 else "black"
    box = Rectangle(place, 1, 1, facecolor=colour, edgecolor="white", linewidth=1.2)
    box.set_gid(f"{cell.mark}:{gid}")
    axes.add_patch(box)
    if cell.unstable:
        hatched = Rectangle(place, 1, 1, fill=False, edgecolor=ink, linewidth=0, alpha=0.35)
        hatched.set(hatch=HATCH[:4], gid=f"unstable:{gid}")
        axes.add_patch(hatched)
    return ink


def _write(  # noqa: PLR0913
    axes: Axes, column: int, row: int, text: str, ink: str = "black", *, bold: bool = False
) -> None:
    """As large as the cell bears; a sign is at most 0.72 of its size wide."""
    points = 72 * axes.bbox.width / axes.figure.dpi / axes.get_xlim()[1]
    axes.text(
        column + 0.5,
        row + 0.52,
        text,
        fontsize=min(7.5, 0.92 * points / (0.72 * len(text))),
        fontweight="bold" if bold else "normal",
        color=ink,
        horizontalalignment="center",
        verticalalignment="center",
    )


def write_names(axes: Axes, queues: Sequence[str]) -> None:
    """The names of the queues, above the grid."""
    for column, queue in enumerate(queues):
        axes.annotate(
            queue,
            (column + 0.5, 0),
            xytext=(1, 4),
            textcoords="offset points",
            rotation=45,
            rotation_mode="anchor",
            fontsize=8,
            annotation_clip=False,
        )


def draw_scale(canvas: Canvas, top: float) -> None:
    """What the colours mean, so many inches from the upper edge."""
    axes = axes_at(canvas, WIDTH - RIGHT - 2.4, top, 2.4, 0.1)
    scale = canvas.colorbar(colours(), cax=axes, orientation="horizontal", extend="max")
    scale.set_ticks([1, 2, 3, 5, 10], labels=["best", "2×", "3×", "5×", "10×"])
    scale.minorticks_off()
    scale.ax.tick_params(length=2, labelsize=7.5)
    scale.outline.set_visible(False)  # type: ignore[operator]
    text = "times as slow as the best of the row"
    write(canvas, WIDTH - RIGHT - 2.5, top + 0.05, text, size=7.5, side="right")
