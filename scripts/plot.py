"""Draws the charts of a directory of results, as SVG and as PNG.

Drawing the same results again gives the same bytes.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from results import Figure, Name, Results, ResultsError, load, ns_per_operation

ROOT = Path(__file__).resolve().parent.parent

# As wide as a README shows it, in inches of 100 pixels.
WIDTH = 8.3

# Okabe and Ito's colours, which the colour-blind can tell apart (the yellow darker, as lines are
# thin), then four more, dashed. A queue has the style of its position in the catalog, everywhere.
COLOURS = ["#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#B0A000"]
COLOURS += ["#882255", "#332288", "#8C6D46", "#888888"]
DASHED_FROM = 8
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d"]

STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "svg.hashsalt": "timerbench",
    "svg.fonttype": "path",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
}


def style_of(position: int) -> dict[str, Any]:
    return {
        "color": COLOURS[position % len(COLOURS)],
        "marker": MARKERS[position % len(MARKERS)],
        "linestyle": "-" if position < DASHED_FROM else (0, (4, 1.5)),
    }


def short(value: float) -> str:
    """Three digits: 7.31, 73.1, 731, 7.3k."""
    if value >= 9_999.5:
        return f"{value / 1000:.0f}k"
    if value >= 999.5:
        return f"{value / 1000:.1f}k"
    return (
        f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
    )


def plain(value: float, _position: int = 0) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def footnote(canvas: Canvas, results: Results, bench: str) -> None:
    rounds = sorted({len(results.rounds[name]) for name in results.names(bench)})
    medians = "One round" if rounds == [1] else f"Medians of {' to '.join(map(str, rounds))} rounds"
    bands = "; bands from the least to the most" if bench == "churn" and rounds != [1] else ""
    machine = [results.context.get(key) for key in ("cpu", "compiler", "flags")]
    text = f"{medians}{bands}. {', '.join(part for part in machine if part)}."
    canvas.text(0.01, 0.008, text, fontsize=7, color="#555555", verticalalignment="bottom")


def title_of_replay(case: str) -> str:
    """`go-nethttp@1us` becomes `go-nethttp, 1 µs`."""
    return re.sub(r"@(\d+)", r",  \1 ", case).replace(" us", " µs")


def replay(results: Results) -> Canvas:
    """A heat map: recorded traces by queues, each row relative to its fastest queue."""
    cases = results.cases("replay")
    cells: list[list[Figure | None]] = [
        [results.figure(Name("replay", queue, case), ns_per_operation) for queue in results.queues]
        for case in cases
    ]
    medians = np.array([[cell.median if cell else np.nan for cell in row] for row in cells])
    ratios = medians / np.nanmin(medians, axis=1, keepdims=True)

    row_height, top, bottom = (
        0.27,
        1.6,
        0.75,
    )  # inches; the titles above, the scale of colours below
    height = top + row_height * len(cases) + bottom
    canvas = plt.figure(figsize=(WIDTH, height))
    axes = canvas.add_axes((0.24, bottom / height, 0.67, row_height * len(cases) / height))
    colours = plt.get_cmap("YlGnBu").with_extremes(bad="white")
    image = axes.imshow(ratios, norm=LogNorm(1, 10), cmap=colours, aspect="auto")
    for row, column in np.ndindex(ratios.shape):
        missing = np.isnan(ratios[row, column])
        red, green, blue, _ = image.to_rgba(ratios[row, column])
        axes.text(
            column,
            row,
            "–" if missing else short(float(medians[row, column])),
            horizontalalignment="center",
            verticalalignment="center",
            fontsize=8,
            fontweight="bold" if ratios[row, column] == 1 else "normal",
            color="white"
            if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 and not missing
            else "black",
        )
    axes.xaxis.tick_top()
    axes.set_xticks(
        range(len(results.queues)), results.queues, rotation=45, ha="left", rotation_mode="anchor"
    )
    axes.set_yticks(range(len(cases)), [title_of_replay(case) for case in cases])
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(len(results.queues) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(cases) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)

    scale = canvas.colorbar(
        image,
        cax=canvas.add_axes((0.62, 0.47 / height, 0.29, 0.1 / height)),
        orientation="horizontal",
        extend="max",
    )
    scale.set_ticks([1, 2, 3, 5, 10], labels=["fastest", "2×", "3×", "5×", "10×"])
    scale.minorticks_off()
    scale.ax.tick_params(length=2, labelsize=7.5)
    scale.outline.set_visible(False)  # type: ignore[operator]
    canvas.text(
        0.6,
        0.52 / height,
        "times as slow as the fastest in the row",
        fontsize=7.5,
        horizontalalignment="right",
        verticalalignment="center",
    )
    canvas.text(
        0.01,
        1 - 0.12 / height,
        "Recorded timers of real programs, replayed at two lengths of a tick: ns an operation",
        fontsize=STYLE["axes.titlesize"],
        fontweight="bold",
        verticalalignment="top",
    )
    return canvas


def apart(wanted: list[float], gap: float) -> list[float]:
    """Moves labels as little as needed to stand at least `gap` apart, keeping their order."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    blocks: list[list[float]] = []  # [centre, count], from below
    for index in order:
        blocks.append([wanted[index], 1])
        while len(blocks) > 1:
            (below, n), (above, m) = blocks[-2:]
            if above - below >= gap * (n + m) / 2:
                break
            blocks[-2:] = [[(below * n + above * m) / (n + m), n + m]]
    placed = [
        centre + gap * (position - (count - 1) / 2)
        for centre, count in blocks
        for position in range(int(count))
    ]
    result = [0.0] * len(wanted)
    for index, place in zip(order, placed, strict=True):
        result[index] = place
    return result


