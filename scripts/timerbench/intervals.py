"""How sure a median is, or a ratio: 95% bootstrap intervals, the same whenever they are asked for.

From least to greatest, two values hold the true median in 50% of the cases, three in 75%, five in
94%: of fewer than six there is no 95% interval, only their range.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

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


def name_of_interval(rounds: Iterable[int]) -> str:
    """What is shown around figures of so many resampled rounds; resamples of few make no 95%."""
    several = [number for number in rounds if number > 1]
    if not several:
        return ""
    return "95% interval" if min(several) >= FEWEST_TO_SAMPLE else "range over resampled rounds"


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The interval of the median, or the range of few values."""
    if len(values) < FEWEST_TO_SAMPLE:
        return min(values), max(values)
    return _middle(np.median(_resamples(values, np.random.default_rng(SEED)), axis=1))


def median_ratio(ratios: Sequence[float]) -> float:
    """Of two in the middle the geometric mean, so that the inverses have the inverse."""
    return math.sqrt(statistics.median_low(ratios) * statistics.median_high(ratios))


def ratio(a: Sequence[float], b: Sequence[float]) -> float:
    """How many times as large a value of `b` is as one of `a`: the median over all such pairs.

    It is Hodges and Lehmann's estimator, which belongs to Mann and Whitney's test. Where a machine
    has a fast and a slow state, the quotient of the medians is that of two rounds in different ones
    as often as not; of all pairs most are in the same.
    """
    return float(np.median(_all_ratios(np.asarray(a), np.asarray(b))))


def ratio_interval(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """The interval of the ratio."""
    random = np.random.default_rng(SEED)
    pairs = _all_ratios(_resamples(a, random), _resamples(b, random))
    return _middle(np.median(pairs.reshape(RESAMPLES, -1), axis=1))


def _all_ratios(a: Values, b: Values) -> Values:
    """Along the last two axes, of each value of `b` to each of `a`."""
    ratios: Values = b[..., :, np.newaxis] / a[..., np.newaxis, :]
    return ratios


def _resamples(values: Sequence[float], random: np.random.Generator) -> Values:
    """With replacement, each of as many as there are values."""
    return random.choice(np.asarray(values, dtype=np.float64), (RESAMPLES, len(values)))


def _middle(statistics: Values) -> tuple[float, float]:
    """What is left when the same share is cut off at both ends."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(statistics, (tail, 1 - tail))
    return float(low), float(high)
