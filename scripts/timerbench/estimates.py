"""What several processes tell of a figure: its mean, and how sure that is.

The unit is the process: what one measures twice it measures in the same pages and minute.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timerbench.trimmed_mean import trimmed_mean

INTERVAL = "95% interval"

# Further off than this, a figure is not known.
NARROW = 0.10


@dataclass(frozen=True)
class Figure:
    """A trimmed mean over processes with its 95% interval, which a single process does not have."""

    mean: float
    low: float
    high: float
    processes: int

    @property
    def reach(self) -> float:
        """From the mean to the further end of the interval."""
        return max(self.high - self.mean, self.mean - self.low)

    @property
    def unstable(self) -> bool:
        """Whether the interval is wider than ±10%; a single process cannot say so."""
        return self.reach > NARROW * abs(self.mean)

    @property
    def may_be_1(self) -> bool:
        """Of a ratio: whether it does not tell which of the two is more."""
        return self.low <= 1 <= self.high


def figure_of(values: Sequence[float]) -> Figure:
    """The trimmed mean of the logarithms, and its interval.

    0 has no logarithm: where a value is 0 or less it is the trimmed mean of the values themselves.
    """
    if min(values) == max(values):
        return Figure(values[0], values[0], values[0], len(values))
    has_logarithms = min(values) > 0
    found = trimmed_mean(np.log(values) if has_logarithms else values)
    mean, reach = found.mean, found.reach
    low, middle, high = (
        # The interval of two values that are far apart may end beyond all numbers.
        math.exp(min(number, 700)) if has_logarithms else float(number)
        for number in (mean - reach, mean, mean + reach)
    )
    return Figure(middle, low, high, len(values))


def geometric_mean(figures: Sequence[Figure]) -> Figure:
    """Of figures that do not depend on each other. What each may be off by adds up in squares."""
    count = len(figures)
    mean = statistics.fmean(math.log(figure.mean) for figure in figures)
    reach = math.hypot(*(math.log(figure.high / figure.mean) for figure in figures)) / count
    processes = min(figure.processes for figure in figures)
    return Figure(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach), processes)
