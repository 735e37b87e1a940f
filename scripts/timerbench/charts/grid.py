"""A grid of times, each coloured by how far it is from the best of its row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from timerbench.charts import colour_scale
from timerbench.charts.cells import Cell, cell_of, notes
from timerbench.charts.marks import WORDS
from timerbench.charts.sheet import axes_at, write
from timerbench.charts.style import HATCH, WIDTH, styles_of
from timerbench.estimates import INTERVAL, geometric_mean
from timerbench.results import Name, Results, ns_per_operation
from timerbench.standing import Standing, beside_best

RIGHT = 1.0  # inches; the last name is slanted over it
NAMES = 1.15  # inches; the names of the queues above the first row
ROW = 0.25  # inches
WORST = 50  # from here on all cells are equally dark
STRIP = 0.05  # inches; the colour of the family, above the name of a queue


# A case: the cell of each queue that was measured, and its ratio to the best.
Row = Sequence[tuple[Cell, Standing] | None]

# What is written into a cell.
Text = Callable[[Cell, Standing], str]


def row_of(results: Results, bench: str, case: str) -> Row:
    row: list[tuple[Cell, Standing] | None] = []
    for name in (Name(bench, queue, case) for queue in results.queues):
        cell = cell_of(results, name, ns_per_operation)
        beside = beside_best(results, name, ns_per_operation)
        row.append((cell, beside) if cell and beside else None)
    return row


def overall(blocks: Iterable[Mapping[str, Row]], queues: Sequence[str]) -> Row:
    """Returns the geometric mean over the blocks of the geometric means over their rows.

    Only queues that are in each row have one.
    """
    rows_of_blocks = [list(block.values()) for block in blocks]
    return [
        _overall(queue, [[row[column] for row in rows] for rows in rows_of_blocks])
        for column, queue in enumerate(queues)
    ]


def _overall(
    queue: str, blocks: Sequence[Sequence[tuple[Cell, Standing] | None]]
) -> tuple[Cell, Standing] | None:
    known = [[of_row for of_row in block if of_row] for block in blocks]
    if any(len(some) < len(block) for some, block in zip(known, blocks, strict=True)):
        return None
    of_blocks = [geometric_mean([beside.ratio for _, beside in some]) for some in known]
    ratio = geometric_mean(of_blocks)
    is_bound = any(cell.is_bound for some in known for cell, _ in some)
    beside = Standing(Name("overall", queue, ""), queue, ratio, is_bound)
    return Cell(**vars(ratio), mark="slower_than" if is_bound else "whole"), beside


def notes_on(rows: Iterable[Row]) -> list[str]:
    """Says what the marks of these cells mean. Unstable ratios are hatched, not figures."""
    cells = [of_queue for row in rows for of_queue in row]
    known = [of_queue for of_queue in cells if of_queue]
    hatched = f"hatched: {INTERVAL} of the ratio {WORDS['unstable']}"
    return [
        "=: a tie with the best" if any(_ties_with_another(of[1]) for of in known) else "",
        hatched if any(_is_wide(*of_queue) for of_queue in known) else "",
        notes(of_queue and of_queue[0].without_interval() for of_queue in cells),
    ]


def _ties_with_another(beside: Standing) -> bool:
    return beside.is_tie and beside.rival != beside.name.queue


def _is_wide(cell: Cell, beside: Standing) -> bool:
    return beside.ratio.unstable and not cell.is_bound


def draw_grid(
    canvas: Canvas,
    left_top: tuple[float, float],
    queues: Sequence[str],
    rows: Mapping[str, Row],
    text: Text,
) -> Axes:
    """Draws the rows with their names. `left_top` is in inches from the left and the upper edge."""
    left, top = left_top
    axes = axes_at(canvas, left, top, WIDTH - left - RIGHT, ROW * len(rows))
    axes.set(xlim=(0, len(queues)), ylim=(len(rows), 0))
    axes.set_axis_off()
    for row, (label, of_row) in enumerate(rows.items()):
        write(canvas, left - 0.08, top + (row + 0.5) * ROW, label, size=8, ha="right")
        for column, (queue, of_queue) in enumerate(zip(queues, of_row, strict=True)):
            if of_queue is None:
                _write(axes, column, row, "–")
                continue
            cell, beside = of_queue
            ink = _colour(axes, (column, row), cell, beside, f"{label}:{queue}")
            sign = ">" if cell.is_bound else "=" if _ties_with_another(beside) else ""
            weight = "bold" if beside.is_tie else "normal"
            _write(axes, column, row, sign + text(cell, beside), color=ink, weight=weight)
            if cell.mark == "window":
                axes.text(column + 0.94, row + 0.08, "w", size=5.5, color=ink, ha="right", va="top")
    return axes


def _colour(axes: Axes, place: tuple[int, int], cell: Cell, beside: Standing, gid: str) -> str:
    """Colours a cell by the ratio that is sure, so that a tie looks like the best.

    Hatches the cell if its ratio is unstable. Returns a colour of text that is legible on it.
    """
    colour = colour_scale.colours(1, WORST).to_rgba(np.array(beside.at_least))
    red, green, blue, _ = colour
    ink = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 else "black"
    box = Rectangle(place, 1, 1, facecolor=colour, edgecolor="white", linewidth=1.2)
    box.set_gid(f"{cell.mark}:{gid}")
    axes.add_patch(box)
    if _is_wide(cell, beside):
        hatched = Rectangle(place, 1, 1, fill=False, edgecolor=ink, linewidth=0, alpha=0.35)
        hatched.set(hatch=HATCH[:4], gid=f"unstable:{gid}")
        axes.add_patch(hatched)
    return ink


def _write(axes: Axes, column: int, row: int, text: str, **look: Any) -> None:  # noqa: ANN401
    """Writes a text as large as the cell allows. A character is at most 0.72 of its size wide."""
    points = 72 * axes.bbox.width / axes.figure.dpi / axes.get_xlim()[1]
    size = min(7.5, 0.92 * points / (0.72 * len(text)))
    axes.text(column + 0.5, row + 0.52, text, size=size, ha="center", va="center", **look)


def write_names(axes: Axes, results: Results) -> None:
    """Writes the names of the queues above the grid, and draws the colours of their families."""
    styles = styles_of(results, "queues")
    strip = STRIP * axes.figure.dpi / axes.bbox.height * axes.get_ylim()[0]
    for column, queue in enumerate(results.queues):
        colour = styles[queue]["color"]
        box = Rectangle((column, -1.5 * strip), 1, strip, facecolor=colour, clip_on=False)
        box.set_gid(f"family:{queue}")
        axes.add_patch(box)
        axes.annotate(
            queue,
            (column + 0.5, 0),
            xytext=(1, 8),
            textcoords="offset points",
            rotation=45,
            rotation_mode="anchor",
            fontsize=8,
            annotation_clip=False,
        )


def draw_scale(canvas: Canvas, top: float) -> None:
    """Draws the scale, which says what the colours mean. `top` is in inches from the upper edge."""
    axes = axes_at(canvas, WIDTH - RIGHT - 2.4, top, 2.4, 0.1)
    ticks = {float(times): f"{times}×" for times in (1, 2, 5, 10, 20, 50)} | {1.0: "best"}
    colour_scale.draw_scale(axes, colour_scale.colours(1, WORST), ticks, "max", 7.5)
    text = "at least so many times as slow as the best of the row"
    write(canvas, WIDTH - RIGHT - 2.5, top + 0.05, text, size=7.5, ha="right")
