"""What a remote call's limit costs over n: a panel for each family, in which all others are grey.

So each queue can be found among all, which no chart of twenty colours shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES
from timerbench.charts.cells import ceiling
from timerbench.charts.chart import Chart
from timerbench.charts.line_ends import LINE_HEIGHT
from timerbench.charts.lines import (
    HEAD,
    LEFT,
    TICKS,
    Line,
    Panel,
    by_family,
    draw_panel,
    lines_of,
    room_for,
)
from timerbench.charts.over_n import floor_within
from timerbench.charts.sheet import TOP, axes_at, page
from timerbench.charts.style import WIDTH
from timerbench.headlines import titles_of
from timerbench.numerals import count, short_count
from timerbench.results import Results, ns_per_operation

BENCH, WORKLOAD = "churn", "rpc"
COLUMNS = 2
LEAST_HEIGHT = 1.9  # inches
FEWEST = 2  # families; of one there is nothing to compare


def draw(results: Results) -> Canvas | None:
    lines = lines_of(results, BENCH, WORKLOAD, ns_per_operation)
    families = by_family(results, lines)
    if len(families) < FEWEST:
        return None
    sizes = sorted({n for line in lines for n in line.cells})
    floor = floor_within(results, sizes)
    shown = titles_of(
        results,
        BENCH,
        shows=f"{BENCHES[BENCH].title}, {WORKLOAD}: ns {BENCHES[BENCH].operation}, by family",
        selected=lambda name: name.workload == WORKLOAD,
    )
    most = max(len(of_family) + len(floor) for of_family in families.values())
    height = max(LEAST_HEIGHT, most * LINE_HEIGHT)
    step = HEAD + height + TICKS
    rows = math.ceil(len(families) / COLUMNS)
    canvas = page(
        step * rows, *shown, "grey: the queues of all other families", "both axes are logarithmic"
    )
    right = room_for([line.name for line in [*lines, *floor]])
    limits = limits_of([*lines, *floor])
    across = WIDTH / COLUMNS
    for place, (family, members) in enumerate(families.items()):
        row, column = divmod(place, COLUMNS)
        left = column * across + LEFT * 0.75
        width = across - LEFT * 0.75 - right
        axes = axes_at(canvas, left, TOP + row * step + HEAD, width, height)
        others = [line for line in lines if line not in members]
        title = family.replace("_", " ")
        panel = Panel(title, "", members, others, floor, kind="floor", limits=limits)
        draw_panel(axes, panel, count)
        axes.xaxis.set_major_formatter(lambda n, _position: short_count(round(n)))
    return canvas


def limits_of(lines: Sequence[Line]) -> tuple[float, float]:
    """All panels have the same axis, so that they can be compared."""
    cells = [cell for line in lines for cell in line.cells.values()]
    return min(cell.mean for cell in cells) / 1.5, 1.5 * ceiling(cells)


CHARTS = {"families": Chart((BENCH,), draw)}
