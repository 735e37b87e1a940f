"""Tests of scripts/instructions.py, on made-up dumps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import instructions
from instructions import CountError, Counts, combine, parse_dump, parse_dumps

KEY = "GCC 12.2.0, glibc 2.36, x86_64, -O2"
OTHER_KEY = "GCC 13.2.0, glibc 2.39, x86_64, -O2"
HEAP, WHEEL = "churn/min_heap/rpc/1000", "churn/wheel/rpc/1000"
HARNESS = "churn/no_queue/rpc/1000"
CELLS = {HARNESS: 20.0, HEAP: 300.0, WHEEL: 200.0}
CONTEXT = {
    "compiler": "GCC 12.2.0",
    "libc": "glibc 2.36",
    "flags": "-O2",
    "build_type": "RelWithDebInfo",
}

FAKE_VALGRIND = """#!/usr/bin/env python3
import os, sys
part = next(a for a in sys.argv if a.startswith("--callgrind-out-file=")).split("=", 1)[1]
total = 5000 if "MALLOC_PERTURB_" in os.environ else 2000
with open(part + ".1", "w") as dump:
    dump.write("desc: Trigger: Client Request: {name}\\nevents: Ir\\ntotals: %d\\n" % total)
print('''{report}''')
sys.exit({status})
"""


def dump_of(name: str, total: int) -> str:
    return (
        f"# callgrind format\nversion: 1\npart: 1\n\ndesc: Timerange: Basic block 0 - 50003\n"
        f"desc: Trigger: Client Request: {name}\n\npositions: line\nevents: Ir\nsummary: 0\n\n"
        f"fn=(1) insert\n95 1\n+1 {total - 1}\n\ntotals: {total}\n"
    )


def report_of(operations: dict[str, float], **context: str) -> dict[str, Any]:
    suffix = "/iterations:1/manual_time"
    entries = [{"run_name": name + suffix, "operations": n} for name, n in operations.items()]
    return {"context": {**CONTEXT, **context}, "benchmarks": entries}


def call(
    monkeypatch: pytest.MonkeyPatch, baseline: Path, cells: dict[str, float], *arguments: str
) -> int:
    """Runs the script as if this had been counted."""
    monkeypatch.setattr(instructions, "BASELINE", baseline)
    monkeypatch.setattr(instructions, "count", lambda _: Counts(KEY, cells))
    return instructions.main(list(arguments))


def write_baseline(directory: Path, baseline: object) -> Path:
    path = directory / "instructions.json"
    path.write_text(json.dumps(baseline))
    return path


def fake_build(directory: Path, report: dict[str, Any], status: int = 0) -> Path:
    """A build whose program runs under a valgrind that counts 2000 instructions for the heap."""
    valgrind = directory / "bin" / "valgrind"
    valgrind.parent.mkdir()
    valgrind.write_text(FAKE_VALGRIND.format(name=HEAP, report=json.dumps(report), status=status))
    valgrind.chmod(0o755)
    (directory / "instructions").touch()
    return directory


def test_a_dump_has_its_benchmark_and_the_total_of_its_instructions(tmp_path: Path) -> None:
    (tmp_path / "dump.1").write_text(dump_of(HEAP, 1_234))
    (tmp_path / "dump.2").write_text(dump_of(WHEEL, 567))
    assert parse_dumps(tmp_path) == {HEAP: 1_234, WHEEL: 567}


def test_what_is_dumped_when_the_program_ends_is_left_out(tmp_path: Path) -> None:
    end = dump_of(HEAP, 0).replace(f"Client Request: {HEAP}", "Program termination")
    (tmp_path / "dump").write_text(end)
    assert parse_dumps(tmp_path) == {}


@pytest.mark.parametrize(
    ("whole", "broken"),
    [
        ("totals: 1234\n", ""),
        ("totals: 1234", "totals: many"),
        ("totals: 1234", "totals: 1234 99"),
        (f"desc: Trigger: Client Request: {HEAP}\n", ""),
        (f"Client Request: {HEAP}", "Another"),
        ("events: Ir", "events: Ir Dr"),
    ],
)
def test_a_broken_dump_is_an_error_that_names_it(tmp_path: Path, whole: str, broken: str) -> None:
    text = dump_of(HEAP, 1_234)
    assert whole in text
    path = tmp_path / "dump.1"
    path.write_text(text.replace(whole, broken))
    with pytest.raises(CountError, match=r"dump\.1 is no whole dump"):
        parse_dump(path)


def test_two_dumps_for_a_benchmark_are_an_error(tmp_path: Path) -> None:
    for name in ("dump.1", "dump.2"):
        (tmp_path / name).write_text(dump_of(HEAP, 1_234))
    with pytest.raises(CountError, match=f"second dump for {HEAP}"):
        parse_dumps(tmp_path)


def test_instructions_are_divided_by_the_operations() -> None:
    counts = combine(report_of({HEAP: 50, WHEEL: 3}), {HEAP: 5_000, WHEEL: 1_000})
    assert counts.cells == {HEAP: 100.0, WHEEL: 333.333}
    assert counts.key.startswith("GCC 12.2.0, glibc 2.36, ")
    assert counts.key.endswith(", -O2")


def test_a_benchmark_that_ran_but_was_not_counted_is_an_error() -> None:
    with pytest.raises(CountError, match=f"not both run and counted: {WHEEL}"):
        combine(report_of({HEAP: 50, WHEEL: 3}), {HEAP: 5_000})
    with pytest.raises(CountError, match=f"not both run and counted: {WHEEL}"):
        combine(report_of({HEAP: 50}), {HEAP: 5_000, WHEEL: 1_000})


def test_a_benchmark_without_operations_is_an_error() -> None:
    with pytest.raises(CountError, match=f"no operation is done in {WHEEL}"):
        combine(report_of({HEAP: 50, WHEEL: 0}), {HEAP: 5_000, WHEEL: 1_000})


def test_a_build_for_tests_is_not_counted() -> None:
    with pytest.raises(CountError, match=r"only a build of the preset release .* not Debug"):
        combine(report_of({HEAP: 50}, build_type="Debug"), {HEAP: 5_000})


@pytest.mark.parametrize(("ratio", "status"), [(1.03, 1), (0.97, 1), (1.01, 0), (0.99, 0)])
def test_three_percent_are_flagged_and_one_is_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    ratio: float,
    status: int,
) -> None:
    baseline = write_baseline(tmp_path, {KEY: CELLS, OTHER_KEY: {HEAP: 1.0}})
    assert call(monkeypatch, baseline, {**CELLS, HEAP: 300.0 * ratio}) == status
    output = capfd.readouterr().out
    line = f"{HEAP}: 300.00, now {300 * ratio:.2f}: {ratio - 1:+.1%}\n"
    assert (line in output) == (status == 1)
    assert WHEEL not in output
    assert json.loads(baseline.read_text())[KEY] == CELLS


@pytest.mark.parametrize("baseline", [{OTHER_KEY: CELLS}, None])
def test_without_a_baseline_it_names_the_key_and_the_command_that_makes_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    baseline: object,
) -> None:
    path = tmp_path / "instructions.json"
    if baseline:
        write_baseline(tmp_path, baseline)
    assert call(monkeypatch, path, CELLS) == 2
    error = capfd.readouterr().err
    assert f"no baseline for '{KEY}'; {instructions.RENEW} makes one" in error


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ({HARNESS: 20.0, HEAP: 300.0}, f"{WHEEL}: 200.00, new"),
        ({**CELLS, "churn/list/rpc/1000": 9.0}, "churn/list/rpc/1000: 9.00, not counted any more"),
    ],
)
def test_other_cells_than_in_the_baseline_are_an_error_that_names_them(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    before: dict[str, float],
    line: str,
) -> None:
    assert call(monkeypatch, write_baseline(tmp_path, {KEY: before}), CELLS) == 2
    captured = capfd.readouterr()
    assert line in captured.out
    assert instructions.RENEW in captured.err


def test_a_renewal_keeps_other_keys_and_shows_what_is_different(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = {OTHER_KEY: {HEAP: 1.0}, KEY: {**CELLS, HEAP: 250.0, "churn/list/rpc/1000": 9.0}}
    baseline = write_baseline(tmp_path, before)
    assert call(monkeypatch, baseline, CELLS, "--renew") == 0
    assert json.loads(baseline.read_text()) == {OTHER_KEY: {HEAP: 1.0}, KEY: CELLS}
    output = capfd.readouterr().out
    assert f"{HEAP}: 250.00, now 300.00: +20.0%" in output
    assert "churn/list/rpc/1000: 9.00, not counted any more" in output
    assert WHEEL not in output


@pytest.mark.parametrize("text", ["{", "[]", '{"key": 1}', '{"key": {"cell": "much"}}'])
def test_a_broken_baseline_is_an_error_and_stays_as_it_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    text: str,
) -> None:
    baseline = tmp_path / "instructions.json"
    baseline.write_text(text)
    assert call(monkeypatch, baseline, CELLS, "--renew") == 2
    assert "instructions.json is broken" in capfd.readouterr().err
    assert baseline.read_text() == text


@pytest.mark.parametrize("arguments", [[], ["--renew"]])
def test_a_harness_that_costs_too_much_is_an_error_whatever_the_baseline_says(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    too_much = {**CELLS, HARNESS: instructions.HARNESS_LIMIT + 0.1}
    baseline = write_baseline(tmp_path, {KEY: too_much})
    assert call(monkeypatch, baseline, too_much, *arguments) == 2
    assert f"{HARNESS}: the harness takes 28.1 instructions" in capfd.readouterr().err
    at_limit = {**CELLS, HARNESS: instructions.HARNESS_LIMIT}
    assert call(monkeypatch, write_baseline(tmp_path, {KEY: at_limit}), at_limit) == 0


def test_a_harness_that_is_not_counted_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    baseline = write_baseline(tmp_path, {KEY: {HEAP: 300.0}})
    assert call(monkeypatch, baseline, {HEAP: 300.0}) == 2
    assert "the harness is not counted" in capfd.readouterr().err


def test_counts_what_valgrind_dumps_without_the_settings_of_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = fake_build(tmp_path, report_of({HEAP: 10}))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}", prepend=":")
    monkeypatch.setenv("MALLOC_PERTURB_", "1")
    assert instructions.count(build).cells == {HEAP: 200.0}


def test_a_cell_that_fails_its_proof_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = report_of({HEAP: 10, WHEEL: 10})
    report["benchmarks"][1] |= {"error_occurred": True, "error_message": "9 timers expired, not 10"}
    build = fake_build(tmp_path, report, status=1)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}", prepend=":")
    with pytest.raises(CountError, match=f"failed:\n{WHEEL}: 9 timers expired, not 10$"):
        instructions.count(build)


def test_a_missing_program_or_valgrind_is_an_error_that_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CountError, match=r"instructions is missing; scripts/build\.sh builds it"):
        instructions.count(tmp_path)
    (tmp_path / "instructions").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CountError, match=r"valgrind is missing; scripts/setup\.sh installs it"):
        instructions.count(tmp_path)
