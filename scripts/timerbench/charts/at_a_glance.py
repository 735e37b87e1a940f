"""All queues in one picture: what an operation takes on average, against the worst call."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, workload_of
from timerbench.charts import crosses
from timerbench.charts.cells import Cell, cell_of
from timerbench.charts.chart import Chart
from timerbench.charts.layout import layout_for, write_titles
from timerbench.charts.line_ends import End, label_line_ends
from timerbench.charts.style import styles_of
from timerbench.estimates import INTERVAL
from timerbench.headlines import contests_of, titles
from timerbench.numerals import duration
from timerbench.results import Name, Results, ns_per_operation, worst_expire_ns

N = 100_000
PANELS = {"churn": "rpc_mixed", "hold": "exponential"}

Point = tuple[Cell, Cell]  # on average, and at worst


def draw(results: Results) -> Canvas | None:
    panels = {bench: points for bench in PANELS if (points := points_of(results, bench))}
    if not panels:
        return None
    question = f"{N:,} timers are pending; lower left is better."
    shown = titles(finding(results, [*panels]), "On average, and at worst", question)
    layout = layout_for([*panels.values()])
    canvas, axes_of_panels = layout.page(len(panels), *shown, f"line: {INTERVAL}")
    for axes, (bench, points) in zip(axes_of_panels, panels.items(), strict=True):
        draw_panel(axes, results, bench, points)
    return canvas


def finding(results: Results, benches: Sequence[str]) -> str | None:
    """Says where a queue is unbeaten both on average and at worst."""
    both = {}
    for bench in benches:
        unbeaten = [
            contest.unbeaten
            for value in (ns_per_operation, worst_expire_ns)
            for contest in contests_of(
                results, bench, value, lambda name: name.case == f"{PANELS[name.bench]}/{N}"
            )
        ]
        if len(unbeaten) < 2:
            return None
        both[BENCHES[bench].title.lower()] = sorted(frozenset.intersection(*unbeaten))
    if not any(both.values()):
        return "No queue is unbeaten both on average and at worst"
    where = [f"{' or '.join(those)} in {bench}" for bench, those in both.items() if those]
    return f"On average and at worst, nothing beats {', nor '.join(where)}"


def points_of(results: Results, bench: str) -> dict[str, Point]:
    """Returns the points by queue, without queues that were too slow to be timed."""
    points = {}
    for queue in results.queues:
        name = Name(bench, queue, f"{PANELS[bench]}/{N}")
        mean = cell_of(results, name, ns_per_operation)
        worst = cell_of(results, name, worst_expire_ns)
        if mean and worst and not mean.is_bound and worst.low > 0:
            points[queue] = (mean, worst)
    return points


def draw_panel(axes: Axes, results: Results, bench: str, points: dict[str, Point]) -> None:
    workload = PANELS[bench]
    axes.set_label(bench)
    title = f"{BENCHES[bench].title}, {workload}"
    write_titles(axes, title, workload_of(bench, workload).line)
    axes.set_xlabel(f"ns {BENCHES[bench].operation}; logarithmic", labelpad=2)
    axes.set_ylabel("worst call of expire; logarithmic")
    crosses.set_axes(axes, "{:,.0f}".format, duration)
    styles = styles_of(results, "queues")
    ends = []
    for queue, (mean, worst) in points.items():
        look = {key: styles[queue][key] for key in ("color", "marker")}
        gid = f"{mean.mark}:{bench}:{queue}"
        crosses.draw_point(axes, mean, worst, {**look, "gid": gid})
        ends.append(End(queue, mean.mean, worst.mean, look["color"]))
    label_line_ends(axes, ends)


CHARTS = {"at_a_glance": Chart(tuple(PANELS), draw)}
