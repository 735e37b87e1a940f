"""Tests of scripts/timerbench/measuring/turns.py: which process comes next."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest

from programs_for_tests import plan
from timerbench.measuring.case import Case, Process
from timerbench.measuring.store import Store
from timerbench.measuring.turns import Turns

SMALL = "/10{4}$"
OTHERS = ["oldest_first/10000", "newest_first/10000"]

Figure = Callable[[Process, str], float]


@dataclass
class Run:
    """Takes the turns on a number of cores, and keeps made-up figures of queues."""

    cases: list[Case]
    budget: float
    figure: Figure
    seconds: dict[str, float] = field(default_factory=dict)  # of a process, by case; or 1
    store: Store = field(default_factory=lambda: Store([]))
    stop_after: int = 1_000
    fails: str = "nothing"
    cores: int = 1

    def __post_init__(self) -> None:
        self.order: list[Process] = []  # in the order in which they end
        self.known: list[int] = []  # the known number of processes after each end
        self.beside: list[list[str]] = []  # the cases that run when a round begins
        turns = Turns(self.cases, self.store, self.budget, self.cores)
        lanes: list[list[Process]] = [[] for _ in range(self.cores)]
        for next_round in (turns.next_pinned, turns.next_alone):
            going = True
            while going:
                going = False
                for lane in lanes:
                    if not lane:
                        running = [process.case for of in lanes for process in of]
                        lane.extend(next_round())
                        if lane:
                            self.beside.append([lane[0].case, *running])
                for lane in lanes:
                    if lane and len(self.order) < self.stop_after:
                        self.end(turns, lane.pop(0))
                        going = True
        self.needs = turns.needs()

    def end(self, turns: Turns, process: Process) -> None:
        self.order.append(process)
        took = self.seconds.get(process.case, 1.0)
        if self.fails in process.title:
            turns.failed(process, took)
        else:
            entries = [
                {"run_name": str(cell), "ns_per_operation": self.figure(process, cell.queue)}
                for cell in process.cells
            ]
            report = {"context": {"cpu": "A CPU"}, "benchmarks": entries}
            facts = {"seconds": took, "started": "2026-01-01T00:00:00Z", "load_before": [0.0]}
            self.store.add(process, report, facts)
        turns.ended(process)
        left = turns.left()
        self.known.append(len(self.order) + left.steps)
        self.more = left.more

    @property
    def count(self) -> Counter[str]:
        return Counter(process.case for process in self.order)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes to a folder in which the results of the made-up programs have folders."""
    monkeypatch.chdir(tmp_path)
    for letter in "ab":
        Path(letter).mkdir()


def noisy(*cases: str, by: float = 0.1) -> Figure:
    """Returns figures. Those of min_heap vary from round to round in these cases."""

    def figure(process: Process, queue: str) -> float:
        share = by if process.case in cases and queue == "min_heap" else 0
        up = 1 if process.round % 2 == 0 else -1
        return (10 if queue == "ordered_map" else 20) * (1 + share * up)

    return figure


def test_measures_each_case_three_times_and_no_more_when_all_is_known() -> None:
    run = Run(plan("quick", "cancel", SMALL), 1_000, noisy())
    assert run.count == dict.fromkeys(["random/10000", *OTHERS], 3)
    assert [process.round for process in run.order] == [1] * 3 + [2] * 3 + [3] * 3
    assert run.known == [9] * 9
    assert not run.more
    assert all(need <= 1 for need in run.needs.values())


def test_the_order_is_random_in_each_round_and_always_the_same() -> None:
    orders = [
        [p.title for p in Run(plan("full", "cancel", "/10{3,5}$", asked=2), 0, noisy()).order]
        for _ in range(2)
    ]
    assert orders[0] == orders[1]
    first, second = ([t.split()[0] for t in half] for half in (orders[0][:9], orders[0][9:]))
    assert sorted(first) == sorted(second) != first
    assert first != second


def test_more_processes_go_where_figures_are_known_least() -> None:
    run = Run(plan("quick", "cancel", SMALL), 9 + 5, noisy("random/10000"))
    assert run.count == {"random/10000": 8, **dict.fromkeys(OTHERS, 3)}
    assert run.needs["cancel/random/10000"] > 1
    assert [process.round for process in run.order[9:]] == [4, 5, 6, 7, 8]


