"""The cost of a remote call's limit over n: a panel for each family. The others are grey in it.

So each queue can be found among all, which is impossible in one chart of twenty colours.
"""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES
from timerbench.charts.cells import ceiling
from timerbench.charts.chart import Chart
from timerbench.charts.layout import Layout, room_for
from timerbench.charts.line_ends import LINE_HEIGHT
from timerbench.charts.lines import Panel, by_family, draw_panel, lines_of
from timerbench.charts.over_n import floor_within
from timerbench.headlines import titles_of
from timerbench.numerals import count, short_count
from timerbench.results import Results, ns_per_operation

BENCH, WORKLOAD = "churn", "rpc"
LEFT = 0.6  # inches
LEAST_HEIGHT = 1.9  # inches
FEWEST = 2  # families; a single one has nothing to compare with


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
    drawn = [*lines, *floor]
    right = room_for([line.name for line in drawn])
    canvas, axes_of_panels = Layout(height, LEFT, right, columns=2).page(
        len(families),
        *shown,
        "grey: the queues of all other families",
        "both axes are logarithmic",
    )
    cells = [cell for line in drawn for cell in line.cells.values()]
    # All panels have the same limits, so that they can be compared.
    limits = min(cell.mean for cell in cells) / 1.5, 1.5 * ceiling(cells)
    for axes, (family, members) in zip(axes_of_panels, families.items(), strict=True):
        others = [line for line in lines if line not in members]
        title = family.replace("_", " ")
        panel = Panel(title, "", members, others, floor, kind="floor", limits=limits)
        draw_panel(axes, panel, count)
        axes.xaxis.set_major_formatter(lambda n, _position: short_count(round(n)))
    return canvas


CHARTS = {"families": Chart((BENCH,), draw)}
