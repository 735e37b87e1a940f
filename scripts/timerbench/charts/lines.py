"""Panels with a line for each queue over n, both axes logarithmic, every cell marked."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, LogLocator

from timerbench.benches import subject_of
from timerbench.charts.cells import Cell, ceiling, cells_of, have_intervals, marks_of
from timerbench.charts.layout import layout_for, write_titles
from timerbench.charts.line_ends import End, label_line_ends
from timerbench.charts.marks import WORDS
from timerbench.charts.scales import Writer, set_ticks
from timerbench.charts.sheet import key
from timerbench.charts.style import (
    DARK,
    GREY,
    HATCH,
    LIGHT_GREY,
    OF_OTHERS,
    ONLY_SLEEPS,
    Style,
    styles_of_lines,
)
from timerbench.estimates import INTERVAL
from timerbench.headlines import LATE
from timerbench.numerals import count
from timerbench.results import Results, Value, Whose

MOST_LINES = 8  # with more, colours and names cannot be told apart

# What each mark and kind means, and how it looks: a line, or a patch if it has a face.
LOOKS: dict[str, tuple[str, Style]] = {
    "interval": (INTERVAL, {"facecolor": "#bbbbbb"}),
    "floor": ("a touch of memory", {"color": GREY, "linewidth": 1}),
    "only_sleeps": (ONLY_SLEEPS, {"color": GREY, "linewidth": 1}),
    "library": ("of a library", OF_OTHERS),
    "original": ("an original", OF_OTHERS),
    "behind": (WORDS["behind"], {"color": LIGHT_GREY, "linewidth": 1}),
    "p999": ("99.9% of the calls are below", {"linewidth": 0.8, "linestyle": ":"}),
    "window": (WORDS["window"], {"linestyle": "", "marker": "o", "markerfacecolor": "white"}),
    "lagged": (WORDS["lagged"], {"linestyle": "", "marker": "x", "markersize": 6}),
    "slower_than": (WORDS["slower_than"], {"linestyle": "", "marker": "^", "markersize": 8}),
    "unstable": (
        WORDS["unstable"],
        {"facecolor": "white", "edgecolor": "#555555", "hatch": HATCH, "linewidth": 0},
    ),
}


@dataclass(frozen=True)
class Line:
    """The cells of a queue by n, in order. A line without a name gets no label."""

    name: str
    style: dict[str, Any]
    cells: dict[int, Cell]
    whose: Whose = "ours"

    @property
    def means(self) -> list[float]:
        return [cell.mean for cell in self.cells.values()]

    @property
    def banded(self) -> list[Cell]:
        """The cells whose interval is shown. Lines of others have no band: it would hide ours."""
        return list(self.cells.values()) if self.whose == "ours" else []


@dataclass(frozen=True)
class Panel:
    """A panel of lines with their marks.

    Behind the lines there are grey ones without names. There may be thin lines to compare with, all
    of one `kind`.
    """

    title: str
    remark: str
    lines: Sequence[Line]
    behind: Sequence[Line] = ()
    thin: Sequence[Line] = ()
    kind: str = ""
    over: str = "n, timers"
    limits: tuple[float, float] | None = None  # of the y axis, if the lines do not decide

    @property
    def cells(self) -> list[Cell]:
        return [cell for line in self.lines for cell in line.cells.values()]


def lines_of(results: Results, bench: str, workload: str, value: Value) -> list[Line]:
    """Returns a line for each queue, or whatever else the bench measures, with figures above 0."""
    lines = []
    for queue, style in styles_of_lines(results, subject_of(bench)).items():
        cells = cells_of(results, bench, queue, workload, value)
        above_0 = {n: cell for n, cell in cells.items() if cell.low > 0}
        if above_0:
            lines.append(Line(queue, style, above_0, results.whose(queue)))
    return lines


def best_of_families(results: Results, lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Returns the lines with names, and those behind them: nobody can tell twenty lines apart.

    If there are few lines, all have names. Of many, the best of each family has one, and of these
    the lowest. The libraries count as one family, and so do the originals. A queue that may be late
    is the best only if its family has no exact queue.
    """
    if len(lines) <= MOST_LINES:
        return list(lines), []
    late = results.groups[LATE]
    families = by_family(results, lines).values()
    exact = [[line for line in of if line.name not in late] or of for of in families]
    best = [min(of_family, key=_level(of_family)) for of_family in exact]
    lowest = {line.name for line in sorted(best, key=_level(best))[:MOST_LINES]}
    named = [line for line in lines if line.name in lowest]
    return named, [line for line in lines if line.name not in lowest]


