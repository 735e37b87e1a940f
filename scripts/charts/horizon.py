"""What delays that are far apart cost a queue: in time, in empty calls and in moves."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from benches import BENCHES, operation_of, workload_of
from charts import bars
from charts.cells import Cell, cell_of, common_n, notes, sizes, workloads
from charts.page import TOP, page, write
from charts.style import WIDTH
from results import Name, Results, ns_per_operation, optional

HEAD = 0.42  # inches; above the bars of a workload, for what it is and the titles of the panels
APART = 0.22  # inches; between two workloads


def draw(results: Results) -> Canvas | None:
    of_bench = workloads(results, "horizon")
    n = common_n(sizes(results, "horizon", workload) for workload in of_bench)
    if n is None:
        return None
    rows = {
        workload: panels_of(results, workload, n)
        for workload in of_bench
        if n in sizes(results, "horizon", workload)
    }
    step = HEAD + bars.height_of(len(results.queues)) + APART
    cells = [cell for panels in rows.values() for panel in panels for cell in panel.cells]
    canvas = page(
        step * len(rows) - APART,
        f"Horizon with {n:,} timers",
        BENCHES["horizon"].question,
        notes(cells, with_intervals=True),
    )
    for row, (workload, panels) in enumerate(rows.items()):
        top = TOP + row * step
        remark = workload_of("horizon", workload).line
        write(canvas, 0.08, top + 0.08, workload, size=9, weight="bold")
        write(canvas, WIDTH - 0.1, top + 0.08, remark, size=8, colour="#333333", side="right")
        bars.draw_row(canvas, top + HEAD, results.queues, panels)
    return canvas


def panels_of(results: Results, workload: str, n: int) -> list[bars.Panel]:
    names = [Name("horizon", queue, f"{workload}/{n}") for queue in results.queues]

    def counted(counter: str) -> list[Cell | None]:
        """Nothing for a queue that was too slow for a single timer."""
        cells = [cell_of(results, name, optional(counter)) for name in names]
        return [cell if cell and cell.mark != "slower_than" else None for cell in cells]

    ns = f"ns {operation_of('horizon', workload)}"
    return [
        bars.Panel(ns, [cell_of(results, name, ns_per_operation) for name in names]),
        bars.Panel("empty calls a timer", counted("empty_calls_per_timer")),
        bars.Panel("moves a timer", counted("moves_per_timer")),
    ]
