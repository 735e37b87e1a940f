"""Tests of scripts/timerbench/ratios.py."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from timerbench.moderated import moderated
from timerbench.ratios import ratios
from timerbench.results import Name
from timerbench.speed import Pairs

NAMES = [Name("churn", "min_heap", f"rpc/{n}") for n in (10, 100)]
A_CASE = [Name("churn", queue, "rpc/10") for queue in "abcdefgh"]


def side(*logs: float) -> dict[int, float]:
    """Returns the logarithms of a cell by the number of the round."""
    return dict(enumerate(logs, 1))


def side_by_side(a: dict[int, float], b: dict[int, float]) -> Any:  # noqa: ANN401
    (row,) = ratios(Pairs({NAMES[0]: (a, b)}, side_by_side=True)).itertuples()
    return row


def test_the_interval_is_that_of_yuen_on_logarithms() -> None:
    """The runs vary differently, and have different numbers of processes."""
    random = np.random.default_rng(1)
    a, b = random.normal(3, 0.01, 4), random.normal(3.2, 0.2, 9)
    few = dict(enumerate(a[:2], 1)), dict(enumerate(b[:3], 1))
    pairs = Pairs({NAMES[0]: (dict(enumerate(a, 1)), dict(enumerate(b, 1))), NAMES[1]: few})
    for row, (of_a, of_b) in zip(ratios(pairs).itertuples(), [(a, b), (a[:2], b[:3])], strict=True):
        yuen = stats.ttest_ind(of_b, of_a, equal_var=False, trim=1 / 6)
        low, high = yuen.confidence_interval(0.95)
        means = [stats.trim_mean(of, 1 / 6) for of in (of_b, of_a)]
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


def test_what_disturbs_both_sides_of_a_round_does_not_make_the_interval_wide() -> None:
    """A slow minute raises the second round by half."""
    row = side_by_side(side(2.00, 2.50, 2.01, 1.99), side(2.10, 2.60, 2.12, 2.08))
    differences = np.array([0.10, 0.10, 0.11, 0.09])
    error = differences.std(ddof=1) / 2
    assert row.ratio == pytest.approx(math.exp(0.10))
    assert row.high == pytest.approx(math.exp(0.10 + stats.t.ppf(0.975, 3) * error))
    assert row.degrees == 3


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (side(2.0, 2.5, 2.0), side(2.1, 2.6, 2.1, 2.1)),  # not the same rounds
        (side(2.0, 2.5), side(2.1, 2.6)),  # only two
    ],
)
def test_rounds_that_tell_too_little_are_not_paired(
    a: dict[int, float], b: dict[int, float]
) -> None:
    apart = ratios(Pairs({NAMES[0]: (a, b)}))
    row = side_by_side(a, b)
    assert (row.low, row.high) == (apart.low[0], apart.high[0])
    assert row.low < 1 < row.high


@pytest.mark.parametrize("paired", [True, False])
def test_all_cells_of_a_case_tell_how_much_each_of_them_varies(paired: bool) -> None:
    random = np.random.default_rng(1)
    a, b = (random.normal(3, 0.01, (6, len(A_CASE))) for _ in range(2))
    cells = {name: (side(*a[:, number]), side(*b[:, number])) for number, name in enumerate(A_CASE)}
    table = ratios(Pairs(cells, side_by_side=paired))
    of_a, of_b, of_pairs = moderated(a), moderated(b), moderated(b - a)
    error = of_pairs.error if paired else np.hypot(of_a.error, of_b.error)
    assert list(table.error) == pytest.approx(error)
    assert all(table.degrees > 3)  # six processes alone have three
    assert not paired or all(table.degrees <= 6)


def test_a_case_of_which_both_sides_have_one_process_has_no_interval() -> None:
    rows = ratios(Pairs({n: (side(2.0), side(2.1)) for n in A_CASE}, side_by_side=True))
    assert list(rows.ratio) == pytest.approx([math.exp(0.1)] * len(A_CASE))
    assert rows.low.isna().all()
