"""The instructions that the schemes of Varghese & Lauck take, over n and the size of the table.

The counts are of the program, not of the machine whose results are drawn: they are shown if the
same compiler built both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator

from timerbench import simulated
from timerbench.charts.chart import Chart
from timerbench.charts.layout import Layout, write_titles
from timerbench.charts.line_ends import End, label_line_ends
from timerbench.charts.scales import set_ticks
from timerbench.charts.sheet import footnote_of_counts, key
from timerbench.charts.style import GREY, LIGHT_GREY, Style, style_in_family
from timerbench.headlines import titles
from timerbench.numerals import count, short
from timerbench.results import Name, Results
from timerbench.simulated import Cells

BENCH = "schemes"
BENCHES = ("insert", "cancel", "horizon")  # the benches that time these verbs
PERIOD = 1_000  # ticks; in the case `tick` each timer runs once in this period

LAYOUT = Layout(height=3.1, left=0.72, right=1.28, columns=2)
LEAST = 1.0  # instructions; where the axis begins

Law = Callable[[int, int], float]  # for n timers and a table of a number of buckets


@dataclass(frozen=True)
class Panel:
    """A verb, and the counts of Varghese and Lauck for it on a VAX."""

    case: str
    title: str
    law: Law


PANELS = [
    Panel("empty_tick", "A tick in which nothing is due", lambda n, table: 4 + 6 * n / table),
    Panel(
        "tick",
        "A tick in which n/1,000 are due",
        lambda n, table: 4 + 6 * n / min(table, PERIOD) + 9 * n / PERIOD,
    ),
    Panel("insert", "An insert", lambda _n, _table: 13),
    Panel("cancel", "A cancel", lambda _n, _table: 7),
]

LAWS = (
    "on a VAX, 1987: a tick takes 4, 6 for each timer that it passes, and 9 for each that it runs; "
    "an insert 13, a cancel 7"
)
OF_A_LAW: Style = {"color": LIGHT_GREY, "linewidth": 1.0, "linestyle": "--", "zorder": 1}

Points = dict[int, float]  # instructions by n


def draw(results: Results) -> Canvas | None:
    if not any(map(results.names, BENCHES)):
        return None
    cells = simulated.of_build(results.context, simulated.read(simulated.SCHEMES))
    lines = {panel.case: lines_of(cells, panel.case) for panel in PANELS}
    if not all(lines.values()):
        return None
    styles = styles_of(results, dict.fromkeys(queue for of in lines.values() for queue in of))
    shows = "The schemes of Varghese and Lauck, in instructions"
    question = "What does a tick cost, with so many timers and so many buckets?"
    shown = titles(finding(lines[PANELS[0].case]), shows, question)
    canvas, axes_of_panels = LAYOUT.page(len(PANELS), *shown)
    for axes, panel in zip(axes_of_panels, PANELS, strict=True):
        draw_panel(axes, panel, lines[panel.case], styles)
    key(canvas, {LAWS: Line2D([], [], **OF_A_LAW)})
    return canvas


def finding(empty_tick: dict[str, Points]) -> str | None:
    """Says what an empty tick takes with the most timers: the least and the most."""
    n = max(max(points) for points in empty_tick.values())
    takes = {queue: points[n] for queue, points in empty_tick.items() if n in points}
    if len(takes) < 2:
        return None
    least, most = min(takes, key=takes.__getitem__), max(takes, key=takes.__getitem__)
    return (
        f"With {n:,} timers an empty tick takes {short(takes[least], 2)} instructions in "
        f"{label_of(least)}, and {short(takes[most], 2)} in {label_of(most)}"
    )


def lines_of(cells: Cells, case: str) -> dict[str, Points]:
    """Returns what each queue itself takes: the costs of the harness are subtracted."""
    lines: dict[str, Points] = {}
    for name in map(Name.parse, cells):
        if (name.bench, name.workload) != (BENCH, case) or name.queue == "no_queue":
            continue
        if name.n is not None and (value := itself(cells, name)) is not None:
            lines.setdefault(name.queue, {})[name.n] = max(value, LEAST)
    return {queue: dict(sorted(points.items())) for queue, points in lines.items()}


def itself(cells: Cells, name: Name) -> float | None:
    counted = cells[str(name)]
    around = cells.get(str(Name(BENCH, "no_queue", name.case)))
    proof = cells.get(str(Name(BENCH, "no_queue", "proof/1000")))
    if counted is None or around is None or proof is None:
        return None
    expiries = name.n / PERIOD if name.workload == "tick" and name.n else 0
    return counted.instructions - around.instructions - expiries * proof.instructions


def table_of(queue: str) -> int | None:
    """Returns the number of buckets of a hashed wheel, or None for another queue."""
    prefix, _, size = queue.rpartition("_")
    return int(size) if prefix == "hashed_wheel" else None


def label_of(queue: str) -> str:
    table = table_of(queue)
    return f"hashed, {table:,}" if table else queue


def styles_of(results: Results, queues: Iterable[str]) -> dict[str, Style]:
    """Returns the styles. Each queue has the colour of its family; dashes tell tables apart."""
    families = results.groups.families
    members = Counter[str]()
    styles = {}
    for queue in queues:
        # The ordered list is in no catalog; it is one of the lists.
        family, _ = results.groups.places.get(queue, ("lists", 0))
        if table_of(queue):
            family = "hashed_wheels"
        known = family in families
        style = style_in_family(families.index(family), members[family]) if known else {}
        members[family] += 1
        styles[queue] = {"color": GREY, "linewidth": 1.3, **style, "markersize": 3}
    return styles


def draw_panel(
    axes: Axes, panel: Panel, lines: dict[str, Points], styles: dict[str, Style]
) -> None:
    axes.set_label(panel.case)
    write_titles(axes, panel.title, "")
    axes.set_xlabel("n, timers; logarithmic", labelpad=2)
    axes.set_ylabel("instructions, logarithmic")
    axes.set(xscale="log", yscale="log")
    sizes = sorted({n for points in lines.values() for n in points})
    tables = sorted(filter(None, map(table_of, lines)))
    laws = {table: [panel.law(n, table) for n in sizes] for table in tables}
    for table, heights in laws.items():
        axes.plot(sizes, heights, gid=f"law:{panel.case}:{table}", **OF_A_LAW)
    ends = []
    for queue, points in lines.items():
        ns, heights = list(points), list(points.values())
        axes.plot(ns, heights, gid=f"line:{panel.case}:{queue}", **styles[queue])
        ends.append(End(label_of(queue), ns[-1], heights[-1], styles[queue]["color"]))
    values = [y for points in lines.values() for y in points.values()]
    values += [y for heights in laws.values() for y in heights]
    axes.set(xlim=(sizes[0] / 1.5, sizes[-1] * 1.5), ylim=(LEAST, max(values) * 1.5))
    set_ticks(axes.xaxis, FixedLocator(sizes[::2]), count)
    set_ticks(axes.yaxis, LogLocator(), count)
    axes.grid(True)
    label_line_ends(axes, ends)


CHARTS = {"schemes": Chart(BENCHES, draw, footnote_of_counts)}