def label_line_ends(axes: Axes, ends: list[tuple[str, float, float, str]]) -> None:
    """Writes each line's (name, x, y, colour) at its right end, not over one another."""
    axes.figure.canvas.draw()  # settles the scale of the axes
    to_axes = axes.transData + axes.transAxes.inverted()
    places = [to_axes.transform((x, y)) for _, x, y, _ in ends]
    line_height = 11 / 72 * axes.figure.dpi / axes.bbox.height
    for (name, _, _, colour), (x, y), label_y in zip(
        ends, places, apart([y for _, y in places], line_height), strict=True
    ):
        axes.annotate(
            name,
            xy=(x, y),
            xytext=(1.03, label_y),
            xycoords=axes.transAxes,
            textcoords=axes.transAxes,
            color=colour,
            fontsize=8.5,
            verticalalignment="center",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkB": 4},
            annotation_clip=False,
        )


def churn(results: Results) -> Canvas:
    """Lines: ns an operation over the number of pending timers, one panel a workload."""
    workloads = list(dict.fromkeys(case.split("/")[0] for case in results.cases("churn")))
    canvas, panels = plt.subplots(
        len(workloads), 1, figsize=(WIDTH, 0.4 + 4.3 * len(workloads)), squeeze=False
    )
    canvas.subplots_adjust(left=0.085, right=0.79, top=0.93, bottom=0.15)
    for axes, workload in zip(panels[:, 0], workloads, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = []
        for position, queue in enumerate(results.queues):
            points = {
                int(name.case.split("/")[1]): results.figure(name, ns_per_operation)
                for name in results.names("churn")
                if name.queue == queue and name.case.split("/")[0] == workload
            }
            if not points:
                continue
            sizes = sorted(points)
            figures = [figure for size in sizes if (figure := points[size])]
            style = style_of(position)
            medians = [figure.median for figure in figures]
            axes.plot(sizes, medians, markersize=4.5, linewidth=1.4, **style)
            axes.fill_between(
                sizes,
                [figure.low for figure in figures],
                [figure.high for figure in figures],
                color=style["color"],
                alpha=0.15,
                linewidth=0,
            )
            ends.append((queue, float(sizes[-1]), medians[-1], style["color"]))
        axes.set_title(f"Churn, {workload}: ns an operation by the number of pending timers")
        axes.set_xlabel("pending timers")
        axes.set_ylabel("ns an operation")
        axes.xaxis.set_major_formatter(FuncFormatter(plain))
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(plain))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(which="major", color="#dddddd", linewidth=0.6)
        label_line_ends(axes, ends)
    return canvas


CHARTS: dict[str, Callable[[Results], Canvas]] = {"replay": replay, "churn": churn}


def draw(directory: Path) -> list[Path]:
    """Draws all charts that the results allow; returns the files."""
    results = load(directory)
    files = []
    for bench, chart in CHARTS.items():
        if not results.names(bench):
            continue
        with matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE, "backend": "Agg"}):
            canvas = chart(results)
            footnote(canvas, results, bench)
            for suffix, metadata in {"svg": {"Date": None}, "png": {"Software": None}}.items():
                file = directory / f"{bench}.{suffix}"
                part = file.with_name(file.name + ".part")
                canvas.savefig(part, format=suffix, dpi=200, metadata=metadata)
                part.replace(file)
                files.append(file)
            plt.close(canvas)
    return files


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "directory", nargs="?", type=Path, default=ROOT / "results" / "local", help="of results"
    )
    options = parser.parse_args(arguments)
    try:
        draw(options.directory)
    except ResultsError as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
