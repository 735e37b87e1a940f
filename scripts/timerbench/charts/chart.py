"""A chart: what a file of this package declares, and how a figure comes to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure as Canvas

from timerbench.charts.sheet import footnote
from timerbench.results import Results


@dataclass(frozen=True)
class Chart:
    """The benches that it shows, and who draws it: nothing, if there is nothing in them to draw.

    Below it stands how its figures were made.
    """

    benches: tuple[str, ...]
    draw: Callable[[Results], Canvas | None]
    write_foot: Callable[[Canvas, Results, Sequence[str]], None] = footnote
