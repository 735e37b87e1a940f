"""Tests of scripts/summary.py."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import summary
from results_for_tests import (
    CASES,
    FLOOR,
    IN_A_WINDOW,
    MEASURED,
    QUEUES,
    SERVICES,
    SETTINGS,
    SLOWER_THAN,
    edit,
    write_bench,
    write_results,
    write_times,
)
from timerbench.benches import subject_of
from timerbench.numerals import duration
from timerbench.results import COUNTING, Name, load, ns_per_operation, optional

IN_TURNS = Name("contention", SERVICES[0], "schedule_4/1000")
TWO_CASES = [Name("churn", "", "rpc/1000"), Name("cancel", "", "random/1000")]


def number_of_cells(bench: str) -> int:
    return len(CASES[bench]) * len(MEASURED[subject_of(bench)])


CELLS = sum(map(number_of_cells, CASES))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes results of every bench, which no test changes."""
    directory = tmp_path_factory.mktemp("results")
    write_results(directory)
    return directory


def output_of(directory: Path, capfd: pytest.CaptureFixture[str]) -> list[str]:
    assert summary.main([str(directory)]) == 0
    return capfd.readouterr().out.splitlines()


def test_prints_a_line_for_each_queue_in_a_hundred_columns(
    directory: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(directory, tmp_path, dirs_exist_ok=True)
    edit(tmp_path, "churn", lambda _, entry: entry.update(ns_per_operation=12_345.6))
    lines = output_of(tmp_path, capfd)
    assert [words[0] for line in lines if (words := line.split()) and words[0] in QUEUES] == QUEUES
    table = lines[: lines.index(f"0 of {CELLS} cells are unstable: their mean is not known to 10%")]
    assert max(map(len, table)) <= 100
    headings = next(line for line in table if line.strip().startswith("queue"))
    assert " ".join(headings.split()) == "queue × best 10k 100k 1M 10M 10k 10k × best × best"
    assert sum(" 12.3k" in line for line in table) == len(QUEUES)


def test_prints_a_line_for_each_service_below(
    directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = [line.split() for line in output_of(directory, capfd) if line.strip()]
    start = next(at for at, words in enumerate(lines) if words[0] == "service")
    calls = ["schedule", "schedule", "cancel", "cancel", "both", "both"]
    assert lines[start - 2] == calls
    assert lines[start - 1] == [*"444444", "expiry", "alloc."]
    assert lines[start] == ["service", *["fresh", "aged"] * 3, "CPU", "each"]
    of_services = lines[start + 2 :][: len(SERVICES)]
    assert [words[0] for words in of_services] == SERVICES
    results = load(directory)
    for workload, place in {"cancel_4": 3, "schedule_cancel_4_aged": 6}.items():
        name = Name("contention", SERVICES[0], f"{workload}/1000000")
        figure = results.figure(name, ns_per_operation)
        assert figure
        assert of_services[0][place] == f"{figure.mean:.0f}"
    assert of_services[0][-1] == "1.00"


def test_prints_a_line_for_each_setting_that_was_measured(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    few = {SETTINGS[0]: 1.0, SETTINGS[6]: 2.0}
    for bench, counter, n in (("lateness", "p999_ns", 10_000), ("idle", "no_such", 2)):
        workload = "uniform" if bench == "lateness" else "one_timer_in_an_hour"
        rounds = {
            Name(bench, setting, f"{workload}/{size}"): [
                {"ns_per_operation": 5_000 * times * size / n, counter: 7_000 * times}
            ]
            for setting, times in few.items()
            for size in (n, 10 * n)
        }
        write_bench(tmp_path, rounds)
    table = summary.columns_of_settings(load(tmp_path))
    assert list(table) == ["late µs\nmedian", "late µs\np99.9", "idle\nµs/s"]
    lines = [line.split() for line in output_of(tmp_path, capfd)]
    of_settings = [words for words in lines if words and words[0] in SETTINGS]
    # Lateness is shown at 10,000 a second though more was measured; the others at the largest n.
    assert of_settings == [
        [SETTINGS[0], "5.00", "7.00", "50.0"],
        [SETTINGS[6], "10.0", "14.0", "100"],
    ]


def test_the_table_of_calls_has_what_was_measured_with_four_threads_at_most(tmp_path: Path) -> None:
    workloads = ("schedule_1", "schedule_2", "schedule_8", "schedule_8_aged", "novel_4")
    names = [Name("contention", SERVICES[0], f"{workload}/1000") for workload in workloads]
    write_times(tmp_path, {name: [5.0] for name in names})
    assert list(summary.columns_of_services(load(tmp_path))) == ["schedule\n2\nfresh"]


def test_prints_how_late_settings_are_beyond_the_floor_with_intervals(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def of_rounds(*beyond: float) -> list[dict[str, Any]]:
        late = [{"ns_per_operation": 1e5 + ns, "p50_beyond_floor_ns": ns} for ns in beyond]
        return [{**entry, "p99_beyond_floor_ns": -2e3} for entry in late]

    floor = Name("lateness", FLOOR, "uniform/10000")
    rounds = {
        floor: [{"ns_per_operation": 1e5}] * 2,
        replace(floor, queue=SETTINGS[0]): of_rounds(8e3, 8e3),
        replace(floor, queue=SETTINGS[1]): of_rounds(5e3, 6e3),
        replace(floor, queue=SETTINGS[0], case="uniform/100000"): of_rounds(1e6),
    }
    write_bench(tmp_path, rounds)
    lines = [line.split("  ") for line in output_of(tmp_path, capfd)]
    start = next(at for at, words in enumerate(lines) if "beyond a thread" in words[0])
    figure = load(tmp_path).figure(
        replace(floor, queue=SETTINGS[1]), optional("p50_beyond_floor_ns")
    )
    assert figure
    of_settings = [[word.strip() for word in line if word] for line in lines[start + 3 :][:2]]
    reach = duration(figure.high - figure.mean)  # With logarithms, the upper end is further.
    assert of_settings == [
        [SETTINGS[0], "8 µs ± 0 ns", "-2 µs ± 0 ns", "–"],
        [SETTINGS[1], f"{duration(figure.mean)} ± {reach}", "-2 µs ± 0 ns", "–"],
    ]
    assert FLOOR not in {words[0] for line in lines for words in [line[0].split()] if words}
    write_bench(tmp_path, {name: entries[:1] for name, entries in rounds.items()})
    assert "±" not in "".join(output_of(tmp_path, capfd))
    del rounds[floor]
    write_times(tmp_path, {name: [1e5] for name in rounds})
    assert "only sleeps" not in "".join(output_of(tmp_path, capfd))


def test_says_how_far_equal_queues_and_equal_services_differ(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, apart in ((Name("churn", "min_heap", "rpc/10"), 1.02), (IN_TURNS, 1.3)):
        twin = replace(name, queue=f"{name.queue}_twin")
        figures = {name: 10.0, twin: 10.0 * apart}
        write_times(tmp_path, {n: [ns] for n, ns in figures.items()})
    lines = output_of(tmp_path, capfd)
    assert "equal queues differ by up to 2.0%: 95% of the twins are as close" in lines
    assert "equal services differ by up to 30.0%: 95% of the twins are as close" in lines


def test_services_alone_make_a_table_without_one_of_queues(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name = Name("dispatch", SERVICES[0], "within_250ms/1000")
    write_bench(tmp_path, {name: [{"ns_per_operation": 1_234.0, "allocations_per_schedule": 1.0}]})
    words = [line.split() for line in output_of(tmp_path, capfd)]
    assert [SERVICES[0], "1,234", "1.00"] in words
    assert ["queue"] not in [line[:1] for line in words]


def test_counts_the_cells_that_are_unstable(
    directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    line = f"1 of {CELLS} cells are unstable: their mean is not known to 10%"
    assert line in output_of(directory, capfd)


def test_one_process_does_not_tell_whether_a_time_is_stable(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_results(tmp_path, rounds=1)
    counted = sum(number_of_cells(bench) for bench in COUNTING)
    line = f"0 of {counted} cells are unstable: their mean is not known to 10%"
    assert f"{line}; {CELLS - counted} have one process only, which does not tell" in output_of(
        tmp_path, capfd
    )


def test_lists_the_charts_and_the_report_if_there_is_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_results(tmp_path, 1, ["rearm"])
    for chart in ("churn.svg", "churn.png", "burst.svg"):
        (tmp_path / chart).touch()
    charts = [f"chart   {tmp_path}/{chart}" for chart in ("burst.svg", "churn.svg")]
    assert output_of(tmp_path, capfd)[-3:] == [*charts, f"figures {tmp_path}/*.json"]
    (tmp_path / "report.html").touch()
    assert output_of(tmp_path, capfd)[-2:] == [
        f"report  {tmp_path}/report.html",
        f"figures {tmp_path}/*.json",
    ]


def test_times_the_best_is_the_geometric_mean_over_the_cases(tmp_path: Path) -> None:
    ns = {"churn": (2.0, 1.0), "cancel": (40.0, 5.0)}
    for case in TWO_CASES:
        names = [replace(case, queue=queue) for queue in ("slow", "fast")]
        write_times(tmp_path, {names[0]: ns[case.bench][:1], names[1]: ns[case.bench][1:]})
    results = load(tmp_path)
    slow, fast = (summary.ratio_to_best(results, queue, TWO_CASES) for queue in ("slow", "fast"))
    assert slow
    assert fast
    assert slow.value == pytest.approx(4)
    assert fast.value == 1
    assert summary.ratio_to_best(results, "slow", []) is None
    assert summary.ratio_to_best(results, "other", TWO_CASES) is None


def test_each_made_workload_counts_for_the_population_that_it_is(directory: Path) -> None:
    results = load(directory)
    timeouts, schedules = (
        {(name.bench, name.workload) for name in summary.cases_of(results, population)}
        for population in ("timeouts", "schedules")
    )
    assert {("churn", "rpc"), ("cancel", "random"), ("rearm", "raft")} <= timeouts
    assert {("churn", "retry"), ("expire", "uniform"), ("burst", "edges")} <= schedules
    assert not timeouts & schedules
    assert "replay" not in {bench for bench, _ in timeouts | schedules}


def test_a_cell_that_was_too_slow_to_be_timed_makes_a_bound_and_a_window_does_not(
    directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = {line.split()[0]: line.split() for line in output_of(directory, capfd) if line.strip()}
    assert lines[SLOWER_THAN.queue][-2] == ">"
    assert IN_A_WINDOW[1].queue != SLOWER_THAN.queue
    assert ">" not in lines[IN_A_WINDOW[1].queue]


def test_a_bound_is_never_the_best(tmp_path: Path) -> None:
    bound = {"ns_per_operation": 5.0, "slower_than": 1.0}
    rounds = {"min_heap": {"ns_per_operation": 10.0}, "lazy_wheel": bound}
    name = Name("churn", "", "rpc/1000")
    write_bench(tmp_path, {Name("churn", q, name.case): [entry] for q, entry in rounds.items()})
    results = load(tmp_path)
    assert summary.ratio_to_best(results, "min_heap", [name]) == summary.Shown(1, False)
    assert summary.ratio_to_best(results, "lazy_wheel", [name]) == summary.Shown(0.5, True)

    def cells() -> list[object]:
        table = summary.table_of("queue", results.queues, summary.columns(results))
        return list(table.columns[1].cells)

    assert cells() == ["[bold green]10.0[/]", "> 5.00"]
    del results.rounds[Name("churn", "min_heap", name.case)]
    assert summary.ratio_to_best(results, "lazy_wheel", [name]) == summary.Shown(1, True)
    assert cells() == ["–", "> 5.00"]


def test_a_failed_cell_is_a_gap(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    entry: dict[str, Any] = {"ns_per_operation": 10.0}
    write_bench(
        tmp_path,
        {
            Name("churn", "min_heap", "rpc/1000"): [entry],
            Name("churn", "min_heap", "rpc/10000"): [entry],
            Name("churn", "lazy_wheel", "rpc/1000"): [entry],
        },
    )
    lines = output_of(tmp_path, capfd)
    assert next(line.split() for line in lines if "lazy_wheel" in line) == [
        "lazy_wheel",
        "10.0",
        "–",
        "–",
    ]
