"""Tests of scripts/timerbench/crossover.py, on curves whose crossing is known."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from results_for_tests import write_results, write_times
from timerbench.charts.crossover import draw, draw_row
from timerbench.crossover import (
    COMPARED,
    HEAP,
    WHEEL,
    Crossover,
    crossover,
    crossover_of,
    crossovers,
    rivals,
)
from timerbench.estimates import figure_of
from timerbench.groups import Groups
from timerbench.results import Name, load

SIZES = (1_000, 10_000, 100_000, 1_000_000)
MIN_HEAP, A_WHEEL = "min_heap", "hierarchical_wheel"


def exact(times: list[float]) -> list[list[float]]:
    return [[time] * 5 for time in times]


def crossing_of(
    sizes: tuple[int, ...], heap: Sequence[Sequence[float]], wheel: Sequence[Sequence[float]]
) -> Crossover:
    """Returns the crossover for these times in each round, for each size."""
    return crossover_of(
        sizes,
        [
            figure_of([a / b for a, b in zip(*of_size, strict=True)])
            for of_size in zip(heap, wheel, strict=True)
        ],
    )


def test_the_crossing_of_power_laws_is_exact() -> None:
    heap = [n**0.5 for n in SIZES]
    wheel = [20_000**0.3 * n**0.2 for n in SIZES]  # equal at 20,000
    crossing = crossing_of(SIZES, exact(heap), exact(wheel))
    assert crossing.faster_at_last == WHEEL
    assert crossing.n == pytest.approx(20_000)
    assert crossing.low == pytest.approx(20_000)
    assert crossing.high == pytest.approx(20_000)
    assert str(crossing) == "wheel from 20,000 (20,000 to 20,000)"


def test_a_crossing_at_a_size_is_that_size() -> None:
    crossing = crossing_of(SIZES, exact([1, 5, 9, 20]), exact([2, 5, 5, 5]))
    assert crossing.n == pytest.approx(10_000)


@pytest.mark.parametrize(
    ("heap", "wheel", "text"),
    [([2, 3, 4, 5], [1, 1, 1, 1], "always wheel"), ([1, 1, 1, 1], [2, 2, 3, 4], "always heap")],
)
def test_without_a_crossing_one_is_always_ahead(
    heap: list[float], wheel: list[float], text: str
) -> None:
    crossing = crossing_of(SIZES, exact(heap), exact(wheel))
    assert crossing.n is None
    assert str(crossing) == text


def test_of_several_crossings_the_last_counts() -> None:
    crossing = crossing_of(SIZES, exact([1, 4, 1, 4]), exact([2, 2, 2, 2]))
    assert crossing.n == pytest.approx(math.sqrt(100_000 * 1_000_000))
    ends = [math.sqrt(n * 10 * n) for n in SIZES[:3]]
    edges = list(pairwise([1_000, *ends, 1_000_000]))
    assert [stretch.faster for stretch in crossing.stretches] == [HEAP, WHEEL, HEAP, WHEEL]
    for stretch, edge in zip(crossing.stretches, edges, strict=True):
        assert (stretch.first, stretch.last) == pytest.approx(edge)


def test_the_chart_colours_each_stretch_by_the_faster_of_the_two() -> None:
    crossing = crossing_of(SIZES, exact([1, 4, 1, 4]), exact([2, 2, 2, 2]))
    canvas = plt.figure()
    axes = canvas.add_subplot()
    draw_row(axes, 0.5, crossing, {HEAP: "#000000", WHEEL: "#ffffff"})
    drawn = [line for line in axes.lines if line.get_gid() == "stretch:0.5"]
    assert [line.get_color() for line in drawn] == ["#000000", "#ffffff"] * 2
    assert drawn[1].get_xdata() == pytest.approx([math.sqrt(10) * 1_000, math.sqrt(10) * 10_000])


def test_one_process_tells_a_crossing_and_not_how_sure_it_is() -> None:
    crossing = crossing_of(SIZES, [[1], [1], [4], [4]], [[2], [2], [2], [2]])
    assert str(crossing) == "wheel from 32,000 (one process)"
    assert crossing.doubtful is None
    always = crossing_of(SIZES, [[4], [4], [4], [4]], [[2], [2], [2], [2]])
    assert str(always) == "always wheel (one process at 1,000)"


def test_only_the_processes_next_to_a_crossing_tell_how_sure_it_is() -> None:
    heap, wheel = exact([1, 4, 4, 4]), exact([2, 2, 2, 2])
    sure = crossing_of(SIZES, [*heap[:3], [4]], [*wheel[:3], [2]])
    assert sure.decided_by == len(heap[0])
    assert sure.doubtful == pytest.approx((sure.n, sure.n))
    unsure = crossing_of(SIZES, [heap[0], [4], *heap[2:]], [wheel[0], [2], *wheel[2:]])
    assert unsure.n == sure.n
    assert unsure.doubtful is None


def test_a_lead_within_the_noise_is_not_said_to_hold_always() -> None:
    wheel = exact([10, 10, 10, 10])
    heap = [[9.6, 10.4, 10.4, 10.5, 9.5], *exact([20, 30, 40])]
    crossing = crossing_of(SIZES, heap, wheel)
    assert crossing.n is None
    assert re.fullmatch(r"wheel throughout, perhaps not below 1,\d00", str(crossing))
    assert crossing.doubtful == (1_000, crossing.high)
    heap = [*exact([20, 20, 20]), heap[0]]
    assert str(crossing_of(SIZES, heap, wheel)) == "wheel throughout, perhaps not at 1,000,000"


def test_each_round_is_compared_with_itself_so_that_a_slow_hour_moves_nothing(
    tmp_path: Path,
) -> None:
    times = {MIN_HEAP: {1_000: 1.0, 4_000: 4.0}, A_WHEEL: {1_000: 2.0, 4_000: 2.0}}
    slow = {MIN_HEAP: (1, 1, 1, 3, 3, 3), A_WHEEL: (1, 1, 1, 3, 3, 3)}
    rounds = {
        Name("expire", queue, f"uniform/{n}"): [time * hour for hour in slow[queue]]
        for queue, of_queue in times.items()
        for n, time in of_queue.items()
    }
    write_times(tmp_path, rounds)
    crossing = crossover(load(tmp_path), "expire", "uniform")
    assert crossing
    assert (crossing.low, crossing.n, crossing.high) == pytest.approx((2_000, 2_000, 2_000))


def test_the_heap_may_overtake_the_wheel() -> None:
    crossing = crossing_of(SIZES, exact([4, 4, 4, 4]), exact([2, 2, 2, 8]))
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
        crossing = crossing_of(SIZES, heap, wheel)
        assert crossing.n is not None
        assert crossing.low < crossing.n < crossing.high
        assert crossing.low < 20_000 < crossing.high
        widths.append(crossing.high / crossing.low)
    assert 1 < widths[0] < widths[1] < 2


def test_an_interval_may_reach_beyond_the_sizes() -> None:
    heap = [[9.0, 10.2, 11.0], [20.0] * 3]
    crossing = crossing_of((1_000, 10_000), heap, [[10.3] * 3, [10.0] * 3])
    assert crossing.low == 0
    assert "(below 1,000 to 1," in str(crossing)
    crossing = crossing_of((1_000, 10_000), [[9.0] * 3, heap[0]], [[10.0] * 3, [10.0] * 3])
    assert crossing.high == math.inf
    assert str(crossing).endswith("to above 10,000)")


def test_an_interval_over_all_sizes_says_nothing() -> None:
    heap = [[9.0, 9.0, 9.9, 11.0, 11.0], [9.1, 9.1, 10.1, 11.1, 11.1]]
    crossing = crossing_of((1_000, 10_000), heap, exact([10, 10]))
    assert (crossing.low, crossing.high) == (0, math.inf)
    assert crossing.doubtful == (1_000, 10_000)
    assert re.fullmatch(r"\w+ from \d,\d00, perhaps anywhere", str(crossing))


def test_the_longest_words_fit_into_the_chart(tmp_path: Path) -> None:
    sizes = (1_000_000, 10_000_000)
    heap = {1_000_000: [9.0, 9.0, 9.0], 10_000_000: [9.9, 11.0, 11.0]}
    rounds = {
        Name("expire", queue, f"uniform/{n}"): heap[n] if queue == MIN_HEAP else [10.0] * 3
        for queue in (MIN_HEAP, A_WHEEL)
        for n in sizes
    }
    write_times(tmp_path, rounds)
    canvas = draw(load(tmp_path))
    assert canvas
    canvas.draw_without_rendering()
    (words,) = (text for text in canvas.texts if text.get_text().endswith("above 10,000,000)"))
    assert len(words.get_text()) > 50
    assert words.get_window_extent().x1 < canvas.bbox.x1


def write_two(directory: Path, heap: list[float], wheel: list[float]) -> None:
    rounds: dict[Name, list[float]] = {}
    for queue, times in ((MIN_HEAP, heap), (A_WHEEL, wheel)):
        for n, time in zip(SIZES, times, strict=False):
            rounds[Name("expire", queue, f"uniform/{n}")] = [time] * 3
    write_times(directory, rounds)


def test_reads_the_times_of_both_queues(tmp_path: Path) -> None:
    write_two(tmp_path, [1, 2, 8, 9], [2, 4, 4, 4])
    crossing = crossover(load(tmp_path), "expire", "uniform")
    assert crossing
    assert crossing.sizes == SIZES
    assert crossing.n == pytest.approx(math.sqrt(10_000 * 100_000))


def test_leaves_out_sizes_that_one_lacks_or_was_too_slow_for(tmp_path: Path) -> None:
    write_two(tmp_path, [1, 2, 8, 9], [2, 4, 4])
    results = load(tmp_path)
    for entry in results.rounds[Name("expire", MIN_HEAP, "uniform/100000")].values():
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


def test_compares_the_first_of_each_family_and_nothing_if_results_do_not_tell_families(
    tmp_path: Path,
) -> None:
    write_two(tmp_path, [1, 2, 8, 9], [2, 4, 4, 4])
    results = load(tmp_path)
    assert rivals(results) == {HEAP: MIN_HEAP, WHEEL: A_WHEEL}
    assert rivals(replace(results, groups=Groups())) is None
    assert crossovers(replace(results, groups=Groups())) == {}


def test_compares_the_workloads_in_the_order_of_the_table(tmp_path: Path) -> None:
    write_results(tmp_path, benches=COMPARED)
    found = list(crossovers(load(tmp_path)))
    assert found[:7] == [
        ("churn", "rpc"),
        ("churn", "rpc_mixed"),
        ("churn", "rpc_wide"),
        ("churn", "tcp"),
        ("churn", "retry"),
        ("churn", "delays_only"),
        ("expire", "uniform"),
    ]
    assert found[-1] == ("rearm", "raft")
    assert len(found) == 16
