"""A chart: what a file of this package declares, and how a figure comes to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure as Canvas

from timerbench.results import Results


@dataclass(frozen=True)
class Chart:
    """The benches that it shows, and who draws it: nothing, if there is nothing in them to draw."""

    benches: tuple[str, ...]
    draw: Callable[[Results], Canvas | None]
