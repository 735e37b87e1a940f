"""A chart: what a file of this package declares, and how a canvas is drawn for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure as Canvas

from timerbench.charts.sheet import footnote
from timerbench.results import Results


@dataclass(frozen=True)
class Chart:
    """A chart: the benches that it shows, and the function that draws it.

    The function returns None if the benches have nothing to draw. A note below the chart says how
    its figures were made.
    """

    benches: tuple[str, ...]
    draw: Callable[[Results], Canvas | None]
    write_foot: Callable[[Canvas, Results, Sequence[str]], None] = footnote
