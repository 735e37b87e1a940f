"""What the machine takes for a touch of memory, over n: a line for each way of touching it."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES
from timerbench.charts.cells import cells_of, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.lines import Line, Panel, draw_panels
from timerbench.charts.style import style_of
from timerbench.headlines import titles
from timerbench.numerals import duration
from timerbench.results import MACHINE, Results, ns_per_operation


def draw(results: Results) -> Canvas | None:
    lines = [
        Line(touch, style_of(position), cells)
        for position, touch in enumerate(workloads(results, "floor"))
        if (cells := cells_of(results, "floor", MACHINE, touch, ns_per_operation))
    ]
    if not lines:
        return None
    table = BENCHES["floor"]
    unit = f"ns {table.operation}"
    return draw_panels(
        *titles(finding(lines), f"{table.title}: {unit} over n", table.question),
        unit,
        [Panel("", "", lines, over="n, cache lines")],
    )


def finding(lines: Sequence[Line]) -> str | None:
    """Says what the first way of touching takes with the fewest and the most cache lines."""
    cells = lines[0].cells
    few, many = min(cells), max(cells)
    if few == many:
        return None
    few_ns, many_ns = (duration(float(f"{cells[n].mean:.2g}")) for n in (few, many))
    return (
        f"A {lines[0].name} touch takes {few_ns} among {few:,} cache lines, "
        f"and {many_ns} among {many:,}"
    )


CHARTS = {"floor": Chart(("floor",), draw)}
