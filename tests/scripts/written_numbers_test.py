"""Tests of scripts/timerbench/written_numbers.py."""

from __future__ import annotations

import pytest

from timerbench.written_numbers import number_alone, numbers_in


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("1,234 of 10^5 and 2.4 · 10^6", ["1,234", "10^5", "2.4 · 10^6"]),
        ("at 95%, or 95 %, of 14 ns", ["95 %", "95 %", "14"]),
        ("5 µs, 5 μs and 5 us", ["5 µs", "5 µs", "5 µs"]),
        (
            "14 to 31 ms, 1–2 s or 3 to 4 to 5%",
            ["14 ms", "31 ms", "1 s", "2 s", "3 %", "4 %", "5 %"],
        ),
        ("**14** to **31** ms", ["14 ms", "31 ms"]),
        ("14 of 31 ms", ["14", "31 ms"]),
        ("31\n  ms", ["31 ms"]),
        ("2.5 million in 2 KiB, 3 minutes", ["2.5 million", "2 KiB", "3"]),
        ("It is 14. Then 15, 16; (17)", ["14", "15", "16", "17"]),
        ("a 4-ary heap, 1.5× as long", ["4", "1.5"]),
        ("p99, p99.9, C++20, x86-64, hashed_wheel_512, 12.2.0", []),
    ],
)
def test_finds_the_numbers_of_a_text_with_their_units(text: str, keys: list[str]) -> None:
    assert [number.key for number in numbers_in(text)] == keys


def test_a_number_is_where_it_says() -> None:
    text = "Costs `12` or [14](13) to 1,031 ns"
    numbers = list(numbers_in(text, start=100))
    assert [text[number.start - 100 : number.end - 100] for number in numbers] == ["14", "1,031"]


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("14", [13.6, 14.4], [13.4, 14.6, -14]),
        ("1.0", [0.96, 1.04], [0.94, 1.06]),
        ("1,125", [1125.3], [1126, 1.125]),
        ("190", [189.6], [188, 192]),
        ("95%", [0.95, 0.9549], [0.94, 95]),
        ("5 µs", [5_400], [5, 5_600]),
        ("10^5", [1e5], [1.01e5, 1e6]),
        ("2.4 × 10^5", [2.44e5], [2.46e5, 2.4]),
        ("2.5 million", [2.54e6], [2.56e6]),
        ("0", [0, 0.4], [0.6]),
    ],
)
def test_a_number_shows_what_rounds_to_it(
    text: str, right: list[float], wrong: list[float]
) -> None:
    number = number_alone(text, 0)
    assert number is not None
    assert [value for value in right if not number.shows(value)] == []
    assert [value for value in wrong if number.shows(value)] == []


@pytest.mark.parametrize(
    ("text", "value", "written"),
    [
        ("14", 9.44, "9.4"),
        ("14", 104.3, "104"),
        ("2.4", 12.34, "12"),
        ("2.4", 9.96, "10"),
        ("1.0", 0.962, "0.96"),
        ("31", 1031.3, "1,031"),
        ("1031", 2031.3, "2031"),
        ("1,031", 14.123, "14.12"),
        ("1,031", 2031.3, "2,031"),
        ("95%", 0.512, "51"),
        ("0.5%", 0.0123, "1"),
        ("5 µs", 7_400, "7"),
        ("10^5", 2.4e6, "2 × 10^6"),
        ("2.4 × 10^5", 2.54e6, "2.5 × 10^6"),
        ("14", 0.0, "0.0"),
    ],
)
def test_writes_a_value_with_as_many_digits(text: str, value: float, written: str) -> None:
    number = number_alone(text, 0)
    assert number is not None
    assert number.written(value) == written
    unit = f" {number.unit}" if number.unit else ""
    again = number_alone(written + unit, 0)
    assert again is not None and again.shows(value)


@pytest.mark.parametrize("text", ["", "ns", "14 to 15", "14 timers", "p99", "14 =", "`14`"])
def test_a_number_with_something_beside_is_not_alone(text: str) -> None:
    assert number_alone(text, 0) is None
