"""How late a thread wakes, and what it costs to wake it, by the way in which it sleeps."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from benches import BENCHES, workload_of
from charts import bars
from charts.cells import cell_of, common_n, sizes, workloads
from results import Name, Results, optional

PANELS = {
    "ns late, median": "ns_per_operation",
    "p99": "p99_ns",
    "p99.9": "p999_ns",
    "worst": "worst_ns",
    "ns to wake it": "wake_call_ns",
    "until it runs": "woken_after_ns",
}


def draw(results: Results) -> Canvas | None:
    of_bench = workloads(results, "sleep")
    n = common_n(sizes(results, "sleep", workload) for workload in of_bench)
    if n is None:
        return None
    blocks = [
        bars.Block(workload, workload_of("sleep", workload).line, panels_of(results, workload, n))
        for workload in of_bench
        if n in sizes(results, "sleep", workload)
    ]
    title, ways = f"Sleep, {n:,} times", results.measured["ways"]
    return bars.draw_blocks(title, BENCHES["sleep"].question, ways, blocks)


def panels_of(results: Results, workload: str, n: int) -> list[bars.Panel]:
    names = [Name("sleep", way, f"{workload}/{n}") for way in results.measured["ways"]]
    return [
        bars.Panel(title, [cell_of(results, name, optional(counter)) for name in names])
        for title, counter in PANELS.items()
    ]
