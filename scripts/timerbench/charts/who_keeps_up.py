"""Which services run ever more timers within the same 3 s, and which fall behind.

A panel for each n, a row for each service: from the median to the latest task, on one logarithmic
axis.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator

from timerbench.benches import workload_of
from timerbench.charts.bars import write_figure
from timerbench.charts.cells import Cell, cell_of, floor_at, have_intervals, notes, sizes
from timerbench.charts.chart import Chart
from timerbench.charts.scales import set_ticks
from timerbench.charts.sheet import TOP, axes_at, page, side_by_side, write
from timerbench.charts.style import GREY, LETTER, ONLY_SLEEPS, styles_of
from timerbench.estimates import INTERVAL
from timerbench.headlines import titles_of
from timerbench.numerals import duration
from timerbench.results import Name, Results, ns_per_operation, optional

WORKLOAD = "within_3s"
WORST = optional("max_ns")

LEAST = 1e3  # ns; where the axis begins; earlier tasks stand there, too
ROOM = 30  # in latest times of all: room for the words behind the bars
ROW = 0.2  # inches
HEAD = 0.25  # inches; above the panels
TICKS = 0.36  # inches; below them

# How late the median and the latest task are.
Row = tuple[Cell, Cell]


def draw(results: Results) -> Canvas | None:
    ns = sizes(results, "lateness", WORKLOAD)
    panels = {n: rows for n in ns if (rows := rows_of(results, n))}
    if not panels:
        return None
    styles = styles_of(results, "settings")
    services = [one for one in styles if any(one in rows for rows in panels.values())]
    title, _ = titles_of(
        results,
        "lateness",
        WORST,
        shows="Who keeps up?",
        of="The latest of n tasks",
        selected=lambda name: name.workload == WORKLOAD,
    )
    line = f"From the median to the latest task. {workload_of('lateness', WORKLOAD).line}"
    shown = [worst for rows in panels.values() for _, worst in rows.values()]
    canvas = page(
        HEAD + ROW * len(services) + TICKS,
        title,
        line,
        # Nothing is hatched, because the bar itself shows the interval.
        notes(cell.without_interval() for cell in shown),
        f"black line: {INTERVAL} of the latest" if have_intervals(shown) else "",
        f"dotted: {ONLY_SLEEPS}",
        f"◂: less than {duration(LEAST)}",
    )
    left = 0.2 + LETTER * max(map(len, services))
    latest = max(cell.mean for cell in shown)
    places = side_by_side(len(panels), left)
    for (n, rows), (begin, width) in zip(panels.items(), places, strict=True):
        axes = axes_at(canvas, begin, TOP + HEAD, width, ROW * len(services))
        axes.set_label(f"n = {n:,}")
        axes.set_title(f"n = {n:,}", fontsize=8, pad=4)
        set_axes(axes, len(services), latest)
        for service, row in rows.items():
            draw_row(axes, services.index(service), service, styles[service]["color"], row)
        draw_floor(axes, results, n)
    for at, service in enumerate(services):
        where = TOP + HEAD + (at + 0.5) * ROW
        colour = styles[service]["color"]
        write(canvas, left - 0.08, where, service, size=8, color=colour, ha="right")
    return canvas


def rows_of(results: Results, n: int) -> dict[str, Row]:
    """Returns the rows of the services with n timers."""
    rows = {}
    for service in results.measured["settings"]:
        name = Name("lateness", service, f"{WORKLOAD}/{n}")
        median = cell_of(results, name, ns_per_operation)
        worst = cell_of(results, name, WORST)
        if median and worst:
            rows[service] = (median, worst)
    return rows


def set_axes(axes: Axes, rows: int, latest: float) -> None:
    right = ROOM * max(latest, 10 * LEAST)
    axes.set(xscale="log", xlim=(LEAST, right), ylim=(rows - 0.5, -0.5), yticks=[])
    axes.spines["left"].set_color("#999999")
    set_ticks(axes.xaxis, LogLocator(base=100), duration)
    axes.tick_params(labelsize=7, length=2)
    axes.grid(axis="x", color="#e4e4e4", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.set_xlabel("late; logarithmic", fontsize=7, labelpad=1)


def draw_row(axes: Axes, place: int, service: str, colour: str, row: Row) -> None:
    median, worst = row
    begin, end = (max(cell.mean, LEAST) for cell in row)
    (bar,) = axes.barh(place, end - begin, left=begin, height=0.45, color=colour)
    bar.set(alpha=0.45, gid=f"{worst.mark}:{axes.get_label()}:{service}")
    if median.mean < LEAST:
        axes.plot([begin], [place], "<", color=colour, markersize=4, clip_on=False)
    else:
        axes.plot([begin], [place], "|", color=colour, markersize=8, markeredgewidth=2.5)
    if worst.low < worst.high:
        ends = [max(worst.low, LEAST), worst.high]
        axes.plot(ends, [place, place], color="black", linewidth=0.8)
    write_figure(axes, (max(end, worst.high), place), worst, duration)


def draw_floor(axes: Axes, results: Results, n: int) -> None:
    for value in (ns_per_operation, WORST):
        if floor := floor_at(results, "lateness", f"{WORKLOAD}/{n}", value):
            gid = f"floor:{axes.get_label()}"
            axes.axvline(floor.mean, color=GREY, linestyle=":", linewidth=1, gid=gid)


CHARTS = {"who_keeps_up": Chart(("lateness",), draw)}
