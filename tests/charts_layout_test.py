"""Labels, numbers and the n that charts choose."""

from __future__ import annotations

import itertools

import pytest

from charts.cells import common_n
from charts.line_ends import apart, within
from charts.style import COLOURS, count, duration, short, style_of


def test_labels_keep_apart_and_in_order() -> None:
    placed = apart([5.0, 1.0, 1.2, 1.1, 9.0], gap=1.0)
    order = sorted(range(5), key=lambda index: placed[index])
    assert order == [1, 3, 2, 0, 4]
    gaps = [placed[b] - placed[a] for a, b in itertools.pairwise(order)]
    assert min(gaps) > 0.999
    assert placed[4] == 9.0


def test_labels_at_an_edge_move_into_the_panel_and_stay_apart() -> None:
    placed = within([-2.0, -1.0, 5.0, 9.0, 10.0], low=0.0, high=9.0, gap=1.0)
    assert placed == [0.0, 1.0, 5.0, 8.0, 9.0]


def test_twenty_queues_have_styles_of_their_own() -> None:
    styles = [style_of(position) for position in range(20)]
    looks = {(style["color"], style["marker"], str(style["linestyle"])) for style in styles}
    assert len(looks) == 20
    assert len({(style["color"], str(style["linestyle"])) for style in styles}) == 20
    assert len(set(COLOURS)) == len(COLOURS)


def test_no_queue_has_the_marker_of_a_bound() -> None:
    assert "^" not in {style_of(position)["marker"] for position in range(40)}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.001, "0"), (-0.001, "0"), (-24.0, "-24.0"), (0.5, "0.50"), (7.312, "7.31"),
        (9.999, "10.0"), (73.14, "73.1"), (731.4, "731"), (999.9, "1.0k"), (7_314, "7.3k"),
        (73_140, "73k"), (2e6, "2.0M"), (2e9, "2.0G"),
    ],
)  # fmt: skip
def test_a_figure_has_three_digits(value: float, text: str) -> None:
    assert short(value) == text


def test_a_ratio_has_two_digits() -> None:
    assert [short(ratio, digits=2) for ratio in (1, 2.345, 12.3, 386)] == [
        "1.0",
        "2.3",
        "12",
        "386",
    ]


def test_round_numbers_of_an_axis_are_written_in_full_below_a_million() -> None:
    numbers = (0.5, 10, 2_000, 100_000, 1_000_000, 10_000_000)
    assert [count(number) for number in numbers] == ["0.5", "10", "2,000", "100,000", "1M", "10M"]


def test_a_duration_has_its_unit() -> None:
    assert [duration(ns) for ns in (56.9, 1e3, 2e6, 1.5e9)] == ["56.9 ns", "1 µs", "2 ms", "1.5 s"]


def test_the_n_of_a_chart_is_the_wanted_one_if_all_have_it_or_else_the_largest_common() -> None:
    assert common_n([[1, 10, 100], [1, 10, 100]], wanted=10) == 10
    assert common_n([[1, 10, 100], [1, 10]]) == 10
    assert common_n([[1, 10, 100], [1, 10, 100], [1]], wanted=10) == 1
    assert common_n([[1, 10], [1, 10], [100]], wanted=100) == 10
    assert common_n([]) is None
