"""Tests of scripts/timerbench/measuring/sampling.py."""

from __future__ import annotations

import math
import random
from statistics import fmean

import pytest

from timerbench.estimates import figure_of
from timerbench.measuring import sampling
from timerbench.measuring.sampling import Figures, Target, figures_of, half_widths, need, worth
from timerbench.results import Name, Process


def process(figures: dict[str, float]) -> Figures:
    return {Name("churn", queue, "rpc/1000"): ns for queue, ns in figures.items()}


def kept(*entries: dict[str, object]) -> Process:
    return {"benchmarks": list(entries)}


def test_takes_the_figures_of_queues_and_not_of_twins_or_of_what_is_only_a_bound() -> None:
    done = kept(
        {"run_name": "churn/min_heap/rpc/1000", "ns_per_operation": 20.0},
        {"run_name": "churn/min_heap_twin/rpc/1000", "ns_per_operation": 21.0},
        {"run_name": "churn/libev/rpc/1000", "ns_per_operation": 9e9, "slower_than": 1.0},
        {"run_name": "churn/ordered_map/rpc/1000"},
    )
    assert figures_of([done], {"min_heap_twin"}) == [process({"min_heap": 20.0})]


def test_half_an_interval_is_students_of_the_logarithms_of_ratios_to_the_best() -> None:
    ratios = [1.50, 1.53, 1.47, 1.50]
    processes = [
        process({"best": ns, "other": ns * ratio})
        for ns, ratio in zip([10.0, 14.0, 9.0, 11.0], ratios, strict=True)
    ]
    logs = [math.log(ratio) for ratio in ratios]
    deviation = math.sqrt(sum((log - fmean(logs)) ** 2 for log in logs) / 3)
    (half,) = half_widths(processes)
    # A table has the quantile 3.182 for three degrees of freedom.
    assert half == pytest.approx(math.expm1(3.182 * deviation / 2), rel=1e-3)


def test_half_an_interval_is_that_of_the_figure() -> None:
    """One of seven processes was disturbed."""
    ratios = [1.50, 1.53, 1.47, 1.50, 1.52, 9.0, 1.49]
    (half,) = half_widths([process({"best": 1.0, "other": ratio}) for ratio in ratios])
    figure = figure_of(ratios)
    assert half == pytest.approx(figure.high / figure.mean - 1)
    assert half < 0.05


def test_what_a_minute_does_to_all_queues_does_not_make_intervals_wide() -> None:
    processes = [process({"best": 10 * slow, "other": 15 * slow}) for slow in (1.0, 2.0, 1.3)]
    assert half_widths(processes) == [pytest.approx(0)]


def test_a_queue_without_a_rival_is_known_by_its_own_figure() -> None:
    (half,) = half_widths([process({"lone": ns}) for ns in (10.0, 10.1, 9.9)])
    assert 0.02 < half < 0.03


def test_only_what_all_processes_have_is_compared() -> None:
    whole = process({"a": 10.0, "b": 20.0, "c": 30.0})
    part = process({"a": 10.0, "b": 20.0})
    assert len(half_widths([whole, whole, part])) == 1


def test_of_one_process_nothing_is_known_and_of_none_nothing_is_needed() -> None:
    assert half_widths([process({"a": 10.0, "b": 20.0})]) == [math.inf]
    assert need(half_widths([process({"a": 10.0, "b": 20.0})]), Target(0.02, 0.05)) == math.inf
    assert need(half_widths([]), Target(0.02, 0.05)) == 0
    assert need(half_widths([{}, {}, {}]), Target(0.02, 0.05)) == 0


def test_the_interval_holds_the_true_ratio_in_19_of_20_cases() -> None:
    noise = random.Random(1)
    held = 0
    for _ in range(1_000):
        ratios = [1.5 * math.exp(noise.gauss(0, 0.03)) for _ in range(4)]
        (half,) = half_widths([process({"best": 1.0, "other": ratio}) for ratio in ratios])
        middle = math.exp(fmean(map(math.log, ratios)))
        held += middle / (1 + half) <= 1.5 <= middle * (1 + half)
    assert 930 <= held <= 970


def test_need_is_of_the_median_or_of_nearly_all_whichever_is_greater() -> None:
    target = Target(median=0.02, nearly_all=0.05)
    assert need([0.02] * 20, target) == pytest.approx(1)
    assert need([0.04] * 20, target) == pytest.approx(2)
    assert need([0.01] * 10 + [0.15] * 10, target) == pytest.approx(4)  # the median is 0.08
    assert need([0.01] * 18 + [0.20] * 2, target) == pytest.approx(4)
    assert need([0.01] * 39 + [0.20], target) < 1  # one of many may be wide


def test_the_target_is_wider_from_a_million_timers_on() -> None:
    small, large = sampling.TARGETS[0], sampling.TARGETS[10**6]
    assert small.median < large.median
    assert small.nearly_all < large.nearly_all
    found = [sampling.target_for(n) for n in (None, 10, 10**5, 10**6, 10**7)]
    assert found == [small, small, small, large, large]


def test_a_process_is_worth_more_where_need_is_great_processes_are_few_or_short() -> None:
    base = worth(needed=2, processes=5, seconds=2)
    assert worth(needed=4, processes=5, seconds=2) == pytest.approx(2 * base)
    assert worth(needed=2, processes=3, seconds=2) > 1.5 * base
    assert worth(needed=2, processes=5, seconds=4) == pytest.approx(base / 2)
    assert worth(needed=2, processes=1, seconds=2) == math.inf
