"""Tests of scripts/simulate.py: what it compares, and what it stores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

import simulate
from timerbench import simulated
from timerbench.callgrind import Counts
from timerbench.results import Name
from timerbench.simulated import STORED, Cells, Counted

CONTEXT = {
    "compiler": "GCC 12.2.0",
    "libc": "glibc 2.36",
    "flags": "-O2",
    "build_type": "RelWithDebInfo",
}
KEY = "GCC 12.2.0, glibc 2.36, x86_64, -O2"
OTHER_KEY = "GCC 13.2.0, glibc 2.39, x86_64, -O2"
HEAP, WHEEL = "churn/min_heap/rpc/1000", "churn/wheel/rpc/1000"
LIBRARY = "churn/libuv/rpc/1000"
OUTSIDE = "churn/min_heap/rpc/100000"
HARNESS = "churn/no_queue/rpc/10000"


def of(instructions: float) -> Counted:
    return Counted(instructions, 1.0, 0.5, 0.1)


GATED: Cells = {HARNESS: of(20), HEAP: of(300), WHEEL: of(200)}
ALL: Cells = {**GATED, LIBRARY: of(500), OUTSIDE: of(400)}


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "simulated.json"
    monkeypatch.setattr(simulate, "STORED", path)
    return path


def call(monkeypatch: pytest.MonkeyPatch, cells: Cells, *arguments: str, **context: str) -> int:
    """Runs the script, with a program that counts these cells."""

    def count(_program: Path, names: Iterable[Name]) -> Counts:
        return Counts({**CONTEXT, **context}, {str(name): cells[str(name)] for name in names})

    monkeypatch.setattr(simulate, "binary_in", lambda *_: Path("simulated"))
    monkeypatch.setattr(simulate, "names_in", lambda _: [Name.parse(name) for name in cells])
    monkeypatch.setattr(simulate, "groups_of", lambda _: {"libraries": {"libuv"}})
    monkeypatch.setattr(simulate, "count", count)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    return simulate.main(list(arguments))


@pytest.mark.parametrize(("ratio", "status"), [(1.03, 1), (0.97, 1), (1.01, 0), (0.99, 0)])
def test_three_percent_are_flagged_and_one_is_not(
    stored: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    ratio: float,
    status: int,
) -> None:
    counts: dict[str, Cells] = {KEY: ALL, OTHER_KEY: {HEAP: of(1)}}
    simulated.write(stored, counts)
    assert call(monkeypatch, {**ALL, HEAP: of(300 * ratio)}) == status
    output = capfd.readouterr().out
    line = f"{HEAP}: instructions 300, now {300 * ratio:g}: {ratio - 1:+.1%}\n"
    assert (line in output) == (status == 1)
    assert WHEEL not in output
    assert simulated.read(stored) == counts


def test_the_gate_counts_its_cases_and_no_libraries(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    simulated.write(stored, {KEY: ALL})
    assert call(monkeypatch, {**ALL, LIBRARY: of(5), OUTSIDE: of(4)}) == 0
    output = capfd.readouterr().out
    assert output == (
        "counting 3 cells under valgrind\n"
        f"all figures of 3 cells are near those that are stored for '{KEY}'\n"
    )


def test_a_program_without_groups_is_refused_as_libraries_would_be_counted(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    simulated.write(stored, {KEY: ALL})
    assert call(monkeypatch, ALL) == 0
    monkeypatch.setattr(simulate, "groups_of", lambda _: {})
    assert simulate.main([]) == 2
    assert "simulated does not say which queues are of libraries" in capfd.readouterr().err


def test_misses_and_mispredicted_branches_do_not_decide(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    simulated.write(stored, {KEY: {**ALL, HEAP: Counted(300, 10, 0.5, 1)}})
    assert call(monkeypatch, {**ALL, HEAP: Counted(300, 20, 1, 2)}) == 0
    assert "all figures" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (Counted(300, 12, 0, 1), None),
        (Counted(300, 13, 0, 1), "d1 misses 10, now 13: +30.0%"),
        (Counted(300, 10, 0.2, 1), None),
        (Counted(300, 10, 0.3, 1), "ll misses 0, now 0.3"),
        (Counted(300, 10, 0, 0.7), "mispredicted 1, now 0.7: -30.0%"),
    ],
)
def test_a_renewal_shows_those_that_are_far_from_what_they_were(
    stored: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    now: Counted,
    said: str | None,
) -> None:
    simulated.write(stored, {KEY: {**ALL, HEAP: Counted(300, 10, 0, 1)}})
    assert call(monkeypatch, {**ALL, HEAP: now}, "--renew") == 0
    output = capfd.readouterr().out
    assert f"{HEAP}: {said}\n" in output if said else HEAP not in output


def test_every_case_of_the_gate_is_a_benchmark_that_is_stored() -> None:
    """Looks at the file in the repository."""
    for cells in simulated.read(STORED).values():
        names = [Name.parse(name) for name in cells]
        assert {f"{name.bench}/{name.case}" for name in names} >= simulate.GATE


@pytest.mark.parametrize("key", [OTHER_KEY, None])
def test_where_nothing_is_stored_it_names_the_key_and_the_command(
    stored: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    key: str | None,
) -> None:
    if key:
        simulated.write(stored, {key: ALL})
    assert call(monkeypatch, ALL) == 2
    error = capfd.readouterr().err
    assert f"nothing is stored for '{KEY}'; {simulate.RENEW} counts it" in error


@pytest.mark.parametrize(
    ("before", "now", "line"),
    [
        ({HARNESS: of(20), HEAP: of(300)}, GATED, f"{WHEEL}: no such cell, now 200 instructions"),
        (GATED, {**GATED, WHEEL: None}, f"{WHEEL}: 200 instructions, now too slow to be counted"),
        ({**GATED, WHEEL: None}, GATED, f"{WHEEL}: too slow to be counted, now 200 instructions"),
    ],
)
def test_cells_that_appear_or_become_too_slow_are_told(  # noqa: PLR0913, PLR0917
    stored: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    before: Cells,
    now: Cells,
    line: str,
) -> None:
    simulated.write(stored, {KEY: before})
    assert call(monkeypatch, now) == (2 if "no such cell" in line else 1)
    captured = capfd.readouterr()
    assert line in captured.out
    assert simulate.RENEW in captured.out + captured.err


def test_a_stored_cell_of_the_gate_that_is_gone_is_told(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Other cases still have the queue."""
    simulated.write(stored, {KEY: {**ALL, "churn/wheel/rpc/10000": of(9)}})
    assert call(monkeypatch, {**ALL, "churn/min_heap/rpc/10000": of(9)}) == 2
    assert "churn/wheel/rpc/10000: 9 instructions, now no such cell" in capfd.readouterr().out


