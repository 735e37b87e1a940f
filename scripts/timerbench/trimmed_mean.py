"""The mean of the processes that lie between the extremes, and how sure it is.

A disturbance of the machine only adds, and one process in ten has a large one. A plain mean goes up
with it, and its interval grows wide and still misses. So the sixth of the processes that is highest
does not count, nor the sixth that is lowest. The interval is that of Yuen (1974): for the spread
the values left out are moved to the ends of the others. With fewer than six processes none is left
out, and it is the interval of Student's t.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from timerbench import student

LEFT_OUT = 6  # one in so many, at either end


class TrimmedMean(NamedTuple):
    """Of each column, if there are columns. A single value has no error: it is not a number."""

    mean: Any
    error: Any  # the standard error of the mean
    degrees: int  # of freedom, of Student's t

    @property
    def reach(self) -> Any:  # noqa: ANN401
        """How far the interval of 95% goes to either side of the mean."""
        return self.error * student.errors_to_either_side(self.degrees)


def trimmed_mean(numbers: ArrayLike) -> TrimmedMean:
    """Of a number for each process, or of a row for each."""
    ordered = np.sort(np.asarray(numbers, dtype=float), axis=0)
    count = len(ordered)
    left_out = count // LEFT_OUT
    counted = ordered[left_out : count - left_out]
    kept = len(counted)
    if kept < 2:
        return TrimmedMean(counted[0] if kept else np.nan, np.nan, 0)
    drawn_in = np.clip(ordered, counted[0], counted[-1])
    # Quantiles are of bins. Where the middle values are of one bin, the others tell the spread.
    of_one_bin = counted[0] == counted[-1]
    spread = np.where(of_one_bin, ordered, drawn_in).std(axis=0, ddof=1)
    error = spread * np.sqrt((count - 1) / (kept * (kept - 1)))
    return TrimmedMean(counted.mean(axis=0), error, kept - 1)
