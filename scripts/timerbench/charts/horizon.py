"""The cost of delays that are far apart: time, empty calls and moves."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure as Canvas

from timerbench.benches import operation_of, workload_of
from timerbench.charts import bars
from timerbench.charts.cells import Cell, cells_at, common_n, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.headlines import titles_of
from timerbench.results import Results, ns_per_operation, optional


def draw(results: Results) -> Canvas | None:
    of_bench = workloads(results, "horizon")
    n = common_n(sizes(results, "horizon", workload) for workload in of_bench)
    if n is None:
        return None
    blocks = [
        bars.Block(workload, workload_of("horizon", workload).line, panels_of(results, workload, n))
        for workload in of_bench
    ]
    shown = titles_of(results, "horizon", shows=f"Horizon with {n:,} timers")
    return bars.draw_blocks(*shown, results, "queues", blocks)


def panels_of(results: Results, workload: str, n: int) -> list[bars.Panel]:
    cells = partial(cells_at, results, "horizon", f"{workload}/{n}")

    def counted(counter: str) -> list[Cell | None]:
        """Returns the cells of a counter; None for a queue that was too slow for a single timer."""
        return [cell if cell and not cell.is_bound else None for cell in cells(optional(counter))]

    ns = f"ns {operation_of('horizon', workload)}"
    return [
        bars.Panel(ns, cells(ns_per_operation), logarithmic_from=1),
        bars.Panel("empty calls a timer", counted("empty_calls_per_timer")),
        bars.Panel("moves a timer", counted("moves_per_timer")),
    ]


CHARTS = {"horizon": Chart(("horizon",), draw)}
