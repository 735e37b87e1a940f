"""Tests of scripts/timerbench/callgrind.py, on made-up dumps and by a made-up valgrind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from timerbench.callgrind import (
    Case,
    CountError,
    cases_of,
    combine,
    count,
    parse_dump,
    parse_dumps,
)
from timerbench.results import Name
from timerbench.simulated import Counted

HEAP, WHEEL = "churn/min_heap/rpc/1000", "churn/wheel/rpc/1000"
CASE = Case("churn", "rpc/1000", ("min_heap", "wheel"))
EVENTS = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim"
OF_HEAP = {"Ir": 500, "D1mr": 20, "D1mw": 5, "DLmr": 2, "DLmw": 1, "Bcm": 40}

# Writes a dump for each benchmark that the filter names, and says that each did 10 operations. The
# number of instructions an operation is the length of all arguments and of the environment.
FAKE_VALGRIND = """#!/usr/bin/env python3
import json, os, re, sys
arguments = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
folder = os.path.dirname(arguments["--callgrind-out-file"])
filter = arguments["--benchmark_filter"]
bench, queues, case = re.fullmatch(r"\\^(.+)/\\((.+)\\)/(.+)/", filter).groups()
text = sum(len(a) + 1 for a in sys.argv[sys.argv.index("./simulated"):])
text += sum(len(value) for value in os.environ.values())
benchmarks = []
for queue in queues.split("|"):
    name = f"{{bench}}/{{queue}}/{{case}}".replace("\\\\.", ".")
    benchmarks.append({{"run_name": name + "/iterations:1/manual_time", "operations": 10}})
    with open(f"{{folder}}/dump.{{queue}}", "w") as dump:
        dump.write(f"desc: Trigger: Client Request: {{name}}\\n")
        dump.write("events: {events}\\ntotals: %d\\n" % (text * 10))
