"""Benches of services whose figure is shown at each n: a block a workload, a panel for each n."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, subject_of, workload_of
from timerbench.charts import bars
from timerbench.charts.cells import cells_at, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.headlines import titles_of
from timerbench.results import Results, Value, optional, value_of


def draw(
    results: Results,
    bench: str,
    shows: str | None = None,
    remark: str = "",
    at_the_largest: Mapping[str, str] | None = None,  # counters, by the titles of their panels
) -> Canvas | None:
    blocks = []
    for workload in workloads(results, bench):
        ns = sizes(results, bench, workload)
        wanted: list[tuple[str, int, Value]] = [(f"n = {n:,}", n, value_of(bench)) for n in ns]
        for title, counter in (at_the_largest or {}).items():
            wanted.append((title, ns[-1], optional(counter)))
        panels = [
            bars.Panel(title, cells_at(results, bench, f"{workload}/{n}", value))
            for title, n, value in wanted
        ]
        blocks.append(bars.Block(workload, remark + workload_of(bench, workload).line, panels))
    titles = titles_of(results, bench, shows=shows)
    return bars.draw_blocks(*titles, results, subject_of(bench), blocks)


draw_dispatch = partial(
    draw,
    bench="dispatch",
    shows=f"Dispatch: ns {BENCHES['dispatch'].operation}",
    at_the_largest={"allocations": "allocations_per_schedule"},
)
draw_memory = partial(draw, bench="service_memory", remark="Bytes a timer. ")

CHARTS = {
    "dispatch": Chart(("dispatch",), draw_dispatch),
    "service_memory": Chart(("service_memory",), draw_memory),
}