def by_family(results: Results, lines: Sequence[Line]) -> dict[str, list[Line]]:
    families: dict[str, list[Line]] = {}
    for line in lines:
        families.setdefault(results.family_of(line.name), []).append(line)
    return families


def _level(family: Sequence[Line]) -> Callable[[Line], tuple[int, float]]:
    """Returns a function for the height of a line, at the n where all of these have figures."""
    shared = set.intersection(*(set(line.cells) for line in family))

    def level(line: Line) -> tuple[int, float]:
        known = [cell for n, cell in line.cells.items() if n in shared or not shared]
        bounds = sum(cell.is_bound for cell in known)
        return bounds, statistics.fmean(math.log(cell.mean) for cell in known)

    return level


def draw_panels(
    title: str, question: str, unit: str, panels: Sequence[Panel], write_value: Writer = count
) -> Canvas | None:
    """Draws the panels on a page of their own."""
    if not panels:
        return None
    labels = [
        {_label(line, write_value) for line in (*panel.lines, *panel.thin) if line.name}
        for panel in panels
    ]
    canvas, axes_of_panels = layout_for(labels).page(len(panels), title, question)
    for axes, panel in zip(axes_of_panels, panels, strict=True):
        axes.set_ylabel(f"{unit}, logarithmic")
        draw_panel(axes, panel, write_value)
    banded = [cell for panel in panels for line in panel.lines for cell in line.banded]
    shown = marks_of(cell for panel in panels for cell in panel.cells) - {"unstable"}
    shown |= marks_of(banded)
    shown |= {panel.kind for panel in panels if panel.thin}
    shown |= {line.whose for panel in panels for line in panel.lines}
    shown |= {"behind" for panel in panels if panel.behind}
    shown |= {"interval"} if have_intervals(banded) else set()
    key(canvas, meanings(shown))
    return canvas


def meanings(marks: Collection[str]) -> dict[str, Artist]:
    """Returns the entries of the key for these marks and kinds."""
    return {
        words: Patch(**look) if "facecolor" in look else Line2D([], [], **{"color": DARK, **look})
        for mark, (words, look) in LOOKS.items()
        if mark in marks
    }


def draw_panel(axes: Axes, panel: Panel, write_value: Writer) -> None:
    axes.set_label(panel.title)
    write_titles(axes, panel.title, panel.remark)
    axes.set_xlabel(f"{panel.over}; logarithmic", labelpad=2)
    axes.set(xscale="log", yscale="log")
    behind = [cell for line in panel.behind for cell in line.cells.values()]
    highest = panel.limits[1] if panel.limits else ceiling([*panel.cells, *behind])
    for line in panel.thin:
        axes.plot(list(line.cells), line.means, gid=f"{panel.kind}:{panel.title}", **line.style)
    for line in panel.behind:
        heights = [min(mean, highest) for mean in line.means]
        gid = f"behind:{panel.title}:{line.name}"
        axes.plot(list(line.cells), heights, color=LIGHT_GREY, linewidth=0.8, gid=gid, zorder=1)
    for line in panel.lines:
        _draw_line(axes, line, highest)
    lines = [*panel.lines, *panel.behind, *panel.thin]
    _set_ticks(axes, lines, panel.limits or _limits(axes, lines), write_value)
    ends = [_end(line, highest, write_value) for line in (*panel.lines, *panel.thin) if line.name]
    label_line_ends(axes, ends)


