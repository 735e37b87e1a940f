"""How all charts look: colours, lines, type."""

from __future__ import annotations

from typing import Any

# As wide as a README shows it, in inches of 100 pixels.
WIDTH = 8.3
LETTER = 0.066  # inches; of a name at size 8

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
