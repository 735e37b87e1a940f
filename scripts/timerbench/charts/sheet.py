"""The sheet that a chart is drawn on: its size in inches, its title, its key and its footnote."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from timerbench.benches import kind_of
from timerbench.charts.style import DARK, STYLE, WIDTH
from timerbench.results import Name, Results

TOP = 0.62  # inches for the title and the line below it
FOOT = 0.72  # inches for the key and the footnote
RIGHT = 0.1  # inches of margin
GAP = 0.14  # inches between panels
LINE = 0.14  # inches for each line of a note beyond the first


@contextmanager
def our_look() -> Iterator[None]:
    """All charts that are drawn inside look alike, whatever the settings of matplotlib."""
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE, "backend": "Agg"}):
        yield


def svg_of(canvas: Canvas) -> bytes:
    """Returns the SVG: the same bytes for the same chart. The canvas cannot be used again."""
    file = BytesIO()
    canvas.savefig(file, format="svg", metadata={"Date": None})
    plt.close(canvas)
    return file.getvalue()


def page(height: float, title: str, line: str = "", *notes: str) -> Canvas:
    """Returns a sheet with `height` inches between title and foot.

    The title and the line below it are smaller if they are too long. The notes replace a key, and
    take as many lines as they need.
    """
    lines = textwrap.wrap(";  ".join(filter(None, notes)), 150)
    whole = TOP + height + FOOT + LINE * max(len(lines) - 1, 0)
    canvas = plt.figure(figsize=(WIDTH, whole))
    for above_last, of_note in enumerate(reversed(lines)):
        write(canvas, 0.08, whole - 0.42 - LINE * above_last, of_note, size=7.5)
    write(canvas, 0.08, 0.1, title, size=11, weight="bold", va="top")
    write(canvas, 0.08, 0.33, line, size=8.5, color=DARK, va="top")
    most = (WIDTH - 0.2) * canvas.dpi
    for text in canvas.texts[-2:]:
        if (takes := text.get_window_extent().width) > most:
            text.set_fontsize(float(text.get_fontsize()) * most / takes)
    return canvas


def axes_at(canvas: Canvas, left: float, top: float, width: float, height: float) -> Axes:
    """Adds axes. Sizes and distances from the left and the upper edge are in inches."""
    across, down = canvas.get_size_inches()
    return canvas.add_axes(
        (left / across, 1 - (top + height) / down, width / across, height / down)
    )


def side_by_side(count: int, left: float, right: float = RIGHT) -> list[tuple[float, float]]:
    """Returns for each panel between the margins its distance from the left, and its width."""
    width = (WIDTH - left - right + GAP) / count - GAP
    return [(left + column * (width + GAP), width) for column in range(count)]


def write(canvas: Canvas, left: float, top: float, text: str, **look: Any) -> None:  # noqa: ANN401
    """Writes a text. The distances from the left and from the upper edge are in inches.

    `top` is that of the middle of the text, unless its look says otherwise.
    """
    across, down = canvas.get_size_inches()
    canvas.text(left / across, 1 - top / down, text, **{"va": "center", **look})


def key(canvas: Canvas, entries: Mapping[str, Artist]) -> None:
    """Draws a key of the artists in the chart, in two lines if it does not fit into one."""
    for lines in (1, 2):
        canvas.legends.clear()
        legend = canvas.legend(
            list(entries.values()),
            list(entries),
            loc="lower left",
            bbox_to_anchor=(0.004, 0.36 / canvas.get_size_inches()[1]),
            borderaxespad=0,
            ncols=math.ceil(len(entries) / lines),
            fontsize=7.5,
            frameon=False,
            columnspacing=1.0,
            handletextpad=0.5,
        )
        if legend.get_window_extent().x1 <= canvas.bbox.x1:
            return


def processes_of(results: Results, names: Sequence[Name]) -> str:
    """Says how many processes measured these cells."""
    processes = [len(results.rounds[name]) for name in names]
    fewest_to_most = " to ".join(map(str, sorted({min(processes), max(processes)})))
    return "One process" if max(processes) == 1 else f"Means of {fewest_to_most} processes"


def footnote(canvas: Canvas, results: Results, benches: Sequence[str]) -> None:
    """Writes the machine, the compiler, the processes, and how far equal objects differ."""
    names = [name for bench in benches for name in results.names(bench)]
    machine = [results.context.get(fact) for fact in ("cpu", "compiler", "flags")]
    text = f"{processes_of(results, names)}. {', '.join(part for part in machine if part)}."
    if (apart := results.twins_differ_by(names)) is not None:
        text += f" Equal {kind_of(benches[0])} differ by up to {100 * apart:.1f}% here."
    if loops := sorted({*results.groups["turning_loops"]} & {name.queue for name in names}):
        text += f" With {' and '.join(loops)}, each expire makes a system call."
    if late := sorted({*results.groups["late"]} & {name.queue for name in names}):
        text += f" Timers may run late in {' and '.join(late)}."
    _write_foot(canvas, text)


def footnote_of_counts(canvas: Canvas, results: Results, _benches: Sequence[str]) -> None:
    """Writes the compiler of the counts of callgrind.

    Machine and processes do not matter to them.
    """
    facts = [results.context.get(fact) for fact in ("compiler", "libc", "flags")]
    _write_foot(canvas, f"Counted by callgrind, not timed. {', '.join(filter(None, facts))}.")


def _write_foot(canvas: Canvas, text: str) -> None:
    lines = "\n".join(textwrap.wrap(text, 150, max_lines=2, placeholder=" …"))
    bottom = canvas.get_size_inches()[1] - 0.06
    write(canvas, 0.01 * WIDTH, bottom, lines, size=7, color="#555555", va="bottom")
