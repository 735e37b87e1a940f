"""The figures of each commit: a panel for each case, a line for each queue.

All panels have the same axis. 1 is in its middle, so that twice as slow and twice as fast are
equally far from the middle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator

from timerbench.benches import subject_of
from timerbench.charts.scales import set_ticks
from timerbench.charts.sheet import TOP, axes_at, page, side_by_side
from timerbench.charts.style import GREY, LETTER, Style, styles_of
from timerbench.estimates import INTERVAL
from timerbench.headlines import titles
from timerbench.history import Beside, Ratio, Run
from timerbench.results import Name

MOST_PANELS = 12
COLUMNS = 3
LEFT = 0.5  # inches; for the figures of the axis
HEAD = 0.28  # inches; above a panel, for its title
HEIGHT = 1.5  # inches; of a panel
IN_A_ROW = 4  # names in the key
ROW_OF_KEY = 0.17  # inches
ASIDE = 0.4  # of the distance to the next commit: the queues of a commit stand side by side on it
LEAST_REACH = 1.25  # the shortest reach of the axis on either side of 1

# The ticks of an axis that does not reach 2. Others have 1, 2 and 5, or only powers of ten.
FINE_TICKS = (0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75)

# For each case its cells, and their ratios at the later commits. A line cannot show bounds.
Points = list[Ratio | None]
Panels = Mapping[tuple[str, str], Mapping[Name, Points]]


def panels_of(later: Sequence[Beside], names: Sequence[Name]) -> Panels:
    """Returns the panels of the cases that have a ratio at a later commit."""
    panels: dict[tuple[str, str], dict[Name, Points]] = {}
    for name in names:
        found = [one.ratios.get(name) for one in later]
        points = [None if ratio is None or ratio.sign else ratio for ratio in found]
        panels.setdefault((name.bench, name.case), {})[name] = points
    return {case: cells for case, cells in panels.items() if any(any(of) for of in cells.values())}


def draw(first: Run, later: Sequence[Beside], panels: Panels) -> Canvas:
    styles = {
        name.queue: styles_of(first.results, subject_of(name.bench))[name.queue]
        for names in panels.values()
        for name in names
    }
    commits = [first.name, *(one.later.name for one in later)]
    height_of_key = ROW_OF_KEY * math.ceil(len(styles) / IN_A_ROW)
    step = HEAD + HEIGHT
    height = height_of_key + step * math.ceil(len(panels) / COLUMNS)
    shows = f"From commit to commit: times as much as at {first.name}"
    question = "Above 1 a queue takes longer than it did, or more memory. The axis is logarithmic."
    every = [points for of_case in panels.values() for points in of_case.values()]
    at_last = [ratio for points in every if (ratio := points[-1])]
    shown = titles(finding(first.name, commits[-1], at_last), shows, question)
    normalised = " and ".join(one.later.name for one in later if one.why)
    canvas = page(
        height + LETTER * max(map(len, commits)),
        *shown,
        f"line: {INTERVAL}, which may leave its panel",
        "gap: not measured, 0, or too slow to be timed",
        f"the speed of the machine is taken off {normalised}" if normalised else "",
    )
    add_key(canvas, styles)
    reach = reach_of([ratio for points in every for ratio in points if ratio])
    columns = side_by_side(COLUMNS, LEFT)
    for place, ((bench, case), cells) in enumerate(panels.items()):
        row, column = divmod(place, COLUMNS)
        top = TOP + height_of_key + row * step + HEAD
        left, width = columns[column]
        axes = axes_at(canvas, left, top, width, HEIGHT)
        axes.set_label(f"{bench}, {case}")
        axes.set_title(f"{bench}, {case}", fontsize=8, pad=4)
        axes.axhline(1, color=GREY, linewidth=0.8)
        for position, (name, points) in enumerate(cells.items()):
            aside = ASIDE * ((position + 0.5) / len(cells) - 0.5)
            draw_line(axes, name.queue, styles[name.queue], points, aside)
        set_axes(axes, commits, reach)
        axes.tick_params(labelleft=column == 0, labelbottom=place + COLUMNS >= len(panels))
    return canvas


def finding(first: str, last: str, known: Sequence[Ratio]) -> str | None:
    """Says how many cells are surely worse, or better, at the last commit than at the first."""
    sure = [(of.low, of.high) for of in known if of.low is not None and of.high is not None]
    if not sure:
        return None
    more = sum(low > 1 for low, _ in sure)
    less = sum(high < 1 for _, high in sure)
    return f"{last} takes more than {first} in {more} of {len(sure)} cells, and less in {less}"


def reach_of(ratios: Sequence[Ratio]) -> float:
    """Returns how far all axes reach on either side of 1: a bit further than every point."""
    furthest = max((max(ratio.mean, 1 / ratio.mean) for ratio in ratios), default=1)
    return max(LEAST_REACH, 1.1 * furthest)


def draw_line(
    axes: Axes, queue: str, style: Style, ratios: Sequence[Ratio | None], aside: float
) -> None:
    """Draws a line that starts at 1, the value of the first commit.

    A missing ratio breaks the line.
    """
    xs = [position + aside for position in range(len(ratios) + 1)]
    ys = [1, *(math.nan if ratio is None else ratio.mean for ratio in ratios)]
    marks = {**style, "markersize": 3}
    axes.plot(xs, ys, **marks, gid=f"ratios:{axes.get_label()}:{queue}")
    for x, ratio in zip(xs[1:], ratios, strict=True):
        if ratio and ratio.low is not None and ratio.high is not None:
            colour = style["color"]
            axes.plot([x, x], [ratio.low, ratio.high], color=colour, linewidth=0.9, gid="interval")


def set_axes(axes: Axes, commits: Sequence[str], reach: float) -> None:
    axes.set(yscale="log", ylim=(1 / reach, reach), xlim=(-0.5, len(commits) - 0.5))
    coarse = LogLocator(subs=(1.0, 2.0, 5.0) if reach < 30 else (1.0,))
    set_ticks(axes.yaxis, FixedLocator(FINE_TICKS) if reach < 2 else coarse, "{:g}".format)
    axes.set_xticks(range(len(commits)), commits, rotation=90)
    axes.tick_params(labelsize=7)
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.5)
    axes.set_axisbelow(True)


def add_key(canvas: Canvas, styles: Mapping[str, Style]) -> None:
    """Draws the key below the title, in as many rows as it needs."""
    lines = [Line2D([], [], **{**style, "markersize": 4}) for style in styles.values()]
    canvas.legend(
        lines,
        list(styles),
        loc="upper left",
        bbox_to_anchor=(0.004, 1 - (TOP - 0.08) / canvas.get_size_inches()[1]),
        borderaxespad=0,
        ncols=IN_A_ROW,
        fontsize=7.5,
        frameon=False,
        labelspacing=0.2,
    )
