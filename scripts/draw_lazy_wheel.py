"""Draws how a lazy wheel keeps its timers, from a small one of two bits a level.

The drawing is computed. The command makes calls to a small wheel, which has the rules of
impls/queues/lazy_wheel.hpp and nothing else. Then it draws what the wheel holds. Drawing again
gives the same bytes.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import sys
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import FancyArrowPatch, Rectangle

from timerbench import command_line
from timerbench.charts.sheet import axes_at, our_look, svg_of, write
from timerbench.charts.style import COLOURS, GREY, WIDTH
from timerbench.command import ROOT
from timerbench.whole_file import replace

BITS = 2
SLOTS = 1 << BITS
LEVELS = 3

DUE, PUT_OFF, FREE, STALE = COLOURS[3], COLOURS[1], COLOURS[4], GREY


@dataclass
class Cell:
    deadline: int
    visit: int
    history: str
    is_alive: bool = True


@dataclass
class Wheel:
    """A lazy wheel at time 0. Time does not pass."""

    cells: list[Cell] = field(default_factory=list)
    visits: list[tuple[int, int]] = field(default_factory=list)  # tick, cell

    def insert(self, deadline: int, history: str) -> int:
        self.cells.append(Cell(deadline, deadline, history))
        self.visits.append((deadline, len(self.cells) - 1))
        return len(self.cells) - 1

    def cancel(self, cell: int) -> None:
        self.cells[cell].is_alive = False

    def rearm(self, cell: int, deadline: int) -> None:
        timer = self.cells[cell]
        timer.deadline = deadline
        if deadline < timer.visit:
            timer.visit = deadline
            self.visits.append((deadline, cell))

    def reuse(self, cell: int, deadline: int) -> None:
        """Inserts into a cell that was freed. Its visit must not be later than the deadline."""
        timer = self.cells[cell]
        assert not timer.is_alive
        assert timer.visit <= deadline
        timer.is_alive = True
        timer.deadline = deadline

    def fate(self, tick: int, cell: int) -> tuple[str, str]:
        """Returns what happens at a visit, and the colour for it."""
        timer = self.cells[cell]
        if timer.visit != tick:
            return "stale: dropped", STALE
        if not timer.is_alive:
            return "free: dropped", FREE
        if timer.deadline > tick:
            return f"put off: visit {timer.deadline}", PUT_OFF
        return "due: runs", DUE


def example() -> Wheel:
    wheel = Wheel()
    wheel.insert(3, "insert 3")
    wheel.rearm(wheel.insert(2, "insert 2\nre-arm 9"), 9)
    wheel.cancel(wheel.insert(6, "insert 6\ncancel"))
    reused = wheel.insert(7, "insert 7\ncancel\ninsert 13")
    wheel.cancel(reused)
    wheel.reuse(reused, 13)
    wheel.rearm(wheel.insert(27, "insert 27\nre-arm 10"), 10)
    wheel.insert(40, "insert 40")
    return wheel


def bucket_of(tick: int) -> tuple[int, int]:
    """Returns the level and the value of the highest digit that differs from time 0."""
    level = max(0, (max(tick, 1).bit_length() - 1) // BITS)
    return level, (tick >> (level * BITS)) % SLOTS


# In units of the drawing: a bucket is 2.4 wide and a level 2.05 high.
BUCKET, LEVEL, ROW = 2.4, 2.05, 0.62
TOP_OF_LEVELS = 9.2
CELL, TOP_OF_CELLS = 1.9, 1.15


def place_of_visit(level: int, slot: int, row: int) -> tuple[float, float]:
    return slot * BUCKET + 0.15, TOP_OF_LEVELS - (2 - level) * LEVEL - 0.85 - row * ROW


def label(
    axes: Axes, place: tuple[float, float], text: str, size: float, colour: str = "black"
) -> None:
    """Writes a text, centred at this place."""
    axes.text(*place, text, fontsize=size, color=colour, ha="center", va="center")


def draw_levels(axes: Axes) -> None:
    for level in range(LEVELS):
        top = TOP_OF_LEVELS - (LEVELS - 1 - level) * LEVEL
        span = SLOTS**level
        for slot in range(SLOTS):
            left = slot * BUCKET
            edge = "#cccccc" if slot else "#eeeeee"
            axes.add_patch(
                Rectangle((left, top - 1.6), BUCKET, 1.6, facecolor="white", edgecolor=edge)
            )
            first = slot * span
            ticks = f"{first}" if span == 1 else f"{first}–{first + span - 1}"
            axes.text(left + 0.08, top - 0.17, ticks, fontsize=6.5, color="#888888", va="center")
        axes.text(
            SLOTS * BUCKET + 0.15,
            top - 0.8,
            f"level {level}: {span} tick{'s' if span > 1 else ''} a bucket",
            fontsize=8,
            va="center",
        )


def draw_visits(axes: Axes, wheel: Wheel) -> None:
    rows: dict[tuple[int, int], int] = {}
    for tick, cell in wheel.visits:
        level, slot = bucket_of(tick)
        row = rows.setdefault((level, slot), 0)
        rows[level, slot] += 1
        left, bottom = place_of_visit(level, slot, row)
        _, colour = wheel.fate(tick, cell)
        axes.add_patch(
            Rectangle((left, bottom), 2.1, 0.5, facecolor="white", edgecolor=colour, linewidth=1.4)
        )
        label(axes, (left + 1.05, bottom + 0.24), f"at {tick}: cell {cell}", 7.5, colour)
        axes.add_patch(
            FancyArrowPatch(
                (left + 1.05, bottom),
                (cell * CELL + CELL / 2, TOP_OF_CELLS + 1.02),
                arrowstyle="-|>",
                mutation_scale=7,
                linewidth=0.8,
                color=colour,
                alpha=0.55,
                linestyle="--" if colour == STALE else "-",
                connectionstyle="arc3,rad=0.06",
            )
        )


def draw_cells(axes: Axes, wheel: Wheel) -> None:
    for number, cell in enumerate(wheel.cells):
        left = number * CELL
        axes.add_patch(
            Rectangle(
                (left + 0.08, TOP_OF_CELLS - 0.1),
                CELL - 0.16,
                1.1,
                facecolor="white" if cell.is_alive else "#f3f3f3",
                edgecolor="black" if cell.is_alive else "#aaaaaa",
            )
        )
        middle = left + CELL / 2
        deadline = f"deadline {cell.deadline}" if cell.is_alive else "free"
        label(axes, (middle, TOP_OF_CELLS + 0.76), f"cell {number}", 7, "#888888")
        label(axes, (middle, TOP_OF_CELLS + 0.43), deadline, 8)
        label(axes, (middle, TOP_OF_CELLS + 0.13), f"visit at {cell.visit}", 8)
        axes.text(
            middle,
            TOP_OF_CELLS - 0.25,
            cell.history,
            fontsize=7,
            color="#555555",
            ha="center",
            va="top",
            linespacing=1.35,
        )


def draw_key(axes: Axes) -> None:
    meanings = {
        "due: the timer runs": DUE,
        "put off: the timer gets a visit at its deadline": PUT_OFF,
        "a free cell: nothing to do": FREE,
        "stale: an earlier visit has replaced it": STALE,
    }
    left, top = CELL * 6 + 0.4, TOP_OF_CELLS + 0.9
    axes.text(left, top, "What comes of a visit:", fontsize=8, va="center")
    for row, (meaning, colour) in enumerate(meanings.items(), start=1):
        axes.text(left, top - 0.4 * row, meaning, fontsize=7.5, va="center", color=colour)


def draw(wheel: Wheel) -> Canvas:
    height = 5.6
    canvas = Canvas(figsize=(WIDTH, height))
    write(canvas, 0.08, 0.1, "A lazy wheel at tick 0", size=11, weight="bold", align="top")
    write(
        canvas,
        0.08,
        0.33,
        "Timers stand in cells. The wheel holds visits: which cell to look at, and when. Below each"
        " cell: how it came to this.",
        size=8.5,
        colour="#333333",
        align="top",
    )
    axes = axes_at(canvas, 0.08, 0.6, WIDTH - 0.16, height - 0.65)
    axes.set_xlim(0, 17.2)
    axes.set_ylim(0, TOP_OF_LEVELS + 0.1)
    axes.axis("off")
    draw_levels(axes)
    draw_visits(axes, wheel)
    draw_cells(axes, wheel)
    draw_key(axes)
    return canvas


@command.ends_in_words()
def main() -> None:
    parser = command_line.Parser(__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--output", type=command_line.path, default=ROOT / "results" / "lazy_wheel.svg"
    )
    output = parser.parse_args().output
    with our_look():
        replace(output, svg_of(draw(example())))
    print(f"drew {output}")


if __name__ == "__main__":
    sys.exit(main())
