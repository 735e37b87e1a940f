"""What a finer tick buys and what it costs: p99 lateness against processor time."""

from __future__ import annotations

import re
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from timerbench.benches import BENCHES
from timerbench.charts import lines
from timerbench.charts.cells import Cell, cell_of, floor_at, notes, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.line_ends import End, label_line_ends
from timerbench.charts.sheet import TOP, axes_at, page
from timerbench.charts.style import GREY, ONLY_SLEEPS, WIDTH, Style, styles_of
from timerbench.numerals import duration
from timerbench.results import Name, Results, ns_per_operation, optional

HEIGHT = 3.6  # inches
ROOM = 0.2  # of the axes; left of all points, for what is written there


@dataclass(frozen=True)
class Point:
    """What a tick costs and how late tasks are with it."""

    tick: str
    cost: Cell
    late: Cell


def draw(results: Results) -> Canvas | None:
    ns = [n for workload in workloads(results, "ticks") for n in sizes(results, "ticks", workload)]
    curves = {
        wheel: points_of(results, wheel, max(ns)) for wheel in results.measured["wheels"] if ns
    }
    curves = {wheel: points for wheel, points in curves.items() if points}
    if not curves:
        return None
    question = f"{BENCHES['ticks'].question} {max(ns):,} timers a second; lower left is better."
    shown = [point.late for points in curves.values() for point in points]
    title = "Ticks: lateness against processor time"
    canvas = page(HEIGHT + lines.TICKS, title, question, notes(shown, with_intervals=True))
    width = WIDTH - lines.LEFT - lines.room_for([*curves, ONLY_SLEEPS])
    axes = axes_at(canvas, lines.LEFT, TOP, width, HEIGHT)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_label("ticks")
    ends = []
    styles = styles_of(results, "wheels")
    for wheel, points in curves.items():
        style = styles[wheel]
        draw_curve(axes, wheel, points, style)
        last = max(points, key=lambda point: point.cost.figure.mean)
        x, y = last.cost.figure.mean, last.late.figure.mean
        ends.append(End(wheel, x, y, style["color"]))
    left, right = axes.get_xlim()
    axes.set_xlim(left * (left / right) ** ROOM, right)
    write_ticks(axes, [point for points in curves.values() for point in points])
    ends += draw_floors(axes, results, max(ns), list(curves.values()))
    set_ticks(axes)
    label_line_ends(axes, ends)
    return canvas


def points_of(results: Results, wheel: str, n: int) -> list[Point]:
    """From the finest tick to the coarsest."""
    points = []
    for tick in workloads(results, "ticks"):
        name = Name("ticks", wheel, f"{tick}/{n}")
        cost = cell_of(results, name, optional("cpu_percent"))
        late = cell_of(results, name, ns_per_operation)
        if cost and late and cost.figure.mean > 0:
            points.append(Point(tick, cost, late))
    return points


def draw_curve(axes: Axes, wheel: str, points: list[Point], style: Style) -> None:
    colour = style["color"]
    xs = [point.cost.figure.mean for point in points]
    ys = [point.late.figure.mean for point in points]
    axes.plot(xs, ys, color=colour, linestyle=style["linestyle"], linewidth=1.2, alpha=0.7)
    for point, x, y in zip(points, xs, ys, strict=True):
        axes.plot([x, x], [point.late.low, point.late.high], color=GREY, linewidth=0.9)
        axes.plot([point.cost.low, point.cost.high], [y, y], color=GREY, linewidth=0.9)
        lagged = point.late.mark == "lagged"
        gid = f"{point.late.mark}:{wheel}:{point.tick}"
        marker = "x" if lagged else style["marker"]
        axes.plot([x], [y], marker, color=colour, markersize=5, gid=gid)
        if lagged:
            axes.annotate("†", (x, y), xytext=(4, 4), textcoords="offset points", color=colour)


def draw_floors(axes: Axes, results: Results, n: int, curves: list[list[Point]]) -> list[End]:
    """Of each tick what no service is better than, from the least that the tick costs to the most.

    Returns what to label: the one furthest to the right.
    """
    ends = []
    for tick in workloads(results, "ticks"):
        costs = [p.cost.figure.mean for points in curves for p in points if p.tick == tick]
        floor = floor_at(results, "ticks", f"{tick}/{n}", ns_per_operation)
        if costs and floor:
            ns = floor.figure.mean
            axes.plot([min(costs), max(costs)], [ns, ns], color=GREY, gid=f"floor:{tick}")
            ends.append(End(ONLY_SLEEPS, max(costs), ns, GREY))
    return sorted(ends, key=lambda end: end.x)[-1:]


def write_ticks(axes: Axes, points: list[Point]) -> None:
    """Each tick once, left of what it costs at least: its points are close to one another."""
    for tick in dict.fromkeys(point.tick for point in points):
        of_tick = [point for point in points if point.tick == tick]
        least = min(of_tick, key=lambda point: point.cost.low)
        axes.annotate(
            "a tick of " + re.sub(r"(\d+)", r"\1 ", tick).replace("us", "µs"),
            (least.cost.low, least.late.figure.mean),
            xytext=(-5, 0),
            textcoords="offset points",
            horizontalalignment="right",
            verticalalignment="center",
            fontsize=7.5,
        )


def set_ticks(axes: Axes) -> None:
    axes.set_xlabel(
        "processor time of the service's threads, % of a core; logarithmic", fontsize=8, labelpad=2
    )
    axes.set_ylabel("late, p99; logarithmic", fontsize=8)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda percent, _: f"{percent:g}%"))
    axes.yaxis.set_major_locator(LogLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda ns, _: duration(ns)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.tick_params(labelsize=8)
    axes.grid(which="major", color="#dddddd", linewidth=0.6)


CHARTS = {"ticks": Chart(("ticks",), draw)}
