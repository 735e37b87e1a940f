"""How our own queue stands beside the best of all others, a row for each workload and trace."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator

from timerbench.benches import BENCHES
from timerbench.charts import heat_map
from timerbench.charts.cells import workloads
from timerbench.charts.chart import Chart
from timerbench.charts.replay import title_of
from timerbench.charts.rows import draw_rows
from timerbench.charts.scales import set_ticks
from timerbench.charts.sheet import key, page
from timerbench.charts.style import GREY
from timerbench.estimates import INTERVAL
from timerbench.headlines import titles
from timerbench.numerals import count, short_count
from timerbench.results import Name, Results, ns_per_operation
from timerbench.standing import Standing, rivals, standing

# The family of our own design.
OURS = "lazy_wheels"

LEFT = 2.2  # inches; for the workloads
RIGHT = 2.9  # inches; for the words
ROW = 0.2  # inches
TICKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
OF_TRACES = "#D55E00"

MEASURED = ["replay", *heat_map.MEASURED]


def draw(results: Results) -> Canvas | None:
    ours = results.first_queue_of(OURS)
    rows = rows_of(results, ours) if ours else {}
    if not ours or not rows:
        return None
    standings = [beside for row in rows.values() for beside in row]
    canvas = page(
        ROW * len(rows) + 0.3,
        *titles(
            finding(ours, standings),
            f"{ours} beside the best of all other queues",
            "Its time divided by that of the rival it is furthest behind, process by process. "
            "In words: where it is surely behind.",
        ),
    )
    words = {name: words_beside(row) for name, row in rows.items()}
    axes = draw_rows(canvas, words, ROW, LEFT, RIGHT)
    set_axes(axes, standings)
    colours = colours_of(standings)
    for position, row in enumerate(rows.values()):
        for beside in row:
            draw_standing(axes, position + 0.5, beside, colours[beside.name.n])
    entries = {short_count(n) if n else "a trace": dot(colour) for n, colour in colours.items()}
    if any(beside.ratio.processes > 1 for beside in standings):
        entries[INTERVAL] = Line2D([], [], color=GREY, linewidth=1.2)
    key(canvas, entries)
    return canvas


def rows_of(results: Results, queue: str) -> dict[str, list[Standing]]:
    """Returns the rows by their names, in the order of the table of benches; in each, by n."""
    rows: dict[str, list[Standing]] = {}
    for bench in MEASURED:
        names = [Name(bench, queue, case) for case in results.cases(bench)]
        for workload in workloads(results, bench):
            ours = [beside_best(results, name) for name in names if name.workload == workload]
            if known := list(filter(None, ours)):
                rows[f"{BENCHES[bench].title.lower()}, {title_of(workload)}"] = known
    return rows


def finding(ours: str, standings: list[Standing]) -> str | None:
    """Says in how many cases ours is surely ahead of all, and in how many surely behind."""
    if all(beside.ratio.processes == 1 for beside in standings):
        return None
    ahead = [b for b in standings if b.ratio.high < 1 and b.ratio.processes > 1 and not b.is_bound]
    behind = [beside for beside in standings if is_sure(beside)]
    return (
        f"{ours} is ahead of every rival in {len(ahead)} of {len(standings)} cases, "
        f"and behind one in {len(behind)}"
    )


def beside_best(results: Results, ours: Name) -> Standing | None:
    """Returns None if ours has no figure, or if all others have only bounds."""
    return standing(results, ours, rivals(results, ours), ns_per_operation)


def is_sure(beside: Standing) -> bool:
    """Whether ours is surely behind.

    A single process shows this only for a bound.
    """
    return beside.ratio.low > 1 and (beside.ratio.processes > 1 or beside.is_bound)


def words_beside(row: Sequence[Standing]) -> str:
    """Describes the case in which ours is furthest behind; empty if it is never surely behind."""
    sure = [beside for beside in row if is_sure(beside)]
    furthest = max(sure, key=lambda of: (of.at_least, of.ratio.mean), default=None)
    return in_words(furthest) if furthest else ""


def in_words(beside: Standing) -> str:
    bound = "> " if beside.is_bound else ""
    n = f", n = {beside.name.n:,}" if beside.name.n else ""
    return f"{bound}{beside.ratio.mean:.2f} × {beside.rival}{n}"


def set_axes(axes: Axes, standings: list[Standing]) -> None:
    least = min(0.5, *(beside.ratio.mean for beside in standings)) / 1.1
    most = max(2, *(beside.ratio.mean for beside in standings)) * 1.1
    axes.set_xlim(least, most)
    set_ticks(axes.xaxis, FixedLocator(TICKS), count)
    axes.set_xlabel("times, logarithmic", fontsize=7.5, labelpad=1)
    axes.axvline(1, color="black", linewidth=0.8)


def colours_of(standings: list[Standing]) -> dict[int | None, str]:
    """Returns a colour for each n: the larger, the darker.

    Traces have no n, and a colour of their own.
    """
    ns = sorted({beside.name.n for beside in standings if beside.name.n})
    shades = matplotlib.colormaps["viridis_r"]
    colours: dict[int | None, str] = {
        n: to_hex(shades((place + 1) / len(ns))) for place, n in enumerate(ns)
    }
    return colours | ({None: OF_TRACES} if any(not beside.name.n for beside in standings) else {})


def dot(colour: str) -> Line2D:
    return Line2D([], [], color=colour, marker="o", markersize=4, linestyle="none")


def draw_standing(axes: Axes, y: float, beside: Standing, colour: str) -> None:
    if beside.ratio.processes > 1:
        axes.plot([beside.ratio.low, beside.ratio.high], [y, y], color=colour, linewidth=1.2)
    marker = ">" if beside.is_bound else "o"
    axes.plot([beside.ratio.mean], [y], marker, color=colour, markersize=4, gid=str(beside.name))


CHARTS = {"beside_best": Chart(tuple(MEASURED), draw)}
