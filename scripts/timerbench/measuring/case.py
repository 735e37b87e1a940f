"""What one process measures, and the command of this process."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from timerbench.benches import is_in_passes, workload_of
from timerbench.matrix import Effort, effort_for, takes_turns
from timerbench.measuring import RunError
from timerbench.measuring.huge_pages import Pages, environment_for
from timerbench.measuring.program import Program
from timerbench.measuring.selection import Selection
from timerbench.results import COUNTING, Name

ADDS_A_TRACE = "TIMERBENCH_TRACE"  # names a recording to the program that plays recordings


@dataclass(frozen=True)
class Recording:
    """A recording that is measured though it is not one of the project's."""

    path: Path
    sha256: str


@dataclass(frozen=True)
class Process:
    """One run of a program: a case, for all queues."""

    program: Program
    case: str
    cells: frozenset[Name]
    round: int
    effort: Effort
    pages: Pages | None  # None: the default of the system
    recording: Recording | None = None

    @property
    def of(self) -> str:
        """The title of its case."""
        return f"{self.program.name}/{self.case}"

    @property
    def title(self) -> str:
        return f"{self.of} round {self.round}"

    @cached_property
    def arguments(self) -> list[str]:
        measured = sorted({cell.queue for cell in self.cells})
        everything = len(measured) == len(self.program.everything)
        queues = "[^/]+" if everything else f"({'|'.join(measured)})"
        case = re.sub(r"[.+]", r"[\g<0>]", self.case)
        return [
            f"--benchmark_filter=^{self.program.name}/{queues}/{case}(/|$)",
            *flags(self.program.name, self.effort.seconds),
            "--benchmark_out_format=json",
        ]

    @property
    def environment(self) -> dict[str, str]:
        """Returns the variables that the program gets in addition to those of run.py."""
        pages = environment_for(self.pages, os.environ) if self.pages else {}
        return pages | environment_of(self.recording)

    @property
    def made_in(self) -> dict[str, str]:
        """Returns what distinguishes this process from others with the same arguments."""
        pages = {"pages": self.pages} if self.pages else {}
        return pages | ({"trace": self.recording.sha256} if self.recording else {})


def recording(path: Path | None) -> Recording | None:
    return Recording(path, hashlib.sha256(path.read_bytes()).hexdigest()) if path else None


def environment_of(recording: Recording | None) -> dict[str, str]:
    return {ADDS_A_TRACE: str(recording.path)} if recording else {}


def flags(bench: str, seconds: float) -> list[str]:
    """Returns the flags for how long a program measures.

    A program whose queues take turns interleaves them itself.
    """
    if takes_turns(bench):
        return [f"--seconds={seconds}"]
    return [f"--benchmark_min_time={seconds}", "--benchmark_enable_random_interleaving=true"]


@dataclass(frozen=True)
class Case:
    """A workload with n timers, or a recording at a length of a tick, in every build."""

    title: str  # churn/rpc/1000
    effort: Effort
    first_round: tuple[Process, ...]  # one of each build

    @property
    def bench(self) -> str:
        return self.first_round[0].program.name

    @property
    def n(self) -> int | None:
        return Name(self.bench, "", self.first_round[0].case).n

    @property
    def is_sampled(self) -> bool:
        """Whether the case gets more processes than the fewest, if it needs them."""
        return self.effort.most > self.effort.least


def cases_for(
    programs: Iterable[Program], selection: Selection, rounds: int | None, pages: Pages
) -> list[Case]:
    """Returns all cases that the selection wants; `rounds` fixes their number of processes."""
    added = recording(selection.added_trace)
    processes: dict[str, list[Process]] = {}
    for program in programs:
        for case, cells in _cells(program, selection).items():
            process = Process(
                program,
                case,
                cells,
                round=1,
                effort=_effort(selection.profile, Name(program.name, "", case), rounds),
                pages=pages if is_in_passes(program.name) else None,
                recording=added,
            )
            processes.setdefault(process.of, []).append(process)
    return [Case(title, of[0].effort, tuple(of)) for title, of in processes.items()]


def _effort(profile: str, case: Name, rounds: int | None) -> Effort:
    effort = effort_for(profile, case)
    if case.bench in COUNTING:
        return Effort(1, effort.seconds)
    return Effort(rounds, effort.seconds) if rounds else effort


def _cells(program: Program, selection: Selection) -> dict[str, frozenset[Name]]:
    """Returns the cells by case.

    It is an error if a queue lacks a case; only twins may lack some. A workload may be for one
    group alone. Slow queues have no large cases, unless they are asked for.
    """
    wanted = selection.cases(program.name)
    if wanted is None:
        return {}
    there = dict.fromkeys(name.case for name in program.names if re.fullmatch(wanted, name.case))
    if not there:
        raise RunError(f"{program.binary} offers no case that matches '{wanted}'")
    queues = program.measured(selection.profile, selection.queues)
    offered = set(program.names)
    cases: dict[str, frozenset[Name]] = {}
    for case in there:
        if queues and selection.wants(program.name, case):
            named = Name(program.name, "", case)
            group = workload_of(program.name, named.workload).group
            able = program.members(group) if group else queues
            cells = {replace(named, queue=queue) for queue in queues if queue in able}
            if not selection.queues and program.name not in COUNTING:
                slow = program.too_slow_for(named.n)
                cells = {cell for cell in cells if cell.queue not in slow}
            lacking = {cell for cell in cells - offered if cell.queue in program.twins}
            if cells - lacking:
                cases[case] = frozenset(cells - lacking)
    return cases


def unknown_queues(programs: Iterable[Program], asked: frozenset[str]) -> str:
    """Returns an error if no program offers some of these queues; otherwise an empty text."""
    there = dict.fromkeys(queue for program in programs for queue in program.queues)
    unknown = ", ".join(f"'{queue}'" for queue in sorted(asked - {*there}))
    return unknown and f"--queue {unknown} is offered by no bench; there are {', '.join(there)}"
