"""Tests of scripts/timerbench/schema.py, and of the messages of each command on a broken file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import compare
import plot
import report
import summary
from results_for_tests import write_bench
from timerbench.results import BenchFile, Name, ResultsError, load, write_json

ROOT = Path(__file__).resolve().parents[2]
CELL = Name("churn", "min_heap", "rpc/1000")
IDLE = Name("idle", "heap_timer", "no_timer/10")
BRACKETS = 100_000

# A text of churn.json, its replacement, and the message, which begins with the place.
FAULTS = {
    "null": ('"ns_per_operation": 10.0', '"ns_per_operation": null', "ns_per_operation is null"),
    "text": ('"ns_per_operation": 10.0', '"ns_per_operation": "7"', 'ns_per_operation is "7"'),
    "0": ('"ns_per_operation": 10.0', '"ns_per_operation": 0.0', "ns_per_operation is 0.0"),
    "negative": ('"ns_per_operation": 10.0', '"ns_per_operation": -1', "ns_per_operation is -1"),
    "huge": ('"ns_per_operation": 10.0', '"ns_per_operation": 1e400', "ns_per_operation is Inf"),
    "NaN": ('"ns_per_operation": 10.0', '"ns_per_operation": NaN', "ns_per_operation is NaN"),
    "counter": ('"p99_ns": 20.0', '"p99_ns": 1e400', "benchmarks[0].p99_ns is Infinity"),
    "text of a counter": ('"p99_ns": 20.0', '"p99_ns": "20"', 'benchmarks[0].p99_ns is "20"'),
    "many digits": ('"p99_ns": 20.0', f'"p99_ns": 1{400 * "0"}', "benchmarks[0].p99_ns is 1000"),
    "no figure": ('"ns_per_operation": 10.0', '"n": 1', "has no ns_per_operation"),
    "round": ('"round": 1', '"round": "x"', 'processes[0].round is "x"'),
    "round 0": ('"round": 1', '"round": 0', "processes[0].round is 0"),
    "half a round": ('"round": 1', '"round": 1.5', "processes[0].round is 1.5"),
    "date": ('"2026-01-01T00:00:00Z"', '"today"', 'processes[0].started is "today"'),
    "date without a zone": ('00Z"', '00"', 'processes[0].started is "2026-01-01T00:00:00"'),
    "ages": ('"seconds": 1.5', '"seconds": 1e15', "processes[0].seconds is 1000000000000000.0"),
    "pages": ('"pages": "huge"', '"pages": "large"', 'processes[0].pages is "large"'),
    "name": (f'"{CELL}"', '"churn"', 'benchmarks[0].run_name is "churn"'),
    "no case": (f'"{CELL}"', '"churn/heap/a_time"', 'run_name is "churn/heap/a_time"'),
    "no case, but runs": (f'"{CELL}"', '"churn/heap/runs:1"', 'run_name is "churn/heap/runs:1"'),
    "no binary": ('"binary"', '"binaries"', "missing required field `binary`"),
    "no queues": ('"queues"', '"queue"', "missing required field `queues`"),
    "brackets": ('["min_heap"]', "[" * BRACKETS, "brackets within brackets"),
    "cut off": ("]}\n", "", "line 10 column 1"),
}
NO_BENCH = {"a list": "[]", "a number": "7", "nothing": "", "brackets": "[" * BRACKETS}


def write_good(directory: Path) -> Path:
    write_bench(directory, {CELL: [{"ns_per_operation": 10.0, "p99_ns": 20.0}] * 3})
    return directory


@pytest.mark.parametrize("fault", FAULTS)
def test_names_the_file_the_place_and_the_value(tmp_path: Path, fault: str) -> None:
    path = write_good(tmp_path) / "churn.json"
    right, wrong, said = FAULTS[fault]
    text = path.read_text()
    assert right in text
    path.write_text(text.replace(right, wrong, 1))
    with pytest.raises(ResultsError) as refused:
        load(tmp_path)
    assert str(refused.value).startswith(f"{path} is broken: ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < len(str(path)) + 200


@pytest.mark.parametrize("text", NO_BENCH.values(), ids=NO_BENCH)
@pytest.mark.parametrize("file", ["churn.json", "context.json"])
def test_names_a_file_that_is_something_else(tmp_path: Path, file: str, text: str) -> None:
    (write_good(tmp_path) / file).write_text(text)
    with pytest.raises(ResultsError) as refused:
        load(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path / file} is broken: ")


def test_the_names_of_floors_are_text(tmp_path: Path) -> None:
    path = write_good(tmp_path) / "churn.json"
    path.write_text(path.read_text().replace('"floors": ""', '"floors": ["os_floor"]'))
    with pytest.raises(ResultsError, match=r"floors is \["):
        load(tmp_path)


def test_says_what_a_service_may_measure_and_a_queue_may_not(tmp_path: Path) -> None:
    write_bench(tmp_path, {IDLE: [{"ns_per_operation": 0.0}]})
    assert IDLE in load(tmp_path).rounds
    write_bench(tmp_path, {IDLE: [{"ns_per_operation": -1.0}]})
    with pytest.raises(ResultsError, match=r"ns_per_operation is -1\.0: expected `float` >= 0"):
        load(tmp_path)


def test_histograms_are_pairs_of_numbers(tmp_path: Path) -> None:
    entry = {"ns_per_operation": 1.0, "lateness": [[1.0, 2.0]], "over_time": [[50, 1, None]]}
    write_bench(tmp_path, {IDLE: [entry]})
    load(tmp_path)
    faults: list[object] = [[[1.0]], [[1.0, None]], [[1.0, -2.0]], {}]
    for broken in faults:
        write_bench(tmp_path, {IDLE: [{**entry, "lateness": broken}]})
        with pytest.raises(ResultsError, match="lateness"):
            load(tmp_path)


def test_what_we_do_not_know_of_a_process_or_a_machine_is_no_fault(tmp_path: Path) -> None:
    path = write_good(tmp_path) / "churn.json"
    file = BenchFile.read(path)
    file.processes[0]["weather"] = {"rain": [1]}
    file.context["caches"] = [{"level": 1}]
    file.write(path)
    write_json(tmp_path / "context.json", {"turbo": None, "idle_governor": "haltpoll", "x": [{}]})
    assert load(tmp_path).machine["x"] == [{}]
    assert BenchFile.read(path).processes[0]["weather"] == {"rain": [1]}


@pytest.mark.parametrize("directory", sorted((ROOT / "results").glob("*/**/context.json")), ids=str)
def test_reads_all_that_the_repository_keeps(directory: Path) -> None:
    assert load(directory.parent).rounds


def with_context_of_list(directory: Path) -> None:
    (directory / "context.json").write_text("[]")


def without_any(directory: Path) -> None:
    (directory / "churn.json").unlink()


def with_a_round_x(directory: Path) -> None:
    path = directory / "churn.json"
    path.write_text(path.read_text().replace('"round": 1', '"round": "x"', 1))


Command = Callable[[Path], int]
COMMANDS: dict[str, tuple[Command, int]] = {
    "compare.py": (lambda results: compare.main([str(results), str(results)]), 3),
    "plot.py": (lambda results: plot.main([str(results)]), 2),
    "report.py": (lambda results: report.main([str(results)]), 2),
    "summary.py": (lambda results: summary.main([str(results)]), 2),
}


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (with_context_of_list, "context.json is broken: "),
        (with_a_round_x, "churn.json is broken: "),
        (without_any, "results holds no results; scripts/run.py makes some"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_in_one_line_what_is_wrong(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    command: str,
    breaks: Callable[[Path], None],
    said: str,
) -> None:
    results = write_good(tmp_path / "results")
    breaks(results)
    main, status = COMMANDS[command]
    assert main(results) == status
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"{command}: ")
    assert said in line


def test_what_a_run_goes_on_from_is_checked_too(tmp_path: Path) -> None:
    """scripts/run.py reads a file this way, and reports the same errors as the others."""
    with_a_round_x(write_good(tmp_path))
    with pytest.raises(ResultsError, match=r"churn\.json is broken: processes\[0\]\.round is"):
        BenchFile.read(tmp_path / "churn.json")
