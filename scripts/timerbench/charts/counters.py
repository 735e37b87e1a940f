"""What a bench counted of each service: a block for each workload, a panel for each counter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure as Canvas

from timerbench.benches import subject_of, workload_of
from timerbench.charts import bars
from timerbench.charts.cells import Cell, cell_of, floor_at, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.style import styles_of
from timerbench.headlines import titles_of
from timerbench.measures import Measure, measures_of
from timerbench.numerals import duration, short, whole
from timerbench.results import Name, Results, Value, optional


@dataclass(frozen=True)
class Counter:
    """Which, and how its figures are written."""

    name: str
    write: Callable[[float], str] = short
    logarithmic_from: float | None = None


# Charted here, by the titles of their panels. What may be late by seconds has a logarithmic axis.
BENCHES = ("sleep", "idle", "slow_task", "overload")
MAY_BE_VERY_LATE = ("slow_task", "overload")


def panels_of(bench: str) -> dict[str, Counter]:
    return {measure.name: counter_of(bench, measure) for measure in measures_of(bench)}


def counter_of(bench: str, measure: Measure) -> Counter:
    if measure.unit == "ns":
        return Counter(measure.counter, duration, 1e3 if bench in MAY_BE_VERY_LATE else None)
    return Counter(measure.counter, whole if bench in MAY_BE_VERY_LATE else short)


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
        for title, counter in panels_of(bench).items()
        if any(cells := cells_at(results, bench, case, optional(counter.name)))
    ]
    return bars.Block(workload, f"{workload_of(bench, workload).line} n = {n:,}", panels)


def cells_at(results: Results, bench: str, case: str, value: Value) -> list[Cell | None]:
    """Of all that are measured, in the order of the catalog."""
    measured = results.measured[subject_of(bench)]
    return [cell_of(results, Name(bench, one, case), value) for one in measured]


CHARTS = {bench: Chart((bench,), partial(draw, bench=bench)) for bench in BENCHES}
