"""Tests of scripts/timerbench/command_line.py."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from timerbench import command_line


def test_takes_what_is_right() -> None:
    assert command_line.path("results/local") == Path("results/local")
    assert command_line.positive("1") == 1
    assert command_line.count("0") == 0
    assert command_line.count("1000000000") == command_line.MOST


@pytest.mark.parametrize("text", ["", "many", "-1", "1.5", "1_000", "٣", " 1", "1000000001"])
def test_a_number_is_refused_by_name_and_range(text: str) -> None:
    for least, kind in ((0, command_line.count), (1, command_line.positive)):
        with pytest.raises(ArgumentTypeError) as refused:
            kind(text)
        assert str(refused.value) == f"'{text}' is not a whole number from {least} to 1,000,000,000"


def test_nothing_is_no_positive_number_and_no_path() -> None:
    with pytest.raises(ArgumentTypeError, match="'0' is not a whole number from 1"):
        command_line.positive("0")
    with pytest.raises(ArgumentTypeError, match="'' is no path"):
        command_line.path("")


def test_the_help_says_which_number_an_option_is_by_default() -> None:
    parser = command_line.Parser()
    parser.takes("--most", command_line.positive, "N", "so many", default=20)
    parser.takes("--load", str, "WORDS", "any", default="not said")
    assert "so many; 20 by default\n" in parser.format_help()
    assert "any\n" in parser.format_help()
    assert vars(parser.parse_args([])) == {"most": 20, "load": "not said"}


@pytest.mark.parametrize(
    "text",
    ["(", "1{9999999999}", 2_000 * "(" + 2_000 * ")"],
    ids=["no end", "too many", "too deep"],
)
def test_what_is_no_regular_expression_is_refused_by_name(text: str) -> None:
    with pytest.raises(ArgumentTypeError) as refused:
        command_line.regular_expression(text)
    assert str(refused.value).startswith(f"'{text}' is no regular expression: ")
