"""ns an operation over n: a panel for each workload of a bench, above the floor of the machine.

The best exact queue of each family has its colour and its name.
"""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, workload_of
from timerbench.charts.cells import cells_of, sizes, workloads
from timerbench.charts.lines import Line, Panel, best_of_families, draw_panels, lines_of
from timerbench.charts.style import GREY
from timerbench.headlines import titles_of
from timerbench.results import MACHINE, Results, ns_per_operation

# The random touches of memory that queues are compared with.
FLOOR = {"dependent": "-", "independent": (0, (5, 2))}


def draw(results: Results, bench: str) -> Canvas | None:
    panels = [
        Panel(
            workload,
            workload_of(bench, workload).line,
            *best_of_families(results, lines),
            floor,
            kind="floor",
        )
        for workload in workloads(results, bench)
        if (lines := lines_of(results, bench, workload, ns_per_operation))
        for floor in [floor_within(results, sizes(results, bench, workload))]
    ]
    table = BENCHES[bench]
    unit = f"ns {table.operation}"
    shows = f"{table.title}: {unit} over n"
    return draw_panels(*titles_of(results, bench, shows=shows), unit, panels)


def floor_within(results: Results, ns: list[int]) -> list[Line]:
    """Returns what a random touch of memory takes, from the least to the greatest of these n."""
    lines = []
    for touch, linestyle in FLOOR.items():
        cells = cells_of(results, "floor", MACHINE, touch, ns_per_operation)
        inside = {n: cell for n, cell in cells.items() if ns[0] <= n <= ns[-1]}
        style = {"color": GREY, "linewidth": 1, "linestyle": linestyle}
        if inside:
            lines.append(Line(f"floor, {touch}", style, inside))
    return lines
