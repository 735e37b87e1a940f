"""Tests of scripts/agreement.py, on made-up rounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agreement
from results_for_tests import SETTINGS, write_bench
from timerbench.results import Name, load

Rounds = tuple[float, ...]

BURST = Name("lateness", SETTINGS[0], "burst/1000")


def write_run(directory: Path, cells: dict[Name, list[dict[str, float]]]) -> Path:
    write_bench(directory, cells)
    return directory


def rounds_of(ns: Rounds, **tails: Rounds) -> list[dict[str, float]]:
    return [
        {"ns_per_operation": value, **{tail: tails[tail][number] for tail in tails}}
        for number, value in enumerate(ns)
    ]


def verdicts(tmp_path: Path, a: list[dict[str, float]], b: list[dict[str, float]]) -> list[str]:
    """Of the counters of a cell, in their order."""
    first, second = (
        load(write_run(tmp_path / letter, {BURST: rounds}))
        for letter, rounds in zip("ab", (a, b), strict=True)
    )
    return [pair.verdict for pair in agreement.pairs_of(first, second)]


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ((100.0, 104.0, 99.0), (103.0, 101.0, 106.0), "agree"),
        ((100.0, 104.0, 99.0), (105.0, 106.0, 107.0), "apart"),
        ((105.0, 106.0, 107.0), (100.0, 104.0, 99.0), "apart"),
        ((100.0, 111.0, 99.0), (100.0, 104.0, 99.0), "wide"),
        ((100.0, 104.0, 99.0), (100.0, 104.0, 89.0), "wide"),
        ((100.0,), (100.0, 104.0, 99.0), "one round"),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "agree"),
        ((0.0, 0.0, 9.0), (0.0, 0.0, 0.0), "wide"),
    ],
)
def test_figures_agree_whose_narrow_intervals_meet(
    tmp_path: Path, a: Rounds, b: Rounds, verdict: str
) -> None:
    assert verdicts(tmp_path, rounds_of(a), rounds_of(b)) == [verdict]


def test_a_tail_may_be_known_less_well(tmp_path: Path) -> None:
    steady = (100.0, 100.0, 100.0)
    a = rounds_of(steady, p99_ns=(100.0, 120.0, 90.0), p999_ns=(100.0, 130.0, 90.0))
    assert verdicts(tmp_path, a, a) == ["agree", "agree", "wide"]


def test_what_is_counted_is_left_out(tmp_path: Path) -> None:
    name = Name("service_memory", SETTINGS[0], "pending/1000")
    results = load(write_run(tmp_path / "a", {name: [{"bytes_per_timer": 64.0}] * 3}))
    assert agreement.pairs_of(results, results) == []


def write_twenty(directory: Path, apart: int) -> Path:
    """Cells, of which so many are not as they would be with none."""
    return write_run(
        directory,
        {
            Name("lateness", SETTINGS[0], f"burst/{n}"): rounds_of(
                (200.0, 201.0) if n <= apart else (100.0, 101.0)
            )
            for n in range(1, 21)
        },
    )


@pytest.mark.parametrize(("apart", "status"), [(0, 0), (1, 0), (2, 1)])
def test_the_status_says_whether_nearly_all_agree(
    tmp_path: Path, apart: int, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = write_twenty(tmp_path / "a", 0), write_twenty(tmp_path / "b", apart)
    file = tmp_path / "agreement.json"
    assert agreement.main([str(a), str(b), "--json", str(file)]) == status
    output = capsys.readouterr().out
    assert f"{1 - apart / 20:.1%} of 20 figures agree" in output
    assert output.count("apart") >= apart
    written = json.loads(file.read_text())
    assert written["share_that_agrees"] == 1 - apart / 20
    assert sum(figure["verdict"] == "apart" for figure in written["figures"]) == apart


def test_runs_of_one_round_each_tell_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = write_run(tmp_path / "one", {BURST: rounds_of((100.0,))})
    assert agreement.main([str(one), str(one)]) == 2
    assert "no figure has several rounds in both" in capsys.readouterr().err


def test_a_directory_without_results_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert agreement.main([str(tmp_path / "empty"), str(tmp_path / "empty")]) == 2
    assert "holds no results" in capsys.readouterr().err
