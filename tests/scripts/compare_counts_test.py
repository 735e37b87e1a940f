"""Tests of scripts/compare_counts.py: only what takes more instructions is worse."""

from __future__ import annotations

from pathlib import Path

import pytest

import compare_counts
from timerbench.callgrind import Counts
from timerbench.results import Name
from timerbench.simulated import Cells, Counted

NAMES = [f"churn/mine/{workload}/1000" for workload in ("rpc", "tcp", "retry")]


def cells_of(*instructions: float) -> Cells:
    return {name: Counted(n, 1, 1, 1) for name, n in zip(NAMES, instructions, strict=True)}


@pytest.fixture
def count_as(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Arguments of two builds whose programs count as `before` and `after` say."""
    for build in ("before", "after"):
        (tmp_path / build).mkdir()
        (tmp_path / build / "simulated").touch()
    monkeypatch.setattr(compare_counts, "names_in", lambda _: [Name.parse(name) for name in NAMES])
    return [str(tmp_path / build) for build in ("before", "after")]


def run(
    monkeypatch: pytest.MonkeyPatch, builds: list[str], before: Cells, after: Cells, *options: str
) -> int:
    counts = {"before": before, "after": after}
    monkeypatch.setattr(
        compare_counts, "count", lambda program, _: Counts({}, counts[program.parent.name])
    )
    return compare_counts.main([*builds, *options])


def test_the_same_is_the_same(
    count_as: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, count_as, cells_of(100, 200, 300), cells_of(101, 198, 300)) == 0
    assert capfd.readouterr().out.endswith("0 of 3 cells differ by 2% or more\n")


def test_more_instructions_are_worse_and_come_first(
    count_as: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, count_as, cells_of(100, 200, 300), cells_of(90, 210, 360)) == 1
    assert capfd.readouterr().out.splitlines()[2:] == [
        f"{NAMES[2]}: 300 instructions, now 360 instructions: +20.0%",
        f"{NAMES[1]}: 200 instructions, now 210 instructions: +5.0%",
        f"{NAMES[0]}: 100 instructions, now 90 instructions: -10.0%",
        "3 of 3 cells differ by 2% or more",
    ]


def test_fewer_are_not_worse(count_as: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, count_as, cells_of(100, 200, 300), cells_of(90, 190, 200)) == 0


def test_one_says_how_much_counts(count_as: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = cells_of(100, 200, 300), cells_of(104, 200, 300)
    assert run(monkeypatch, count_as, before, after) == 1
    assert run(monkeypatch, count_as, before, after, "--smallest", "5%") == 0


def test_one_says_which_queues_count(
    count_as: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    cells = cells_of(100, 200, 300)
    assert run(monkeypatch, count_as, cells, cells, "--queue", "mine") == 0
    assert run(monkeypatch, count_as, cells, cells, "--queue", "yours") == 3
    assert "matches nothing" in capfd.readouterr().err


def test_what_became_too_slow_to_be_counted_is_worse(
    count_as: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    after = {**cells_of(100, 200, 300), NAMES[1]: None}
    assert run(monkeypatch, count_as, cells_of(100, 200, 300), after) == 1
    assert f"{NAMES[1]}: 200 instructions, now too slow to be counted\n" in capfd.readouterr().out


def test_what_was_and_is_too_slow_to_be_counted_is_the_same(
    count_as: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    cells = {**cells_of(100, 200, 300), NAMES[1]: None}
    assert run(monkeypatch, count_as, cells, cells) == 0
    assert capfd.readouterr().out.endswith("\n0 of 3 cells differ by 2% or more\n")


def test_what_is_gone_is_worse(
    count_as: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    after = {name: cell for name, cell in cells_of(100, 200, 300).items() if name != NAMES[0]}
    assert run(monkeypatch, count_as, cells_of(100, 200, 300), after) == 1
    assert f"{NAMES[0]}: 100 instructions, now no such cell\n" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--filter", "/7$"], "'/7$' matches nothing that "),
        (["--filter", "^insert/"], "'^insert/' matches nothing that "),
    ],
)
def test_what_nobody_offers_is_one_line(
    count_as: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    assert run(monkeypatch, count_as, {}, {}, *options) == 3
    error = capfd.readouterr().err
    assert error.startswith(f"compare_counts.py: {message}")
    assert len(error.splitlines()) == 1


def test_a_build_without_the_program_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert compare_counts.main([str(tmp_path), str(tmp_path)]) == 2
    assert "simulated is missing" in capfd.readouterr().err


def test_a_wrong_argument_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        compare_counts.main(["before", "after", "--filter", "("])
    assert refused.value.code == 2
    error = capfd.readouterr().err
    assert "argument --filter: '(' is no regular expression" in error
    assert len(error.splitlines()) == 1
