"""Tests of scripts/timerbench/moderated.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from timerbench.estimates import figure_of, figures_of_case
from timerbench.moderated import FEWEST_CELLS, moderated
from timerbench.trimmed_mean import TrimmedMean, trimmed_mean

MANY = 5_000


def errors_of(variances: NDArray[np.float64], degrees: int) -> TrimmedMean:
    """Returns means whose squared errors are drawn around these true variances."""
    chi_squared = np.random.default_rng(3).chisquare(degrees, len(variances))
    return TrimmedMean(
        np.zeros(len(variances)), np.sqrt(variances * chi_squared / degrees), degrees
    )


def test_equal_spreads_become_one() -> None:
    errors = moderated(errors_of(np.full(MANY, 4.0), 3)).error
    assert errors == pytest.approx(np.full(MANY, 2.0), rel=0.1)


def test_the_distribution_of_the_spreads_is_found() -> None:
    usual = 8
    variances = 4.0 * usual / np.random.default_rng(4).chisquare(usual, MANY)
    found = moderated(errors_of(variances, 3))
    assert found.degrees == pytest.approx(3 + usual, rel=0.15)
    # What is expected of each variance is expected of its inverse.
    assert np.mean(1 / found.error**2) == pytest.approx(np.mean(1 / variances), rel=0.05)


def test_a_cell_that_varies_more_keeps_the_wider_interval() -> None:
    random = np.random.default_rng(5)
    of_cells = trimmed_mean(random.normal(0, [0.01] * 20 + [0.3], (6, 21)))
    reaches = moderated(of_cells).reach
    assert reaches[-1] > 5 * np.median(reaches)


@pytest.mark.parametrize("alike", [3.0, 10.0, 1e6])
def test_intervals_hold_the_truth_and_the_widest_are_narrower(alike: float) -> None:
    """With `alike` the spreads of the cells differ by a factor of 10, by 3, or not at all."""
    random = np.random.default_rng(6)
    held, wide, wide_alone = [], [], []
    for _ in range(500):
        spreads = np.sqrt(alike / random.chisquare(alike, 28))
        alone = trimmed_mean(random.normal(0, spreads, (6, 28)))
        together = moderated(alone)
        held += list(np.abs(together.mean) < together.reach)
        wide.append(np.quantile(together.reach, 0.95))
        wide_alone.append(np.quantile(alone.reach, 0.95))
    assert 0.935 < np.mean(held) < 0.965
    assert np.mean(wide) < 0.8 * np.mean(wide_alone)


def test_few_cells_are_left_alone() -> None:
    of_cells = trimmed_mean(np.random.default_rng(7).normal(0, 1, (6, FEWEST_CELLS - 1)))
    assert moderated(of_cells) is of_cells


def test_a_cell_that_does_not_vary_stays_so() -> None:
    values = np.random.default_rng(8).normal(0, 1, (6, 9))
    values[:, 4] = 1 / 3 + np.array([0, 1, 0, 1, 0, 1]) * 1e-17
    with_it, without = moderated(trimmed_mean(values)), moderated(trimmed_mean(values[:, 5:]))
    assert with_it.error[4] < 1e-9
    assert min(without.error) > 0.1
    assert min(np.delete(with_it.error, 4)) > 0.1


def test_degrees_are_at_most_those_of_all_cells_together() -> None:
    alike = TrimmedMean(np.zeros(6), np.full(6, 0.5), 3)
    assert moderated(alike).degrees == 6 * 3


def test_figures_of_a_case_keep_their_means() -> None:
    random = np.random.default_rng(9)
    of_cells = {cell: list(random.lognormal(1, 0.1, 6)) for cell in "abcdefgh"}
    figures = figures_of_case(of_cells)
    for cell, values in of_cells.items():
        assert figures[cell].mean == pytest.approx(figure_of(values).mean)
        assert figures[cell].processes == 6
    assert {figures[cell].high / figures[cell].mean for cell in of_cells} != {
        figure_of(values).high / figure_of(values).mean for values in of_cells.values()
    }


def test_cells_of_another_number_of_processes_are_judged_apart() -> None:
    random = np.random.default_rng(10)
    noisy = {f"noisy {number}": list(random.lognormal(1, 0.5, 3)) for number in range(9)}
    calm = {f"calm {number}": list(random.lognormal(1, 0.001, 6)) for number in range(9)}
    figures = figures_of_case(calm | noisy)
    assert {cell: figures[cell] for cell in calm} == figures_of_case(calm)


def test_what_has_no_logarithm_or_no_spread_is_a_figure_of_its_own() -> None:
    of_cells = {"zero": [0.0, 1.0, 2.0], "same": [3.0] * 3, "once": [5.0]}
    assert figures_of_case(of_cells) == {cell: figure_of(of) for cell, of in of_cells.items()}
    assert math.isfinite(figures_of_case(of_cells)["once"].mean)
