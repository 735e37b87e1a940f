"""The cost of a call of a timer service, by the number of threads that call, and by memory."""

from __future__ import annotations

from functools import partial
from typing import get_args

from matplotlib.figure import Figure as Canvas

from timerbench.benches import CALLS, CONTENTION, ContentionWorkload, Memory
from timerbench.charts import bars
from timerbench.charts.cells import Cell, cells_at, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.scales import Writer
from timerbench.headlines import titles_of
from timerbench.numerals import duration, short
from timerbench.results import Entry, Results, Value, ns_per_operation, optional

WANTED_THREADS = 4  # for panels that have no room for all numbers of threads


def draw(results: Results, n: int) -> Canvas | None:
    """Draws the calls with n timers pending. The two kinds of memory stand one below the other."""
    blocks: dict[str, list[ContentionWorkload]] = {}
    for workload in workloads(results, "contention"):
        if workload in CONTENTION and n in sizes(results, "contention", workload):
            of = CONTENTION[workload]
            blocks.setdefault(of.calls_in_words, []).append(of)
    title, line = titles_of(
        results,
        "contention",
        shows=f"ns a call with {n:,} timers pending",
        selected=lambda name: name.n == n,
    )
    return bars.draw_blocks(
        title,
        f"{line} Grey: processor time of all threads.",
        results,
        "services",
        [block_of(results, title, of_block, n) for title, of_block in blocks.items()],
    )


def block_of(results: Results, title: str, of: list[ContentionWorkload], n: int) -> bars.Block:
    """Makes panels for each number of threads, for the p99 of a call, and for the wake-ups.

    Both kinds of memory have the same axes.
    """

    def cells(workload: ContentionWorkload, value: Value) -> list[Cell | None]:
        return cells_at(results, "contention", f"{workload}/{n}", value)

    def panel(
        title: str, workload: ContentionWorkload, write: Writer, value: Value, *behind: Value
    ) -> bars.Panel:
        both = [workload._replace(memory=memory) for memory in get_args(Memory)]
        values = (value, *behind)
        return bars.Panel(
            title,
            cells(workload, value),
            [cell for value in behind for cell in cells(workload, value)],
            room_for=[cell for one in both for value in values for cell in cells(one, value)],
            write=write,
        )

    wanted = next((one for one in of if one.threads == WANTED_THREADS), of[-1])
    threads = wanted.threads_in_words
    cpu, p99 = optional("cpu_ns_per_operation"), optional("p99_ns")
    panels = [
        *(panel(one.threads_in_words, one, short, ns_per_operation, cpu) for one in of),
        panel(f"p99 of a call,\n{threads}", wanted, duration, p99),
        panel(f"wakes in 1,000,\n{threads}", wanted, short, wakes_of_1000),
    ]
    line, _ = CALLS[wanted.call]
    return bars.Block(title, line, panels)


def wakes_of_1000(entry: Entry) -> float | None:
    """Returns how often threads of the service woke in 1,000 operations."""
    wakes = optional("wakes_per_operation")(entry)
    return None if wakes is None else 1_000 * wakes


CHARTS = {
    "contention": Chart(("contention",), partial(draw, n=1_000)),
    "contention_at_a_million": Chart(("contention",), partial(draw, n=1_000_000)),
}
