"""From how many timers on the hierarchical wheel overtakes the heap, a row for each workload."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullLocator

from benches import BENCHES
from charts.page import TOP, axes_at, key, page, write
from charts.style import COLOURS, WIDTH, count
from crossover import HEAP, WHEEL, Crossover, crossovers
from results import Results

LEFT = 1.8  # inches; for the workloads
RIGHT = 2.75  # inches; for the words
ROW = 0.27  # inches

CROSSING = Line2D([], [], color="black", marker="|", markersize=8, linewidth=1.2)


def draw(results: Results) -> Canvas | None:
    rows = crossovers(results)
    if not rows:
        return None
    canvas = page(
        ROW * len(rows) + 0.3,
        f"From how many timers on {WHEEL} overtakes {HEAP}",
        "And where does a heap remain the better choice?",
    )
    colours = {
        queue: COLOURS[results.queues.index(queue) % len(COLOURS)] for queue in (HEAP, WHEEL)
    }
    axes = axes_at(canvas, LEFT, TOP + 0.1, WIDTH - LEFT - RIGHT, ROW * len(rows))
    axes.set_xscale("log")
    ns = [n for crossing in rows.values() for n in crossing.sizes]
    axes.set_xlim(min(ns) / 1.4, max(ns) * 1.4)
    axes.set_ylim(len(rows), 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _position: count(n)))
    axes.tick_params(labelsize=7.5)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    for row, ((bench, workload), crossing) in enumerate(rows.items()):
        where = TOP + 0.1 + (row + 0.5) * ROW
        write(
            canvas,
            LEFT - 0.1,
            where,
            f"{BENCHES[bench].title.lower()}, {workload}",
            size=8,
            side="right",
        )
        write(canvas, WIDTH - RIGHT + 0.1, where, str(crossing), size=8)
        draw_row(axes, row + 0.5, crossing, colours)
    entries = {f"{queue} is faster": Patch(color=colour) for queue, colour in colours.items()}
    crossed = any(crossing.n for crossing in rows.values())
    key(canvas, entries | ({"the crossing, 95% interval": CROSSING} if crossed else {}))
    return canvas


def draw_row(axes: Axes, y: float, crossing: Crossover, colours: dict[str, str]) -> None:
    """The stretch of each of the two, and between them the crossing with its interval."""
    first, last = crossing.sizes[0], crossing.sizes[-1]
    thick: dict[str, Any] = {"linewidth": 5, "solid_capstyle": "butt"}
    middle = crossing.n or first
    axes.plot([middle, last], [y, y], color=colours[crossing.faster_at_last], **thick)
    if crossing.n is None:
        return
    axes.plot([first, middle], [y, y], color=colours[crossing.faster_at_first], **thick)
    low, high = max(crossing.low, first), min(crossing.high, last)
    axes.plot([low, high], [y, y], color="black", linewidth=1.2)
    axes.plot([middle], [y], marker="|", markersize=11, color="black", markeredgewidth=1.6)
