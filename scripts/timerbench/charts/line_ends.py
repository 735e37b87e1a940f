"""Labels at the right ends of lines, not over one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

LINE_HEIGHT = 10.5 / 72  # inches


@dataclass(frozen=True)
class End:
    """The last point of a line."""

    name: str
    x: float
    y: float
    colour: str


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


def within(places: list[float], low: float, high: float, gap: float) -> list[float]:
    """Moves labels that stand apart as little as needed into a range, if it holds them."""
    result = list(places)
    order = sorted(range(len(places)), key=lambda index: places[index])
    limit = low
    for index in order:
        result[index] = max(result[index], limit)
        limit = result[index] + gap
    limit = high
    for index in reversed(order):
        result[index] = min(result[index], limit)
        limit = result[index] - gap
    return result


def label_line_ends(axes: Axes, ends: list[End]) -> None:
    axes.get_xlim(), axes.get_ylim()  # settle the scales
    to_axes = axes.transData + axes.transAxes.inverted()
    places = [to_axes.transform((end.x, end.y)) for end in ends]
    gap = LINE_HEIGHT * axes.figure.dpi / axes.bbox.height
    labels = within(apart([float(y) for _, y in places], gap), -0.02, 1.02, gap)
    for end, (x, y), label_y in zip(ends, places, labels, strict=True):
        style: dict[str, Any] = {"color": end.colour, "transform": axes.transAxes, "clip_on": False}
        axes.plot([x + 0.01, 1.03], [y, label_y], linewidth=0.6, **style)
        axes.text(1.035, label_y, end.name, fontsize=8, verticalalignment="center", **style)
