"""Small panels side by side: a bar for each queue, its figure written at the end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from timerbench.benches import Subject
from timerbench.charts.cells import Cell, ceiling, notes
from timerbench.charts.scales import Writer
from timerbench.charts.sheet import TOP, axes_at, page, side_by_side, write
from timerbench.charts.style import DARK, GREY, HATCH, LETTER, ONLY_SLEEPS, WIDTH, Style, styles_of
from timerbench.numerals import short
from timerbench.results import Results

LEFT = 1.6  # inches; for the names of the queues, if they are not too long
ROW = 0.185  # inches
HEAD = 0.42  # inches; above the panels of a block, for its title and the titles of the panels
APART = 0.22  # inches; between two blocks
ROOM = 2.1  # length of the axis, in longest bars; the figures at the ends of the bars need room
MOST = 1.2  # the part of an interval that is shown, in greatest figures


@dataclass(frozen=True)
class Panel:
    """A figure for each queue, and perhaps a greater figure that is shown behind it.

    The floor, if there is one, is a line that no figure can be left of.

    The axis is linear and begins at 0, or it is logarithmic and begins where the panel says. The
    figures do not decide which of the two: nobody would notice that an axis has changed. Two panels
    have the same axis if each has room for the cells of the other.
    """

    title: str
    cells: Sequence[Cell | None]
    behind: Sequence[Cell | None] = ()
    room_for: Sequence[Cell | None] = ()
    floor: Cell | None = None
    write: Writer = short
    logarithmic_from: float | None = None

    @property
    def highest(self) -> float:
        """The length of the longest bar that may be drawn."""
        return ceiling(cell for cell in (*self.cells, *self.room_for) if cell)

    @property
    def greatest(self) -> float:
        """The greatest figure for which there is room."""
        shown = [cell.mean for cell in (*self.cells, *self.behind, *self.room_for) if cell]
        return max(min(max(shown, default=0), self.highest), 10 * (self.logarithmic_from or 0))


@dataclass(frozen=True)
class Block:
    """Panels side by side, and what they have in common."""

    title: str
    remark: str
    panels: Sequence[Panel]


def draw_blocks(
    title: str, question: str, results: Results, subject: Subject, blocks: Sequence[Block]
) -> Canvas | None:
    """Draws the blocks one below the other, on a page.

    A queue without any figure in a block has no row there.
    """
    of_blocks = [(block, rows) for block in blocks if (rows := rows_of(block))]
    if not of_blocks:
        return None
    heights = [HEAD + ROW * len(rows) + APART for _, rows in of_blocks]
    styles = styles_of(results, subject)
    queues = list(styles)
    longest = max(len(queues[row]) for _, rows in of_blocks for row in rows)
    left = max(LEFT, 0.16 + LETTER * longest)
    shown = (
        panel.cells[row] for block, rows in of_blocks for panel in block.panels for row in rows
    )
    marks = notes(shown, with_intervals=True)
    floors = any(panel.floor for block in blocks for panel in block.panels)
    dotted = f"dotted: {ONLY_SLEEPS}" if floors else ""
    canvas = page(sum(heights) - APART, title, question, marks, dotted)
    tops = accumulate(heights, initial=TOP)
    for (block, rows), top in zip(of_blocks, tops, strict=False):
        write(canvas, 0.08, top + 0.08, block.title, size=9, weight="bold")
        write(canvas, WIDTH - 0.1, top + 0.08, block.remark, size=8, color=DARK, ha="right")
        _draw_row(canvas, (left, top + HEAD), styles, block.panels, rows)
    return canvas


def rows_of(block: Block) -> list[int]:
    """Returns the positions of the queues of which the block has a figure."""
    of_rows = enumerate(zip(*(panel.cells for panel in block.panels), strict=True))
    return [row for row, cells in of_rows if any(cells)]


def _draw_row(
    canvas: Canvas,
    corner: tuple[float, float],
    styles: Mapping[str, Style],
    panels: Sequence[Panel],
    rows: Sequence[int],
) -> None:
    """Draws panels of these queues side by side.

    `corner` is in inches from the left and from the upper edge. `rows` are the positions of the
    queues. A panel without any figure leaves its place empty.
    """
    left, top = corner
    queues, colours = list(styles), [style["color"] for style in styles.values()]
    places = side_by_side(len(panels), left)
    for panel, (begin, width) in zip(panels, places, strict=True):
        if not any(panel.cells):
            continue
        axes = axes_at(canvas, begin, top, width, ROW * len(rows))
        axes.set_label(panel.title.replace("\n", " "))
        axes.set_title(panel.title, fontsize=7.5, linespacing=1.1, pad=4)
        _draw_panel(axes, panel, {row: colours[row] for row in rows})
    for place, row in enumerate(rows):
        where = top + (place + 0.5) * ROW
        write(canvas, left - 0.08, where, queues[row], size=8, color=colours[row], ha="right")


def _draw_panel(axes: Axes, panel: Panel, rows: Mapping[int, str]) -> None:
    """Draws a panel. `rows` are the positions of its queues, with their colours."""
    _scale(axes, panel)
    axes.set(ylim=(len(rows) - 0.5, -0.5), yticks=[])
    axes.minorticks_off()
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_color("#999999")
    for place, (row, colour) in enumerate(rows.items()):
        _draw_bar(axes, panel, row, place, colour)
    if panel.floor:
        axes.axvline(panel.floor.mean, color=GREY, linestyle=":", gid=f"floor:{axes.get_label()}")


def _scale(axes: Axes, panel: Panel) -> None:
    """Sets the scale of the axis, with room for the figures at the ends of the bars."""
    begin, greatest = panel.logarithmic_from, panel.greatest
    if begin is None:
        axes.set_xlim(0, greatest * ROOM if greatest > 0 else 1)
        axes.set_xticks([])
        return
    axes.set_xscale("log")
    axes.set_xlim(begin, greatest * (greatest / begin) ** (ROOM - 1))
    decades = round(math.log10(greatest / begin))
    axes.set_xticks([begin * 10**decade for decade in range(1, decades + 1)], labels=[])
    axes.tick_params(length=0)
    axes.grid(axis="x", color="#e4e4e4", linewidth=0.5)
    axes.set_axisbelow(True)
    words = f"logarithmic, from {panel.write(begin)}"
    axes.set_xlabel(words, fontsize=6.5, color="#555555", loc="left", labelpad=1)


def _draw_bar(axes: Axes, panel: Panel, row: int, place: int, colour: str) -> None:
    cell = panel.cells[row]
    begin = end = panel.logarithmic_from or 0
    if panel.behind and (behind := panel.behind[row]):
        (bar,) = axes.barh(place, behind.mean, height=0.75, color="#dddddd")
        bar.set(edgecolor="#999999", linewidth=0.5)
        end = max(end, behind.mean)
    if cell and cell.mean > begin and short(cell.mean) != "0":
        length = min(cell.mean, panel.highest)
        (bar,) = axes.barh(place, length, height=0.75, color=colour)
        if cell.unstable:
            bar.set(hatch=HATCH, edgecolor="white", linewidth=0)
        bar.set_gid(f"{'unstable' if cell.unstable else cell.mark}:{axes.get_label()}:{row}")
        if cell.low < cell.high:
            # An interval may be far longer than all bars: it is cut, and ends with an arrow.
            last = min(cell.high, MOST * panel.greatest)
            interval = [max(cell.low, begin), last]
            axes.plot(interval, [place, place], color=GREY, linewidth=0.9)
            if last < cell.high:
                axes.plot([last], [place], ">", color=GREY, markersize=2.5)
            length = max(length, last)
        end = max(end, length)
    write_figure(axes, (end, place), cell, panel.write)


def write_figure(
    axes: Axes, end: tuple[float, float], cell: Cell | None, write_value: Writer
) -> None:
    """Writes a figure after its bar: `> 12.3` for a bound, `12.3 w` if a window was timed."""
    text = write_value(cell.mean) if cell else "–"
    marked = {"slower_than": f"> {text}", "window": f"{text} w", "lagged": f"{text} †"}
    axes.annotate(
        marked.get(cell.mark, text) if cell else text,
        end,
        xytext=(2.5, -0.3),
        textcoords="offset points",
        fontsize=7,
        verticalalignment="center",
        color="black" if cell else GREY,
        annotation_clip=False,
    )
