"""How late tasks start: the lateness of each share of the tasks, and the p99 over n."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from timerbench.benches import workload_of
from timerbench.charts import lines
from timerbench.charts.cells import Cell, cell_of, floor_at, have_intervals, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.layout import LEFT, layout_for
from timerbench.charts.line_ends import End, label_line_ends
from timerbench.charts.marks import WORDS
from timerbench.charts.scales import set_ticks
from timerbench.charts.sheet import key, write
from timerbench.charts.style import DARK, GREY, ONLY_SLEEPS, Style, styles_of_lines
from timerbench.headlines import titles_of
from timerbench.numerals import duration, short
from timerbench.results import Name, Results, Value, Whose, ns_per_operation, optional, quantile

# The n at which each workload is shown, if it was measured there, and what that n is.
PANELS = {
    "uniform": (10_000, "timers a second"),
    "exponential": (10_000, "timers a second"),
    "ballast": (1_000_000, "timers wait besides"),
    "burst": (10_000, "timers at once"),
}

QUESTION = (
    "Half of the tasks are less late than the line at 50%, and 999 of 1,000 less than at 99.9%."
)

# Places on the axis are logarithms of the share of tasks that are even later: 0.301 for a half.
TICKS = {0.301: "50%", 1: "90%", 2: "99%", 3: "99.9%", 4: "99.99%"}
OF_SETTINGS = {
    float(place): quantile("lateness", 1 - 10.0**-place)
    for place in np.round(np.arange(0.05, 5.001, 0.05), 2)
}

HEAD = 0.46  # inches; above a panel, for two lines

P99 = optional("p99_ns")

# No service can be better than this: a thread that only sleeps until its deadlines. If none took
# turns with the services, the bench `sleep` stands for it, which ran at another time.
OF_SLEEP = "100us"
OF_FLOOR: dict[float, Value] = {
    0.301: ns_per_operation,
    1: optional("p90_ns"),
    2: P99,
    3: optional("p999_ns"),
}


@dataclass(frozen=True)
class Curve:
    """How late the tasks are at most, for each share of them. The key is its place on the axis."""

    name: str
    style: Style
    cells: dict[float, Cell]
    remarks: Sequence[str] = ()
    whose: Whose = "ours"

    @property
    def label(self) -> str:
        return ", ".join([self.name, *self.remarks])


def draw(results: Results) -> Canvas | None:
    panels = {
        Name("lateness", "", f"{workload}/{n}"): curves
        for workload in workloads(results, "lateness")
        if workload in PANELS
        for n in [n_of(results, workload)]
        if (curves := curves_of(results, f"{workload}/{n}"))
    }
    if not panels:
        return None
    floors = {name: floors_of(results, name.case) for name in panels}
    labels = [
        [curve.label for curve in (*floors[name], *curves)] for name, curves in panels.items()
    ]
    shows = "Lateness: from the deadline to the start of the task"
    title, _ = titles_of(results, "lateness", shows=shows, of="Median")
    canvas, axes_of_panels = layout_for(labels, HEAD).page(len(panels), title, QUESTION)
    for axes, (name, curves) in zip(axes_of_panels, panels.items(), strict=True):
        top = canvas.get_size_inches()[1] * (1 - axes.get_position().y1)
        title = f"{name.workload}, {name.n:,} {PANELS[name.workload][1]}"
        line = workload_of("lateness", name.workload).line
        write(canvas, LEFT, top - 0.31, title, size=9, weight="bold")
        write(canvas, LEFT, top - 0.14, line, size=8, color=DARK)
        draw_panel(axes, name, curves, floors[name])
    key(canvas, meanings(panels.values()))
    return canvas


def n_of(results: Results, workload: str) -> int:
    wanted = PANELS[workload][0]
    ns = sizes(results, "lateness", workload)
    return wanted if wanted in ns else ns[-1]


def curves_of(results: Results, case: str) -> list[Curve]:
    """Returns a curve for each setting. A line ends where too few tasks are later."""
    curves = []
    for setting, style in styles_of_lines(results, "settings").items():
        name = Name("lateness", setting, case)
        if cells := shown_cells(results, name, OF_SETTINGS):
            remarks = remarks_of(results, name)
            curves.append(Curve(setting, style, cells, remarks, results.whose(setting)))
    return curves


def remarks_of(results: Results, name: Name) -> list[str]:
    early, operations = (sum(results.values(name, optional(of))) for of in ("early", "operations"))
    remarks = []
    if early and operations:
        remarks.append(f"{short(100 * early / operations, 2)}% early")
    if results.mark(name) == "lagged":
        remarks.append("†")
    return remarks


def floors_of(results: Results, case: str) -> list[Curve]:
    """Returns the floor of the case, or else one for each way to sleep."""
    if of_case := results.floor_of("lateness", case):
        floors = {ONLY_SLEEPS: of_case}
    else:
        ns = sizes(results, "sleep", OF_SLEEP)
        ways = results.measured["ways"] if ns else []
        floors = {f"sleep: {way}": Name("sleep", way, f"{OF_SLEEP}/{ns[-1]}") for way in ways}
    return [
        Curve(label, {"color": GREY}, cells)
        for label, name in floors.items()
        if (cells := shown_cells(results, name, OF_FLOOR))
    ]


def shown_cells(results: Results, name: Name, values: Mapping[float, Value]) -> dict[float, Cell]:
    """Returns the cells by place. A logarithmic axis cannot show what starts in time, or early."""
    cells = {place: cell_of(results, name, value) for place, value in values.items()}
    return {place: cell for place, cell in cells.items() if cell and cell.low > 0}


def draw_panel(axes: Axes, name: Name, curves: Sequence[Curve], floors: Sequence[Curve]) -> None:
    axes.set_label(name.workload)
    axes.set(yscale="log", ylabel="late, logarithmic")
    axes.set_xlabel("of the tasks", labelpad=2)
    last = max(max(curve.cells) for curve in curves)
    ends = []
    for floor in floors:
        shown = {place: cell for place, cell in floor.cells.items() if place <= last}
        heights = [cell.mean for cell in shown.values()]
        look: Style = {"color": GREY, "linewidth": 1.8, "markersize": 3.5, "alpha": 0.6}
        axes.plot(list(shown), heights, "o-", **look, gid=f"floor:{name}")
        ends.append(End(floor.label, max(shown), heights[-1], GREY))
    ends += [draw_curve(axes, curve) for curve in curves]
    axes.set_xticks([*TICKS], labels=[*TICKS.values()])
    axes.set_xlim(0, last + 0.1)
    set_ticks(axes.yaxis, LogLocator(), duration)
    axes.grid(True)
    label_line_ends(axes, ends)


def draw_curve(axes: Axes, curve: Curve) -> End:
    places = list(curve.cells)
    cells = curve.cells.values()
    heights = [cell.mean for cell in cells]
    lows, highs = [cell.low for cell in cells], [cell.high for cell in cells]
    colour = curve.style["color"]
    if curve.whose == "ours":
        axes.fill_between(places, lows, highs, color=colour, alpha=0.12, linewidth=0)
    strokes = {key: curve.style[key] for key in ("color", "linestyle", "linewidth")}
    axes.plot(places, heights, **strokes, gid=f"curve:{axes.get_label()}:{curve.name}")
    return End(curve.label, places[-1], heights[-1], colour)


def meanings(panels: Iterable[Sequence[Curve]]) -> dict[str, Artist]:
    curves = [curve for curves in panels for curve in curves]
    cells = [cell for curve in curves if curve.whose == "ours" for cell in curve.cells.values()]
    shown = lines.meanings({"interval"} if have_intervals(cells) else ())
    if any("†" in curve.remarks for curve in curves):
        shown[WORDS["lagged"]] = Line2D([], [], linestyle="", marker="$†$", color="black")
    return shown | lines.meanings({curve.whose for curve in curves})


def draw_over_n(results: Results) -> Canvas | None:
    """Draws the p99 of each workload over n."""
    panels = [
        lines.Panel(
            workload,
            workload_of("lateness", workload).line,
            of_workload,
            thin=floors_over_n(results, workload),
            kind="only_sleeps",
            over=f"n, {PANELS[workload][1]}",
        )
        for workload in workloads(results, "lateness")
        if workload in PANELS
        and (of_workload := lines.lines_of(results, "lateness", workload, P99))
    ]
    shown = titles_of(results, "lateness", P99, shows="Lateness, p99 over n", of="p99")
    return lines.draw_panels(*shown, "late, p99", panels, duration)


def floors_over_n(results: Results, workload: str) -> list[lines.Line]:
    cells = {
        n: cell
        for n in sizes(results, "lateness", workload)
        if (cell := floor_at(results, "lateness", f"{workload}/{n}", P99))
    }
    return [lines.Line("", {"color": GREY, "linewidth": 1}, cells)] if cells else []


CHARTS = {
    "lateness": Chart(("lateness", "sleep"), draw),
    "lateness_over_n": Chart(("lateness",), draw_over_n),
}
