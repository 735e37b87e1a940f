"""What processor time a timer that is due takes of a service, and what it allocates."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, workload_of
from timerbench.charts import bars
from timerbench.charts.cells import sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.counters import cells_at
from timerbench.charts.style import styles_of
from timerbench.headlines import titles_of
from timerbench.results import Results, ns_per_operation, optional


def draw(results: Results) -> Canvas | None:
    blocks = [block_of(results, workload) for workload in workloads(results, "dispatch")]
    if not blocks:
        return None
    about = BENCHES["dispatch"]
    shown = titles_of(results, "dispatch", shows=f"Dispatch: ns {about.operation}")
    return bars.draw_blocks(*shown, styles_of(results, "services"), blocks)


def block_of(results: Results, workload: str) -> bars.Block:
    """A panel for each n, and the allocations of the largest."""
    ns = sizes(results, "dispatch", workload)
    panels = [
        bars.Panel(f"n = {n:,}", cells_at(results, "dispatch", f"{workload}/{n}", ns_per_operation))
        for n in ns
    ]
    allocations = optional("allocations_per_schedule")
    cells = cells_at(results, "dispatch", f"{workload}/{ns[-1]}", allocations)
    panels.append(bars.Panel("allocations", cells))
    return bars.Block(workload, workload_of("dispatch", workload).line, panels)


CHARTS = {"dispatch": Chart(("dispatch",), draw)}
