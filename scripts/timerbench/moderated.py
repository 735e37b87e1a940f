"""Errors that are known better, because the cells of a case vary alike.

A case has few processes, so they hardly tell the spread of a single cell. Its interval must allow
for that, and becomes wide. But the same processes measured all cells of the case, and most of these
vary alike. So the variance of each cell is moved towards the usual variance of its case. The more
the variances of the case differ, the less they are moved.

All cells may vary together: ratios to a best do so if the best varies. Then they tell less of the
usual variance, and count as fewer cells.

This is the moderated variance of Smyth (2004), "Linear models and empirical Bayes methods", as in
the package limma. It assumes that the cells' true variances have a scaled inverse chi-squared
distribution, and fits this distribution to the case.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special  # type: ignore[import-untyped]

from timerbench.trimmed_mean import TrimmedMean, trimmed_mean

# Fewer cells do not tell how much variances differ. Fewer processes do not tell whether the cells
# vary together.
FEWEST_CELLS = 5
FEWEST_PROCESSES = 5

# A smaller error is one of rounding: the cell does not vary.
ROUNDING = 1e-9


class Shared(NamedTuple):
    """What all cells of a case tell of the spread of each of them."""

    variance: float  # the usual one, of a mean
    own_share: float  # how much a cell's own variance counts beside it
    degrees: float  # of freedom, of a moderated error

    def error(self, own: NDArray[Any]) -> NDArray[Any]:
        """Returns the moderated errors. A cell that does not vary keeps its error."""
        variances = self.variance + self.own_share * (own**2 - self.variance)
        return np.where(own > ROUNDING, np.sqrt(variances), own)


def moderated(logs: ArrayLike) -> TrimmedMean:
    """Returns the trimmed means of the cells of a case with moderated errors.

    There is a row for each process, and a column for each cell.
    """
    means = trimmed_mean(logs)
    if not (shared := shared_by(logs)):
        return means
    return means._replace(error=shared.error(means.error), degrees=shared.degrees)


def shared_by(logs: ArrayLike) -> Shared | None:
    """Returns what the cells share; None if there are too few cells or processes to tell."""
    logs = np.asarray(logs, dtype=float)
    if logs.ndim < 2 or len(logs) < FEWEST_PROCESSES:
        return None
    own = trimmed_mean(logs)
    varies = own.error > ROUNDING
    cells = int(varies.sum())
    if cells < FEWEST_CELLS:
        return None
    usual, degrees = _usual_variance(own.error[varies] ** 2, own.degrees)
    # Cells that vary together, as ratios to a best that varies, tell less than as many others do.
    independent = cells / (1 + (cells - 1) * _likeness(logs[:, varies]))
    return Shared(
        usual,
        own.degrees / (own.degrees + degrees),
        own.degrees + min(degrees, (independent - 1) * own.degrees),
    )


def _likeness(logs: NDArray[Any]) -> float:
    """Returns how much the cells vary together: from 0, which is by chance, to 1."""
    squares = np.corrcoef(logs, rowvar=False) ** 2
    cells = len(squares)
    mean = (squares.sum() - cells) / (cells * (cells - 1))
    by_chance = 1 / (len(logs) - 1)
    return float(np.clip((mean - by_chance) / (1 - by_chance), 0, 1))


def _usual_variance(variances: NDArray[Any], degrees: float) -> tuple[float, float]:
    """Returns the usual variance of a case, and how many observations of a cell it counts as.

    The distribution is fitted by the mean and the variance of the logarithms of the variances.
    """
    half = degrees / 2
    logs = np.log(variances) - special.digamma(half) + math.log(half)
    beyond_chance = float(logs.var(ddof=1) - special.polygamma(1, half))
    if beyond_chance <= 0:
        return math.exp(logs.mean()), math.inf
    usual = 2 * _inverse_trigamma(beyond_chance)
    logarithm = logs.mean() + special.digamma(usual / 2) - math.log(usual / 2)
    return math.exp(logarithm), usual


def _inverse_trigamma(value: float) -> float:
    """Solves trigamma(x) = value by Newton's method for 1 / trigamma, which is nearly a line."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(special.polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(special.polygamma(2, x))
        x += step
        if -step < 1e-8 * x:
            break
    return x
