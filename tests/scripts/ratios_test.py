"""Tests of scripts/timerbench/ratios.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from timerbench.ratios import ratios
from timerbench.results import Name
from timerbench.speed import Pairs

NAMES = [Name("churn", "min_heap", f"rpc/{n}") for n in (10, 100)]


def test_the_interval_is_that_of_yuen_on_logarithms() -> None:
    """The runs vary differently, and have different numbers of processes."""
    random = np.random.default_rng(1)
    a, b = random.normal(3, 0.01, 4), random.normal(3.2, 0.2, 9)
    few = dict(enumerate(a[:2], 1)), dict(enumerate(b[:3], 1))
    pairs = Pairs({NAMES[0]: (dict(enumerate(a, 1)), dict(enumerate(b, 1))), NAMES[1]: few})
    for row, (of_a, of_b) in zip(ratios(pairs).itertuples(), [(a, b), (a[:2], b[:3])], strict=True):
        yuen = stats.ttest_ind(of_b, of_a, equal_var=False, trim=1 / 6)
        low, high = yuen.confidence_interval(0.95)
        means = [stats.trim_mean(side, 1 / 6) for side in (of_b, of_a)]
        assert row.ratio == pytest.approx(math.exp(means[0] - means[1]))
        assert (row.low, row.high) == pytest.approx((math.exp(low), math.exp(high)))
        assert row.degrees == pytest.approx(yuen.df)


def test_what_does_not_vary_has_an_interval_of_no_width_and_one_process_has_none() -> None:
    same = {1: 2.0, 2: 2.0}
    pairs = Pairs({NAMES[0]: (same, same), NAMES[1]: ({1: 2.0}, same)})
    exact, unknown = ratios(pairs).itertuples()
    assert (exact.low, exact.ratio, exact.high) == pytest.approx((1, 1, 1))
    assert unknown.ratio == 1
    assert math.isnan(unknown.low)
    assert math.isnan(unknown.high)
