"""What a call of a timer service takes, by how many threads call at once."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, workload_of
from timerbench.charts import bars
from timerbench.charts.cells import sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.counters import cells_at
from timerbench.charts.style import styles_of
from timerbench.numerals import duration
from timerbench.results import Entry, Results, ns_per_operation, optional

WANTED_THREADS = "4"  # of the panels that have no room for all


def draw(results: Results, n: int) -> Canvas | None:
    """With so many timers pending."""
    threads: dict[str, list[str]] = {}
    for workload in workloads(results, "contention"):
        call, _, number = workload.rpartition("_")
        if n in sizes(results, "contention", workload):
            threads.setdefault(call, []).append(number)
    if not threads:
        return None
    blocks = [block_of(results, call, numbers, n) for call, numbers in threads.items()]
    title = f"Contention: ns a call with {n:,} timers pending"
    question = f"{BENCHES['contention'].question} Grey: processor time of all threads."
    return bars.draw_blocks(title, question, styles_of(results, "services"), blocks)


def block_of(results: Results, call: str, threads: list[str], n: int) -> bars.Block:
    """A panel for each number of threads, the p99 of a call, and how often the service woke."""
    panels = [
        bars.Panel(
            in_words(number),
            cells_at(results, "contention", f"{call}_{number}/{n}", ns_per_operation),
            cells_at(
                results, "contention", f"{call}_{number}/{n}", optional("cpu_ns_per_operation")
            ),
        )
        for number in threads
    ]
    wanted = WANTED_THREADS if WANTED_THREADS in threads else threads[-1]
    case = f"{call}_{wanted}/{n}"
    p99 = cells_at(results, "contention", case, optional("p99_ns"))
    wakes = cells_at(results, "contention", case, wakes_of_1000)
    panels += [
        bars.Panel(f"p99 of a call,\n{in_words(wanted)}", p99, write=duration),
        bars.Panel(f"wakes in 1,000,\n{in_words(wanted)}", wakes),
    ]
    line = workload_of("contention", f"{call}_{wanted}").line
    return bars.Block(call, line, panels)


def in_words(threads: str) -> str:
    return "1 thread" if threads == "1" else f"{threads} threads"


def wakes_of_1000(entry: Entry) -> float | None:
    """How often threads of the service were woken in 1,000 operations."""
    wakes = optional("wakes_per_operation")(entry)
    return None if wakes is None else 1_000 * wakes


CHARTS = {
    "contention": Chart(("contention",), partial(draw, n=1_000)),
    "contention_at_a_million": Chart(("contention",), partial(draw, n=1_000_000)),
}
