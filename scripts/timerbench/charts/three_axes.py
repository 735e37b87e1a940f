"""Why a queue takes its time: what an operation takes on a simulated machine, at one n.

The counts are of the program, not of the machine whose results are drawn: they are shown if the
same compiler built both.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from timerbench import simulated
from timerbench.benches import BENCHES
from timerbench.charts import colour_scale
from timerbench.charts.cells import common_n
from timerbench.charts.chart import Chart
from timerbench.charts.heat_map import MEASURED
from timerbench.charts.sheet import TOP, axes_at, footnote_of_counts, page, side_by_side, write
from timerbench.charts.style import GREY
from timerbench.headlines import titles
from timerbench.numerals import count
from timerbench.results import Name, Results
from timerbench.simulated import Counted

WANTED_N = 100_000

LEFT = 1.75  # inches; for the names of the workloads
NAMES = 1.5  # inches; the title of an axis, and below it the names of the queues
ROW = 0.19  # inches
SCALE = 0.5  # inches; below each axis


@dataclass(frozen=True)
class Axis:
    """A column of the counts: its noun, a description, and the ticks of its scale of colours."""

    column: str
    noun: str
    title: str
    ticks: tuple[float, ...]


AXES = [
    Axis("instructions", "instructions", "instructions", (30, 100, 300, 1_000, 3_000)),
    Axis("d1_misses", "misses", "misses of the first cache", (0.3, 1, 3, 10, 30)),
    Axis("mispredicted", "mispredicted branches", "mispredicted branches", (0.03, 0.1, 0.3, 1, 3)),
]


# The counts of the queues, one after another, by the name of each case.
Rows = Mapping[str, Sequence[Counted | None]]


def draw(results: Results) -> Canvas | None:
    counts = simulated.of_build(results.context, simulated.read(simulated.STORED))
    measured = [bench for bench in MEASURED if results.names(bench)]
    names = [name for name in map(Name.parse, counts) if name.bench in measured]
    queues = [queue for queue in results.queues if queue in {name.queue for name in names}]
    sizes: dict[tuple[str, str], set[int]] = {}
    for name in names:
        if name.n is not None and name.queue in queues:
            sizes.setdefault((name.bench, name.workload), set()).add(name.n)
    n = common_n(sizes.values(), WANTED_N)
    if n is None:
        return None
    rows = {
        f"{BENCHES[bench].title.lower()}, {workload}": [
            counts.get(str(Name(bench, queue, f"{workload}/{n}"))) for queue in queues
        ]
        for bench, workload in sorted(sizes, key=lambda case: measured.index(case[0]))
        if n in sizes[bench, workload]
    }
    return draw_rows(queues, rows, n)


def draw_rows(queues: Sequence[str], rows: Rows, n: int) -> Canvas:
    shows = f"What an operation takes on a simulated machine, with {n:,} timers"
    question = "Does a queue do more, miss the cache, or mispredict?"
    shown = titles(finding(queues, rows), shows, question)
    lacking = any(None in of_row for of_row in rows.values())
    dash = "–: too slow to be counted, or without this verb" if lacking else ""
    kib = (int(simulated.CACHES[name].split(",")[0]) // 1024 for name in ("D1", "LL"))
    caches = "a first cache of {:,} KiB, a last one of {:,} KiB".format(*kib)
    canvas = page(NAMES + ROW * len(rows) + SCALE, *shown, caches, dash)
    top = TOP + NAMES
    for place, label in enumerate(rows):
        write(canvas, LEFT - 0.06, top + (place + 0.5) * ROW, label, size=7.5, ha="right")
    for axis, (left, width) in zip(AXES, side_by_side(len(AXES), LEFT), strict=True):
        write(canvas, left, TOP + 0.1, axis.title, size=8.5, weight="bold")
        colours = colour_scale.colours(axis.ticks[0], axis.ticks[-1])
        draw_axis(axes_at(canvas, left, top, width, ROW * len(rows)), axis, colours, queues, rows)
        scale = axes_at(canvas, left + 0.1, top + ROW * len(rows) + 0.14, width - 0.2, 0.08)
        ticks = {tick: count(tick) for tick in axis.ticks}
        colour_scale.draw_scale(scale, colours, ticks, "both", 7)
    return canvas


def finding(queues: Sequence[str], rows: Rows) -> str | None:
    """Says which queue needs the least of each count, in the geometric mean of the rows.

    Counts have no intervals.
    """
    columns = zip(queues, zip(*rows.values(), strict=True), strict=True)
    complete = {queue: column for queue, column in columns if None not in column}
    if len(complete) < 2:
        return None
    of_queues: dict[str, list[str]] = {}
    for axis in AXES:
        means = {
            queue: statistics.geometric_mean(
                max(getattr(counted, axis.column), axis.ticks[0]) for counted in column
            )
            for queue, column in complete.items()
        }
        of_queues.setdefault(min(means, key=means.__getitem__), []).append(axis.noun)
    fewest = "; ".join(f"{' and '.join(what)}: {queue}" for queue, what in of_queues.items())
    return f"Fewest {fewest}"


def draw_axis(
    axes: Axes, axis: Axis, colours: ScalarMappable, queues: Sequence[str], rows: Rows
) -> None:
    axes.set(xlim=(0, len(queues)), ylim=(len(rows), 0))
    axes.set_axis_off()
    for column, queue in enumerate(queues):
        axes.annotate(
            queue,
            (column + 0.5, 0),
            xytext=(0, 3),
            textcoords="offset points",
            rotation=90,
            fontsize=6.5,
            horizontalalignment="center",
            annotation_clip=False,
        )
        for place, (label, of_row) in enumerate(rows.items()):
            counted = of_row[column]
            if counted is None:
                middle = (column + 0.5, place + 0.52)
                axes.text(*middle, "–", fontsize=6.5, color=GREY, ha="center", va="center")
                continue
            colour = colours.to_rgba(np.array(getattr(counted, axis.column)))
            box = Rectangle((column, place), 1, 1, facecolor=colour, edgecolor="white")
            box.set(linewidth=0.8, gid=f"{axis.column}:{label}:{queue}")
            axes.add_patch(box)


CHARTS = {"three_axes": Chart(tuple(MEASURED), draw, footnote_of_counts)}
