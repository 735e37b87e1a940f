"""What choose.py runs, within a fixed time: processes of three programs on one load."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from timerbench.context import System
from timerbench.measuring import RunError, cores
from timerbench.measuring.execution import report_of
from timerbench.measuring.huge_pages import environment_for
from timerbench.measuring.program import groups_of
from timerbench.results import Entry, Name, parse_json

SECONDS_IN_ALL = 170.0
SECONDS_OF_QUEUES = 85.0
SECONDS_OF_A_CONTEST = 2
MOST_ROUNDS = 12  # of queues; more tell hardly more
ROUNDS_OF_SERVICES = 3

Round = dict[str, Entry]  # what a process measured, by queue or setting


@dataclass
class Measured:
    """All that is known of a load. What failed is in the errors, and nowhere else."""

    queues: list[Round] = field(default_factory=list)
    use: Round = field(default_factory=dict)
    services: list[Round] = field(default_factory=list)
    limits: Round = field(default_factory=dict)
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Programs:
    """Those in a build, for the load in a file."""

    build: Path
    file: Path

    def command(self, program: str, names: str, *flags: str) -> list[str]:
        return [
            str(self.build / program),
            f"--load={self.file}",
            f"--benchmark_filter=^{names}/own(/|$)",
            "--benchmark_out_format=json",
            *flags,
        ]

    def settings(self) -> list[str]:
        """Of services, in the order of the catalog."""
        listed = subprocess.run(
            [*self.command("service_load", "service_load/[^/]+"), "--benchmark_list_tests"],
            capture_output=True,
            text=True,
            check=True,
        )
        return [Name.parse(line).queue for line in listed.stdout.splitlines()]

    def groups(self, program: str) -> dict[str, frozenset[str]]:
        return groups_of(self.build / program)


class Measuring:
    """Runs processes until the time is over, and keeps what they say."""

    def __init__(self, programs: Programs) -> None:
        self.measured = Measured()
        self._programs = programs
        self._began = time.monotonic()

    def queues(self, seconds: float = SECONDS_OF_QUEUES) -> None:
        """Each core measures rounds, one after the other; one of them counts memory first."""
        self.measured.groups |= self._programs.groups("load")
        lanes = cores.cores_for(cores.BY_DEFAULT, System())
        asyncio.run(self._lanes(lanes, self._passed() + seconds))
        if not self.measured.queues:
            raise RunError(
                "; ".join(self.measured.errors)
                or "this load takes too long to be measured; give one with fewer timers"
            )

    def services(self, names: list[str]) -> None:
        """Rounds of all together, and then how much each can do."""
        own = self._programs.groups("service_load")
        known = self.measured.groups
        self.measured.groups = {
            group: known.get(group, frozenset()) | own.get(group, frozenset())
            for group in {*known, *own}
        }
        either = f"({'|'.join(names)})"
        for number in range(1, ROUNDS_OF_SERVICES + 1):
            command = self._programs.command("service_load", f"service_load/{either}", "--seconds=0")
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
        return SECONDS_IN_ALL - self._passed()

    async def _lanes(self, lanes: list[int | None], until: float) -> None:
        rounds = 0
        longest = 0.0
        counts = self._programs.command("load_use", "load_use/[^/]+")
        times = self._programs.command(
            "load", "load/[^/]+", f"--seconds={SECONDS_OF_A_CONTEST}"
        )

        async def lane(core: int | None, *, is_last: bool) -> None:
            nonlocal rounds, longest
            if is_last:
                self.measured.use = await self._run("memory and wake-ups", counts, core)
            while rounds < MOST_ROUNDS and (rounds == 0 or self._passed() + longest <= until):
                rounds += 1
                began = self._passed()
                round_of = await self._run(f"queues, round {rounds}", times, core)
                longest = max(longest, self._passed() - began)
                if not round_of:
                    return
                self.measured.queues.append(round_of)

        async with asyncio.TaskGroup() as group:
            for core in lanes:
                group.create_task(lane(core, is_last=core == lanes[-1]))

    async def _run(self, title: str, command: list[str], core: int | None) -> Round:
        """What a process measured, without what failed in it."""
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
            if entry.get("error_occurred"):
                self.measured.errors.append(f"{name}: {entry.get('error_message')}")
        return {name: e for name, e in entries.items() if not e.get("error_occurred")}
