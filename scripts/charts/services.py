"""What timer services cost: their callers, by how many these are, and a timer that is due."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from benches import workload_of
from charts import bars
from charts.cells import Cell, cell_of, common_n, sizes, workloads
from results import Name, Results, Value, ns_per_operation, optional

WANTED_N = 1_000_000


def draw(results: Results) -> Canvas | None:
    blocks = [*blocks_of_calls(results), *blocks_of_expiries(results)]
    if not blocks:
        return None
    question = (
        "What does a call cost when several threads call at once, and what a timer that is due?"
    )
    return bars.draw_blocks("Timer services", question, results.measured["services"], blocks)


def cells_at(
    results: Results, bench: str, workload: str, n: int, value: Value
) -> list[Cell | None]:
    return [
        cell_of(results, Name(bench, service, f"{workload}/{n}"), value)
        for service in results.measured["services"]
    ]


def blocks_of_calls(results: Results) -> list[bars.Block]:
    """One for each call, with a panel for each number of threads."""
    of_bench = workloads(results, "contention")
    n = common_n((sizes(results, "contention", workload) for workload in of_bench), WANTED_N)
    if n is None:
        return []
    panels: dict[str, list[bars.Panel]] = {}
    for workload in of_bench:
        call, _, threads = workload.partition("_")
        wall, of_all_threads = (
            cells_at(results, "contention", workload, n, value)
            for value in (ns_per_operation, optional("cpu_ns_per_operation"))
        )
        title = f"{threads} thread{'s' if threads != '1' else ''}"
        panels.setdefault(call, []).append(bars.Panel(title, wall, of_all_threads))
    remark = f"ns a call, with {n:,} timers pending; grey: processor time of all threads"
    return [bars.Block(call, remark, of_call) for call, of_call in panels.items()]


def blocks_of_expiries(results: Results) -> list[bars.Block]:
    blocks = []
    for workload in workloads(results, "dispatch"):
        ns = sizes(results, "dispatch", workload)
        panels = [
            bars.Panel(f"n = {n:,}", cells_at(results, "dispatch", workload, n, ns_per_operation))
            for n in ns
        ]
        allocations = optional("allocations_per_schedule")
        cells = cells_at(results, "dispatch", workload, ns[-1], allocations)
        panels.append(bars.Panel("allocations", cells))
        remark = f"ns of processor time an expiry; {workload_of('dispatch', workload).line}"
        blocks.append(bars.Block("expiry", remark, panels))
    return blocks
