"""What choose.py runs, within a fixed time: processes of three programs on one load."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from timerbench.context import System
from timerbench.matrix import MOST_TIMERS
from timerbench.measuring import RunError, cores
from timerbench.measuring.children import side_by_side
from timerbench.measuring.execution import report_of
from timerbench.measuring.huge_pages import environment_for
from timerbench.measuring.program import binary_in, groups_of, names_in
from timerbench.results import Entry, Name, parse_json

SECONDS_IN_ALL = 170.0  # with a few services
MANY_TIMERS = 300_000
FEW_SERVICES = 5
SECONDS_OF_ANOTHER = 20.0
SECONDS_OF_QUEUES = 85.0
SECONDS_OF_A_CONTEST = 2
MOST_ROUNDS = 12  # of queues; more rounds tell hardly more
FAR_BEHIND = 4.0  # times the best; slower queues have no later rounds
ROUNDS_OF_SERVICES = 3

Round = dict[str, Entry]  # what a process measured, by queue or setting


@dataclass
class Measured:
    """All that is known of a load. What failed is only in the errors."""

    queues: list[Round] = field(default_factory=list)
    use: Round = field(default_factory=dict)
    services: list[Round] = field(default_factory=list)
    limits: Round = field(default_factory=dict)
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Programs:
    """The programs in a build, for the load in a file."""

    build: Path
    file: Path

    def command(self, program: str, names: str, *flags: str) -> list[str]:
        binary = binary_in(self.build, program)
        return [str(binary), *self._flags(names), "--benchmark_out_format=json", *flags]

    def offered(self, program: str) -> list[str]:
        """Returns queues or settings of services, in the order of the catalog."""
        binary = binary_in(self.build, program)
        return [name.queue for name in names_in(binary, self._flags(f"{program}/[^/]+"))]

    def groups(self, program: str) -> dict[str, frozenset[str]]:
        return groups_of(binary_in(self.build, program))

    def _flags(self, names: str) -> list[str]:
        return [f"--load={self.file}", f"--benchmark_filter=^{names}/own(/|$)"]


class Measuring:
    """Runs processes until the time is over, and keeps what they say."""

    def __init__(self, programs: Programs) -> None:
        self.measured = Measured()
        self._programs = programs
        self._began = time.monotonic()
        self._seconds_in_all = SECONDS_IN_ALL
        self._leave_out: frozenset[str] = frozenset()

    def queues(self, pending: float, seconds: float = SECONDS_OF_QUEUES) -> None:
        """Measures queues: each core runs rounds in turn, and one core counts memory first.

        `pending` timers are pending. With very many, some queues take long to fill.
        """
        self.measured.groups |= self._programs.groups("load")
        if pending > MANY_TIMERS:
            slow = [group for group in MOST_TIMERS if group in self.measured.groups]
            self._leave_out = frozenset().union(*(self.measured.groups[group] for group in slow))
            self.measured.errors.append(
                f"{', '.join(slow)}: with more than {MANY_TIMERS:,} timers they take too long"
            )
        lanes = cores.cores_for(cores.BY_DEFAULT, System())
        asyncio.run(self._lanes(lanes, self._passed() + seconds))
        if not self.measured.queues:
            raise RunError(
                _said_once(self.measured.errors)
                or "this load takes too long to be measured; give one with fewer timers"
            )

    def services(self, names: list[str]) -> None:
        """Measures rounds of all services together, and then the limit of each."""
        groups = self.measured.groups
        for group, members in self._programs.groups("service_load").items():
            groups[group] = groups.get(group, frozenset()) | members
        self._seconds_in_all += SECONDS_OF_ANOTHER * max(len(names) - FEW_SERVICES, 0)
        either = f"({'|'.join(names)})"
        for number in range(1, ROUNDS_OF_SERVICES + 1):
            command = self._programs.command(
                "service_load", f"service_load/{either}", "--seconds=0"
            )
            title = f"services, round {number} of {ROUNDS_OF_SERVICES}"
            if round_of := asyncio.run(self._run(title, command, None)):
                self.measured.services.append(round_of)
        for name in names:
            if self._left() <= 0:
                self.measured.errors.append(f"{name}: no time was left to find its limit")
                continue
            command = self._programs.command("service_load", f"service_limit/{name}")
            self.measured.limits |= asyncio.run(self._run(f"the limit of {name}", command, None))

    def _passed(self) -> float:
        return time.monotonic() - self._began

    def _left(self) -> float:
        return self._seconds_in_all - self._passed()

    async def _lanes(self, lanes: list[int | None], until: float) -> None:
        """Runs rounds on each lane.

        One lane first counts, which tells which queues are fast. Meanwhile another one measures all
        of them once.
        """
        rounds = 0
        counts = self._programs.command("load_use", f"load_use/{self._among('load_use')}")
        everything = self._among("load")
        longest = {everything: 0.0}

        async def round_of(queues: str, core: int | None) -> bool:
            nonlocal rounds
            expected = longest.get(queues, max(longest.values()) / 2)
            if rounds and (rounds >= MOST_ROUNDS or self._passed() + expected > until):
                return False
            rounds += 1
            command = self._programs.command(
                "load", f"load/{queues}", f"--seconds={SECONDS_OF_A_CONTEST}"
            )
            began = self._passed()
            measured = await self._run(f"queues, round {rounds}", command, core)
            longest[queues] = max(longest.get(queues, 0), self._passed() - began)
            if measured:
                self.measured.queues.append(measured)
            return bool(measured)

        is_counted = asyncio.Event()

        async def lane(core: int | None, *, counts_first: bool, measures_all: bool) -> None:
            if counts_first:
                self.measured.use = await self._run("memory and wake-ups", counts, core)
                is_counted.set()
            goes_on = not measures_all or await round_of(everything, core)
            await is_counted.wait()
            while goes_on:
                goes_on = await round_of(self._fast() or everything, core)

        await side_by_side(
            lane(core, counts_first=number == len(lanes) - 1, measures_all=number == 0)
            for number, core in enumerate(lanes)
        )

    def _fast(self) -> str:
        """Returns a pattern of the queues that are worth more rounds, and of their twins.

        These queues were near the best somewhere. It is empty before that is known.
        """
        seconds = {
            name: entry["pilot_seconds"] / max(entry["share"], 0.01)
            for name, entry in self.measured.use.items()
        }
        near = _near_the_best(seconds)
        for of in self.measured.queues:
            near |= _near_the_best({n: entry["ns_per_operation"] for n, entry in of.items()})
        fast = [name for name in seconds if name in near]
        return f"({'|'.join(fast)})(_twin)?" if fast else ""

    def _among(self, program: str) -> str:
        """Returns a pattern of all that the program offers, except what takes too long."""
        if not self._leave_out:
            return "[^/]+"
        names = [n for n in self._programs.offered(program) if n not in self._leave_out]
        return f"({'|'.join(names)})"

    async def _run(self, title: str, command: list[str], core: int | None) -> Round:
        """Returns what a process measured, without queues that failed in it."""
        environment = environment_for("huge", os.environ)
        _, text, error = await report_of(command, environment, core, max(self._left(), 1))
        print(f"{self._passed():4.0f} s  {title}", file=sys.stderr)
        try:
            report = parse_json(text or b"")
        except ValueError:
            self.measured.errors.append(f"{title}: {error or 'it says nothing'}")
            return {}
        self.measured.context |= report["context"]
        entries = {Name.parse(entry["run_name"]).queue: entry for entry in report["benchmarks"]}
        for name, entry in entries.items():
            if "label" in entry:
                entry.update(parse_json(entry.pop("label")))
            if entry.get("error_occurred"):
                self.measured.errors.append(f"{name}: {entry.get('error_message')}")
        return {name: e for name, e in entries.items() if not e.get("error_occurred")}


def _said_once(errors: Iterable[str]) -> str:
    """Joins errors, each once: all queues report a bad load in the same words."""
    return "; ".join(dict.fromkeys(error.partition(": ")[2] for error in errors))


def _near_the_best(times: Mapping[str, float]) -> set[str]:
    best = min(times.values(), default=0)
    return {name for name, time in times.items() if time < FAR_BEHIND * best}
