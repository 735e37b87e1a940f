"""Runs the benchmarks: one process for each bench, case and round, in random order.

A process that was finished by the same binary with the same arguments is not run again, so that an
interrupted run goes on where it stopped. The JSON of Google Benchmark is kept untouched.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import context
from results import MANIFEST, Name, write_json

ROOT = Path(__file__).resolve().parent.parent
SEED = 20_240_229


@dataclass(frozen=True)
class Profile:
    """How often and how long a cell is measured."""

    rounds: int
    min_time: float  # seconds; a cell repeats its operation until it is reached
    timeout: int  # seconds; a process that takes longer hangs


PROFILES = {
    "smoke": Profile(rounds=1, min_time=0.001, timeout=120),
    "quick": Profile(rounds=3, min_time=0.05, timeout=600),
    "full": Profile(rounds=5, min_time=0.5, timeout=3600),
}

# The matrix: of what each bench offers, the cases that a profile runs, as a regular expression.
# A case is what follows the queue in a benchmark's name: `rpc/1000` in `churn/min_heap/rpc/1000`.
# Every case runs for every queue.
MATRIX = {
    # tiny is the beginning of another trace, for tests.
    "replay": {"smoke": r"tiny@.*", "quick": r"(?!tiny@).*", "full": r"(?!tiny@).*"},
    "churn": {"smoke": r".*/10{3}", "quick": r".*/10{3,6}", "full": r".*/10{3,7}"},
}


class RunError(Exception):
    """Something that was asked for cannot be run."""


@dataclass(frozen=True)
class Bench:
    """A benchmark binary, and what it offers."""

    name: str
    binary: Path
    sha256: str
    names: list[Name]

    @property
    def queues(self) -> list[str]:
        """In the order of the catalog."""
        return list(dict.fromkeys(name.queue for name in self.names))


@dataclass(frozen=True)
class Process:
    """One run of a binary: a group of cases, for all queues, in one round."""

    bench: Bench
    group: str  # a case, or a trace whose cases differ in their ticks
    cells: frozenset[Name]
    round: int
    min_time: float

    @property
    def title(self) -> str:
        return f"{self.bench.name}/{self.group} round {self.round}"

    @property
    def file(self) -> str:
        return f"{self.bench.name}/{self.group.replace('/', '-')}.{self.round}.json"

    @property
    def arguments(self) -> list[str]:
        group = re.sub(r"[.+]", r"[\g<0>]", self.group)
        return [
            f"--benchmark_filter=^{self.bench.name}/[^/]+/{group}([@/]|$)",
            f"--benchmark_min_time={self.min_time}",
            "--benchmark_enable_random_interleaving=true",
            "--benchmark_out_format=json",
        ]


def offered(bench: str, build: Path) -> Bench:
    """Asks the binary what it offers."""
    binary = build / bench
    if not binary.is_file():
        raise RunError(f"{binary} is missing; scripts/build.sh builds it")
    listing = subprocess.run(
        [binary, "--benchmark_list_tests"], capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        raise RunError(
            f"{binary} --benchmark_list_tests failed with status {listing.returncode}: "
            f"{listing.stderr.strip()}"
        )
    names = [Name.parse(line) for line in listing.stdout.splitlines()]
    return Bench(bench, binary, hashlib.sha256(binary.read_bytes()).hexdigest(), names)


def plan(benches: list[Bench], profile: str, rounds: int, wanted: re.Pattern[str]) -> list[Process]:
    """All processes, round by round; within a round in random order."""
    processes = []
    for number in range(1, rounds + 1):
        of_round = []
        for bench in benches:
            in_matrix = re.compile(MATRIX[bench.name][profile])
            groups: dict[str, set[Name]] = {}
            for name in bench.names:
                if in_matrix.fullmatch(name.case):
                    groups.setdefault(name.case.split("@")[0], set()).add(name)
            if not groups:
                raise RunError(f"{bench.name} offers no case that matches '{in_matrix.pattern}'")
            for group, names in groups.items():
                if wanted.search(f"{bench.name}/{group}"):
                    every = {
                        Name(bench.name, queue, name.case)
                        for queue in bench.queues
                        for name in names
                    }
                    min_time = PROFILES[profile].min_time
                    of_round.append(Process(bench, group, frozenset(every), number, min_time))
        random.Random(SEED + number).shuffle(of_round)
        processes += of_round
    return processes


def errors_in(report: dict[str, Any], cells: frozenset[Name]) -> Iterator[str]:
    """What is wrong with the JSON of a process."""
    seen = set()
    for entry in report["benchmarks"]:
        name = Name.parse(entry["run_name"])
        seen.add(name)
        if entry.get("error_occurred"):
            yield f"{name}: {entry.get('error_message', 'failed without a message')}"
    for name in sorted(cells - seen):
        yield f"{name}: missing"


class Results:
    """The directory of results, with a manifest that tells which binary made each file, and how."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._manifest = directory / MANIFEST
        self._entries: dict[str, Any] = {}
        if self._manifest.exists():
            self._entries = json.loads(self._manifest.read_text())

    def entry(self, process: Process) -> dict[str, Any] | None:
        """What is known of the process, if it is complete."""
        entry: dict[str, Any] | None = self._entries.get(process.file)
        complete = (
            entry is not None
            and entry["binary"] == process.bench.sha256
            and entry["arguments"] == process.arguments
            and (self.directory / process.file).is_file()
        )
        return entry if complete else None

    def add(self, process: Process, report: Path, facts: dict[str, Any]) -> None:
        report.replace(self.directory / process.file)
        self._entries[process.file] = {
            "binary": process.bench.sha256,
            "arguments": process.arguments,
            "queues": process.bench.queues,
            **facts,
        }
        write_json(self._manifest, self._entries)


