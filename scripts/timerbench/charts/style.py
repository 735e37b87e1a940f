"""How all charts look: colours, lines, type."""

from __future__ import annotations

from typing import Any

from timerbench.benches import Subject
from timerbench.groups import DEFAULT_ORIGINALS, ORIGINALS
from timerbench.results import Results

# The width of pictures in a README, in inches of 100 pixels.
WIDTH = 8.3
LETTER = 0.066  # inches; the width of a letter of a name at size 8

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
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
}

# Okabe and Ito's colours, which the colour-blind can tell apart (the yellow is darker, as lines are
# thin), then four more. A family has the colour of its position in the catalog, in all charts. What
# has no family has a colour of its own, after those of the families: dashed from the ninth on, and
# dotted when colours repeat.
COLOURS = ["#000000", "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#B0A000"]
COLOURS += ["#882255", "#332288", "#8C6D46", "#44AA99"]
DASHED_FROM = 8

# These and the markers tell the members of a family apart.
DASHES: list[Any] = ["-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2))]
DASHES += [(0, (5, 1, 1, 1, 1, 1)), (0, (1, 2.5)), (0, (9, 2, 2, 2))]

# The upward triangle is left out: it means "slower than this". There is one marker less than there
# are colours, so that a colour repeats with another marker.
MARKERS = ["o", "s", "D", "v", "P", "X", "<", ">", "p", "*", "d"]

# What others wrote is there to be compared with ours: its lines are thin.
OF_OTHERS: dict[str, Any] = {"linestyle": (0, (2, 1)), "linewidth": 0.7}

DARK = "#333333"  # words beside titles
LIGHT_GREY = "#b8b8b8"  # lines in the background
GREY = "#777777"  # the floor, and words beside the point
ONLY_SLEEPS = "a thread that only sleeps"  # the floor of what is late
HATCH = "//////"  # an unstable cell


Style = dict[str, Any]


def styles_of(results: Results, subject: Subject) -> dict[str, Style]:
    """Returns the style of each that was measured, in the order of the catalog."""
    measured = results.measured[subject]
    without_family = [name for name in measured if name not in results.groups.places]
    styles = {}
    for name in measured:
        if name in without_family:
            style = style_of(len(results.groups.families) + without_family.index(name))
        else:
            family, position = results.groups.places[name]
            style = style_in_family(results.groups.families.index(family), position)
        styles[name] = {**style, **({} if results.whose(name) == "ours" else OF_OTHERS)}
    return styles


def styles_of_lines(results: Results, subject: Subject) -> dict[str, Style]:
    """Returns the styles of those that have a line.

    An original has a line only for its default settings. With lines for its other settings, nobody
    could tell them apart.
    """
    left_out = {*results.groups[ORIGINALS]} - {*results.groups[DEFAULT_ORIGINALS]}
    styles = styles_of(results, subject)
    return {name: style for name, style in styles.items() if name not in left_out}


def style_in_family(family: int, position: int) -> Style:
    """Returns a colour for the family; marker and line for the member."""
    return {
        "color": COLOURS[family % len(COLOURS)],
        "marker": MARKERS[position % len(MARKERS)],
        "linestyle": DASHES[position % len(DASHES)],
        "linewidth": 1.3,
    }


def style_of(position: int) -> Style:
    """Returns a style with a colour and a marker of its own."""
    dashes = (4, 1.5) if position < len(COLOURS) else (1, 1)
    linestyle = "-" if position < DASHED_FROM else (0, dashes)
    return {**style_in_family(position, position), "linestyle": linestyle}
