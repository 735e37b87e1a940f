"""How all charts look: colours, lines, type, and how numbers are written."""

from __future__ import annotations

import math
from typing import Any

# As wide as a README shows it, in inches of 100 pixels.
WIDTH = 8.3

STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "svg.hashsalt": "timerbench",
    "svg.fonttype": "path",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "hatch.linewidth": 0.6,
}

# Okabe and Ito's colours, which the colour-blind can tell apart (the yellow darker, as lines are
# thin), then four more, dashed; then all of them again, dotted. A queue has the style of its
# position in the catalog, everywhere.
COLOURS = ["#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#B0A000"]
COLOURS += ["#882255", "#332288", "#8C6D46", "#44AA99"]
DASHED_FROM = 8

# Not the upward triangle, which stands for "slower than this". One less than the colours, so that
# a colour comes again with another marker.
MARKERS = ["o", "s", "D", "v", "P", "X", "<", ">", "p", "*", "d"]

GREY = "#777777"  # the floor, and words beside the point
HATCH = "//////"  # an unstable cell


UNITS = {1e9: "G", 1e6: "M", 1e3: "k"}


def style_of(position: int) -> dict[str, Any]:
    return {
        "color": COLOURS[position % len(COLOURS)],
        "marker": MARKERS[position % len(MARKERS)],
        "linestyle": "-"
        if position < DASHED_FROM
        else (0, (4, 1.5))
        if position < len(COLOURS)
        else (0, (1, 1)),
    }


def short(value: float, digits: int = 3) -> str:
    """So many digits: 7.31, 73.1, 731, 7.3k, 2.0M."""
    size = abs(value)
    for unit, name in UNITS.items():
        if size >= unit * 0.9995:
            return f"{value / unit:.{0 if size >= 9.995 * unit else 1}f}{name}"
    decimals = digits - 1 - math.floor(math.log10(size) + 1e-4) if size else 0
    text = f"{value:.{min(max(decimals, 0), digits - 1)}f}"
    return text if float(text) else "0"


def count(value: float) -> str:
    """A round number, as on an axis: 0.5, 10, 2,000, 50,000, 1M."""
    for unit, name in UNITS.items():
        if value >= max(unit, 1e6):
            return f"{value / unit:g}{name}"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def duration(ns: float) -> str:
    """100 ns, 10 µs, 1 ms, 2 s."""
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= unit * 0.9995:
            return f"{ns / unit:.3g} {name}"
    return f"{ns:.3g} ns"
