"""Labels at the right ends of lines, which do not overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression  # type: ignore[import-untyped]

LINE_HEIGHT = 10.5 / 72  # inches


@dataclass(frozen=True)
class End:
    """The last point of a line."""

    name: str
    x: float
    y: float
    colour: str


def apart(
    wanted: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf
) -> NDArray[np.float64]:
    """Moves labels as little as needed to stand at least `gap` apart, and keeps their order.

    If all fit between `low` and `high`, they also stay in that range.
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(order))
    # A label minus its steps may not be below the label before it minus its own.
    without_steps = isotonic_regression(np.array(wanted)[order] - steps).x
    places = np.empty(len(order))
    places[order] = np.clip(without_steps, low, high - steps[-1]) + steps
    return places


def label_line_ends(axes: Axes, ends: Sequence[End]) -> None:
    axes.get_xlim(), axes.get_ylim()  # settle the scales
    to_axes = axes.transData + axes.transAxes.inverted()
    places = [to_axes.transform((end.x, end.y)) for end in ends]
    gap = LINE_HEIGHT * axes.figure.dpi / axes.bbox.height
    labels = apart([float(y) for _, y in places], gap, low=-0.02, high=1.02)
    for end, (x, y), label_y in zip(ends, places, labels, strict=True):
        style: dict[str, Any] = {"color": end.colour, "transform": axes.transAxes, "clip_on": False}
        axes.plot([x + 0.01, 1.03], [y, label_y], linewidth=0.6, **style)
        axes.text(1.035, label_y, end.name, fontsize=8, verticalalignment="center", **style)
