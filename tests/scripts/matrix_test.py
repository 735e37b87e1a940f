"""Tests of scripts/timerbench/matrix.py: what a profile measures, and for how long."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from benches_for_tests import OFFERED
from programs_for_tests import cases, plan, processes, program
from results_for_tests import SETTINGS, WORKLOADS
from timerbench import matrix
from timerbench.benches import BENCHES, CALLS, CONTENTION, is_in_passes, kind_of
from timerbench.matrix import PROFILES, cases_of, effort_for
from timerbench.measuring.case import cases_for
from timerbench.measuring.selection import Selection
from timerbench.results import COUNTING, Name
from timerbench.trimmed_mean import LEFT_OUT

ROOT = Path(__file__).resolve().parents[2]

# Cases of these benches take seconds, so smoke runs only a few.
FEW_IN_SMOKE = {
    "contention": {f"{call}_2/1000" for call in CALLS} | {"schedule_2_aged/1000"},
    "ticks": {"1ms/1000"},
    "slack": {"50us/1000"},
    "overload": {"50_percent/1", "stopped/1"},
}


def rounds(profile: str, bench: str, wanted: str = "", asked: int | None = None) -> set[int]:
    return {process.round for process in processes(profile, bench, wanted, asked)}


@pytest.mark.parametrize("bench", sorted(set(BENCHES) - {"replay", *FEW_IN_SMOKE}))
def test_smoke_runs_each_workload_once_at_its_smallest(bench: str) -> None:
    sizes: dict[str, list[int]] = {}
    for case in OFFERED[bench]:
        name = Name(bench, "", case)
        sizes.setdefault(name.workload, []).append(name.n or 0)
    smallest = {w: min([n for n in of if n >= 1_000] or of) for w, of in sizes.items()}
    assert cases("smoke", bench) == {f"{workload}/{n}" for workload, n in smallest.items()}
    assert rounds("smoke", bench) == {1}
    assert not any(case.is_sampled for case in plan("smoke", bench))


@pytest.mark.parametrize("bench", FEW_IN_SMOKE)
def test_smoke_runs_little_of_what_takes_seconds(bench: str) -> None:
    assert cases("smoke", bench) == FEW_IN_SMOKE[bench]


def test_what_is_in_real_time_has_rounds_and_settings_of_its_own() -> None:
    (quick,) = processes("quick", "idle")
    assert {cell.queue for cell in quick.cells} == {SETTINGS[0]}  # one of the two that are offered
    assert (
        quick.arguments[0]
        == f"--benchmark_filter=^idle/({SETTINGS[0]})/one_timer_in_an_hour/1(/|$)"
    )
    full = processes("full", "slow_task", "500ms/1000$")
    assert {process.round for process in full} == {1, 2, 3}
    assert {cell.queue for cell in full[0].cells} == set(SETTINGS[:2])
    assert full[0].arguments[0] == "--benchmark_filter=^slow_task/[^/]+/one_of_500ms/1000(/|$)"
    assert rounds("full", "slow_task", asked=2) == {1, 2}


@pytest.mark.parametrize("bench", sorted(matrix.ONCE - {"memory"}))
def test_what_takes_ten_seconds_is_measured_once(bench: str) -> None:
    assert rounds("full", bench) == {1}
    assert rounds("full", bench, asked=2) == {1, 2}


def test_a_full_run_counts_bytes_once() -> None:
    assert {effort_for("full", Name("memory", "", case)).most for case in OFFERED["memory"]} == {1}


def test_a_quick_run_takes_every_recording_at_one_tick_and_a_full_one_at_both() -> None:
    every = {case for case in OFFERED["replay"] if not case.startswith("tiny")}
    assert cases("smoke", "replay") == {"tiny@1ms", "tiny@1us"}
    assert cases("quick", "replay") == {case for case in every if case.endswith("@1ms")}
    assert cases("full", "replay") == every
    assert len(every) > 5


def test_a_process_measures_one_case_and_no_other_that_begins_alike() -> None:
    (process,) = processes("full", "replay", "nginx-rbtree-ka5@1us", asked=1)
    asked = process.arguments[0].removeprefix("--benchmark_filter=")
    assert re.search(asked, "replay/min_heap/nginx-rbtree-ka5@1us/manual_time")
    assert not re.search(asked, "replay/min_heap/nginx-rbtree-ka5@1ms/manual_time")
    (process,) = processes("full", "churn", "rpc/1000$", asked=1)
    asked = process.arguments[0].removeprefix("--benchmark_filter=")
    assert re.search(asked, "churn/min_heap/rpc/1000/manual_time")
    assert not re.search(asked, "churn/min_heap/rpc/10000/manual_time")


def test_what_a_profile_does_not_name_is_left_out() -> None:
    assert cases("quick", "sleep") == set()
    assert cases("full", "sleep")


@pytest.mark.parametrize("bench", sorted(set(BENCHES) - {"replay"}))
def test_quick_is_part_of_full(bench: str) -> None:
    if bench not in ("idle", "overload", "ticks", "slack"):
        assert cases("smoke", bench) <= cases("full", bench)
    if bench != "idle":  # `full` watches longer
        assert cases("quick", bench) < cases("full", bench)


def test_only_full_runs_ten_million_timers() -> None:
    def huge(profile: str) -> set[str]:
        every = {f"{bench}/{case}" for bench in BENCHES for case in cases(profile, bench)}
        return {title for title in every if title.endswith("/10000000")}

    floors = {f"floor/{touch}/10000000" for touch in WORKLOADS["floor"]}
    others = {"churn/rpc", "hold/exponential", "lateness/ballast"}
    assert huge("full") == floors | {f"{title}/10000000" for title in others}
    assert huge("quick") == huge("smoke") == set()


@pytest.mark.parametrize("group", ["libraries", "trees", "linked_heaps"])
def test_slow_queues_have_no_case_of_a_million_timers_unless_they_are_asked_for(
    group: str,
) -> None:
    def queues(n: int, *asked: str, case: str = "churn/rpc") -> set[str]:
        bench = replace(program(case.partition("/")[0]), groups={group: frozenset(["min_heap"])})
        selection = Selection("full", re.compile(f"^{case}/{n}$"), frozenset(asked))
        [case_of_n] = cases_for([bench], selection, None, "huge")
        return {cell.queue for cell in case_of_n.first_round[0].cells} - {"min_heap_twin"}

    assert queues(100_000) == {"ordered_map", "min_heap"}
    assert queues(1_000_000) == {"ordered_map"}
    assert queues(1_000_000, "min_heap") == {"min_heap"}
    assert queues(1_000_000, case="memory/uniform") == {"ordered_map", "min_heap"}


def test_the_more_timers_the_fewer_rounds_of_services() -> None:
    assert max(rounds("full", "lateness", "burst/10{3}$")) > max(
        rounds("full", "lateness", "burst/10{6}$")
    )


def test_calls_are_measured_in_fresh_and_in_aged_memory_by_several_processes() -> None:
    for profile in ("quick", "full"):
        names = [Name("contention", "", case) for case in cases(profile, "contention")]
        workloads = [CONTENTION[name.workload] for name in names if name.n == 1_000]
        aged = [workload for workload in workloads if workload.memory == "aged"]
        assert {workload._replace(memory="fresh") for workload in aged} <= {*workloads}
        assert len(aged) == (1 if profile == "quick" else len(workloads) / 2)
        assert rounds(profile, "contention") >= {1, 2, 3}
    assert "schedule_4_aged/1000000" in cases("full", "contention")


def test_services_that_take_turns_do_so_for_seconds_and_others_are_repeated() -> None:
    def flag(profile: str, bench: str) -> str:
        return processes(profile, bench)[0].arguments[1]

    assert flag("quick", "contention") == "--seconds=1"
    assert flag("quick", "lateness") == flag("quick", "slow_task") == "--seconds=0"
    assert flag("full", "ticks") == flag("full", "lateness") == "--seconds=0"
    for bench in sorted({"dispatch", "idle", "overload", "service_memory", "sleep"}):
        assert flag("full", bench).startswith("--benchmark_min_time=")


def test_what_takes_turns_in_our_code_is_known_to() -> None:
    sources = (ROOT / "benches" / "services").glob("*.cpp")
    in_code = {file.stem for file in sources if "std::make_shared<Contest>" in file.read_text()}
    of_choose = {"service_load"}  # not in the matrix, as choose.py runs it
    assert in_code - of_choose == matrix.SERVICES_IN_TURNS


def test_counting_takes_one_round() -> None:
    assert rounds("full", "memory") == rounds("full", "memory", asked=5) == {1}


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_queues_are_measured_by_enough_processes_to_leave_out_the_extremes(profile: str) -> None:
    for bench in BENCHES:
        for case in plan(profile, bench):
            if kind_of(bench) != "queues" or bench in COUNTING or case.n == 10**7:
                continue
            is_full, is_long = profile == "full", (case.n or 0) >= 10**6
            assert case.effort.least >= (3 if not is_full else LEFT_OUT - is_long)
            assert case.is_sampled
    assert {case.effort.most for case in plan(profile, "churn", asked=7)} == {7}


def test_the_fewest_processes_of_a_run_fit_into_its_minutes() -> None:
    """Assumes 0.3 s for the input and the answers, and 0.1 s for those of the floor."""
    for profile, about in PROFILES.items():
        if not about.minutes:
            continue
        seconds = 0.0
        for bench in filter(is_in_passes, BENCHES):
            for case in plan(profile, bench):
                around = 0.3 if kind_of(bench) == "queues" else 0.1
                seconds += case.effort.least * (around + case.effort.seconds)
        assert 20 < seconds < 0.9 * 60 * about.minutes, profile


def test_a_new_bench_is_measured_as_others_are() -> None:
    case = Name("novel", "", "uniform/10000")
    assert cases_of("novel", "quick") == cases_of("constant", "quick")
    assert effort_for("quick", case) == effort_for("quick", Name("constant", "", "1_delay/10000"))
