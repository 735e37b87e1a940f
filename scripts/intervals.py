"""How sure a median is: 95% bootstrap intervals, the same whenever they are asked for.

From least to greatest, two values hold the true median in 50% of the cases, three in 75%, five in
94%: of fewer than six there is no 95% interval, only their range.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 1_999
SEED = 20_240_229

# Of fewer values than this, more than 2.5% of the resamples have the least value as their median,
# and more than 2.5% the greatest: the interval is from the one to the other, without any sampling.
FEWEST_TO_SAMPLE = 6


def name_of_spread(rounds: Iterable[int]) -> str:
    """What is shown around medians of so many rounds each; nothing around a single one."""
    several = [number for number in rounds if number > 1]
    if not several:
        return ""
    if min(several) >= FEWEST_TO_SAMPLE:
        return "95% interval"
    if max(several) < FEWEST_TO_SAMPLE:
        return "range of the rounds"
    return f"range of the rounds, from {FEWEST_TO_SAMPLE} on 95% interval"


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The interval of the median, or the range of few values."""
    if len(values) < FEWEST_TO_SAMPLE:
        return min(values), max(values)
    return _middle(_medians(values, np.random.default_rng(SEED)))


def ratio_interval(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """The interval of the median of `b` divided by the median of `a`."""
    random = np.random.default_rng(SEED)
    return _middle(_medians(b, random) / _medians(a, random))


def _medians(values: Sequence[float], random: np.random.Generator) -> NDArray[np.float64]:
    """Of resamples with replacement, as many as there are values."""
    resamples = random.choice(np.asarray(values, dtype=np.float64), (RESAMPLES, len(values)))
    medians: NDArray[np.float64] = np.median(resamples, axis=1)
    return medians


def _middle(statistics: NDArray[np.float64]) -> tuple[float, float]:
    """What is left when the same share is cut off at both ends."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(statistics, (tail, 1 - tail))
    return float(low), float(high)
