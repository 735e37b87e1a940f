"""Which process comes next.

First each case is measured by as many processes as it needs at least, round by round, in random
order. Then, while the budget lasts, the next process goes to the case where it is worth most.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from statistics import fmean

from timerbench.benches import is_in_passes
from timerbench.measuring import sampling
from timerbench.measuring.case import Case, Process
from timerbench.measuring.drift import drift, timed
from timerbench.measuring.store import Store
from timerbench.progress import Left

SEED = 20_240_229


Round = list[Process]  # the processes of a case, one of each build


class Turns:
    """The processes of cases, in their order.

    A round of a case runs on one core, one build after the other in random order: what the machine
    does to one build, it does to the others. So a round that some build lacks is dropped, and runs
    again in all of them. Programs with threads run when all others are done.

    The budget is in seconds, for each build and core. It is for what is measured in passes. Results
    that were kept count against it, so a run that goes on after an interruption has only the rest.
    """

    def __init__(self, cases: Iterable[Case], store: Store, budget: float, cores: int = 1) -> None:
        self._cases = {case.title: case for case in cases}
        self._store = store
        self._cores = cores
        in_passes = (case for case in self._cases.values() if is_in_passes(case.bench))
        builds = max((len(case.first_round) for case in in_passes), default=1)
        self._budget = budget * cores * builds
        for case in self._cases.values():
            store.drop_torn_rounds(case.first_round)
        lacking = [of for of in minimum(self._cases) if of[0].round not in store.rounds(of[0])]
        self._pinned = [of for of in lacking if not of[0].program.has_threads]
        self._alone = [of for of in lacking if of[0].program.has_threads]
        self._running: list[Process] = []
        self._failed: dict[str, float] = {}  # seconds by case
        self._needs: dict[tuple[str, int], float] = {}  # by case and its number of processes
        self._last = ""

    def next_pinned(self) -> Round:
        """Returns a round for a core that is idle; empty if nothing is left."""
        return self._take(self._pinned or self._worth_most())

    def next_alone(self) -> Round:
        """Returns a round of a program that needs all cores; empty if nothing is left."""
        return self._take(self._alone)

    def ended(self, process: Process) -> None:
        """Notes that a process has ended: its result was kept, or it has failed."""
        self._running.remove(process)

    def failed(self, process: Process, seconds: float) -> None:
        """Notes a failure: in this run the case gets only the fewest processes."""
        self._failed[process.of] = self._failed.get(process.of, 0) + seconds

    def left(self) -> Left:
        rounds = self._pinned or self._worth_most()
        to_do = [*self._running, *(p for of in [*rounds, *self._alone] for p in of)]
        pinned = [p for p in to_do if not p.program.has_threads]
        alone = [p for p in to_do if p.program.has_threads]
        costs = {title: self._cost(case) for title, case in self._cases.items()}
        known = [cost for cost in costs.values() if cost is not None]
        if not known:
            return Left(len(to_do), self._may_sample(), None)

        def seconds(processes: Iterable[Process]) -> float:
            return sum(costs[process.of] or fmean(known) for process in processes)

        in_passes = seconds(pinned)
        unused = self._budget - self._spent() - in_passes
        more = bool(pinned) and self._may_sample() and unused > 0
        together = in_passes + (unused if more else 0)
        return Left(len(to_do), more, together / self._cores + seconds(alone))

    def needs(self) -> dict[str, float]:
        """Returns how many times as wide as wanted the intervals of each sampled case are."""
        return {case.title: self._need(case) for case in self._sampled()}

    def drift(self) -> float | None:
        """Returns by what share queues took longer late in the run than early in it, if known."""
        each = (process for case in self._sampled() for process in case.first_round)
        return drift(
            timed(self._store.rounds(process).values(), process.program.twins) for process in each
        )

    def _take(self, rounds: list[Round]) -> Round:
        if not rounds:
            return []
        processes = rounds.pop(0)
        self._last = processes[0].of
        self._running += processes
        return list(processes)

    def _worth_most(self) -> list[Round]:
        """Returns the next round of the case that gains most by it, if the budget allows one."""
        unused = self._budget - self._spent()
        unused -= sum(self._cost(self._cases[process.of]) or 0 for process in self._running)
        worths: dict[str, float] = {}
        for case in self._sampled():
            cost, need, rounds = self._cost(case), self._need(case), len(self._taken(case))
            if cost is None or need <= 1 or rounds >= case.effort.most:
                continue
            if case.title not in self._failed and cost * len(case.first_round) <= unused:
                worths[case.title] = sampling.worth(need, rounds, cost)
        # Processes of one case at the same time, or one after the other, would share one minute of
        # the machine.
        near = {self._last, *(process.of for process in self._running)}
        others = [title for title in worths if title not in near]
        best = max(others or worths, key=lambda title: worths[title], default=None)
        if best is None:
            return []
        case = self._cases[best]
        taken = self._taken(case)
        number = next(n for n in range(1, case.effort.most + 1) if n not in taken)
        return [round_of(case, number)]

    def _sampled(self) -> list[Case]:
        return [case for case in self._cases.values() if case.is_sampled]

    def _may_sample(self) -> bool:
        return any(case.title not in self._failed for case in self._sampled())

    def _complete(self, case: Case) -> set[int]:
        """Returns the rounds that all builds have."""
        return set.intersection(*(set(self._store.rounds(p)) for p in case.first_round))

    def _taken(self, case: Case) -> set[int]:
        """Returns the rounds that are complete, or running."""
        return self._complete(case) | {p.round for p in self._running if p.of == case.title}

    def _need(self, case: Case) -> float:
        """Returns the need of the build that is known least."""
        key = case.title, sum(len(self._store.rounds(p)) for p in case.first_round)
        if key not in self._needs:
            target = sampling.target_for(case.n)
            figures = [
                sampling.figures_of(self._store.rounds(p).values(), p.program.twins)
                for p in case.first_round
            ]
            self._needs[key] = max(sampling.need(sampling.half_widths(f), target) for f in figures)
        return self._needs[key]

    def _seconds(self, case: Case) -> list[float]:
        """Returns the seconds that each kept process took."""
        rounds = (self._store.rounds(process) for process in case.first_round)
        return [float(done["seconds"]) for of in rounds for done in of.values()]

    def _cost(self, case: Case) -> float | None:
        """Returns the seconds of one process. Failures count only if nothing else is known."""
        return fmean(self._seconds(case) or [self._failed.get(case.title, 0)]) or None

    def _spent(self) -> float:
        in_passes = [case for case in self._cases.values() if is_in_passes(case.bench)]
        kept = sum(sum(self._seconds(case)) for case in in_passes)
        return kept + sum(self._failed.get(case.title, 0) for case in in_passes)


def minimum(cases: Mapping[str, Case]) -> Iterator[Round]:
    """Yields what is always measured. A run that is cut short has all cases, or most."""
    most = max((case.effort.least for case in cases.values()), default=0)
    for number in range(1, most + 1):
        titles = sorted(t for t, case in cases.items() if case.effort.least >= number)
        for title in random.Random(SEED + number).sample(titles, len(titles)):
            yield round_of(cases[title], number)


def round_of(case: Case, number: int) -> Round:
    processes = [replace(process, round=number) for process in case.first_round]
    return random.Random(f"{SEED} {case.title} {number}").sample(processes, len(processes))