def test_it_ends_when_the_target_is_met_and_not_only_when_the_budget_is_spent() -> None:
    run = Run(plan("quick", "cancel", SMALL), 1_000, noisy("random/10000", by=0.02))
    assert 4 <= run.count["random/10000"] < 20
    assert run.needs["cancel/random/10000"] <= 1


def test_no_case_gets_more_than_twenty() -> None:
    run = Run(plan("quick", "cancel", SMALL), math.inf, noisy("random/10000", by=0.5))
    assert run.count["random/10000"] == 20
    assert run.needs["cancel/random/10000"] > 1


def test_of_equal_need_what_takes_less_time_comes_first_and_the_budget_is_kept() -> None:
    seconds = {"random/10000": 10.0, "oldest_first/10000": 1.0, "newest_first/10000": 1.0}
    run = Run(plan("quick", "cancel", SMALL), 36 + 8, noisy("random/10000", *OTHERS), seconds)
    assert run.count == {"random/10000": 3, **dict.fromkeys(OTHERS, 7)}
    assert sum(seconds[process.case] for process in run.order) == 44


def test_the_fewest_are_measured_whatever_the_budget_says() -> None:
    run = Run(plan("quick", "cancel", SMALL), 0, noisy("random/10000"))
    assert run.count == dict.fromkeys(["random/10000", *OTHERS], 3)
    assert not run.more


def test_two_processes_of_a_case_follow_each_other_only_where_no_other_needs_more() -> None:
    very, little = noisy("random/10000", by=0.5), noisy(OTHERS[0], by=0.1)
    run = Run(
        plan("quick", "cancel", SMALL),
        9 + 8,
        lambda p, q: (very if p.case == "random/10000" else little)(p, q),
    )
    sampled = [process.case for process in run.order[9:]]
    assert set(sampled) == {"random/10000", OTHERS[0]}
    assert all(one != other for one, other in pairwise(sampled))


def test_a_run_that_was_interrupted_goes_on_and_has_what_is_left_of_its_budget() -> None:
    figure = noisy("random/10000")
    first = Run(plan("quick", "cancel", SMALL), 9 + 5, figure, stop_after=11)
    second = Run(plan("quick", "cancel", SMALL), 9 + 5, figure, store=first.store)
    assert len(second.order) == 3
    assert first.count + second.count == {"random/10000": 8, **dict.fromkeys(OTHERS, 3)}
    assert not Run(plan("quick", "cancel", SMALL), 9 + 5, figure, store=first.store).order


def test_what_failed_is_not_tried_again_in_the_same_run() -> None:
    run = Run(
        plan("quick", "cancel", SMALL),
        100,
        noisy("random/10000", OTHERS[0], by=0.3),
        fails="cancel/random/10000 round 5",
    )
    assert run.count["random/10000"] == 5
    assert run.count[OTHERS[0]] == 20


def test_the_last_line_of_a_spent_budget_says_that_nothing_more_comes() -> None:
    run = Run(plan("quick", "cancel", SMALL), 9 + 2, noisy("random/10000"))
    assert run.known == [9] * 8 + [10, 11, 11]
    assert not run.more


def test_services_are_measured_by_rounds_and_take_nothing_of_the_budget() -> None:
    cases = plan("quick", "contention") + plan("quick", "cancel", SMALL)
    seconds = {"schedule_4/1000": 100.0}
    run = Run(cases, 9 + 2, noisy("random/10000", "schedule_4/1000"), seconds)
    assert run.count["schedule_4/1000"] == 3
    assert run.count["random/10000"] == 5


def test_a_second_build_of_services_gives_queues_no_more_minutes() -> None:
    cases = plan("quick", "contention", outputs="ab") + plan("quick", "cancel", SMALL)
    run = Run(cases, 9 + 2, noisy("random/10000"))
    assert run.count["schedule_4/1000"] == 2 * 3
    assert run.count["random/10000"] == 5