def test_a_renewal_counts_all_but_libraries_and_keeps_other_keys(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before: dict[str, Cells] = {
        OTHER_KEY: {HEAP: of(1)},
        KEY: {**ALL, HEAP: of(250), "churn/list/rpc/1": of(9)},
    }
    simulated.write(stored, before)
    assert call(monkeypatch, {**ALL, LIBRARY: of(5)}, "--renew") == 0
    ours = {name: counted for name, counted in ALL.items() if name != LIBRARY}
    assert simulated.read(stored) == {OTHER_KEY: {HEAP: of(1)}, KEY: ours}
    output = capfd.readouterr().out
    assert f"{HEAP}: instructions 250, now 300: +20.0%" in output
    assert "churn/list/rpc/1: 9 instructions, now no such cell" in output
    assert WHEEL not in output


def test_a_broken_file_is_an_error_and_stays_as_it_is(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    stored.write_text("{")
    assert call(monkeypatch, ALL, "--renew") == 2
    assert "simulated.json is broken" in capfd.readouterr().err
    assert stored.read_text() == "{"


@pytest.mark.parametrize("arguments", [[], ["--renew"]])
def test_a_harness_that_costs_too_much_is_an_error_whatever_is_stored(
    stored: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    too_much: Cells = {**ALL, HARNESS: of(simulate.HARNESS_LIMIT + 0.1)}
    simulated.write(stored, {KEY: too_much})
    assert call(monkeypatch, too_much, *arguments) == 2
    assert f"{HARNESS}: the harness takes 28.1 instructions" in capfd.readouterr().err
    at_limit: Cells = {**ALL, HARNESS: of(simulate.HARNESS_LIMIT)}
    simulated.write(stored, {KEY: at_limit})
    assert call(monkeypatch, at_limit, *arguments) == 0


def test_a_harness_that_is_not_counted_is_an_error(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    without = {name: counted for name, counted in ALL.items() if name != HARNESS}
    simulated.write(stored, {KEY: without})
    assert call(monkeypatch, without) == 2
    assert "the harness is not counted" in capfd.readouterr().err


def test_a_build_for_tests_is_not_counted(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    simulated.write(stored, {KEY: ALL})
    assert call(monkeypatch, ALL, build_type="Debug") == 2
    assert "only a build of the preset release is counted" in capfd.readouterr().err
