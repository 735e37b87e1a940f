"""What delays that are far apart cost a queue: in time, in empty calls and in moves."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure as Canvas

from benches import operation_of
from charts import bars
from charts.cells import Cell, cell_of
from results import Name, Results, ns_per_operation, optional


def draw(results: Results) -> Canvas | None:
    return bars.draw_workloads(
        results, "horizon", "Horizon with {n:,} timers", partial(panels_of, results)
    )


def panels_of(results: Results, names: list[Name]) -> list[bars.Panel]:
    def counted(counter: str) -> list[Cell | None]:
        """Nothing for a queue that was too slow for a single timer."""
        cells = [cell_of(results, name, optional(counter)) for name in names]
        return [cell if cell and cell.mark != "slower_than" else None for cell in cells]

    ns = f"ns {operation_of('horizon', names[0].workload)}"
    return [
        bars.Panel(ns, [cell_of(results, name, ns_per_operation) for name in names]),
        bars.Panel("empty calls a timer", counted("empty_calls_per_timer")),
        bars.Panel("moves a timer", counted("moves_per_timer")),
    ]
