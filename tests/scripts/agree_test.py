"""Tests of scripts/agree.py: which pairs count, and what is in another order."""

from __future__ import annotations

from pathlib import Path

import pytest

import agree
from results_for_tests import write_bench
from timerbench.agreement import pairs
from timerbench.results import Entry, Name, load

CASE = "rpc/1000"


def write(directory: Path, of_queues: dict[str, list[float]], **more: float) -> Path:
    """Writes the results of a machine on which the queues took these times."""
    rounds: dict[Name, list[Entry]] = {
        Name("churn", queue, CASE): [{"ns_per_operation": ns, **more} for ns in times]
        for queue, times in of_queues.items()
    }
    write_bench(directory, rounds)
    return directory


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    times = {
        "min_heap": [30.0, 31, 32],
        "lazy_wheel": [10.0, 11, 12],
        "hashed_wheel": [20.0, 21, 22],
    }
    return write(tmp_path / "a", times)


def output(capfd: pytest.CaptureFixture[str], *arguments: Path | str) -> list[str]:
    assert agree.main([str(argument) for argument in arguments]) == 0
    return capfd.readouterr().out.splitlines()


def test_a_machine_agrees_with_itself(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert output(capfd, machine, machine) == [
        "3 of 3 pairs of queues that both tell apart have the same order on both (100.0%)."
    ]


def test_shows_what_is_in_another_order(
    machine: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = {"min_heap": [15.0, 15, 16], "lazy_wheel": [9.0, 9, 10], "hashed_wheel": [20.0, 20, 21]}
    lines = output(capfd, machine, write(tmp_path / "b", other))
    assert lines[0].startswith("2 of 3 pairs ")
    (line,) = lines[1:]
    assert "churn/min_heap/rpc/1000 / hashed_wheel: 1.48 on A, 0.75 on B" in line
    reverse = {"min_heap": [1.0, 1], "hashed_wheel": [2.0, 2], "lazy_wheel": [9.0, 9]}
    lines = output(capfd, machine, write(tmp_path / "c", reverse), "--most", "1")
    assert lines == [
        "0 of 3 pairs of queues that both tell apart have the same order on both (0.0%).",
        "churn/min_heap/rpc/1000 / lazy_wheel: 2.83 on A, 0.11 on B",
    ]


def test_a_tie_on_one_machine_tells_nothing(
    machine: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    unsure = {
        "min_heap": [5.0, 20, 80],
        "lazy_wheel": [10.0, 11, 12],
        "hashed_wheel": [20.0, 21, 22],
    }
    lines = output(capfd, machine, write(tmp_path / "b", unsure))
    assert lines[0].startswith("1 of 1 pairs ")


def test_one_process_and_what_was_too_slow_do_not_count(machine: Path, tmp_path: Path) -> None:
    once = write(tmp_path / "once", {"min_heap": [30.0], "lazy_wheel": [10.0]})
    bounds = write(
        tmp_path / "bounds", {"min_heap": [30.0, 31], "lazy_wheel": [1.0, 1]}, slower_than=1
    )
    for other in (once, bounds):
        assert not list(pairs(load(machine), load(other)))


def test_refuses_results_that_have_nothing_in_common(
    machine: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = write(tmp_path / "b", {"another_queue": [1.0, 2]})
    assert agree.main([str(machine), str(other)]) == 2
    assert capfd.readouterr().err == (
        "agree.py: there is no pair of queues that both machines tell apart\n"
    )
