"""The scales of axes: where they have ticks, and what is written there."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axis import Axis
from matplotlib.ticker import Locator, NullLocator

Writer = Callable[[float], str]


def set_ticks(axis: Axis, locator: Locator, write: Writer) -> None:
    """Sets ticks at the places that the locator gives, without minor ticks."""
    axis.set_major_locator(locator)
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _position: write(value))
