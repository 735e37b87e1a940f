"""Tests of scripts/timerbench/headlines.py: what it says of results whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from results_for_tests import write_bench, write_results
from timerbench.headlines import headline_of, titles_of
from timerbench.results import BenchFile, Name, Results, load, optional

SIZES = (1_000, 10_000, 100_000)

# The times of three processes. Those of "near" and "far" are known to 1%.
NEAR = [0.99, 1.0, 1.01]
WIDE = [0.5, 1.0, 2.0]


def results_of(  # noqa: PLR0913
    directory: Path,
    figures: dict[str, dict[tuple[str, int], float]],
    *,
    spread: list[float] = NEAR,
    bench: str = "churn",
    counter: str = "ns_per_operation",
    late: str = "",
) -> Results:
    """Makes results with these means for each queue and (workload, n).

    The queues vary in different orders.
    """
    rounds = {
        Name(bench, queue, f"{workload}/{n}"): [
            {"ns_per_operation": 1.0, counter: mean * spread[(number + place) % len(spread)]}
            for number in range(len(spread))
        ]
        for place, (queue, cases) in enumerate(figures.items())
        for (workload, n), mean in cases.items()
    }
    write_bench(directory, rounds)
    if late:
        file = BenchFile.read(directory / f"{bench}.json")
        file.context |= {"properties": "late", "late": late}
        file.write(directory / f"{bench}.json")
    return load(directory)


def everywhere(ns: float, *workloads: str) -> dict[tuple[str, int], float]:
    return {(workload, n): ns for workload in workloads or ("rpc", "tcp") for n in SIZES}


def test_one_that_is_surely_faster_everywhere_beats_all(tmp_path: Path) -> None:
    results = results_of(tmp_path, {"heap": everywhere(20), "wheel": everywhere(10)})
    assert headline_of(results, "churn") == "wheel beats every other queue"


def test_what_the_interval_cannot_tell_apart_is_not_beaten(tmp_path: Path) -> None:
    figures = {"heap": everywhere(10.5), "wheel": everywhere(10)}
    results = results_of(tmp_path, figures, spread=WIDE)
    assert headline_of(results, "churn") == "No queue beats heap"


def test_says_from_how_many_timers_on(tmp_path: Path) -> None:
    wheel = everywhere(10) | {("rpc", 1_000): 30, ("tcp", 1_000): 30}
    results = results_of(tmp_path, {"heap": everywhere(20), "wheel": wheel})
    assert headline_of(results, "churn") == "No queue beats wheel from 10,000 timers on"


def test_says_up_to_how_many_timers(tmp_path: Path) -> None:
    wheel = everywhere(10) | {("rpc", 100_000): 30, ("tcp", 100_000): 30}
    results = results_of(tmp_path, {"heap": everywhere(20), "wheel": wheel})
    assert headline_of(results, "churn") == "No queue beats wheel up to 10,000 timers"


def test_names_the_workload_that_is_an_exception(tmp_path: Path) -> None:
    workloads = ("rpc", "tcp", "retry")
    wheel = everywhere(10, *workloads) | {("retry", n): 30 for n in SIZES}
    results = results_of(tmp_path, {"heap": everywhere(20, *workloads), "wheel": wheel})
    assert headline_of(results, "churn") == "No queue beats wheel, but for retry"


def test_says_so_when_nobody_leads(tmp_path: Path) -> None:
    heap = {("rpc", 1_000): 10.0, ("tcp", 1_000): 20.0, ("retry", 1_000): 20.0}
    wheel = {("rpc", 1_000): 20.0, ("tcp", 1_000): 10.0, ("retry", 1_000): 20.0}
    tree = {("rpc", 1_000): 20.0, ("tcp", 1_000): 20.0, ("retry", 1_000): 10.0}
    results = results_of(tmp_path, {"heap": heap, "wheel": wheel, "tree": tree})
    said = headline_of(results, "churn")
    assert said == "No queue leads throughout: heap is unbeaten in 1 of 3 cases, wheel in 1"


def test_what_may_be_late_is_no_rival(tmp_path: Path) -> None:
    figures = {"heap": everywhere(20), "wheel": everywhere(15), "coarse": everywhere(5)}
    assert headline_of(results_of(tmp_path, figures), "churn") == "coarse beats every other queue"
    late = results_of(tmp_path, figures, late="coarse")
    assert headline_of(late, "churn") == "wheel beats every other exact queue"


def test_what_starts_early_is_not_the_least_late(tmp_path: Path) -> None:
    cases = {("uniform", n): 1.0 for n in SIZES}
    results = results_of(tmp_path, {"one": cases, "other": cases}, bench="lateness")
    assert headline_of(results, "lateness") == "No service beats one"
    file = BenchFile.read(tmp_path / "lateness.json")
    for process in file.processes:
        for entry in process["benchmarks"]:
            if "/one/" in entry["run_name"]:
                entry |= {"early": 3.0, "ns_per_operation": 0.0}
    file.write(tmp_path / "lateness.json")
    assert headline_of(load(tmp_path), "lateness") is None, "the other one is alone"


def test_a_figure_of_0_is_compared_by_its_difference(tmp_path: Path) -> None:
    cases = {("one_timer_in_an_hour", 1): 10.0, ("no_timer", 1): 10.0}
    none = dict.fromkeys(cases, 0.0)
    results = results_of(tmp_path, {"wakes": cases, "sleeps": none}, bench="idle")
    assert headline_of(results, "idle") == "sleeps beats every other service"


def test_one_process_shows_no_order(tmp_path: Path) -> None:
    figures = {"heap": everywhere(20), "wheel": everywhere(10)}
    results = results_of(tmp_path, figures, spread=[1.0])
    shown = titles_of(results, "churn", shows="Churn over n")
    assert shown.title == "Churn over n"
    assert shown.line.startswith("What does a timer cost")
    assert headline_of(results, "churn") is None


def test_claims_nothing_of_sizes_that_one_process_measured(tmp_path: Path) -> None:
    figures = {"heap": everywhere(20), "wheel": everywhere(10)}
    results_of(tmp_path, figures)
    file = BenchFile.read(tmp_path / "churn.json")
    file.processes = [
        process
        for process in file.processes
        if process["round"] == 1 or not process["group"].endswith("/100000")
    ]
    file.write(tmp_path / "churn.json")
    said = headline_of(load(tmp_path), "churn")
    assert said == "wheel beats every other queue up to 10,000 timers"


def one_process(directory: Path, *groups: str) -> Results:
    """Leaves only the first process of these cases."""
    file = BenchFile.read(directory / "churn.json")
    file.processes = [
        process
        for process in file.processes
        if process["round"] == 1 or process["group"] not in groups
    ]
    file.write(directory / "churn.json")
    return load(directory)


def test_claims_nothing_of_a_size_in_between_that_nobody_knows(tmp_path: Path) -> None:
    results_of(tmp_path, {"heap": everywhere(20), "wheel": everywhere(10)})
    results = one_process(tmp_path, "rpc/10000", "tcp/10000")
    said = headline_of(results, "churn")
    assert said == "No queue beats wheel where several processes measured it (4 of 6 cases)"


def test_says_nothing_where_most_cases_are_of_one_process(tmp_path: Path) -> None:
    results_of(tmp_path, {"heap": everywhere(20, "rpc"), "wheel": everywhere(10, "rpc")})
    assert headline_of(one_process(tmp_path, "rpc/1000"), "churn") is not None
    assert headline_of(one_process(tmp_path, "rpc/1000", "rpc/10000"), "churn") is None


def test_names_a_workload_that_nobody_knows_as_an_exception(tmp_path: Path) -> None:
    workloads = ("rpc", "tcp", "retry")
    figures = {"heap": everywhere(20, *workloads), "wheel": everywhere(10, *workloads)}
    results_of(tmp_path, figures)
    results = one_process(tmp_path, *(f"tcp/{n}" for n in SIZES))
    assert headline_of(results, "churn") == "wheel beats every other queue, but for tcp"


def test_two_that_share_one_process_are_not_compared(tmp_path: Path) -> None:
    results_of(tmp_path, {"heap": everywhere(20), "wheel": everywhere(10)})
    file = BenchFile.read(tmp_path / "churn.json")
    for process in file.processes:
        process["benchmarks"] = [
            entry
            for entry in process["benchmarks"]
            if (process["round"], entry["run_name"].split("/")[1])
            not in ((1, "heap"), (3, "wheel"))
        ]
    file.write(tmp_path / "churn.json")
    assert headline_of(load(tmp_path), "churn") == "No queue beats heap"


def test_one_that_leaves_a_rival_unbeaten_by_itself_beats_not_every_other(tmp_path: Path) -> None:
    """If one process measured a rival, nobody knows who of the two is better."""
    results_of(tmp_path, {"heap": everywhere(20), "wheel": everywhere(10), "tree": everywhere(9)})
    file = BenchFile.read(tmp_path / "churn.json")
    for process in file.processes:
        process["benchmarks"] = [
            entry
            for entry in process["benchmarks"]
            if process["round"] == 1 or "/tree/" not in entry["run_name"]
        ]
    file.write(tmp_path / "churn.json")
    assert headline_of(load(tmp_path), "churn") == "No queue beats wheel"


def test_a_count_needs_no_second_process(tmp_path: Path) -> None:
    figures = {"heap": everywhere(20, "uniform"), "wheel": everywhere(10, "uniform")}
    results = results_of(tmp_path, figures, spread=[1.0], bench="memory", counter="bytes_per_timer")
    assert headline_of(results, "memory") == "wheel beats every other queue"


def test_what_was_too_slow_to_be_timed_is_beaten(tmp_path: Path) -> None:
    results_of(tmp_path, {"heap": everywhere(20), "wheel": everywhere(10)})
    file = BenchFile.read(tmp_path / "churn.json")
    for process in file.processes:
        for entry in process["benchmarks"]:
            if "/wheel/" in entry["run_name"]:
                entry["slower_than"] = 1.0
    file.write(tmp_path / "churn.json")
    assert headline_of(load(tmp_path), "churn") == "heap beats every other queue"


@pytest.mark.parametrize("value", ["p50_insert_ns", "nothing"])
def test_only_what_has_the_figure_takes_part(tmp_path: Path, value: str) -> None:
    write_results(tmp_path, benches=["insert"])
    results = load(tmp_path)
    said = headline_of(results, "insert", optional(value))
    assert (said is None) == (value == "nothing")
