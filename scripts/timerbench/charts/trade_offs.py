"""The price of exactness: lateness against processor time, for finer ticks and for less slack."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, subject_of
from timerbench.charts import crosses
from timerbench.charts.cells import Cell, cell_of, floor_at, notes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.layout import Layout, room_for
from timerbench.charts.line_ends import End, label_line_ends
from timerbench.charts.style import GREY, ONLY_SLEEPS, Style, styles_of
from timerbench.headlines import titles
from timerbench.numerals import duration, short
from timerbench.results import Name, Results, ns_per_operation, optional

ROOM = 0.2  # of the axes; left of all points, for the labels of the values


@dataclass(frozen=True)
class Varied:
    """What a bench varies, and the quantile of the lateness that is its figure."""

    bench: str
    noun: str
    quantile: str
    moves_floors: bool = False  # whether it also delays what only sleeps
    unmoved: str = ""  # the group of services that it does not affect: they wait for long ticks


@dataclass(frozen=True)
class Point:
    """A value: its cost, and how late tasks are with it."""

    value: str
    cost: Cell
    late: Cell


def draw(results: Results, varied: Varied) -> Canvas | None:
    bench, subject = varied.bench, subject_of(varied.bench)
    n = max((name.n or 0 for name in results.names(bench)), default=0)
    unmoved = results.groups[varied.unmoved]
    curves = {
        one: points
        for one in results.measured[subject]
        if one not in unmoved and (points := points_of(results, bench, one, n))
    }
    if not curves:
        return None
    about = BENCHES[bench]
    question = f"{about.question} {n:,} timers a second; lower left is better."
    drawn = [point for points in curves.values() for point in points]
    shows = f"{about.title}: lateness against processor time"
    layout = Layout(height=3.6, right=room_for([*curves, ONLY_SLEEPS]), head=0)
    canvas, (axes,) = layout.page(
        1,
        *titles(finding([*curves.values()], varied), shows, question),
        notes([point.late for point in drawn], with_intervals=True),
    )
    axes.set_label(bench)
    axes.set_xlabel("processor time of the service's threads, % of a core; logarithmic", labelpad=2)
    axes.set_ylabel(f"late, {varied.quantile}; logarithmic")
    crosses.set_axes(axes, "{:g}%".format, duration)
    styles = styles_of(results, subject)
    ends = [draw_curve(axes, one, points, styles[one]) for one, points in curves.items()]
    left, right = axes.get_xlim()
    axes.set_xlim(left * (left / right) ** ROOM, right)
    floors = floors_of(results, bench, n)
    write_values(axes, varied.noun, drawn, floors if varied.moves_floors else {})
    ends += draw_floors(axes, drawn, floors)
    label_line_ends(axes, ends)
    return canvas


def points_of(results: Results, bench: str, one: str, n: int) -> list[Point]:
    """Returns the points, from the finest value to the coarsest."""
    points = []
    for value in workloads(results, bench):
        name = Name(bench, one, f"{value}/{n}")
        cost = cell_of(results, name, optional("cpu_percent"))
        late = cell_of(results, name, ns_per_operation)
        if cost and late and cost.mean > 0:
            points.append(Point(value, cost, late))
    return points


def finding(curves: list[list[Point]], varied: Varied) -> str | None:
    """Says how much less late the finest value is than the coarsest, and what it costs, at most.

    Only services whose intervals show the difference count.
    """
    ends = [
        (fine, coarse)
        for fine, *_, coarse in (points for points in curves if len(points) > 1)
        if 0 < fine.late.high < coarse.late.low and 0 < coarse.cost.high < fine.cost.low
    ]
    if not ends:
        return None
    less_late = max(coarse.late.mean / fine.late.mean for fine, coarse in ends)
    cost = max(fine.cost.mean / coarse.cost.mean for fine, coarse in ends)
    return (
        f"The finest {varied.noun} makes tasks up to {short(less_late, 2)} times less late, "
        f"for up to {short(cost, 2)} times the processor time"
    )


def draw_curve(axes: Axes, one: str, points: list[Point], style: Style) -> End:
    """Draws the curve. Returns the end to label: the point that costs most."""
    colour = style["color"]
    xs = [point.cost.mean for point in points]
    ys = [point.late.mean for point in points]
    axes.plot(xs, ys, color=colour, linestyle=style["linestyle"], linewidth=1.2, alpha=0.7)
    for point in points:
        lagged = point.late.mark == "lagged"
        gid = f"{point.late.mark}:{one}:{point.value}"
        marker = "x" if lagged else style["marker"]
        look = {"color": colour, "marker": marker, "gid": gid}
        crosses.draw_point(axes, point.cost, point.late, look)
        if lagged:
            place = (point.cost.mean, point.late.mean)
            axes.annotate("†", place, xytext=(4, 4), textcoords="offset points", color=colour)
    last = max(points, key=lambda point: point.cost.mean)
    return End(one, last.cost.mean, last.late.mean, colour)


def floors_of(results: Results, bench: str, n: int) -> dict[str, float]:
    """Returns for each value how late a thread is that only sleeps, in turns with the services."""
    return {
        value: floor.mean
        for value in workloads(results, bench)
        if (floor := floor_at(results, bench, f"{value}/{n}", ns_per_operation))
    }


def draw_floors(axes: Axes, points: list[Point], floors: dict[str, float]) -> list[End]:
    """Draws for each value the lateness of the floor, from its least cost to its greatest.

    Returns the end to label: the one furthest to the right.
    """
    ends = []
    for value, ns in floors.items():
        costs = [point.cost.mean for point in points if point.value == value]
        if costs:
            axes.plot([min(costs), max(costs)], [ns, ns], color=GREY, gid=f"floor:{value}")
            ends.append(End(ONLY_SLEEPS, max(costs), ns, GREY))
    return sorted(ends, key=lambda end: end.x)[-1:]


def write_values(axes: Axes, noun: str, points: list[Point], floors: dict[str, float]) -> None:
    """Writes each value once, left of its cheapest point: its points are close to one another.

    The label is at the height of its floor, or of its cheapest point if there is no floor.
    """
    for value in dict.fromkeys(point.value for point in points):
        of_value = [point for point in points if point.value == value]
        least = min(of_value, key=lambda point: point.cost.low)
        axes.annotate(
            f"a {noun} of " + re.sub(r"(\d+)", r"\1 ", value).replace("us", "µs"),
            (least.cost.low, floors.get(value, least.late.mean)),
            xytext=(-5, 0),
            textcoords="offset points",
            horizontalalignment="right",
            verticalalignment="center",
            fontsize=7.5,
        )


VARIED = (
    Varied("ticks", "tick", "p99"),
    Varied("slack", "slack", "p50", moves_floors=True, unmoved="coarse_ticks"),
)

CHARTS = {varied.bench: Chart((varied.bench,), partial(draw, varied=varied)) for varied in VARIED}
