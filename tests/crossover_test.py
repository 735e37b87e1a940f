"""Tests of scripts/crossover.py, on curves whose crossing is known."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from crossover import HEAP, WHEEL, crossover, crossover_of, crossovers
from results import Name, load
from results_for_tests import write_bench, write_results

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def exact(times: list[float]) -> list[list[float]]:
    return [[time] * 5 for time in times]


def test_the_crossing_of_power_laws_is_exact() -> None:
    heap = [n**0.5 for n in SIZES]
    wheel = [20_000**0.3 * n**0.2 for n in SIZES]  # equal at 20,000
    crossing = crossover_of(SIZES, exact(heap), exact(wheel))
    assert crossing.faster_at_last == WHEEL
    assert crossing.n == pytest.approx(20_000)
    assert crossing.low == pytest.approx(20_000)
    assert crossing.high == pytest.approx(20_000)
    assert str(crossing) == "wheel from 20,000 (20,000 to 20,000)"


def test_a_crossing_at_a_size_is_that_size() -> None:
    crossing = crossover_of(SIZES, exact([1, 5, 9, 20]), exact([2, 5, 5, 5]))
    assert crossing.n == pytest.approx(10_000)


@pytest.mark.parametrize(
    ("heap", "wheel", "text"),
    [([2, 3, 4, 5], [1, 1, 1, 1], "always wheel"), ([1, 1, 1, 1], [2, 2, 3, 4], "always heap")],
)
def test_without_a_crossing_one_is_always_ahead(
    heap: list[float], wheel: list[float], text: str
) -> None:
    crossing = crossover_of(SIZES, exact(heap), exact(wheel))
    assert crossing.n is None
    assert str(crossing) == text


def test_of_several_crossings_the_last_counts() -> None:
    crossing = crossover_of(SIZES, exact([1, 4, 1, 4]), exact([2, 2, 2, 2]))
    assert crossing.n == pytest.approx(math.sqrt(100_000 * 1_000_000))
    assert crossing.faster_at_first == HEAP


def test_the_heap_may_overtake_the_wheel() -> None:
    crossing = crossover_of(SIZES, exact([4, 4, 4, 4]), exact([2, 2, 2, 8]))
    assert crossing.faster_at_last == HEAP
    assert crossing.n == pytest.approx(math.sqrt(100_000 * 1_000_000))
    assert str(crossing).startswith("heap from 320,000 (")


def noisy(times: list[float], spread: float, seed: int) -> list[list[float]]:
    source = random.Random(seed)
    return [[time * math.exp(source.gauss(0, spread)) for _ in range(9)] for time in times]


def test_the_interval_holds_the_crossing_and_grows_with_the_spread() -> None:
    widths = []
    for spread in (0.01, 0.05):
        heap = noisy([n**0.5 for n in SIZES], spread, seed=1)
        wheel = noisy([20_000**0.3 * n**0.2 for n in SIZES], spread, seed=2)
        crossing = crossover_of(SIZES, heap, wheel)
        assert crossing.n is not None
        assert crossing.low < crossing.n < crossing.high
        assert crossing.low < 20_000 < crossing.high
        widths.append(crossing.high / crossing.low)
    assert 1 < widths[0] < widths[1] < 2


def test_the_interval_is_the_same_again() -> None:
    heap, wheel = noisy([1, 2, 3, 4], 0.1, seed=1), noisy([2, 2, 2, 2], 0.1, seed=2)
    assert crossover_of(SIZES, heap, wheel) == crossover_of(SIZES, heap, wheel)


def test_an_interval_may_reach_beyond_the_sizes() -> None:
    heap = [[9.0, 10.2, 11.0], [20.0] * 3]
    crossing = crossover_of((1_000, 10_000), heap, [[10.3] * 3, [10.0] * 3])
    assert crossing.low == 0
    assert "(below 1,000 to 1," in str(crossing)
    crossing = crossover_of((1_000, 10_000), [[9.0] * 3, heap[0]], [[10.0] * 3, [10.0] * 3])
    assert crossing.high == math.inf
    assert str(crossing).endswith("to above 10,000)")


def write_two(directory: Path, heap: list[float], wheel: list[float]) -> None:
    rounds: dict[Name, list[dict[str, float]]] = {}
    for queue, times in ((HEAP, heap), (WHEEL, wheel)):
        for n, time in zip(SIZES, times, strict=False):
            rounds[Name("expire", queue, f"uniform/{n}")] = [{"ns_per_operation": time}] * 3
    write_bench(directory, rounds)


def test_reads_the_times_of_both_queues(tmp_path: Path) -> None:
    write_two(tmp_path, [1, 2, 8, 9], [2, 4, 4, 4])
    crossing = crossover(load(tmp_path), "expire", "uniform")
    assert crossing
    assert crossing.sizes == SIZES
    assert crossing.n == pytest.approx(math.sqrt(10_000 * 100_000))


def test_leaves_out_sizes_that_one_lacks_or_was_too_slow_for(tmp_path: Path) -> None:
    write_two(tmp_path, [1, 2, 8, 9], [2, 4, 4])
    results = load(tmp_path)
    for entry in results.rounds[Name("expire", HEAP, "uniform/100000")]:
        entry["slower_than"] = 1
    crossing = crossover(results, "expire", "uniform")
    assert crossing
    assert crossing.sizes == (1_000, 10_000)
    assert str(crossing) == "always heap"


def test_one_size_or_one_queue_is_not_enough(tmp_path: Path) -> None:
    write_two(tmp_path, [1, 2], [2])
    assert crossover(load(tmp_path), "expire", "uniform") is None
    write_two(tmp_path, [1, 2], [])
    assert crossovers(load(tmp_path)) == {}


def test_compares_the_workloads_in_the_order_of_the_table(tmp_path: Path) -> None:
    write_results(tmp_path)
    found = list(crossovers(load(tmp_path)))
    assert found[:5] == [
        ("churn", "rpc"),
        ("churn", "tcp"),
        ("churn", "retry"),
        ("churn", "delays_only"),
        ("expire", "uniform"),
    ]
    assert found[-1] == ("rearm", "raft")
    assert len(found) == 14
