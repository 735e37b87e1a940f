"""The mean of the processes that lie between the extremes, and how sure the mean is.

A disturbance of the machine only adds time, and one process in ten has a large one. This raises a
plain mean. The interval of a plain mean becomes wide, and still misses. So the highest sixth of the
processes does not count, nor the lowest sixth. The interval is that of Yuen (1974): for the spread,
the values left out are moved to the ends of the others. With fewer than six processes none is left
out, and the interval is that of Student's t.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from timerbench import student

LEFT_OUT = 6  # one in this number, at either end


class TrimmedMean(NamedTuple):
    """A mean, or one for each column. The error of a single value is NaN."""

    mean: Any
    error: Any  # the standard error of the mean
    degrees: float  # of freedom, of Student's t

    @property
    def reach(self) -> Any:  # noqa: ANN401
        """How far the interval of 95% goes to either side of the mean."""
        return self.error * student.errors_to_either_side(self.degrees)


def trimmed(numbers: Sequence[float]) -> float:
    """Returns the trimmed mean alone."""
    left_out = len(numbers) // LEFT_OUT
    return statistics.fmean(sorted(numbers)[left_out : len(numbers) - left_out])


def trimmed_mean(numbers: ArrayLike) -> TrimmedMean:
    """Returns the trimmed mean of a number for each process, or of a row for each process."""
    ordered = np.sort(np.asarray(numbers, dtype=float), axis=0)
    count = len(ordered)
    left_out = count // LEFT_OUT
    counted = ordered[left_out : count - left_out]
    kept = len(counted)
    if kept < 2:
        return TrimmedMean(counted[0] if kept else np.nan, np.nan, 0)
    drawn_in = np.clip(ordered, counted[0], counted[-1])
    # Quantiles are middles of bins. If the middle values lie in one bin, the others tell the
    # spread.
    of_one_bin = counted[0] == counted[-1]
    spread = np.where(of_one_bin, ordered, drawn_in).std(axis=0, ddof=1)
    error = spread * np.sqrt((count - 1) / (kept * (kept - 1)))
    return TrimmedMean(counted.mean(axis=0), error, kept - 1)