def _end(line: Line, highest: float, write_value: Writer) -> End:
    n, cell = max(line.cells.items())
    height = min(cell.mean, highest) if cell.is_bound else cell.mean
    return End(_label(line, write_value), n, height, line.style["color"])


def _label(line: Line, write_value: Writer) -> str:
    """Returns the label.

    If the last cell is a bound, it names the bound, which may be off the chart.
    """
    _, cell = max(line.cells.items())
    bound = f" > {write_value(cell.mean)}" if cell.is_bound else ""
    return line.name + bound


def _draw_line(axes: Axes, line: Line, highest: float) -> None:
    """The line, its band, and the marks of its cells."""
    ns = list(line.cells)
    heights = [min(mean, highest) for mean in line.means]
    colour = line.style["color"]
    strokes = {key: line.style[key] for key in ("color", "linestyle", "linewidth")}
    axes.plot(ns, heights, **strokes)
    lows, highs = _band(line, highest)
    several = [cell.processes > 1 for cell in line.cells.values()]
    band = f"band:{axes.get_label()}:{line.name}"
    if line.banded:
        axes.fill_between(ns, lows, highs, several, color=colour, alpha=0.15, linewidth=0, gid=band)
    for n, height in zip(ns, heights, strict=True):
        mark = line.cells[n].mark
        special = {"slower_than": "^", "lagged": "x"}.get(mark)
        axes.plot(
            [n],
            [height],
            color=colour,
            marker=special or line.style["marker"],
            markersize=8 if special else 2 + 2 * line.style["linewidth"],
            markerfacecolor="white" if mark == "window" else colour,
            gid=f"{mark}:{axes.get_label()}:{line.name}:{n}",
        )
        if line.banded and line.cells[n].unstable:
            _hatch(axes, line, n)


def _band(line: Line, highest: float = math.inf) -> tuple[list[float], list[float]]:
    cells = line.cells.values()
    return [min(cell.low, highest) for cell in cells], [min(cell.high, highest) for cell in cells]


def _hatch(axes: Axes, line: Line, n: int) -> None:
    """Hatches the band half way to its neighbours; without neighbours, a short part of it."""
    ns = np.log(list(line.cells))
    at = list(line.cells).index(n)
    stretch = np.interp([at - 0.5, at, at + 0.5], np.arange(len(ns)), ns)
    lows, highs = (np.exp(np.interp(stretch, ns, np.log(side))) for side in _band(line))
    if len(ns) == 1:
        stretch += [-0.1, 0, 0.1]
    axes.fill_between(
        np.exp(stretch),
        lows,
        highs,
        facecolor="none",
        edgecolor=line.style["color"],
        hatch=HATCH,
        linewidth=0,
        alpha=0.8,
        gid=f"unstable:{axes.get_label()}:{line.name}:{n}",
    )


def _limits(axes: Axes, lines: Sequence[Line]) -> tuple[float, float]:
    """Returns the limits of the y axis, which need not hold all intervals.

    With few processes, intervals span decades and would press the lines together.
    """
    means = [cell.mean for line in lines for cell in line.cells.values()]
    highest = ceiling(cell for line in lines for cell in line.cells.values())
    low, high = axes.get_ylim()
    room = 2 * min(max(means), highest)
    return max(low, min(means) / 2), min(high, room)


def _set_ticks(
    axes: Axes, lines: Sequence[Line], limits: tuple[float, float], write_value: Writer
) -> None:
    """Sets ticks on the x axis at the measured n, on the y axis at 1, 2 and 5 if few enough."""
    ns = sorted({n for line in lines for n in line.cells})
    axes.set(xlim=(ns[0] / 1.5, ns[-1] * 1.5), ylim=limits)
    low, high = limits
    subs = (1.0, 2.0, 5.0) if math.log10(high / low) < 2.5 else (1.0,)
    set_ticks(axes.xaxis, FixedLocator(ns), count)
    set_ticks(axes.yaxis, LogLocator(subs=subs), write_value)
    axes.grid(True)
