"""Tests of scripts/timerbench/estimates.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from timerbench.estimates import Figure, figure_of, mean_of


def test_a_figure_of_few_is_the_geometric_mean_with_students_interval_on_logarithms() -> None:
    figure = figure_of([1.0, 10.0, 100.0])
    reach = 4.302653 / math.sqrt(3)  # t of 2 degrees of freedom; the spread is one power of ten
    assert figure.mean == pytest.approx(10)
    assert (figure.low, figure.high) == pytest.approx((10 / 10**reach, 10 * 10**reach))
    assert figure.processes == 3


@pytest.mark.parametrize("processes", [3, 5, 6, 11, 12, 23])
def test_figure_and_interval_are_those_of_scipy(processes: int) -> None:
    logs = np.random.default_rng(processes).normal(3, 0.2, processes)
    figure = figure_of(list(np.exp(logs)))
    # scipy has Yuen's test only for two samples. Here one of them is always 0.
    yuen = stats.ttest_ind(logs, np.zeros(processes), equal_var=False, trim=1 / 6)
    expected = np.exp(yuen.confidence_interval(0.95))
    assert figure.mean == pytest.approx(math.exp(stats.trim_mean(logs, 1 / 6)))
    assert (figure.low, figure.high) == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    "values", [[7.0], [3.0, 3.0, 3.0], [1.0, 10.0, 100.0, 4.0, 90.0, 20.0, 2.0], [0.0, 2.0, 100.0]]
)
def test_the_mean_alone_is_that_of_the_figure(values: list[float]) -> None:
    assert mean_of(values) == pytest.approx(figure_of(values).mean)


def test_one_disturbed_process_of_six_moves_nothing() -> None:
    calm = figure_of([10.0, 10.1, 10.2, 10.3, 10.4, 10.5])
    assert figure_of([10.0, 10.1, 10.2, 10.3, 10.4, 50.0]) == calm


def test_figures_of_one_bin_have_the_interval_of_all_processes() -> None:
    figure = figure_of([10.0, 11.0, 11.0, 11.0, 11.0, 12.0])
    assert figure.mean == pytest.approx(11)
    assert figure.low < 10.5
    assert figure.high > 11.5


def test_the_interval_holds_the_truth_where_disturbances_only_add() -> None:
    random = np.random.default_rng(8)

    def held_by(processes: int) -> bool:
        logs = random.normal(3, 0.01, processes)
        logs += np.where(random.random(processes) < 0.1, random.exponential(0.3, processes), 0)
        figure = figure_of(list(np.exp(logs)))
        return figure.low <= math.exp(3) <= figure.high

    assert np.mean([held_by(8) for _ in range(2_000)]) > 0.92  # with a plain mean it is below 0.8


@pytest.mark.parametrize("processes", [3, 8])
def test_the_interval_holds_the_truth_in_95_of_100_cases(processes: int) -> None:
    random = np.random.default_rng(7)
    figures = [figure_of(list(random.lognormal(3, 0.1, processes))) for _ in range(2_000)]
    held = sum(figure.low <= math.exp(3) <= figure.high for figure in figures)
    assert 0.935 <= held / len(figures) <= 0.965


def test_one_process_has_no_interval_and_what_never_varies_has_none_to_speak_of() -> None:
    assert figure_of([7.0]) == Figure(7.0, 7.0, 7.0, 1)
    assert figure_of([7.0] * 4) == Figure(7.0, 7.0, 7.0, 4)


def test_0_has_no_logarithm_and_makes_the_mean_arithmetic() -> None:
    figure = figure_of([0.0, 1.0, 5.0])
    assert figure.mean == pytest.approx(2)
    assert (figure.low, figure.high) == pytest.approx(
        tuple(stats.ttest_1samp([0.0, 1.0, 5.0], 0).confidence_interval(0.95))
    )


def test_values_that_are_far_apart_have_an_interval_all_the_same() -> None:
    figure = figure_of([1.0, 1e60])
    assert math.isfinite(figure.high)
    assert figure.unstable


@pytest.mark.parametrize(
    ("figure", "unstable"),
    [
        (Figure(100, 90, 110, 3), False),
        (Figure(100, 89, 100, 3), True),
        (Figure(100, 100, 111, 3), True),
    ],
)
def test_a_figure_is_unstable_when_its_interval_is_wider_than_a_tenth(
    figure: Figure, unstable: bool
) -> None:
    assert figure.unstable == unstable
