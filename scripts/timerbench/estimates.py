"""The mean of a figure over several processes, and how sure the mean is.

The unit is the process: repeated measurements in one process share its pages and its minute.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timerbench.trimmed_mean import trimmed_mean

INTERVAL = "95% interval"

# A figure with a wider interval is not known.
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
        """The distance from the mean to the further end of the interval."""
        return max(self.high - self.mean, self.mean - self.low)

    @property
    def unstable(self) -> bool:
        """Whether the interval is wider than ±10%.

        A single process has no interval, and is not unstable.
        """
        return self.reach > NARROW * abs(self.mean)

    @property
    def may_be_1(self) -> bool:
        """Whether a ratio leaves open which of the two is greater."""
        return self.low <= 1 <= self.high


def figure_of(values: Sequence[float]) -> Figure:
    """Returns the trimmed mean of the logarithms, and its interval.

    0 has no logarithm. If a value is 0 or less, it is the trimmed mean of the values themselves.
    """
    if min(values) == max(values):
        return Figure(values[0], values[0], values[0], len(values))
    has_logarithms = min(values) > 0
    found = trimmed_mean(np.log(values) if has_logarithms else values)
    mean, reach = found.mean, found.reach
    low, middle, high = (
        # The interval of two values that are far apart may be too large for a float.
        math.exp(min(number, 700)) if has_logarithms else float(number)
        for number in (mean - reach, mean, mean + reach)
    )
    return Figure(middle, low, high, len(values))


def geometric_mean(figures: Sequence[Figure]) -> Figure:
    """Returns the mean of independent figures. Their relative errors add up in squares."""
    count = len(figures)
    mean = statistics.fmean(math.log(figure.mean) for figure in figures)
    reach = math.hypot(*(math.log(figure.high / figure.mean) for figure in figures)) / count
    processes = min(figure.processes for figure in figures)
    return Figure(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach), processes)
