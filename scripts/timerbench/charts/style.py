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
# position in the catalog, everywhere; those of libraries are thin.
COLOURS = ["#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7", "#B0A000"]
COLOURS += ["#882255", "#332288", "#8C6D46", "#44AA99"]
DASHED_FROM = 8

# Not the upward triangle, which stands for "slower than this". One less than the colours, so that
# a colour comes again with another marker.
MARKERS = ["o", "s", "D", "v", "P", "X", "<", ">", "p", "*", "d"]

OF_LIBRARIES: dict[str, Any] = {"linestyle": (0, (2, 1)), "linewidth": 0.7}

GREY = "#777777"  # the floor, and words beside the point
HATCH = "//////"  # an unstable cell


def style_of(position: int, *, of_library: bool = False) -> dict[str, Any]:
    """Those of libraries stand beside ours to compare with: their lines are thin."""
    if of_library:
        line = OF_LIBRARIES
    elif position < DASHED_FROM:
        line = {"linestyle": "-", "linewidth": 1.3}
    else:
        dashes = (4, 1.5) if position < len(COLOURS) else (1, 1)
        line = {"linestyle": (0, dashes), "linewidth": 1.3}
    return {
        "color": COLOURS[position % len(COLOURS)],
        "marker": MARKERS[position % len(MARKERS)],
        **line,
    }
