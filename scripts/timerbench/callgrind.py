"""Runs a program that is counted under valgrind, a process for each case, on all cores."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from timerbench import command_line
from timerbench.command import ROOT
from timerbench.measuring import RunError
from timerbench.measuring.children import said_by, side_by_side
from timerbench.progress import Left, Progress
from timerbench.results import Name, by_case
from timerbench.simulated import CACHES, Cells, Counted, rounded

PROGRAM = "simulated"
COUNTED_BUILD = "RelWithDebInfo"  # that of the presets for release

# What callgrind counts, in the order of the columns. Only conditional branches count: for the
# others the table of its predictor is so small that two calls of a shared library may share an
# entry.
EVENTS_OF_COLUMNS = [("Ir",), ("D1mr", "D1mw"), ("DLmr", "DLmw"), ("Bcm",)]
EVENTS = {event for of_column in EVENTS_OF_COLUMNS for event in of_column}

# More than any list of our arguments takes.
ROOM_FOR_ARGUMENTS = 4096


def parser_of(description: str | None) -> command_line.Parser:
    """Returns the parser of a command that counts. It has the option --build."""
    parser = command_line.Parser(description)
    parser.takes(
        "--build",
        command_line.path,
        "DIR",
        "where the program is; build/release by default",
        default=ROOT / "build" / "release",
    )
    return parser


class CountError(RunError):
    """Nothing can be counted, or compared."""


@dataclass(frozen=True)
class Case:
    """Benchmarks of one input, which one process makes."""

    bench: str
    case: str
    queues: tuple[str, ...]

    def filter(self) -> str:
        case = self.case.replace(".", r"\.")
        return f"^{self.bench}/({'|'.join(self.queues)})/{case}/"

    def names(self) -> set[str]:
        return {str(Name(self.bench, queue, self.case)) for queue in self.queues}

    def __str__(self) -> str:
        return f"{self.bench}/{self.case}"


@dataclass(frozen=True)
class Counts:
    context: dict[str, Any]  # of the program
    cells: Cells


def check_build(context: Mapping[str, Any]) -> None:
    if context["build_type"] != COUNTED_BUILD:
        raise CountError(
            f"only a build of the preset release is counted: {COUNTED_BUILD}, "
            f"not {context['build_type'] or 'one without a type'}"
        )


def cases_of(names: Iterable[Name]) -> list[Case]:
    """Returns the cases, the largest first: long cases must not begin last."""
    largest_first = sorted(by_case(names).items(), key=lambda item: -(item[1][0].n or 0))
    return [
        Case(bench, case, tuple(name.queue for name in of_case))
        for (bench, case), of_case in largest_first
    ]


def count(program: Path, names: Iterable[Name]) -> Counts:
    """Counts these benchmarks, and returns the counts in the same order."""
    program = program.resolve()
    wanted = list(names)
    cases = cases_of(wanted)
    if not cases:
        raise CountError("there is no such benchmark")
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise CountError("valgrind is missing; scripts/setup.sh installs it")
    with Progress(Left(len(cases))) as progress:
        counted = asyncio.run(_count_all(valgrind, program, cases, progress))
    cells = {name: cell for of_case in counted for name, cell in of_case.cells.items()}
    return Counts(counted[0].context, {str(name): cells[str(name)] for name in wanted})


async def _count_all(
    valgrind: str, program: Path, cases: list[Case], progress: Progress
) -> list[Counts]:
    """Counts as many cases at a time as there are cores.

    If one fails, the running ones are killed.
    """
    turns = asyncio.Semaphore(len(os.sched_getaffinity(0)))
    left = reversed(range(len(cases)))

    async def counted(case: Case) -> Counts:
        async with turns:
            of_case = await _count(valgrind, program, case)
        progress.finish_step(str(case), Left(next(left)))
        return of_case

    return await side_by_side(map(counted, cases))


async def _count(valgrind: str, program: Path, case: Case) -> Counts:
    arguments = [
        f"./{program.name}",
        "--benchmark_format=json",
        f"--benchmark_filter={case.filter()}",
    ]
    with tempfile.TemporaryDirectory() as directory:
        status, report, errors = await said_by(
            [
                valgrind,
                "--quiet",
                "--tool=callgrind",
                "--instr-atstart=no",
                "--cache-sim=yes",
                "--branch-sim=yes",
                # Otherwise calls of shared libraries count twice now and then, with their stubs.
                "--skip-plt=no",
                *(f"--{cache}={size}" for cache, size in CACHES.items()),
                f"--callgrind-out-file={directory}/dump.%p",
                *arguments,
            ],
            cwd=program.parent,
            env=_environment(arguments),
        )
        if status != 0:
            why = failures_in(report) or errors or f"status {status}"
            raise CountError(f"{program} failed in {case}:\n{why}")
        try:
            value = json.loads(report)
            return Counts(value["context"], combine(value, parse_dumps(Path(directory)), case))
        except (ValueError, KeyError) as error:
            raise CountError(f"{program} does not say what it ran in {case}: {error!r}") from error


def _environment(arguments: list[str]) -> dict[str, str]:
    """Returns an environment without settings of the allocator, the loader and Google Benchmark.

    The stack begins below arguments and environment. Their length is always the same, so the stack
    does not move. If it moved, it would share other sets of the cache with the queue.
    """
    padding = ROOM_FOR_ARGUMENTS - sum(len(argument) + 1 for argument in arguments)
    return {"LC_ALL": "C", "PADDING": "-" * padding}


def parse_dump(path: Path) -> tuple[str, dict[str, int]] | None:
    """Returns a benchmark and its events, or None for the dump that callgrind adds at its end."""
    text = path.read_text()
    trigger = re.search(r"^desc: Trigger: (.+)$", text, re.MULTILINE)
    if trigger and trigger[1] == "Program termination":
        return None
    name = trigger and re.fullmatch(r"Client Request: (.+)", trigger[1])
    events = re.search(r"^events: (.+)$", text, re.MULTILINE)
    totals = re.search(r"^totals: ([\d ]+)$", text, re.MULTILINE)
    if not name or not events or not totals or not set(events[1].split()) >= EVENTS:
        raise CountError(f"{path} is no whole dump for a benchmark")
    # Callgrind leaves out zeros at the end of a line.
    numbers = chain(map(int, totals[1].split()), repeat(0))
    return name[1], dict(zip(events[1].split(), numbers, strict=False))


def parse_dumps(directory: Path) -> dict[str, dict[str, int]]:
    dumps: dict[str, dict[str, int]] = {}
    for path in sorted(directory.glob("dump*")):
        dump = parse_dump(path)
        if dump is None:
            continue
        if dump[0] in dumps:
            raise CountError(f"{path} is a second dump for {dump[0]}")
        dumps[dump[0]] = dump[1]
    return dumps


def combine(report: Mapping[str, Any], dumps: Mapping[str, Mapping[str, int]], case: Case) -> Cells:
    """Joins what the program says of its cells and what callgrind counted of them."""
    operations = {
        str(Name.parse(entry["run_name"])): float(entry["operations"])
        for entry in report["benchmarks"]
    }
    if unequal := case.names() ^ operations.keys():
        raise CountError(f"not both asked for and run: {', '.join(sorted(unequal))}")
    # A queue that is too slow has neither operations nor a dump.
    if unequal := {name for name, number in operations.items() if number > 0} ^ dumps.keys():
        raise CountError(f"not both run and counted: {', '.join(sorted(unequal))}")
    return {
        name: counted(dumps[name], number) if name in dumps else None
        for name, number in operations.items()
    }


def counted(events: Mapping[str, int], operations: float) -> Counted:
    return Counted(
        *(
            rounded(sum(events[event] for event in of_column) / operations)
            for of_column in EVENTS_OF_COLUMNS
        )
    )


def failures_in(report: str) -> str:
    """Returns the cells whose results were wrong."""
    try:
        failed = [one for one in json.loads(report)["benchmarks"] if "error_message" in one]
    except (ValueError, KeyError):
        return ""
    return "\n".join(f"{Name.parse(one['run_name'])}: {one['error_message']}" for one in failed)