def test_builds_are_neighbours_in_random_order_and_have_the_same_number() -> None:
    cases = plan("quick", "cancel", SMALL, outputs="ab")
    only_b = noisy("random/10000")
    run = Run(
        cases, 9 + 5.5, lambda p, q: (only_b if p.program.output == Path("b") else noisy())(p, q)
    )
    pairs = list(zip(run.order[::2], run.order[1::2], strict=True))
    assert all(one.title == other.title for one, other in pairs)
    orders = [(str(one.program.output), str(other.program.output)) for one, other in pairs]
    assert set(orders) == {("a", "b"), ("b", "a")}
    # Each build has this budget, and the build that is known least decides.
    assert run.count == {"random/10000": 16, **dict.fromkeys(OTHERS, 6)}


@pytest.mark.parametrize("stop_after", [5, 7])
def test_a_round_that_was_interrupted_runs_again_in_all_builds(stop_after: int) -> None:
    cases = plan("quick", "cancel", "random/10000$", outputs="ab")
    first = Run(cases, 4, noisy("random/10000"), stop_after=stop_after)
    second = Run(cases, 4, noisy("random/10000"), store=first.store)
    assert len(first.order + second.order) == 8 + 1
    assert [process.title for process in second.order[:2]] == [first.order[-1].title] * 2


@pytest.mark.parametrize("changed", [0, 1])
def test_the_round_of_a_new_binary_is_never_beside_an_older_round(changed: int) -> None:
    """That holds, too, if the run is interrupted in its first round."""
    (case,) = plan("quick", "cancel", "random/10000$", outputs="ab")
    Run([case], 5, noisy("random/10000"))
    builds = list(case.first_round)
    builds[changed] = replace(
        builds[changed], program=replace(builds[changed].program, sha256="another")
    )
    case = replace(case, first_round=tuple(builds))
    programs = [build.program for build in builds]
    Run([case], 3, noisy(), store=Store(programs), stop_after=1)
    again = Run([case], 3, noisy(), store=Store(programs))
    assert sorted(process.round for process in again.order) == [1, 1, 2, 2, 3, 3]
    store = Store(programs)
    assert all(store.rounds(build).keys() == {1, 2, 3} for build in builds)


def test_on_two_cores_the_budget_is_twice_as_much_and_cases_are_not_their_own_neighbours() -> None:
    figure = noisy("random/10000", *OTHERS)
    run = Run(plan("quick", "cancel", SMALL), 15, figure, cores=2)
    assert run.count == dict.fromkeys(["random/10000", *OTHERS], 10)
    sampled = run.beside[9:]
    assert all(len(cases) == len({*cases}) for cases in sampled)
    assert max(len(cases) for cases in sampled) == 2


def test_a_case_that_is_alone_runs_on_both_cores() -> None:
    run = Run(plan("quick", "cancel", "random/10{4}$"), 5, noisy("random/10000"), cores=2)
    assert sorted(process.round for process in run.order) == [*range(1, 11)]


def test_what_has_threads_runs_when_all_else_is_done() -> None:
    cases = plan("quick", "contention") + plan("quick", "cancel", SMALL)
    run = Run(cases, 20, noisy("random/10000"), cores=2)
    has_threads = [process.program.has_threads for process in run.order]
    assert has_threads == sorted(has_threads)
    assert sum(has_threads) == 9


def test_what_runs_at_once_takes_half_of_the_time() -> None:
    cases = plan("quick", "cancel", SMALL) + plan("quick", "contention")
    store = Store([])
    Run(cases, 0, noisy(), store=store, stop_after=5)
    assert Turns(cases, store, 0, cores=1).left().seconds == 4 + 9
    assert Turns(cases, store, 0, cores=2).left().seconds == 4 / 2 + 9


def test_it_says_how_long_the_rest_takes_as_soon_as_something_is_known() -> None:
    cases = plan("quick", "cancel", SMALL)
    turns = Turns(cases, store := Store([]), 20)
    assert turns.left().seconds is None
    assert turns.left().steps == 9
    assert turns.left().more
    Run(cases, 20, noisy(), store=store, stop_after=4)
    left = Turns(cases, store, 20).left()
    assert (left.steps, left.more, left.seconds) == (5, True, 16)
    assert Turns(cases, store, 8).left().seconds == 5
