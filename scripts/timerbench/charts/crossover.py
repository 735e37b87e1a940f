"""From how many timers on a wheel overtakes a heap, a row for each workload."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator

from timerbench.benches import BENCHES
from timerbench.charts.chart import Chart
from timerbench.charts.rows import draw_rows
from timerbench.charts.scales import set_ticks
from timerbench.charts.sheet import key, page
from timerbench.charts.style import styles_of
from timerbench.crossover import COMPARED, HEAP, WHEEL, Crossover, Side, crossovers, rivals
from timerbench.estimates import INTERVAL
from timerbench.headlines import titles
from timerbench.numerals import count
from timerbench.results import Results

LEFT = 1.8  # inches; for the workloads
RIGHT = 3.3  # inches; for the words
ROW = 0.27  # inches

CROSSING = Line2D([], [], color="black", marker="|", markersize=8, linewidth=1.2)


def draw(results: Results) -> Canvas | None:
    rows, queues = crossovers(results), rivals(results)
    if not rows or not queues:
        return None
    canvas = page(
        ROW * len(rows) + 0.3,
        *titles(
            finding(queues, list(rows.values())),
            f"From how many timers on {queues[WHEEL]} overtakes {queues[HEAP]}",
            "Where does a heap remain the better choice?",
        ),
    )
    styles = styles_of(results, "queues")
    colours = {side: styles[queue]["color"] for side, queue in queues.items()}
    words = {
        f"{BENCHES[bench].title.lower()}, {workload}": str(crossing)
        for (bench, workload), crossing in rows.items()
    }
    axes = draw_rows(canvas, words, ROW, LEFT, RIGHT)
    ns = [n for crossing in rows.values() for n in crossing.sizes]
    axes.set_xlim(min(ns) / 1.4, max(ns) * 1.4)
    set_ticks(axes.xaxis, LogLocator(), count)
    axes.set_xlabel("n, timers; logarithmic", fontsize=7.5, labelpad=1)
    for row, crossing in enumerate(rows.values()):
        draw_row(axes, row + 0.5, crossing, colours)
    entries = {f"{queues[side]} is faster": Patch(color=colours[side]) for side in queues}
    doubtful = any(crossing.doubtful for crossing in rows.values())
    crossed = any(crossing.n for crossing in rows.values())
    name = f"the last crossing, {INTERVAL}" if doubtful else "the last crossing"
    key(canvas, entries | ({name: CROSSING} if crossed or doubtful else {}))
    return canvas


def finding(queues: dict[Side, str], rows: Sequence[Crossover]) -> str | None:
    """Says in how many workloads the wheel is surely ahead with the most timers."""
    known = [crossing for crossing in rows if crossing.decided_by > 1]
    if not known:
        return None
    surely = [one for one in known if one.faster_at_last == WHEEL and one.high < math.inf]
    return (
        f"With the most timers, {queues[WHEEL]} is surely faster than {queues[HEAP]} "
        f"in {len(surely)} of {len(known)} workloads"
    )


def draw_row(axes: Axes, y: float, crossing: Crossover, colours: dict[Side, str]) -> None:
    """Draws where each of the two is faster, and the last crossing with its interval."""
    thick: dict[str, Any] = {"linewidth": 5, "solid_capstyle": "butt"}
    for stretch in crossing.stretches:
        ends = [stretch.first, stretch.last]
        axes.plot(ends, [y, y], color=colours[stretch.faster], gid=f"stretch:{y:g}", **thick)
    if crossing.doubtful:
        axes.plot(crossing.doubtful, [y, y], color="black", linewidth=1.2, gid=f"doubtful:{y:g}")
    if crossing.n:
        axes.plot([crossing.n], [y], marker="|", markersize=11, color="black", markeredgewidth=1.6)


CHARTS = {"crossover": Chart(COMPARED, draw)}
