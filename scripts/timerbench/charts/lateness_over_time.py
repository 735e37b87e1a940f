"""How late tasks are over time, and how many wait: a panel for each setting."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator
from numpy.typing import NDArray

from timerbench.benches import workload_of
from timerbench.charts.cells import cell_of, notes, sizes
from timerbench.charts.chart import Chart
from timerbench.charts.scales import set_ticks
from timerbench.charts.sheet import GAP, TOP, axes_at, page, side_by_side, write
from timerbench.charts.style import GREY, styles_of_lines
from timerbench.headlines import titles
from timerbench.numerals import duration, whole
from timerbench.results import Name, Results, ns_per_operation

# The chart shows the first of these that was measured, with the most timers.
WORKLOADS = ("within_3s", "uniform", "exponential", "burst", "ballast")

COLUMNS = 3
TOO_LATE = 1e8  # ns
LEFT = 0.7  # inches; for the figures of the axes
RIGHT = 0.12
HEAD = 0.24  # above a panel, for its name
LATE = 0.8  # the height of the lateness
WAIT = 0.42  # and of the backlog below it
TICKS = 0.34  # below the last row


class Slices(NamedTuple):
    """Slices of 50 ms: when each begins, how many wait at its end, and the p99 of its lateness.

    The p99 is of tasks that start in the slice. If none starts, it is NaN.
    """

    seconds: NDArray[np.float64]
    waiting: NDArray[np.float64]
    late: NDArray[np.float64]  # ns


def draw(results: Results) -> Canvas | None:
    case = case_of(results)
    slices = slices_of(results, case) if case else {}
    if not case or not slices:
        return None
    rows = math.ceil(len(slices) / COLUMNS)
    step = HEAD + LATE + WAIT + GAP
    name = Name("lateness", "", case)
    line = workload_of("lateness", name.workload).line
    canvas = page(
        rows * step + TICKS,
        *titles(
            finding(slices),
            f"Lateness over time, {name.workload}, n = {name.n:,}",
            f"{line} Above: p99 of what starts in 50 ms. Below: how many wait.",
        ),
        notes(
            cell_of(results, Name("lateness", setting, case), ns_per_operation)
            for setting in slices
        ),
    )
    seconds = max(of.seconds.max() for of in slices.values()) + 0.05
    limits = limits_of_lateness(slices.values())
    most = max(1, *(of.waiting.max() for of in slices.values()))
    columns = side_by_side(COLUMNS, LEFT, RIGHT)
    styles = styles_of_lines(results, "settings")
    for place, (setting, of_setting) in enumerate(slices.items()):
        row, column = divmod(place, COLUMNS)
        left, width = columns[column]
        top = TOP + row * step + HEAD
        late = axes_at(canvas, left, top, width, LATE)
        wait = axes_at(canvas, left, top + LATE, width, WAIT)
        lagged = " †" if results.mark(Name("lateness", setting, case)) == "lagged" else ""
        colour = styles[setting]["color"]
        late.set_title(f"{setting}{lagged}", fontsize=7.5, color=colour, pad=3)
        late.set_label(setting)
        late.set(xlim=(0, seconds), yscale="log", ylim=limits)
        wait.set(xlim=(0, seconds), ylim=(most * 1.05, 0))  # downwards
        set_ticks(late.yaxis, LogLocator(numticks=5), duration)
        set_ticks(wait.yaxis, FixedLocator([most]), whole)
        draw_slices(late, wait, of_setting, colour)
        label_axes(late, wait, is_first=column == 0, is_last=place + COLUMNS >= len(slices))
        if column == 0:
            write(canvas, 0.08, top + 0.06, "late", size=7, color="#555555")
            write(canvas, 0.08, top + LATE + 0.1, "waiting", size=7, color="#555555")
    return canvas


def finding(slices: dict[str, Slices]) -> str:
    """Says how many services are too late at some time in the process that is drawn."""
    late = [one for one, of in slices.items() if (of.late > TOO_LATE).any()]
    return f"{len(late)} of {len(slices)} services are later than {duration(TOO_LATE)} at some time"


def case_of(results: Results) -> str | None:
    for workload in WORKLOADS:
        if ns := sizes(results, "lateness", workload):
            return f"{workload}/{ns[-1]}"
    return None


def slices_of(results: Results, case: str) -> dict[str, Slices]:
    """Returns the slices of each service, from its first round that has them."""
    found: dict[str, Slices] = {}
    for setting in styles_of_lines(results, "settings"):
        entries = results.rounds.get(Name("lateness", setting, case), {}).values()
        if rows := next(filter(None, (entry.get("over_time") for entry in entries)), None):
            ms, waiting, late = np.array(rows, dtype=float).T
            found[setting] = Slices(ms / 1e3, waiting, np.where(late == 0, math.nan, late))
    return found


def limits_of_lateness(panels: Iterable[Slices]) -> tuple[float, float]:
    known = [ns for of in panels for ns in of.late if not math.isnan(ns)]
    return 10 ** math.floor(math.log10(min(known, default=1e5))), 2 * max(known, default=1e6)


def draw_slices(late: Axes, wait: Axes, slices: Slices, colour: str) -> None:
    middle, end = slices.seconds + 0.025, slices.seconds + 0.05
    late.plot(middle, slices.late, color=colour, linewidth=1.1, gid=f"late:{late.get_label()}")
    late.plot(middle, slices.late, ".", color=colour, markersize=1.6)
    wait.fill_between(end, slices.waiting, color=GREY, alpha=0.5, linewidth=0)
    wait.plot(end, slices.waiting, color=GREY, linewidth=0.8)


def label_axes(late: Axes, wait: Axes, *, is_first: bool, is_last: bool) -> None:
    for axes in (late, wait):
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.tick_params(labelsize=7, length=2, labelleft=is_first)
        axes.grid(color="#e4e4e4", linewidth=0.5)
    late.tick_params(axis="x", length=0, labelbottom=False)
    wait.tick_params(axis="x", labelbottom=is_last)
    if is_last:
        wait.set_xlabel("s", fontsize=7.5, labelpad=1)


CHARTS = {"lateness_over_time": Chart(("lateness",), draw)}
