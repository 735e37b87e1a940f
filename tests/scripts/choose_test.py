"""Tests of scripts/choose.py and of how a load is described, read and asked for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import choose
from timerbench.choosing import quantities
from timerbench.choosing.load import (
    PARTS,
    LoadError,
    checked,
    load_of,
    mean_pending,
    operations_a_second,
    read_load,
    rules,
    runs_a_second,
)
from timerbench.choosing.questions import ask
from timerbench.choosing.words import in_words

ROOT = Path(__file__).resolve().parents[2]
LOADS: list[dict[str, Any]] = json.loads((ROOT / "tests" / "benches" / "loads.json").read_text())
CHOOSE = Path(choose.__file__)


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (quantities.pending, "200k", 200_000),
        (quantities.pending, "1.5M", 1_500_000),
        (quantities.pending, "7", 7),
        (quantities.pending, "1e3", 1_000),
        (quantities.rearms, "50k/s@60s", {"rearms_a_second": 50_000, "limit_s": 60}),
        (quantities.rearms, "0.5/s@2h", {"rearms_a_second": 0.5, "limit_s": 7_200}),
        (
            quantities.calls,
            "10k/s@5s,99%",
            {"a_second": 10_000, "limit_s": 5, "cancelled_percent": 99},
        ),
        (
            quantities.calls,
            "3/s@250ms,99.5%,7ms",
            {"a_second": 3, "limit_s": 0.25, "cancelled_percent": 99.5, "answer_ms": 7},
        ),
        (quantities.in_each_period, "1k@10s", {"timers": 1_000, "period_s": 10}),
        (quantities.in_each_period, "5@1min", {"timers": 5, "period_s": 60}),
        (quantities.tick, "100us", 0.1),
        (quantities.tick, "5ms", 5),
    ],
)
def test_a_quantity_is_read(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text", "example"),
    [
        (quantities.pending, "-5", "200k"),
        (quantities.pending, "many", "200k"),
        (quantities.pending, "200 k", "200k"),
        (quantities.rearms, "50k@60s", "50k/s@60s"),
        (quantities.rearms, "50k/s@60", "50k/s@60s"),
        (quantities.calls, "10k/s@5s", "10k/s@5s,99%"),
        (quantities.calls, "10k/s@5s,99", "10k/s@5s,99%"),
        (quantities.calls, "10k/s@5s,99%,20", "10k/s@5s,99%"),
        (quantities.in_each_period, "1k", "1k@10s"),
        (quantities.in_each_period, "1k/s@10s", "1k@10s"),
        (quantities.tick, "1", "1ms"),
        (quantities.pending, "٣", "200k"),
    ],
)
def test_what_is_no_quantity_is_refused_with_an_example(
    read: Callable[[str], object], text: str, example: str
) -> None:
    with pytest.raises(ArgumentTypeError) as error:
        read(text)
    assert f"'{text}'" in str(error.value)
    assert example in str(error.value)


@pytest.mark.parametrize("case", LOADS, ids=range(len(LOADS)))
def test_loads_are_right_or_refused_as_the_programs_do(case: dict[str, Any]) -> None:
    """tests/benches/load_file_test.cpp tests the reader in C++ with the same file."""
    if "wrong" not in case:
        assert checked(case["load"])["tick_ms"] > 0
        return
    with pytest.raises(LoadError) as error:
        checked(case["load"])
    assert str(error.value).startswith(case["wrong"])
    assert "\n" not in str(error.value)


def test_a_rule_says_in_words_what_it_says_in_numbers() -> None:
    assert rules().keys() == {"load", *PARTS, "together"}
    for kind, members in rules().items():
        for name, rule in members.items():
            assert rule["least"] < rule["most"], (kind, name)
            if kind != "together":
                numbers = {
                    float(n.replace(",", "")) for n in re.findall(r"[\d,.]*\d", rule["right"])
                }
                assert {rule["least"], rule["most"]} <= numbers, (kind, name)
            assert rule["least"] <= rule.get("default", rule["least"]) <= rule["most"]


def test_a_load_knows_its_rates() -> None:
    load = load_of(
        {
            "connections": [{"pending": 1_000, "rearms_a_second": 2_000, "limit_s": 30}],
            "calls": [{"a_second": 100, "limit_s": 10, "cancelled_percent": 90}],
            "periodic": [{"timers": 50, "period_s": 0.5}],
            "bursts": [{"timers": 60, "period_s": 2}],
        }
    )
    assert operations_a_second(load) == pytest.approx(2_000 + 190 + 100 + 30)
    assert runs_a_second(load) == pytest.approx(10 + 100 + 30)
    assert mean_pending(load) == pytest.approx(1_000 + 100 + 0.9 * 7.5 + 110, rel=0.01)


def test_a_load_in_words_has_a_line_for_each_part() -> None:
    load = load_of(
        {
            "connections": [{"pending": 200_000}],
            "calls": [{"a_second": 10_000, "limit_s": 5, "cancelled_percent": 99}],
            "periodic": [{"timers": 1_000, "period_s": 10}],
            "bursts": [{"timers": 5_000, "period_s": 1}],
        }
    )
    lines = in_words(load)
    assert len(lines) == len(PARTS) + 1
    assert lines[0].startswith("200,000 connections") and "never put off" in lines[0]
    assert "99% are cancelled" in lines[1]
    assert "every 10 s" in lines[2]
    assert "at the same instant" in lines[3]


def call(*arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    """Calls choose.py. Nothing can be built: PATH has no command."""
    return subprocess.run(
        [sys.executable, CHOOSE, *arguments],
        input=answers,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": "/nowhere"},
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pending", "0"], "--pending and --rearm: pending is 0; right is a whole number from 1"),
        (["--rpc", "1e12/s@5s,99%"], "--rpc: a_second is 1000000000000; right is from 0.01"),
        (["--rpc", "10k/s@5s,120%"], "--rpc: cancelled_percent is 120; right is from 0 to 100"),
        (["--every", "5@0s"], "--every: period_s is 0; right is from 0.001"),
        (["--burst", "5M@1s"], "--burst: timers is 5000000; right is a whole number from 1"),
        (["--pending", "5", "--tick", "1h"], "tick_ms is 3600000; right is from 0.001"),
        (["--rpc", "many"], "argument --rpc: 'many' is not understood; right is, for example,"),
        (["--rearm", "5/s@1s"], "--rearm needs --pending"),
        (["--load", "/nowhere"], "/nowhere: No such file or directory"),
        (["--load", __file__], f"{__file__}: it is not JSON"),
        (["--trace", "/nowhere"], "--trace '/nowhere' is no file"),
        (["--trace", __file__], f"--trace '{__file__}': a trace is called *.trace,"),
        (["--load", "x", "--pending", "5"], "--load, --trace and a load in options exclude"),
        (["--services", "some"], "argument --services: invalid choice: 'some'"),
        ([], "no question was answered"),
    ],
)
def test_nonsense_is_one_line_that_says_what_is_right(arguments: list[str], message: str) -> None:
    ended = call(*arguments)
    assert ended.returncode == 2
    assert ended.stdout == ""
    last = ended.stderr.splitlines()[-1]
    assert message in last
    if arguments:
        assert last.startswith(f"choose.py: {message}")
        assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("file", ["--load", "--trace"])
def test_a_tick_is_refused_where_the_file_has_its_own(
    capsys: pytest.CaptureFixture[str], file: str
) -> None:
    with pytest.raises(SystemExit):
        choose.parse([file, "x", "--tick", "5ms"])
    assert "--tick excludes --load, which has tick_ms" in capsys.readouterr().err


def test_keeps_the_load_beside_the_answer(tmp_path: Path) -> None:
    arguments = ["--pending", "200k", "--rearm", "50k/s@60s", "--rpc", "10k/s@5s,99%"]
    options = choose.parse([*arguments, "--output", str(tmp_path / "out")])
    file = choose.file_to_play(options)
    assert file == tmp_path / "out" / "load.json"
    load = read_load(file)
    assert load["connections"] == [
        {"pending": 200_000, "rearms_a_second": 50_000, "limit_s": 60},
    ]
    assert load["calls"][0]["answer_ms"] == 20
    again = choose.parse(["--load", str(file), "--output", str(tmp_path / "again")])
    assert choose.file_to_play(again).read_text() == file.read_text()


def test_a_load_that_replaces_itself_is_never_half_written(tmp_path: Path) -> None:
    file, as_it_was = tmp_path / "load.json", tmp_path / "as_it_was"
    load = load_of({"calls": [{"a_second": 1_000, "limit_s": 5, "cancelled_percent": 99}]})
    file.write_text(json.dumps(load))
    as_it_was.hardlink_to(file)
    options = choose.parse(["--load", str(file), "--output", str(tmp_path)])
    assert choose.file_to_play(options) == file
    assert as_it_was.read_text() == json.dumps(load) != file.read_text()


def test_a_recording_stays_where_it_is(tmp_path: Path) -> None:
    trace = ROOT / "benches" / "traces" / "tiny.trace.gz"
    options = choose.parse(["--trace", str(trace), "--output", str(tmp_path / "out")])
    assert choose.file_to_play(options) == trace
    assert not (tmp_path / "out").exists()


def lines(*answers: str) -> Callable[[], str]:
    left = iter(answers)
    return lambda: next(left, "") + "\n"


def test_asks_and_makes_a_load_of_the_answers() -> None:
    load = ask(None, lines("200k", "50k/s@60s", "10k/s@5s,99%", "", "5k@1s"))
    assert load["connections"][0]["limit_s"] == 60
    assert load["calls"][0]["a_second"] == 10_000
    assert load["bursts"][0]["timers"] == 5_000
    assert "periodic" not in load


def test_asks_again_what_it_does_not_understand(capsys: pytest.CaptureFixture[str]) -> None:
    load = ask(0.5, lines("", "lots", "3/s@1s,50%"))
    assert load["calls"][0]["a_second"] == 3
    assert load["tick_ms"] == 0.5
    said = capsys.readouterr().err
    assert "'lots' is not understood" in said
    assert "put off" not in said  # there are no connections


def test_an_answer_that_cannot_be_is_refused() -> None:
    with pytest.raises(LoadError, match="cancelled_percent is 200"):
        ask(None, lines("", "3/s@1s,200%"))
