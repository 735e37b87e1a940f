"""What a bench counted of each service: a block for each workload, a panel for each counter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure as Canvas

from timerbench.benches import subject_of, workload_of
from timerbench.charts import bars
from timerbench.charts.cells import Cell, cell_of, floor_at, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.style import styles_of
from timerbench.headlines import titles_of
from timerbench.numerals import duration, short, whole
from timerbench.results import Name, Results, Value, optional


@dataclass(frozen=True)
class Counter:
    """Which, and how its figures are written."""

    name: str
    write: Callable[[float], str] = short
    logarithmic_from: float | None = None


# How late something is: from microseconds to seconds.
Late = partial(Counter, write=duration, logarithmic_from=1e3)

# By the titles of their panels.
PANELS: Mapping[str, Mapping[str, Counter]] = {
    "sleep": {
        "late, median": Counter("ns_per_operation", duration),
        "p99": Counter("p99_ns", duration),
        "p99.9": Counter("p999_ns", duration),
        "worst": Counter("worst_ns", duration),
        "to wake it": Counter("wake_call_ns", duration),
        "until it runs": Counter("woken_after_ns", duration),
    },
    "idle": {
        "processor time a second": Counter("ns_per_operation", duration),
        "wake-ups a second": Counter("voluntary_switches_per_second"),
        "switched out, a second": Counter("involuntary_switches_per_second"),
    },
    "slow_task": {
        "median": Late("ns_per_operation"),
        "p90": Late("p90_ns"),
        "p99": Late("p99_ns"),
        "worst": Late("max_ns"),
        "most that waited": Counter("max_backlog", whole),
    },
    "overload": {
        "until none waited": Late("recovery_ns"),
        "most that waited": Counter("max_backlog", whole),
        "late, p99": Late("p99_ns"),
        "worst": Late("max_ns"),
        "runs made up for": Counter("caught_up_runs", whole),
    },
}

# The others are shown at the largest n.
EVERY_N = {"slow_task"}


def draw(results: Results, bench: str) -> Canvas | None:
    blocks = [
        block_of(results, bench, workload, n)
        for workload in workloads(results, bench)
        for n in sizes(results, bench, workload)[None if bench in EVERY_N else -1 :]
    ]
    if not blocks:
        return None
    return bars.draw_blocks(
        *titles_of(results, bench), styles_of(results, subject_of(bench)), blocks
    )


def block_of(results: Results, bench: str, workload: str, n: int) -> bars.Block:
    """A counter that nothing has gets no panel."""
    case = f"{workload}/{n}"
    panels = [
        bars.Panel(
            title,
            cells,
            floor=floor_at(results, bench, case, optional(counter.name)),
            write=counter.write,
            logarithmic_from=counter.logarithmic_from,
        )
        for title, counter in PANELS[bench].items()
        if any(cells := cells_at(results, bench, case, optional(counter.name)))
    ]
    return bars.Block(workload, f"{workload_of(bench, workload).line} n = {n:,}", panels)


def cells_at(results: Results, bench: str, case: str, value: Value) -> list[Cell | None]:
    """Of all that are measured, in the order of the catalog."""
    measured = results.measured[subject_of(bench)]
    return [cell_of(results, Name(bench, one, case), value) for one in measured]


CHARTS = {bench: Chart((bench,), partial(draw, bench=bench)) for bench in PANELS}
