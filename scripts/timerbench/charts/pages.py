"""The times of queues with many timers in huge pages of memory, and in small ones."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, operation_of, workload_of
from timerbench.charts import bars
from timerbench.charts.cells import cell_of, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.heat_map import MEASURED
from timerbench.charts.sheet import processes_of
from timerbench.headlines import titles
from timerbench.results import Name, Results, ns_per_operation


def draw(results: Results) -> Canvas | None:
    """Draws the cases with the most timers, of those that were measured in both kinds of pages."""
    small = results.small_pages
    if small is None or results.pages != {"huge"}:
        return None
    names = [name for name in small.rounds if name.bench in MEASURED and name in results.rounds]
    n = max((name.n for name in names if name.n is not None), default=None)
    names = [name for name in names if name.n == n]
    if n is None:
        return None
    blocks = [
        block_of(results, small, bench, f"{workload}/{n}")
        for bench in MEASURED
        for workload in workloads(small, bench)
        if any((name.bench, name.workload) == (bench, workload) for name in names)
    ]
    shows = f"Huge and small pages: ns an operation with {n:,} timers"
    question = (
        "Small pages are what a program has that asks for nothing. They had a run of their own: "
        f"{processes_of(small, names).lower()}."
    )
    shown = titles(finding(blocks), shows, question)
    return bars.draw_blocks(*shown, results, "queues", blocks)


def finding(blocks: Sequence[bars.Block]) -> str | None:
    """Says what small pages cost at least and at most.

    The two kinds were not measured in one process.
    """
    both = [
        (huge, small)
        for block in blocks
        for huge, small in zip(*(panel.cells for panel in block.panels), strict=True)
        if huge and small and not huge.is_bound and not small.is_bound
    ]
    if len(both) < 2 or any(min(huge.processes, small.processes) < 2 for huge, small in both):
        return None
    times = [small.mean / huge.mean for huge, small in both]
    return f"In small pages, queues take {min(times):.2f} to {max(times):.2f} times as long"


def block_of(results: Results, small: Results, bench: str, case: str) -> bars.Block:
    """Makes two panels with the same axis."""
    names = [Name(bench, queue, case) for queue in results.queues]
    in_huge, in_small = (
        [cell_of(each, name, ns_per_operation) for name in names] for each in (results, small)
    )
    workload = names[0].workload
    return bars.Block(
        f"{BENCHES[bench].title}, {workload}",
        f"{workload_of(bench, workload).line} ns {operation_of(bench, workload)}.",
        [
            bars.Panel("huge pages", in_huge, room_for=in_small),
            bars.Panel("small pages", in_small, room_for=in_huge),
        ],
    )


CHARTS = {"pages": Chart(tuple(MEASURED), draw)}