benchmarks[0] |= {first}
print(json.dumps({{"context": {{"compiler": "GCC"}}, "benchmarks": benchmarks}}))
sys.exit({status})
"""


def dump_of(name: str, totals: str = "500 100 50 7 20 5 3 2 1 60 40 30 10") -> str:
    return (
        f"# callgrind format\nversion: 1\npart: 1\n\ndesc: Timerange: Basic block 0 - 50003\n"
        f"desc: Trigger: Client Request: {name}\n\npositions: line\nevents: {EVENTS}\n"
        f"summary: 0\n\nfn=(1) insert\n95 1\n\ntotals: {totals}\n"
    )


def report_of(operations: dict[str, float]) -> dict[str, Any]:
    suffix = "/iterations:1/manual_time"
    return {
        "benchmarks": [
            {"run_name": name + suffix, "operations": n} for name, n in operations.items()
        ]
    }


def fake(
    directory: Path, monkeypatch: pytest.MonkeyPatch, first: str = "{}", status: int = 0
) -> Path:
    """Makes a program with a made-up valgrind; `first` goes into its first benchmark."""
    valgrind = directory / "bin" / "valgrind"
    valgrind.parent.mkdir()
    valgrind.write_text(FAKE_VALGRIND.format(events=EVENTS, first=first, status=status))
    valgrind.chmod(0o755)
    monkeypatch.setenv("PATH", str(valgrind.parent), prepend=os.pathsep)
    program = directory / "simulated"
    program.touch()
    return program


def test_a_dump_has_its_benchmark_and_its_events(tmp_path: Path) -> None:
    (tmp_path / "dump.1").write_text(dump_of(HEAP))
    (tmp_path / "dump.2").write_text(dump_of(WHEEL, "567"))
    dumps = parse_dumps(tmp_path)
    assert list(dumps) == [HEAP, WHEEL]
    assert OF_HEAP.items() <= dumps[HEAP].items()
    assert dumps[WHEEL] == {event: 567 if event == "Ir" else 0 for event in EVENTS.split()}


def test_what_is_dumped_when_a_process_ends_is_left_out(tmp_path: Path) -> None:
    end = dump_of(HEAP).replace(f"Client Request: {HEAP}", "Program termination")
    (tmp_path / "dump").write_text(end)
    assert parse_dumps(tmp_path) == {}


@pytest.mark.parametrize(
    ("whole", "broken"),
    [
        ("totals: 500", "total: 500"),
        ("totals: 500", "totals: many"),
        (f"desc: Trigger: Client Request: {HEAP}\n", ""),
        (f"Client Request: {HEAP}", "Another"),
        ("events: Ir", "events: Sysc"),
        (" Bcm", ""),
    ],
)
def test_a_broken_dump_is_an_error_that_names_it(tmp_path: Path, whole: str, broken: str) -> None:
    text = dump_of(HEAP)
    assert whole in text
    path = tmp_path / "dump.1"
    path.write_text(text.replace(whole, broken))
    with pytest.raises(CountError, match=r"dump\.1 is no whole dump"):
        parse_dump(path)


def test_two_dumps_for_a_benchmark_are_an_error(tmp_path: Path) -> None:
    for name in ("dump.1", "dump.2"):
        (tmp_path / name).write_text(dump_of(HEAP))
    with pytest.raises(CountError, match=f"second dump for {HEAP}"):
        parse_dumps(tmp_path)


def test_events_are_divided_by_the_operations() -> None:
    cells = combine(report_of({HEAP: 10, WHEEL: 50}), {HEAP: OF_HEAP, WHEEL: OF_HEAP}, CASE)
    assert cells == {HEAP: Counted(50, 2.5, 0.3, 4), WHEEL: Counted(10, 0.5, 0.06, 0.8)}


def test_a_queue_without_operations_and_without_a_dump_is_too_slow() -> None:
    cells = combine(report_of({HEAP: 10, WHEEL: 0}), {HEAP: OF_HEAP}, CASE)
    assert cells == {HEAP: Counted(50, 2.5, 0.3, 4), WHEEL: None}


@pytest.mark.parametrize(
    ("operations", "dumped"),
    [({HEAP: 10, WHEEL: 1}, [HEAP]), ({HEAP: 10, WHEEL: 0}, [HEAP, WHEEL])],
)
def test_what_ran_but_was_not_counted_is_an_error(
    operations: dict[str, float], dumped: list[str]
) -> None:
    with pytest.raises(CountError, match=f"not both run and counted: {WHEEL}"):
        combine(report_of(operations), dict.fromkeys(dumped, OF_HEAP), CASE)


def test_what_was_asked_for_but_did_not_run_is_an_error() -> None:
    with pytest.raises(CountError, match=f"not both asked for and run: {WHEEL}"):
        combine(report_of({HEAP: 10}), {HEAP: OF_HEAP}, CASE)


def test_the_largest_cases_come_first_and_those_of_recordings_last() -> None:
    texts = ["replay/a/tiny@1ms", "churn/a/rpc/1000", "churn/b/rpc/1000", "churn/a/rpc/10000"]
    cases = cases_of(map(Name.parse, texts))
    assert list(map(str, cases)) == ["churn/rpc/10000", "churn/rpc/1000", "replay/tiny@1ms"]
    assert cases[1].queues == ("a", "b")


def test_counts_what_valgrind_dumps_in_the_order_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake(tmp_path, monkeypatch)
    names = [Name.parse(text) for text in (HEAP, "churn/a/rpc/9000", "replay/a/1.5@1ms", WHEEL)]
    counts = count(program, names)
    assert list(counts.cells) == list(map(str, names))
    assert counts.context == {"compiler": "GCC"}


def test_arguments_and_environment_are_always_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake(tmp_path, monkeypatch)
    one = count(program, [Name.parse(HEAP)]).cells[HEAP]
    monkeypatch.setenv("MALLOC_PERTURB_", "1")
    assert count(program, map(Name.parse, (HEAP, WHEEL))).cells == {HEAP: one, WHEEL: one}


def test_a_cell_that_fails_its_proof_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake(tmp_path, monkeypatch, '{"error_message": "9 timers expired, not 10"}', 1)
    with pytest.raises(
        CountError, match=f"failed in churn/rpc/1000:\n{HEAP}: 9 timers expired, not 10$"
    ):
        count(program, map(Name.parse, (HEAP, WHEEL)))


def test_a_program_that_ends_for_nothing_is_an_error_with_its_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake(tmp_path, monkeypatch, status=3)
    with pytest.raises(CountError, match=r"failed in churn/rpc/1000:\nstatus 3$"):
        count(program, [Name.parse(HEAP)])


def test_nothing_to_count_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CountError, match="no such benchmark"):
        count(tmp_path / "simulated", [])


def test_a_missing_valgrind_is_an_error_that_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CountError, match=r"valgrind is missing; scripts/setup\.sh installs it"):
        count(tmp_path / "simulated", [Name.parse(HEAP)])
