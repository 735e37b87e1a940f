"""Tests of scripts/timerbench/standing.py, on figures whose ratios are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from results_for_tests import CASE, results_of_case
from timerbench.estimates import figure_of
from timerbench.results import Name, Results, ns_per_operation
from timerbench.standing import Standing, beside_best, rivals, standing, times_best

OURS = Name("churn", "ours", CASE)


def beside_others(results: Results) -> Standing | None:
    return standing(results, OURS, rivals(results, OURS), ns_per_operation)


def test_each_process_is_compared_with_itself(tmp_path: Path) -> None:
    figures = {"ours": [10.0, 20, 12, 60, 30], "heap": [5.0, 20, 6, 30, 10]}
    beside = beside_others(results_of_case(tmp_path, figures))
    assert beside == Standing(OURS, "heap", figure_of([2.0, 1, 2, 2, 3]), is_bound=False)


def test_the_hour_of_a_process_is_nothing_to_a_ratio(tmp_path: Path) -> None:
    """The ratio is known, although each figure itself is known only to a half."""
    figures = {"ours": [10.0, 10, 30, 30, 30], "heap": [9.0, 9, 27, 27, 27]}
    results = results_of_case(tmp_path, figures)
    beside, figure = beside_others(results), results.figure(OURS, ns_per_operation)
    assert beside
    assert (beside.ratio.low, beside.ratio.high) == pytest.approx((10 / 9, 10 / 9))
    assert figure
    assert figure.high > 1.5 * figure.mean


def test_it_stands_beside_the_rival_that_it_is_furthest_behind(tmp_path: Path) -> None:
    beside = beside_others(
        results_of_case(tmp_path, {"heap": [10.0] * 3, "ours": [5.0] * 3, "wheel": [8.0] * 3})
    )
    assert beside
    assert (beside.rival, beside.ratio.mean) == ("wheel", 5 / 8)


def test_one_process_has_no_interval(tmp_path: Path) -> None:
    beside = beside_others(results_of_case(tmp_path, {"heap": [10.0], "ours": [12.0]}))
    assert beside
    assert beside.ratio.low == beside.ratio.mean == beside.ratio.high == pytest.approx(1.2)


def test_only_the_processes_count_that_measured_both(tmp_path: Path) -> None:
    beside = beside_others(results_of_case(tmp_path, {"heap": [10.0, 10], "ours": [12.0, 12, 99]}))
    assert beside
    assert beside.ratio.processes == 2
    assert beside.ratio.high == pytest.approx(1.2)


def test_a_cell_whose_processes_agree_by_chance_is_not_known_better(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    figures = {f"queue_{n}": list(random.lognormal(1, 0.1, 6)) for n in range(8)}
    lucky = [20.0, 20.01, 20.0, 20.02, 20.01, 20.0]
    results = results_of_case(
        tmp_path, figures | {"heap": [10.0] * 6, "ours": lucky, "slow": lucky[::-1]}, "slow"
    )
    beside = standing(results, OURS, ["heap"], ns_per_operation)
    alone = figure_of([ns / 10 for ns in lucky])
    assert beside
    assert beside.ratio.mean == pytest.approx(alone.mean)
    assert beside.ratio.reach > 3 * alone.reach
    slow = standing(results, replace(OURS, queue="slow"), ["heap"], ns_per_operation)
    assert slow
    assert slow.ratio == figure_of([ns / 10 for ns in lucky[::-1]])


def test_a_rival_that_took_nothing_in_another_process_is_a_rival(tmp_path: Path) -> None:
    figures = {"heap": [10.0, 10.0, 9.0], "ours": [20.0, 20.0], "wheel": [5.0, 5.0, 5.0]}
    results = results_of_case(tmp_path, figures)
    results.rounds[replace(OURS, queue="heap")][3]["ns_per_operation"] = 0
    beside = standing(results, OURS, ["heap"], ns_per_operation)
    assert beside
    assert beside.ratio == figure_of([2.0, 2.0])


@pytest.mark.parametrize(
    ("ours", "is_tie", "at_least"),
    [([10.1, 10.0, 10.3], True, 1), ([11.0, 11.1, 10.9], False, 1.075), ([10.0] * 3, True, 1)],
)
def test_what_the_interval_cannot_tell_apart_is_a_tie(
    tmp_path: Path, ours: list[float], is_tie: bool, at_least: float
) -> None:
    results = results_of_case(tmp_path, {"heap": [10.0] * 3, "ours": ours})
    beside = beside_best(results, OURS, ns_per_operation)
    assert beside
    assert beside.is_tie == is_tie
    assert beside.at_least == pytest.approx(at_least, abs=1e-3)


def test_a_bound_is_never_a_tie(tmp_path: Path) -> None:
    results = results_of_case(tmp_path, {"heap": [10.0] * 3, "ours": [10.0] * 3}, "ours")
    beside = beside_best(results, OURS, ns_per_operation)
    assert beside
    assert not beside.is_tie


@pytest.mark.parametrize(
    ("figures", "bounds"),
    [
        ({"heap": [10.0]}, []),
        ({"ours": [10.0]}, []),
        ({"heap": [10.0], "ours": [9.0]}, ["heap"]),
    ],
)
def test_without_two_figures_there_is_nothing_to_compare(
    tmp_path: Path, figures: dict[str, list[float]], bounds: list[str]
) -> None:
    assert beside_others(results_of_case(tmp_path, figures, *bounds)) is None


def test_a_bound_is_no_rival_and_what_is_too_slow_stands_with_a_bound(tmp_path: Path) -> None:
    figures = {"heap": [10.0], "ours": [12.0], "wheel": [8.0]}
    beside = beside_others(results_of_case(tmp_path, figures, "wheel", "ours"))
    assert beside
    assert (beside.rival, beside.is_bound) == ("heap", True)


def test_the_best_of_its_case_takes_one_times_the_best(tmp_path: Path) -> None:
    results = results_of_case(tmp_path, {"heap": [10.0, 30], "ours": [5.0, 15]})
    of_queues = {
        queue: times_best(results, Name("churn", queue, CASE), ns_per_operation)
        for queue in ("ours", "heap", "wheel")
    }
    assert of_queues == {"ours": 1, "heap": pytest.approx(2), "wheel": None}


def test_where_all_are_bounds_each_is_the_best_that_is_known(tmp_path: Path) -> None:
    results = results_of_case(tmp_path, {"heap": [10.0], "ours": [5.0]}, "heap", "ours")
    assert times_best(results, Name("churn", "heap", CASE), ns_per_operation) == 1


def test_of_two_one_is_as_far_ahead_as_the_other_is_behind(tmp_path: Path) -> None:
    results = results_of_case(tmp_path, {"heap": [2.0, 2], "ours": [2.0, 8]})
    both = [
        times_best(results, Name("churn", queue, CASE), ns_per_operation)
        for queue in ("ours", "heap")
    ]
    assert both == pytest.approx([2, 1])
    level = results_of_case(tmp_path, {"heap": [1.0, 2], "ours": [2.0, 1]})
    assert times_best(level, OURS, ns_per_operation) == pytest.approx(1)
