"""Colours that stand for figures, on a logarithmic scale; beyond its ends they do not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm


def colours(least: float, most: float) -> ScalarMappable:
    return ScalarMappable(LogNorm(least, most, clip=True), "YlGnBu")


def draw_scale(
    axes: Axes,
    of: ScalarMappable,
    ticks: Mapping[float, str],
    extend: Literal["max", "both"],
    size: float,
) -> None:
    """Draws the scale, which says what the colours mean."""
    scale = axes.figure.colorbar(of, cax=axes, orientation="horizontal", extend=extend)
    scale.set_ticks(list(ticks), labels=list(ticks.values()))
    scale.minorticks_off()
    scale.ax.tick_params(length=2, labelsize=size)
    scale.outline.set_visible(False)  # type: ignore[operator]
