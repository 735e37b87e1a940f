"""How late tasks are while time goes by, and how many wait: a panel for each setting."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator

from timerbench.benches import workload_of
from timerbench.charts.cells import cell_of, notes, sizes
from timerbench.charts.chart import Chart
from timerbench.charts.scales import set_ticks
from timerbench.charts.sheet import GAP, TOP, axes_at, page, side_by_side, write
from timerbench.charts.style import GREY, styles_of_lines
from timerbench.headlines import titles
from timerbench.numerals import duration, whole
from timerbench.results import Name, Results, ns_per_operation

# The first of these that was measured, with the most timers.
WORKLOADS = ("within_3s", "uniform", "exponential", "burst", "ballast")

COLUMNS = 3
TOO_LATE = 1e8  # ns
LEFT = 0.7  # inches; for the figures of the axes
RIGHT = 0.12
HEAD = 0.24  # above a panel, for its name
LATE = 0.8  # the height of the lateness
WAIT = 0.42  # and of the backlog below it
TICKS = 0.34  # below the last row

Slices = Sequence[tuple[float, float, float | None]]  # ms, how many wait, p99 in ns


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
    ends = (
        max(row[0] for of in slices.values() for row in of) / 1e3 + 0.05,
        limits_of_lateness(slices.values()),
        max(*(row[1] for of in slices.values() for row in of), 1) * 1.05,
    )
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
        draw_late(late, of_setting, colour, ends)
        draw_wait(wait, of_setting, ends)
        label_axes(late, wait, is_first=column == 0, is_last=place + COLUMNS >= len(slices))
        if column == 0:
            write(canvas, 0.08, top + 0.06, "late", size=7, colour="#555555")
            write(canvas, 0.08, top + LATE + 0.1, "waiting", size=7, colour="#555555")
    return canvas


def finding(slices: dict[str, Slices]) -> str:
    """How many are too late at some time in the process that is drawn."""
    late = [one for one, of in slices.items() if any(ns and ns > TOO_LATE for _, _, ns in of)]
    return f"{len(late)} of {len(slices)} services are later than {duration(TOO_LATE)} at some time"


def case_of(results: Results) -> str | None:
    for workload in WORKLOADS:
        if ns := sizes(results, "lateness", workload):
            return f"{workload}/{ns[-1]}"
    return None


def slices_of(results: Results, case: str) -> dict[str, Slices]:
    """Of the first round that has them."""
    found: dict[str, Slices] = {}
    for setting in styles_of_lines(results, "settings"):
        entries = results.rounds.get(Name("lateness", setting, case), {}).values()
        slices = next((entry["over_time"] for entry in entries if entry.get("over_time")), None)
        if slices:
            found[setting] = slices
    return found


def limits_of_lateness(panels: Iterable[Slices]) -> tuple[float, float]:
    known = [row[2] for of in panels for row in of if row[2]]
    return 10 ** math.floor(math.log10(min(known, default=1e5))), 2 * max(known, default=1e6)


Ends = tuple[float, tuple[float, float], float]  # seconds, ns, timers


def draw_late(axes: Axes, slices: Slices, colour: str, ends: Ends) -> None:
    seconds, limits, _ = ends
    axes.set_yscale("log")
    axes.set_ylim(*limits)
    axes.set_xlim(0, seconds)
    heights = [ns if ns else math.nan for _, _, ns in slices]
    times = [ms / 1e3 + 0.025 for ms, _, _ in slices]
    axes.plot(times, heights, color=colour, linewidth=1.1, gid=f"late:{axes.get_label()}")
    axes.plot(times, heights, ".", color=colour, markersize=1.6)


def draw_wait(axes: Axes, slices: Slices, ends: Ends) -> None:
    seconds, _, most = ends
    axes.set_ylim(most, 0)  # downwards
    axes.set_xlim(0, seconds)
    times = [ms / 1e3 + 0.05 for ms, _, _ in slices]
    waiting = [number for _, number, _ in slices]
    axes.fill_between(times, waiting, color=GREY, alpha=0.5, linewidth=0)
    axes.plot(times, waiting, color=GREY, linewidth=0.8)


def label_axes(late: Axes, wait: Axes, *, is_first: bool, is_last: bool) -> None:
    set_ticks(late.yaxis, LogLocator(numticks=5), duration)
    most = wait.get_ylim()[0] / 1.05
    set_ticks(wait.yaxis, FixedLocator([most]), whole)
    for axes in (late, wait):
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.tick_params(labelsize=7, length=2, labelleft=is_first)
        axes.grid(color="#e4e4e4", linewidth=0.5)
    late.tick_params(axis="x", length=0, labelbottom=False)
    wait.tick_params(axis="x", labelbottom=is_last)
    if is_last:
        wait.set_xlabel("s", fontsize=7.5, labelpad=1)


CHARTS = {"lateness_over_time": Chart(("lateness",), draw)}
