"""How our own queue stands beside the best of all others, a row for each workload and trace."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator

from benches import BENCHES
from charts.cells import workloads
from charts.page import TOP, axes_at, key, page, write
from charts.replay import title_of
from charts.style import GREY, WIDTH
from intervals import name_of_interval, ratio, ratio_interval
from numerals import count
from results import Name, Results, ns_per_operation

OURS = "lazy_wheel"

LEFT = 2.2  # inches; for the workloads
RIGHT = 2.9  # inches; for the words
ROW = 0.2  # inches
TICKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
OF_TRACES = "#D55E00"

# Further behind than this, a row says behind whom.
LEVEL = 1.1

# Memory has no time.
MEASURED = [
    bench for bench, about in BENCHES.items() if about.subject == "queues" and bench != "memory"
]


@dataclass(frozen=True)
class Standing:
    """What ours takes in a case, divided by what the best of the others takes.

    The ratio is over all pairs of rounds; of one round each, there is no interval around it. It is
    a bound if ours was too slow to be timed.
    """

    case: Name
    best: str
    times: float
    low: float
    high: float
    rounds: int  # of the one that has the fewest
    is_bound: bool

    def __str__(self) -> str:
        bound = "> " if self.is_bound else ""
        n = f", n = {self.case.n:,}" if self.case.n else ""
        return f"{bound}{self.times:.2f} × {self.best}{n}"


def draw(results: Results) -> Canvas | None:
    rows = rows_of(results)
    if not rows:
        return None
    standings = [standing for row in rows.values() for standing in row]
    canvas = page(
        ROW * len(rows) + 0.3,
        f"{OURS} beside the best of all other queues, those of libraries among them",
        "Its time, divided by that of the best other one: left of 1 it is the best itself. "
        f"Grey: within {LEVEL - 1:.0%}. Colours: how many timers.",
    )
    axes = axes_at(canvas, LEFT, TOP + 0.1, WIDTH - LEFT - RIGHT, ROW * len(rows))
    set_axes(axes, standings, len(rows))
    colours = colours_of(standings)
    for position, (name, row) in enumerate(rows.items()):
        where = TOP + 0.1 + (position + 0.5) * ROW
        write(canvas, LEFT - 0.1, where, name, size=8, side="right")
        for standing in row:
            draw_standing(axes, position + 0.5, standing, colours[standing.case.n])
        furthest = max(row, key=lambda standing: standing.times)
        if furthest.times > LEVEL:
            write(canvas, WIDTH - RIGHT + 0.1, where, str(furthest), size=8)
    entries = {f"{n:,}" if n else "a trace": dot(colour) for n, colour in colours.items()}
    interval = name_of_interval(standing.rounds for standing in standings)
    if interval:
        entries[interval] = Line2D([], [], color=GREY, linewidth=1.2)
    key(canvas, entries)
    return canvas


def rows_of(results: Results) -> dict[str, list[Standing]]:
    """By the names of the rows, in the order of the table of benches; in a row by n."""
    rows: dict[str, list[Standing]] = {}
    for bench in MEASURED:
        cases = results.cases(bench)
        for workload in workloads(results, bench):
            of_workload = [case for case in cases if Name(bench, OURS, case).workload == workload]
            standings = [standing_of(results, bench, case) for case in of_workload]
            if known := [standing for standing in standings if standing]:
                rows[f"{BENCHES[bench].title.lower()}, {title_of(workload)}"] = known
    return rows


def standing_of(results: Results, bench: str, case: str) -> Standing | None:
    """None where ours has no figure, or of the others none has more than a bound."""
    ours = Name(bench, OURS, case)
    times_of_ours = results.values(ours, ns_per_operation)
    others = {
        queue: values
        for queue in results.queues
        if queue != OURS
        and results.mark(Name(bench, queue, case)) != "slower_than"
        and (values := results.values(Name(bench, queue, case), ns_per_operation))
    }
    if not times_of_ours or not others:
        return None
    best = min(others, key=lambda queue: statistics.median(others[queue]))
    return Standing(
        ours,
        best,
        ratio(others[best], times_of_ours),
        *ratio_interval(others[best], times_of_ours),
        min(len(others[best]), len(times_of_ours)),
        results.mark(ours) == "slower_than",
    )


def set_axes(axes: Axes, standings: list[Standing], rows: int) -> None:
    least = min(0.5, *(standing.low for standing in standings)) / 1.1
    most = max(2, *(standing.high for standing in standings)) * 1.1
    axes.set_xscale("log")
    axes.set_xlim(least, most)
    axes.set_ylim(rows, 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks([tick for tick in TICKS if least <= tick <= most])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda times, _position: count(times)))
    axes.tick_params(labelsize=7.5)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.axvspan(1, LEVEL, color="#eeeeee")
    axes.axvline(1, color="black", linewidth=0.8)


def colours_of(standings: list[Standing]) -> dict[int | None, str]:
    """By n: the more, the darker. Traces, which have none, have a colour of their own."""
    ns = sorted({standing.case.n for standing in standings if standing.case.n})
    shades = matplotlib.colormaps["viridis_r"]
    colours: dict[int | None, str] = {
        n: to_hex(shades((place + 1) / len(ns))) for place, n in enumerate(ns)
    }
    return colours | ({None: OF_TRACES} if any(not s.case.n for s in standings) else {})


def dot(colour: str) -> Line2D:
    return Line2D([], [], color=colour, marker="o", markersize=4, linestyle="none")


def draw_standing(axes: Axes, y: float, standing: Standing, colour: str) -> None:
    if standing.rounds > 1:
        axes.plot([standing.low, standing.high], [y, y], color=colour, linewidth=1.2)
    marker = ">" if standing.is_bound else "o"
    axes.plot([standing.times], [y], marker, color=colour, markersize=4, gid=str(standing.case))
