"""Tests of scripts/timerbench/numerals.py."""

from __future__ import annotations

import pytest

from timerbench.numerals import count, duration, short, short_count, three_digits, two_digits, whole


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
    assert [short(ratio, digits=2) for ratio in (9.94, 9.97, 99.6)] == ["9.9", "10", "100"]
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
    assert duration(-2e6) == "-2 ms"
    assert [duration(seconds * 1e9) for seconds in (999, 3_600)] == ["999 s", "3,600 s"]


def test_what_is_counted_has_no_fraction() -> None:
    assert [whole(number) for number in (0, 7.4, 731, 999.7, 7_314)] == [
        "0",
        "7",
        "731",
        "1.0k",
        "7.3k",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.731, "0.731"),
        (7.0, "7.00"),
        (73.1, "73.1"),
        (99.96, "100"),
        (7310.4, "7,310"),
        (9999.6, "10.0k"),
        (731_000, "731k"),
        (999_600, "1.00M"),
        (2e9, "2,000M"),
    ],
)
def test_shows_three_digits_or_whole_numbers(value: float, text: str) -> None:
    assert three_digits(value) == text


def test_a_short_count_has_a_unit_where_that_is_exact() -> None:
    assert [short_count(n) for n in (10, 1_000, 1_500, 10_000_000)] == ["10", "1k", "1500", "10M"]


def test_what_is_not_known_better_has_two_digits() -> None:
    assert [two_digits(n) for n in (68.4, 3_149, 567_890)] == ["68", "3,100", "570,000"]
