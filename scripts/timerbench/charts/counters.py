"""What a bench counted of each service: a block for each workload, a panel for each counter."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure as Canvas

from timerbench.benches import subject_of, workload_of
from timerbench.charts import bars
from timerbench.charts.cells import cells_at, floor_at, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.headlines import titles_of
from timerbench.measures import measures_of
from timerbench.numerals import duration, short, whole
from timerbench.results import Results, optional

# What may be late by seconds has a logarithmic axis.
BENCHES = ("sleep", "idle", "slow_task", "overload")
MAY_BE_VERY_LATE = ("slow_task", "overload")

# The others are shown at the largest n.
EVERY_N = {"slow_task"}


def draw(results: Results, bench: str) -> Canvas | None:
    blocks = [
        block_of(results, bench, workload, n)
        for workload in workloads(results, bench)
        for n in sizes(results, bench, workload)[None if bench in EVERY_N else -1 :]
    ]
    return bars.draw_blocks(*titles_of(results, bench), results, subject_of(bench), blocks)


def block_of(results: Results, bench: str, workload: str, n: int) -> bars.Block:
    """Makes a panel for each counter that at least one service has."""
    case = f"{workload}/{n}"
    is_long = bench in MAY_BE_VERY_LATE
    panels = [
        bars.Panel(
            measure.name,
            cells,
            floor=floor_at(results, bench, case, optional(measure.counter)),
            write=duration if measure.unit == "ns" else whole if is_long else short,
            logarithmic_from=1e3 if measure.unit == "ns" and is_long else None,
        )
        for measure in measures_of(bench)
        if any(cells := cells_at(results, bench, case, optional(measure.counter)))
    ]
    return bars.Block(workload, f"{workload_of(bench, workload).line} n = {n:,}", panels)


CHARTS = {bench: Chart((bench,), partial(draw, bench=bench)) for bench in BENCHES}
