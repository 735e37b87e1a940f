"""Tests of scripts/timerbench/measuring/drift.py."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from timerbench.measuring.drift import Timed, drift, timed
from timerbench.results import Name

QUEUES = {"lazy_wheel": 10.0, "min_heap": 25.0, "ordered_map": 60.0}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

Slowness = Callable[[float], float]


def process(minute: float, slowness: float, **others: float) -> Timed:
    figures = {queue: ns * slowness for queue, ns in QUEUES.items()} | others
    return Timed(
        NOON + timedelta(minutes=minute),
        {Name("churn", queue, "rpc/1000"): ns for queue, ns in figures.items()},
    )


def run(slowness: Slowness, cases: int = 30, rounds: int = 6) -> list[list[Timed]]:
    """Returns a run of 90 minutes: a process of each case in each round, with some noise."""
    noise = random.Random(7)
    minute = 90 / (rounds * cases)
    return [
        [
            process(at, slowness(at) * noise.lognormvariate(0, 0.01))
            for at in (minute * (number * cases + case) for number in range(rounds))
        ]
        for case in range(cases)
    ]


def test_a_run_on_a_machine_that_stays_as_it_is_has_no_drift() -> None:
    assert drift(run(lambda _: 1)) == pytest.approx(0, abs=0.004)


def test_a_machine_that_becomes_faster_has_a_drift_below_0() -> None:
    assert drift(run(lambda minute: 0.95 if minute > 45 else 1)) == pytest.approx(-0.05, abs=0.004)
    assert drift(run(lambda minute: 1 + minute / 900)) == pytest.approx(0.065, abs=0.01)


def test_a_few_disturbed_processes_make_no_drift() -> None:
    assert drift(run(lambda minute: 5 if minute < 5 else 1)) == pytest.approx(0, abs=0.01)


def test_a_single_disturbed_queue_makes_no_drift() -> None:
    case = [process(0, 1, min_heap=90.0), process(90, 1)]
    assert drift([case]) == pytest.approx(0)


def test_slow_and_fast_cases_are_compared_only_with_themselves() -> None:
    """The second case, which is slower, was measured only late."""
    cases = [[process(0, 1), process(90, 1.01)], [process(80, 40), process(85, 40)]]
    assert drift(cases) == pytest.approx(0.01)


def test_what_only_one_of_two_processes_measured_does_not_count() -> None:
    assert drift([[process(0, 1, libev=5.0), process(90, 1.02, libuv=9.0)]]) == pytest.approx(0.02)


@pytest.mark.parametrize("cases", [[], [[]], [[process(0, 1)]], [[process(0, 1)], [process(9, 2)]]])
def test_there_is_none_if_no_case_ran_early_and_late(cases: list[list[Timed]]) -> None:
    assert drift(cases) is None


def test_takes_start_and_figures_from_what_was_kept_but_no_twins() -> None:
    entries = [
        {"run_name": f"churn/{queue}/rpc/1000", "ns_per_operation": 20.0}
        for queue in ("min_heap", "min_heap_twin")
    ]
    kept = {"started": "2026-01-01T12:00:00Z", "benchmarks": entries}
    assert timed([kept], {"min_heap_twin"}) == [
        Timed(NOON, {Name("churn", "min_heap", "rpc/1000"): 20.0})
    ]
