"""Tests of scripts/timerbench/intervals.py."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
import pytest

from timerbench.intervals import (
    FEWEST_TO_SAMPLE,
    median_interval,
    name_of_spread,
    ratio,
    ratio_interval,
)


@pytest.mark.parametrize("count", range(1, FEWEST_TO_SAMPLE))
def test_of_few_values_the_interval_is_from_the_least_to_the_greatest(count: int) -> None:
    assert median_interval([float(10 * value) for value in range(count, 0, -1)]) == (10, 10 * count)


@pytest.mark.parametrize("count", range(2, FEWEST_TO_SAMPLE + 1))
def test_that_is_so_because_the_least_is_the_median_of_many_resamples(count: int) -> None:
    resamples = list(itertools.product(range(count), repeat=count))
    least = sum(statistics.median(resample) == 0 for resample in resamples)
    assert (least > 0.025 * len(resamples)) == (count < FEWEST_TO_SAMPLE)


@pytest.mark.parametrize(
    ("rounds", "name"),
    [
        ([1, 1], ""),
        ([1, 2, 5], "range of the rounds"),
        ([1, 6, 9], "95% interval"),
        ([5, 6], "range of the rounds, from 6 on 95% interval"),
    ],
)
def test_what_is_shown_around_a_median_depends_on_the_rounds(rounds: list[int], name: str) -> None:
    assert name_of_spread(rounds) == name


@pytest.mark.parametrize(("count", "share"), [(2, 0.5), (3, 0.75), (5, 0.94), (6, 0.97)])
def test_a_range_of_less_than_six_rounds_covers_the_true_median_too_seldom(
    count: int, share: float
) -> None:
    random = np.random.default_rng(3)
    samples = random.normal(100, 10, (20_000, count))
    covered = (samples.min(axis=1) <= 100) & (samples.max(axis=1) >= 100)
    assert covered.mean() == pytest.approx(share, abs=0.01)
    assert (share < 0.95) == (count < FEWEST_TO_SAMPLE)


def test_covers_the_true_median_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    samples = random.normal(100, 10, (400, 15))
    intervals = [median_interval(sample.tolist()) for sample in samples]
    assert 0.9 < sum(low <= 100 <= high for low, high in intervals) / 400 < 0.99


def test_of_a_ratio_covers_the_true_one_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(2)
    pairs = random.normal(100, 10, (400, 2, 15)) * [[1.0], [1.5]]
    intervals = [ratio_interval(a.tolist(), b.tolist()) for a, b in pairs]
    assert 0.9 < sum(low <= 1.5 <= high for low, high in intervals) / 400 < 0.995


def test_a_ratio_is_the_second_over_the_first() -> None:
    assert ratio([2.0, 4.0], [6.0]) == (6 / 2 + 6 / 4) / 2
    assert ratio([1.0, 2.0, 100.0], [3.0, 6.0, 300.0]) == 3
    assert ratio_interval([2.0, 2.0, 2.0], [6.0, 6.0]) == (3, 3)
    assert ratio_interval([2.0], [1.0]) == (0.5, 0.5)


def test_is_the_same_whenever_it_is_asked_for() -> None:
    values = [float(value**2) for value in range(1, 12)]
    assert median_interval(values) == median_interval(values)
    assert ratio_interval(values, values[::2]) == ratio_interval(values, values[::2])
