"""Tests of scripts/timerbench/moderated.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from timerbench.estimates import figure_of, figures_of_case
from timerbench.moderated import FEWEST_CELLS, FEWEST_PROCESSES, moderated
from timerbench.trimmed_mean import TrimmedMean, trimmed_mean

Logs = NDArray[np.float64]  # a row for each process, a column for each cell

MANY = 2_000


def each(logs: Logs) -> tuple[TrimmedMean, TrimmedMean]:
    """Returns the means with the errors of each cell alone, and with moderated errors."""
    return trimmed_mean(logs), moderated(logs)


def cells_of(
    spreads: list[float] | NDArray[np.float64], processes: int = 6, best: float = 0, seed: int = 3
) -> Logs:
    """Returns the logarithms of ratios that are 1 in truth, to a best with a spread of its own."""
    random = np.random.default_rng(seed)
    of_cells = random.normal(0, spreads, (processes, np.size(spreads)))
    return of_cells - random.normal(0, best, (processes, 1))


def test_equal_spreads_become_one() -> None:
    alone, together = each(cells_of(np.full(MANY, 2.0)))
    assert np.std(together.error) < 0.2 * np.std(alone.error)
    assert np.median(together.error) == pytest.approx(np.sqrt(np.mean(alone.error**2)), rel=0.1)


def test_the_distribution_of_the_spreads_is_found() -> None:
    usual = 8
    variances = usual / np.random.default_rng(4).chisquare(usual, MANY)
    alone, together = each(cells_of(np.sqrt(variances), processes=5))
    assert together.degrees == pytest.approx(alone.degrees + usual, rel=0.15)
    # What is expected of each variance is expected of its inverse.
    assert np.mean(1 / together.error**2) == pytest.approx(np.mean(5 / variances), rel=0.05)


def test_a_cell_that_varies_more_keeps_the_wider_interval() -> None:
    reaches = moderated(cells_of([0.01] * 20 + [0.3])).reach
    assert reaches[-1] > 5 * np.median(reaches)


@pytest.mark.parametrize("processes", [5, 6, 12])
@pytest.mark.parametrize("best", [0.3, 1, 3])
@pytest.mark.parametrize("alike", [3.0, 1e6])
def test_intervals_hold_the_truth(processes: int, best: float, alike: float) -> None:
    """With `alike` the spreads of the cells differ by a factor of 10, or not at all."""
    random = np.random.default_rng(6)
    held = []
    for seed in range(400):
        spreads = np.sqrt(alike / random.chisquare(alike, 28))
        together = moderated(cells_of(spreads, processes, best, seed))
        held += list(np.abs(together.mean) < together.reach)
    assert 0.93 < np.mean(held) < 0.97


def test_the_widest_intervals_become_narrower() -> None:
    random = np.random.default_rng(7)
    wide = [
        [np.quantile(of.reach, 0.95) for of in each(cells_of(spreads, seed=seed, best=0.3))]
        for seed, spreads in enumerate(np.sqrt(5 / random.chisquare(5, (200, 28))))
    ]
    alone, together = np.mean(wide, axis=0)
    assert together < 0.7 * alone


def test_cells_that_vary_together_tell_no_more_than_one() -> None:
    alone, together = each(cells_of([0.01] * 20, best=1.0))
    assert together.degrees < 1.2 * alone.degrees
    apart = moderated(cells_of([0.01] * 20))
    assert apart.degrees > 5 * alone.degrees


@pytest.mark.parametrize(
    ("processes", "cells"), [(FEWEST_PROCESSES - 1, 20), (6, FEWEST_CELLS - 1)]
)
def test_few_are_left_alone(processes: int, cells: int) -> None:
    alone, together = each(cells_of([1.0] * cells, processes))
    assert list(together.error) == list(alone.error)
    assert together.degrees == alone.degrees


def test_a_cell_that_does_not_vary_stays_so() -> None:
    logs = cells_of([1.0] * 9)
    logs[:, 4] = 1 / 3 + np.array([0, 1, 0, 1, 0, 1]) * 1e-17
    error = moderated(logs).error
    assert error[4] < 1e-9
    assert min(np.delete(error, 4)) > 0.1


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
    noisy = {f"noisy {number}": list(random.lognormal(1, 0.5, 5)) for number in range(9)}
    calm = {f"calm {number}": list(random.lognormal(1, 0.001, 6)) for number in range(9)}
    figures = figures_of_case(calm | noisy)
    assert {cell: figures[cell] for cell in calm} == figures_of_case(calm)


def test_what_has_no_logarithm_or_no_spread_is_a_figure_of_its_own() -> None:
    of_cells = {"zero": [0.0, 1.0, 2.0], "same": [3.0] * 3, "once": [5.0]}
    assert figures_of_case(of_cells) == {cell: figure_of(of) for cell, of in of_cells.items()}
    assert math.isfinite(figures_of_case(of_cells)["once"].mean)
