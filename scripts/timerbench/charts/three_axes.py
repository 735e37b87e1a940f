"""Why a queue takes its time: what an operation takes on a simulated machine, at one n.

The counts are of the program, not of the machine whose results are drawn: they are shown if the
same compiler built both.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from timerbench import simulated
from timerbench.benches import BENCHES
from timerbench.charts.cells import common_n
from timerbench.charts.chart import Chart
from timerbench.charts.heat_map import MEASURED
from timerbench.charts.sheet import TOP, axes_at, footnote_of_counts, page, write
from timerbench.charts.style import GREY, WIDTH
from timerbench.headlines import titles
from timerbench.numerals import count
from timerbench.results import Name, Results
from timerbench.simulated import Cells

WANTED_N = 100_000

LEFT = 1.75  # inches; for the names of the workloads
GAP = 0.14  # inches; between two axes
RIGHT = 0.1  # inches
NAMES = 1.5  # inches; the title of an axis, and below it the names of the queues
ROW = 0.19  # inches
SCALE = 0.5  # inches; below each axis


@dataclass(frozen=True)
class Axis:
    """A column of the counts, with the ticks of its scale of colours."""

    column: str
    title: str
    ticks: tuple[float, ...]


AXES = [
    Axis("instructions", "instructions", (30, 100, 300, 1_000, 3_000)),
    Axis("d1_misses", "misses of the first cache", (0.3, 1, 3, 10, 30)),
    Axis("mispredicted", "mispredicted branches", (0.03, 0.1, 0.3, 1, 3)),
]


@dataclass(frozen=True)
class Row:
    """A case: its name in words, and the queues' counts."""

    label: str
    bench: str
    case: str


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
    rows = [
        Row(f"{BENCHES[bench].title.lower()}, {workload}", bench, f"{workload}/{n}")
        for bench in measured
        for of_bench, workload in sizes
        if of_bench == bench and n in sizes[bench, workload]
    ]
    return draw_rows(counts, queues, rows, n)


def draw_rows(counts: Cells, queues: Sequence[str], rows: Sequence[Row], n: int) -> Canvas:
    shows = f"What an operation takes on a simulated machine, with {n:,} timers"
    question = "Does a queue do more, miss the cache, or mispredict?"
    shown = titles(finding(counts, queues, rows), shows, question)
    canvas = page(NAMES + ROW * len(rows) + SCALE, *shown, note(counts, queues, rows))
    top = TOP + NAMES
    for place, row in enumerate(rows):
        write(canvas, LEFT - 0.06, top + (place + 0.5) * ROW, row.label, size=7.5, side="right")
    width = (WIDTH - LEFT - RIGHT - GAP * (len(AXES) - 1)) / len(AXES)
    for place, axis in enumerate(AXES):
        left = LEFT + place * (width + GAP)
        write(canvas, left, TOP + 0.1, axis.title, size=8.5, weight="bold")
        axes = axes_at(canvas, left, top, width, ROW * len(rows))
        draw_axis(axes, axis, counts, queues, rows)
        draw_scale(canvas, axis, left, top + ROW * len(rows) + 0.14, width)
    return canvas


def finding(counts: Cells, queues: Sequence[str], rows: Sequence[Row]) -> str | None:
    """Which queue needs the least of each, in the geometric mean of the rows. Counts are sure."""
    complete = [q for q in queues if all(cell_of(counts, q, row) is not None for row in rows)]
    if len(complete) < 2:
        return None

    def mean(queue: str, axis: Axis) -> float:
        found = [cell_of(counts, queue, row) for row in rows]
        values = [max(getattr(cell, axis.column), axis.ticks[0]) for cell in found if cell]
        return statistics.geometric_mean(values)

    least = [min(complete, key=lambda queue, axis=axis: mean(queue, axis)) for axis in AXES]  # type: ignore[misc]
    words = ("instructions", "misses", "mispredicted branches")
    of_queues: dict[str, list[str]] = {}
    for queue, word in zip(least, words, strict=True):
        of_queues.setdefault(queue, []).append(word)
    fewest = "; ".join(f"{' and '.join(what)}: {queue}" for queue, what in of_queues.items())
    return f"Fewest {fewest}"


def note(counts: Cells, queues: Sequence[str], rows: Sequence[Row]) -> str:
    sizes = {name: text.split(",") for name, text in simulated.CACHES.items()}
    first, last = (f"{int(sizes[name][0]) // 1024:,} KiB" for name in ("D1", "LL"))
    machine = f"a first cache of {first}, a last one of {last}"
    lacking = any(cell_of(counts, queue, row) is None for queue in queues for row in rows)
    return f"{machine};  –: too slow to be counted, or without this verb" if lacking else machine


def cell_of(counts: Cells, queue: str, row: Row) -> simulated.Counted | None:
    return counts.get(str(Name(row.bench, queue, row.case)))


def colours(axis: Axis) -> ScalarMappable:
    return ScalarMappable(LogNorm(axis.ticks[0], axis.ticks[-1]), plt.get_cmap("YlGnBu"))


def draw_axis(
    axes: Axes, axis: Axis, counts: Cells, queues: Sequence[str], rows: Sequence[Row]
) -> None:
    axes.set_xlim(0, len(queues))
    axes.set_ylim(len(rows), 0)
    axes.set_axis_off()
    scale = colours(axis)
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
        for place, row in enumerate(rows):
            counted = cell_of(counts, queue, row)
            if counted is None:
                middle = (column + 0.5, place + 0.52)
                axes.text(*middle, "–", fontsize=6.5, color=GREY, ha="center", va="center")
                continue
            # A count of 0 has no logarithm.
            value = min(max(getattr(counted, axis.column), axis.ticks[0]), axis.ticks[-1])
            colour = scale.to_rgba(np.array(value))
            box = Rectangle((column, place), 1, 1, facecolor=colour, edgecolor="white")
            box.set(linewidth=0.8, gid=f"{axis.column}:{row.label}:{queue}")
            axes.add_patch(box)


def draw_scale(canvas: Canvas, axis: Axis, left: float, top: float, width: float) -> None:
    """What the colours mean, so many inches from the upper edge."""
    axes = axes_at(canvas, left + 0.1, top, width - 0.2, 0.08)
    scale = canvas.colorbar(colours(axis), cax=axes, orientation="horizontal", extend="both")
    scale.set_ticks(axis.ticks, labels=[count(tick) for tick in axis.ticks])
    scale.minorticks_off()
    scale.ax.tick_params(length=2, labelsize=7)
    scale.outline.set_visible(False)  # type: ignore[operator]


CHARTS = {"three_axes": Chart(tuple(MEASURED), draw, footnote_of_counts)}
