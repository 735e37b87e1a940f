"""What memory a pending timer takes of a service, and what stays of cancelled ones, by n."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from timerbench.benches import workload_of
from timerbench.charts import bars
from timerbench.charts.cells import sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.counters import cells_at
from timerbench.charts.style import styles_of
from timerbench.headlines import titles_of
from timerbench.results import Results, value_of


def draw(results: Results) -> Canvas | None:
    blocks = [
        bars.Block(
            workload,
            f"Bytes a timer. {workload_of('service_memory', workload).line}",
            [
                bars.Panel(
                    f"n = {n:,}",
                    cells_at(
                        results, "service_memory", f"{workload}/{n}", value_of("service_memory")
                    ),
                )
                for n in sizes(results, "service_memory", workload)
            ],
        )
        for workload in workloads(results, "service_memory")
    ]
    if not blocks:
        return None
    shown = titles_of(results, "service_memory")
    return bars.draw_blocks(*shown, styles_of(results, "settings"), blocks)


CHARTS = {"service_memory": Chart(("service_memory",), draw)}
