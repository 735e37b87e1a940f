"""Tests of scripts/timerbench/results.py."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from results_for_tests import (
    CASES,
    FLOOR,
    MEASURED,
    QUEUES,
    write_results,
    write_times,
)
from timerbench.estimates import Figure
from timerbench.results import (
    BenchFile,
    Name,
    ResultsError,
    bytes_per_timer,
    load,
    ns_per_operation,
    optional,
    quantile,
)

CELL = Name("churn", "min_heap", "rpc/1000")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    write_results(tmp_path / "results", benches=["burst", "churn", "horizon", "rearm", "replay"])
    return tmp_path / "results"


def edit_processes(directory: Path, group: str, **facts: object) -> None:
    """Alters the second round of a group of churn."""
    path = directory / "churn.json"
    file = BenchFile.read(path)
    for process in file.processes:
        if (process["group"], process["round"]) == (group, 2):
            process.update(facts)
    file.write(path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("churn/min_heap/rpc/1000", ("churn", "min_heap", "rpc/1000")),
        ("churn/min_heap/rpc/1000/manual_time", ("churn", "min_heap", "rpc/1000")),
        ("replay/wheel/tiny@1ms/iterations:1/real_time", ("replay", "wheel", "tiny@1ms")),
    ],
)
def test_leaves_out_what_google_benchmark_appends_to_a_name(
    name: str, expected: tuple[str, str, str]
) -> None:
    assert Name.parse(name) == Name(*expected)


@pytest.mark.parametrize("name", ["", "churn", "churn/min_heap", "churn/min_heap/manual_time"])
def test_refuses_a_name_of_another_form(name: str) -> None:
    with pytest.raises(ValueError, match="bench/queue/case"):
        Name.parse(name)


@pytest.mark.parametrize(
    ("case", "workload", "n"),
    [("1_delay/1000", "1_delay", 1000), ("tiny@1ms", "tiny@1ms", None)],
)
def test_a_case_is_a_workload_and_a_number_of_timers_or_a_trace(
    case: str, workload: str, n: int | None
) -> None:
    name = Name("bench", "queue", case)
    assert (name.workload, name.n) == (workload, n)


def test_reads_every_bench_and_keeps_what_they_measure_apart(tmp_path: Path) -> None:
    write_results(tmp_path)
    results = load(tmp_path)
    assert results.queues == QUEUES
    assert results.measured == MEASURED
    assert {bench: sorted(results.cases(bench)) for bench in CASES} == {
        bench: sorted(cases) for bench, cases in CASES.items()
    }
    assert {name.queue for name in results.names("floor")} == {"machine"}
    assert results.context["commit"] == "0123456789ab"


def test_cases_are_in_the_order_of_workload_and_number(tmp_path: Path) -> None:
    cases = ["a/3000", "a/20000", "a/100000", "a_b/10"]
    write_times(tmp_path, {Name("churn", "min_heap", case): [1.0] for case in reversed(cases)})
    assert load(tmp_path).cases("churn") == cases


def twins_of(directory: Path, ratios: dict[Name, list[float]]) -> None:
    """Writes churn with twins. A twin took `ratios` times as long as its cell."""
    rounds = {name: [10.0, 11.0, 12.0] for name in ratios}
    rounds |= {
        replace(name, queue=f"{name.queue}_twin"): [(10.0 + n) * of for n, of in enumerate(of_all)]
        for name, of_all in ratios.items()
    }
    write_times(directory, rounds)
    path = directory / "churn.json"
    file = BenchFile.read(path)
    file.context["twins"] = " ".join(dict.fromkeys(f"{name.queue}_twin" for name in ratios))
    file.context["properties"] += " twins"
    file.write(path)


def test_a_twin_is_no_queue_and_tells_how_far_equal_queues_differ(tmp_path: Path) -> None:
    twins_of(tmp_path, {CELL: [1.02, 1.02, 1.02], replace(CELL, queue="lazy_wheel"): [0.99] * 3})
    results = load(tmp_path)
    assert results.queues == ["min_heap", "lazy_wheel"]
    assert {name.queue for name in results.rounds} == {"min_heap", "lazy_wheel"}
    assert "twins" not in results.groups
    assert "twins" not in results.context
    ratio = results.ratio_of_twins(CELL)
    assert ratio
    assert (ratio.mean, ratio.low, ratio.high) == pytest.approx((1.02, 1.02, 1.02))
    assert results.twins_differ_by([CELL]) == pytest.approx(0.02)
    assert results.twins_differ_by(results.rounds) == pytest.approx(0.0195)  # the quantile


def test_the_ratio_of_twins_is_taken_within_each_process(tmp_path: Path) -> None:
    twins_of(tmp_path, {CELL: [1.0, 1.1, 1.21]})
    ratio = load(tmp_path).ratio_of_twins(CELL)
    assert ratio
    assert ratio.mean == pytest.approx(1.1)
    assert (ratio.low, ratio.high) == pytest.approx((1.1 / 1.1**2.484, 1.1**3.484), rel=1e-3)


def test_what_only_sleeps_is_no_setting_and_has_figures(tmp_path: Path) -> None:
    floor = Name("lateness", FLOOR, "uniform/10000")
    service = replace(floor, queue="heap_timer")
    figures = {service: 9.0, floor: 3.0, replace(service, case="burst/10"): 8.0}
    write_times(tmp_path, {name: [ns] for name, ns in figures.items()})
    results = load(tmp_path)
    assert results.measured["settings"] == ["heap_timer"]
    assert {name.queue for name in results.rounds} == {"heap_timer"}
    assert results.floor_of("lateness", "uniform/10000") == floor
    assert results.floor_of("lateness", "burst/10") is None
    assert results.floor_of("ticks", "uniform/10000") is None
    assert results.values(floor, ns_per_operation) == [3.0]


def test_a_twin_of_a_service_that_is_in_time_has_no_ratio(tmp_path: Path) -> None:
    service = Name("lateness", "heap_timer", "uniform/10000")
    figures = {service: [0.0, 10.0], replace(service, queue="heap_timer_twin"): [5.0, 12.0]}
    write_times(tmp_path, figures)
    ratio = load(tmp_path).ratio_of_twins(service)
    assert ratio
    assert ratio.mean == pytest.approx(1.2)
    assert ratio.processes == 1


def test_without_twins_nothing_is_said_of_equal_queues(directory: Path) -> None:
    results = load(directory)
    assert results.ratio_of_twins(CELL) is None
    assert results.twins_differ_by(results.rounds) is None


def test_an_optional_counter_may_be_absent_and_others_may_not(directory: Path) -> None:
    results = load(directory)
    moves = optional("moves_per_timer")
    name = Name("horizon", "hierarchical_wheel", "log_uniform/1000")
    assert results.figure(name, moves) == Figure(3, 3, 3, processes=3)
    assert results.figure(CELL, moves) is None
    assert results.figure(Name("churn", "unknown_queue", "rpc/1000"), ns_per_operation) is None
    with pytest.raises(ResultsError, match="rpc/1000 has no counter 'bytes_per_timer'"):
        results.figure(CELL, bytes_per_timer)


def test_a_quantile_is_in_the_middle_of_its_bin_and_needs_ten_beyond() -> None:
    entry = {"lateness": [[100.0, 80.0], [1_000.0, 15.0], [1e6, 5.0]]}
    of_share = {share: quantile("lateness", share)(entry) for share in (0.5, 0.85, 0.95)}
    assert of_share == {
        0.5: pytest.approx(102.4, 1e-3),
        0.85: pytest.approx(1_024, 1e-3),
        0.95: None,
    }
    assert quantile("generator_lag", 0.5)(entry) is None
    assert quantile("lateness", 0.0)({"lateness": [[7.0, 20.0]]}) == pytest.approx(7.17, 1e-3)


def test_leaves_out_what_another_binary_did_before(
    directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    edit_processes(directory, "rpc/1000", binary="new", started="2026-01-02T00:00:00Z")
    results = load(directory)
    assert results.cases("churn") == ["rpc/1000"]
    assert len(results.rounds[CELL]) == 1
    assert len(results.cases("replay")) == 6
    total = 3 * len(CASES["churn"])
    assert f"{total - 1} processes of an older build" in capfd.readouterr().err


def test_leaves_out_what_the_same_binary_did_with_other_arguments(
    directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    edit_processes(directory, "rpc/1000", arguments=["new"], started="2026-01-02T00:00:00Z")
    results = load(directory)
    assert len(results.rounds[CELL]) == 1
    assert len(results.rounds[Name("churn", "min_heap", "rpc/10000")]) == 3
    assert "2 processes of an older build, or run in another way" in capfd.readouterr().err


def test_queues_stand_as_the_catalog_has_them_in_the_file_that_was_started_last(
    directory: Path,
) -> None:
    path = directory / "burst.json"
    file = BenchFile.read(path)
    file.queues = ["gone", *QUEUES[:2]]
    file.write(path)
    path = directory / "rearm.json"
    file = BenchFile.read(path)
    file.queues = [QUEUES[1], "new", QUEUES[0], *QUEUES[2:]]
    file.processes[0]["started"] = "2026-01-02T00:00:00Z"
    file.write(path)
    assert load(directory).queues == [QUEUES[1], "new", QUEUES[0], *QUEUES[2:], "gone"]


def test_a_library_is_one_in_every_bench_if_one_says_so(directory: Path) -> None:
    assert load(directory).libraries == frozenset()
    path = directory / "rearm.json"
    file = BenchFile.read(path)
    file.context["libraries"] = "pairing_heap fibonacci_heap"
    file.write(path)
    assert load(directory).libraries == {"pairing_heap", "fibonacci_heap"}


def test_the_first_queue_that_was_measured_stands_for_its_family(directory: Path) -> None:
    results = load(directory)
    assert results.first_queue_of("linked_heaps") == "pairing_heap"
    results.queues.remove("pairing_heap")
    assert results.first_queue_of("linked_heaps") == "fibonacci_heap"
    assert results.first_queue_of("lists") is None


def test_says_that_benches_were_built_from_different_commits(
    directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = directory / "burst.json"
    path.write_text(path.read_text().replace("0123456789ab", "cdef"))
    results = load(directory)
    assert "benches differ in commit: cdef and 0123456789ab" in capfd.readouterr().err
    assert results.context["commit"] == "cdef and 0123456789ab"


def test_writes_a_line_for_each_cell_and_reads_the_same_again(directory: Path) -> None:
    path = directory / "replay.json"
    text = path.read_text()
    file = BenchFile.read(path)
    entries = sum(len(process["benchmarks"]) for process in file.processes)
    assert text.count("\n  {") == entries == 3 * 6 * 10
    file.write(path)
    assert path.read_text() == text
    assert json.loads(text)["queues"] == QUEUES


def test_says_that_a_directory_holds_no_results(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"holds no results; scripts/run\.py makes some"):
        load(tmp_path)