def run(process: Process, results: Results, core: int | None, timeout: float) -> list[str]:
    """Runs one process and keeps its JSON if nothing is wrong with it; returns what is wrong."""
    report = results.directory / (process.file + ".part")
    report.parent.mkdir(parents=True, exist_ok=True)
    command = [str(process.bench.binary), *process.arguments, f"--benchmark_out={report}"]
    if core is not None:
        command = ["taskset", "--cpu-list", str(core), *command]
    load_before = os.getloadavg()
    started = time.time()
    try:
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return [f"{process.title}: not done after {timeout:g} s"]
        try:
            errors = list(errors_in(json.loads(report.read_text()), process.cells))
        except (OSError, ValueError, KeyError):
            errors = [f"{process.title}: no JSON"]
        if ended.returncode != 0:
            how = f"ended with status {ended.returncode}"
            errors.append(f"{process.title}: {how}: {ended.stderr.strip() or 'no message'}")
        if not errors:
            facts = {
                "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
                "seconds": round(time.time() - started, 3),
                "core": core,
                "load_before": load_before,
                "load_after": os.getloadavg(),
            }
            results.add(process, report, facts)
        return errors
    finally:
        report.unlink(missing_ok=True)


def remaining(todo: list[Process], seconds: dict[str, float]) -> str:
    """How long the rest will take: as other rounds of it took, or else as long as the mean."""
    if not seconds:
        return ""
    mean = sum(seconds.values()) / len(seconds)
    left = sum(seconds.get(f"{p.bench.name}/{p.group}", mean) for p in todo)
    return f"about {left / 60:.0f} min left" if left >= 90 else f"about {left:.0f} s left"


def run_all(
    processes: list[Process], results: Results, core: int | None, timeout: float
) -> list[str]:
    """Runs what is not complete yet, and shows how it goes."""
    todo = [process for process in processes if results.entry(process) is None]
    seconds = {
        f"{process.bench.name}/{process.group}": entry["seconds"]
        for process in processes
        if (entry := results.entry(process)) is not None
    }
    errors = []
    console = Console(highlight=False)
    if len(todo) < len(processes):
        console.print(
            f"{len(processes) - len(todo)} of {len(processes)} processes were done before"
        )
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=len(todo))
        while todo:
            progress.update(bar, description=remaining(todo, seconds))
            process = todo.pop(0)
            started = time.monotonic()
            wrong = run(process, results, core, timeout)
            took = time.monotonic() - started
            seconds[f"{process.bench.name}/{process.group}"] = took
            errors += wrong
            progress.advance(bar)
            console.print(f"{process.title}: {'FAILED' if wrong else f'{took:.1f} s'}")
        progress.update(bar, description="")
    return errors


def a_core() -> int | None:
    """The core that measures: the last one, if there is a choice; the first has the interrupts."""
    cores = os.sched_getaffinity(0)
    return max(cores) if len(cores) > 1 and shutil.which("taskset") else None


def regular_expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no regular expression: {error}") from error


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    profile = parser.add_mutually_exclusive_group()
    for name, text in {
        "quick": "minutes (the default)",
        "full": "every size, and longer",
        "smoke": "each benchmark once, at its smallest: only to see that none fails",
    }.items():
        profile.add_argument(
            f"--{name}", dest="profile", action="store_const", const=name, help=text
        )
    for name, default, text in (
        ("output", ROOT / "results" / "local", "where results go; results/local by default"),
        ("build", ROOT / "build" / "release", "where the benches are; build/release by default"),
    ):
        parser.add_argument(f"--{name}", type=Path, default=default, metavar="DIR", help=text)
    parser.add_argument(
        "--rounds", type=positive, metavar="N", help="how often; the profile says it otherwise"
    )
    parser.add_argument(
        "--timeout", type=positive, metavar="SECONDS", help="for a process; likewise"
    )
    parser.add_argument(
        "--filter",
        type=regular_expression,
        default=re.compile(""),
        metavar="REGEX",
        help="only what matches, of names like churn/rpc/1000",
    )
    parser.add_argument("--list", action="store_true", help="names the benches")
    parser.set_defaults(profile="quick")
    return parser.parse_args(arguments)


def measure(options: argparse.Namespace) -> int:
    benches = [offered(name, options.build) for name in MATRIX]
    profile = PROFILES[options.profile]
    rounds = options.rounds or profile.rounds
    processes = plan(benches, options.profile, rounds, options.filter)
    if not processes:
        raise RunError(f"--filter '{options.filter.pattern}' matches no process")
    options.output.mkdir(parents=True, exist_ok=True)
    results = Results(options.output)
    load_before = os.getloadavg()
    if load_before[0] > 0.5:
        print(
            f"run.py: other work (load {load_before[0]:.1f}) makes figures noisy", file=sys.stderr
        )
    errors = run_all(processes, results, a_core(), options.timeout or profile.timeout)
    write_json(
        options.output / "context.json",
        {
            **context.machine(),
            "profile": options.profile,
            "load_before": load_before,
            "load_after": os.getloadavg(),
        },
    )
    for error in errors:
        print(f"run.py: {error}", file=sys.stderr)
    if errors:
        print(f"run.py: {len(errors)} errors; what failed has no figures", file=sys.stderr)
    return 1 if errors else 0


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.list:
        print("\n".join(MATRIX))
        return 0
    for interrupt in (signal.SIGINT, signal.SIGTERM):  # the first is ignored in the background
        signal.signal(interrupt, signal.default_int_handler)
    try:
        return measure(options)
    except RunError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("run.py: interrupted; the same command goes on from here", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
