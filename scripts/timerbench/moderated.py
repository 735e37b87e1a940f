"""Errors that are known better, because the cells of a case vary alike.

A case has few processes, so they hardly tell the spread of a single cell. Its interval must allow
for that, and becomes wide. But the same processes measured all cells of the case, and most of these
vary alike. So the variance of each cell is moved towards the usual variance of its case. The more
the variances of the case differ, the less they are moved.

This is the moderated variance of Smyth (2004), "Linear models and empirical Bayes methods", as in
the package limma. It assumes that the cells' true variances have a scaled inverse chi-squared
distribution, and fits this distribution to the case.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special  # type: ignore[import-untyped]

from timerbench.trimmed_mean import TrimmedMean

# Fewer cells do not tell how much variances differ.
FEWEST_CELLS = 5

# A smaller error is one of rounding: the cell does not vary.
ROUNDING = 1e-9


def moderated(means: TrimmedMean) -> TrimmedMean:
    """Returns the means of the cells of a case with moderated errors.

    All cells have the same number of processes. A cell that does not vary keeps its error.
    """
    errors = np.atleast_1d(means.error)
    varies = errors > ROUNDING
    cells = int(varies.sum())
    if cells < FEWEST_CELLS:
        return means
    usual = _usual_variance(errors[varies] ** 2, means.degrees)
    # If all variances are equal, as far as one can tell, all cells together measure this one.
    known = means.degrees + min(usual.degrees, (cells - 1) * means.degrees)
    own_share = means.degrees / (means.degrees + usual.degrees)
    variances = usual.variance + own_share * (errors**2 - usual.variance)
    return TrimmedMean(means.mean, np.where(varies, np.sqrt(variances), errors), known)


class _Usual(NamedTuple):
    """The distribution of the variances of a case."""

    variance: float
    degrees: float  # so many observations of a cell count as much as the usual variance does


def _usual_variance(variances: NDArray[Any], degrees: float) -> _Usual:
    """Fits the distribution by the mean and the variance of the logarithms of the variances."""
    half = degrees / 2
    logs = np.log(variances) - special.digamma(half) + math.log(half)
    beyond_chance = float(logs.var(ddof=1) - special.polygamma(1, half))
    if beyond_chance <= 0:
        return _Usual(math.exp(logs.mean()), math.inf)
    usual = 2 * _inverse_trigamma(beyond_chance)
    logarithm = logs.mean() + special.digamma(usual / 2) - math.log(usual / 2)
    return _Usual(math.exp(logarithm), usual)


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
