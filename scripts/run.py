"""Runs the benchmarks: one process for each bench, case and round, in random order.

A process that was finished by the same binary with the same arguments is not run again, so that an
interrupted run goes on where it stopped. Several builds are measured side by side: what the machine
does to one, it does to the others.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import fcntl
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timerbench import command_line, context
from timerbench.benches import BENCHES, subject_of
from timerbench.matrix import PROFILES, cases_of, effort_for
from timerbench.progress import Progress
from timerbench.results import (
    CONTEXT,
    COUNTING,
    MADE_BY,
    BenchFile,
    Entry,
    Name,
    ResultsError,
    parse_json,
    write_json,
)

ROOT = Path(__file__).resolve().parent.parent
SEED = 20_240_229


# What Google Benchmark says of every entry and what tells nothing here: its times are those of a
# whole repetition, of which ns_per_operation is made.
_LEFT_OUT = {
    "name",
    "family_index",
    "per_family_instance_index",
    "run_type",
    "repetitions",
    "repetition_index",
    "threads",
    "real_time",
    "cpu_time",
    "time_unit",
}


class RunError(Exception):
    """Something that was asked for cannot be run."""


@dataclass(frozen=True)
class Bench:
    """A benchmark binary, what it offers, and the directory that its results go to."""

    name: str
    binary: Path
    sha256: str
    names: list[Name]
    output: Path
    defaults: frozenset[str] = frozenset()  # of settings, those that are the defaults of services

    @property
    def queues(self) -> list[str]:
        """In the order of the catalog."""
        return list(dict.fromkeys(name.queue for name in self.names))

    @property
    def has_threads(self) -> bool:
        """Whether threads meet in it, which they do on all cores."""
        return subject_of(self.name) in ("services", "settings", "wheels", "ways")

    def measured(self, profile: str) -> list[str]:
        """The queues that the profile runs: of settings, perhaps not all."""
        settings = PROFILES[profile].settings
        if subject_of(self.name) != "settings" or settings == "all":
            return self.queues
        defaults = [one for one in self.queues if one in self.defaults]
        return self.queues[:1] if settings == "first" else defaults or self.queues

    def rounds(self, profile: str, group: str, asked: int | None) -> int:
        if self.name in COUNTING:
            return 1
        return asked or effort_for(profile, Name(self.name, "", group)).rounds

    def groups(self, profile: str) -> dict[str, set[str]]:
        """What the profile runs: cases, of which those of a trace differ in their ticks only."""
        cases = cases_of(self.name, profile)
        if cases is None:
            return {}
        wanted = re.compile(cases)
        groups: dict[str, set[str]] = {}
        for name in self.names:
            if wanted.fullmatch(name.case):
                groups.setdefault(name.case.split("@")[0], set()).add(name.case)
        if not groups:
            raise RunError(f"{self.binary} offers no case that matches '{cases}'")
        return groups


@dataclass(frozen=True)
class Process:
    """One run of a binary: a group of cases, for all queues, in one round."""

    bench: Bench
    group: str
    cells: frozenset[Name]
    round: int
    min_time: float

    @property
    def title(self) -> str:
        return f"{self.bench.name}/{self.group} round {self.round}"

    @property
    def arguments(self) -> list[str]:
        group = re.sub(r"[.+]", r"[\g<0>]", self.group)
        measured = sorted({cell.queue for cell in self.cells})
        queues = "[^/]+" if len(measured) == len(self.bench.queues) else f"({'|'.join(measured)})"
        return [
            f"--benchmark_filter=^{self.bench.name}/{queues}/{group}([@/]|$)",
            f"--benchmark_min_time={self.min_time}",
            "--benchmark_enable_random_interleaving=true",
            "--benchmark_out_format=json",
        ]


def offered(bench: str, build: Path, output: Path) -> Bench:
    """Asks the binary what it offers."""
    binary = build / bench
    if not binary.is_file():
        raise RunError(f"{binary} is missing; scripts/build.sh builds it")
    try:
        listing = subprocess.run(
            [binary, "--benchmark_list_tests"], capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise RunError(f"{binary} does not run: {error.strerror}") from error
    if listing.returncode != 0:
        raise RunError(
            f"{binary} --benchmark_list_tests failed with status {listing.returncode}: "
            f"{listing.stderr.strip()}"
        )
    try:
        names = [Name.parse(line) for line in listing.stdout.splitlines()]
    except ValueError as error:
        raise RunError(f"{binary} lists what is no benchmark of ours: {error}") from error
    sha256 = hashlib.sha256(binary.read_bytes()).hexdigest()
    return Bench(bench, binary, sha256, names, output, defaults_of(binary))


def defaults_of(binary: Path) -> frozenset[str]:
    """What a binary calls default settings; one that is too old to tell calls none so."""
    told = subprocess.run([binary, "--groups"], capture_output=True, text=True, check=False)
    groups = dict(line.split(": ", 1) for line in told.stdout.splitlines() if ": " in line)
    return frozenset(groups.get("defaults", "").split()) if told.returncode == 0 else frozenset()


def plan(
    benches: list[Bench], profile: str, rounds: int | None, wanted: re.Pattern[str]
) -> list[Process]:
    """All processes, round by round; within a round in random order, builds side by side."""
    by_round: dict[int, dict[str, list[Process]]] = {}
    for bench in benches:
        for group, cases in bench.groups(profile).items():
            title = f"{bench.name}/{group}"
            if not wanted.search(title):
                continue
            queues = bench.measured(profile)
            cells = frozenset(Name(bench.name, q, case) for q in queues for case in cases)
            min_time = effort_for(profile, Name(bench.name, "", group)).min_time
            for number in range(1, bench.rounds(profile, group, rounds) + 1):
                process = Process(bench, group, cells, number, min_time)
                by_round.setdefault(number, {}).setdefault(title, []).append(process)
    processes = []
    for number, of_round in sorted(by_round.items()):
        shuffled = random.Random(SEED + number)
        for title in shuffled.sample(sorted(of_round), len(of_round)):
            processes += shuffled.sample(of_round[title], len(of_round[title]))
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


def kept(entry: dict[str, Any]) -> Entry:
    """The entry without what tells nothing; of a label that is an object of JSON, its members.

    Such are histograms: Google Benchmark has no place for more than a number or a text.
    """
    counters = {key: value for key, value in entry.items() if key not in _LEFT_OUT}
    counters["run_name"] = str(Name.parse(entry["run_name"]))
    if str(counters.get("label", "")).startswith("{"):
        counters |= parse_json(counters.pop("label"))
    return counters


class Store:
    """The files of results, one a bench, in the directory of each build."""

    def __init__(self, benches: list[Bench]) -> None:
        self._files: dict[Path, BenchFile] = {}
        for bench in benches:
            path = self._path(bench)
            if path.exists():
                self._files[path] = BenchFile.read(path)

    @staticmethod
    def _path(bench: Bench) -> Path:
        return bench.output / f"{bench.name}.json"

    def find(self, process: Process) -> dict[str, Any] | None:
        """What was kept of the process when it was done before."""
        of_group = (done for done in self._not_older(process) if done["group"] == process.group)
        return next((done for done in of_group if done["round"] == process.round), None)

    def refuse_another_machine(self, process: Process, context: dict[str, Any]) -> None:
        """Figures of several machines, compilers or flags never come into one directory."""
        for path, file in self._files.items():
            if path.parent != process.bench.output:
                continue
            for key in MADE_BY:
                there, here = file.context.get(key), context.get(key)
                if key != "commit" and there != here:
                    raise RunError(
                        f"{path} was made with the {key} '{there}', and this is '{here}'; "
                        "give another --output, or delete the results that are there"
                    )

    def add(self, process: Process, report: dict[str, Any], facts: dict[str, Any]) -> None:
        """Keeps it in the place of what another binary did, or this one with other arguments."""
        path = self._path(process.bench)
        queues, sha256 = process.bench.queues, process.bench.sha256
        file = self._files.get(path)
        of_binary = file and any(done["binary"] == sha256 for done in file.processes)
        context = file.context if file and of_binary else report["context"]
        others = [
            done
            for done in self._not_older(process)
            if (done["group"], done["round"]) != (process.group, process.round)
        ]
        done = {
            "group": process.group,
            "round": process.round,
            "binary": sha256,
            "arguments": process.arguments,
            **facts,
            "benchmarks": report["benchmarks"],
        }
        self._files[path] = BenchFile(context, queues, [*others, done])
        self._files[path].write(path)

    def drop_older(self, process: Process) -> None:
        """What failed has no figures: none of another binary or of other arguments either."""
        path = self._path(process.bench)
        file = self._files.get(path)
        left = self._not_older(process)
        if file is None or len(left) == len(file.processes):
            return
        if left:
            file.processes = left
            file.write(path)
        else:
            del self._files[path]
            path.unlink(missing_ok=True)

    def _not_older(self, process: Process) -> list[dict[str, Any]]:
        """What this binary did, of the group only what it did with these arguments."""
        file = self._files.get(self._path(process.bench))
        return [
            done
            for done in (file.processes if file else [])
            if done["binary"] == process.bench.sha256
            and (done["group"] != process.group or done["arguments"] == process.arguments)
        ]


def run(process: Process, store: Store, core: int | None, timeout: float) -> list[str]:
    """Runs one process and keeps its figures if nothing is wrong; returns what is wrong."""
    with tempfile.TemporaryDirectory(prefix="timerbench-") as directory:
        file = Path(directory) / "report.json"
        words = [str(process.bench.binary), *process.arguments, f"--benchmark_out={file}"]
        if core is not None:
            words = ["taskset", "--cpu-list", str(core), *words]
        load_before = os.getloadavg()
        started = time.time()
        try:
            ended = subprocess.run(
                words, capture_output=True, text=True, check=False, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            store.drop_older(process)
            return [f"{process.title}: not done after {timeout:g} s"]
        facts = {
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
            "seconds": round(time.time() - started, 3),
            "core": core,
            "load_before": load_before,
            "load_after": os.getloadavg(),
        }
        try:
            report = parse_json(file.read_text())
            store.refuse_another_machine(process, report["context"])
            errors = list(errors_in(report, process.cells))
            report["benchmarks"] = [kept(entry) for entry in report["benchmarks"]]
        except (OSError, ValueError, KeyError) as error:
            errors = [f"{process.title}: no JSON: {error}"]
    if ended.returncode != 0:
        how = f"ended with status {ended.returncode}"
        errors.append(f"{process.title}: {how}: {ended.stderr.strip() or 'no message'}")
    if errors:
        store.drop_older(process)
    else:
        store.add(process, report, facts)
    return errors


def remaining(todo: list[Process], seconds: dict[str, float]) -> float | None:
    """The seconds of the rest: as other rounds of it took, or else as long as the mean."""
    if not seconds:
        return None
    mean = sum(seconds.values()) / len(seconds)
    return sum(seconds.get(f"{p.bench.name}/{p.group}", mean) for p in todo)


def run_all(processes: list[Process], store: Store, core: int | None, timeout: float) -> list[str]:
    """Runs what is not complete yet, and shows how it goes."""
    todo = [process for process in processes if store.find(process) is None]
    seconds = {
        f"{process.bench.name}/{process.group}": done["seconds"]
        for process in processes
        if (done := store.find(process)) is not None
    }
    side_by_side = len({process.bench.output for process in processes}) > 1
    errors = []
    if len(todo) < len(processes):
        print(f"{len(processes) - len(todo)} of {len(processes)} processes were done before")
    with Progress(len(todo), remaining(todo, seconds)) as progress:
        while todo:
            process = todo.pop(0)
            started = time.monotonic()
            wrong = run(process, store, None if process.bench.has_threads else core, timeout)
            took = time.monotonic() - started
            seconds[f"{process.bench.name}/{process.group}"] = took
            whose = f"{process.bench.output}: " if side_by_side else ""
            errors += [whose + error for error in wrong]
            outcome = "FAILED" if wrong else f"{took:.1f} s"
            progress.finish_step(f"{whose}{process.title}: {outcome}", remaining(todo, seconds))
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
    for name, text in {
        "build": "where the benches are; build/release by default; several are run side by side",
        "output": "where results go; results/local by default; one for each build",
    }.items():
        parser.add_argument(
            f"--{name}",
            type=command_line.path,
            action="append",
            default=[],
            metavar="DIR",
            help=text,
        )
    parser.add_argument(
        "--rounds",
        type=command_line.positive,
        metavar="N",
        help="how often; the profile says it otherwise",
    )
    parser.add_argument(
        "--timeout", type=command_line.positive, metavar="SECONDS", help="for a process; likewise"
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


def pairs(builds: list[Path], outputs: list[Path]) -> list[tuple[Path, Path]]:
    """Each build with the directory of its results."""
    builds = builds or [ROOT / "build" / "release"]
    outputs = outputs or [ROOT / "results" / "local"]
    if len(builds) != len(outputs):
        raise RunError(f"{len(builds)} --build but {len(outputs)} --output; give one for each")
    for number, output in enumerate(outputs):
        if output.resolve() in (other.resolve() for other in outputs[:number]):
            raise RunError(f"--output {output} is given twice; each build needs its own")
    return list(zip(builds, outputs, strict=True))


@contextmanager
def locked(output: Path) -> Iterator[None]:
    """Keeps other runs out of the directory; the lock ends with this process at the latest."""
    directory = os.open(output, os.O_RDONLY)
    try:
        try:
            fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = "wait for its end, or give another --output"
            raise RunError(f"another run writes into {output}; {message}") from error
        yield
    finally:
        os.close(directory)


def measure(options: argparse.Namespace) -> int:
    both = pairs(options.build, options.output)
    benches = [offered(name, build, output) for build, output in both for name in BENCHES]
    processes = plan(benches, options.profile, options.rounds, options.filter)
    if not processes:
        raise RunError(f"--filter '{options.filter.pattern}' matches no process")
    with ExitStack() as locks:
        for _, output in both:
            try:
                output.mkdir(parents=True, exist_ok=True)
            except FileExistsError as error:
                raise RunError(f"--output '{output}' is no directory") from error
            locks.enter_context(locked(output))
        return measure_all(processes, Store(benches), options)


def measure_all(processes: list[Process], store: Store, options: argparse.Namespace) -> int:
    load_before = os.getloadavg()
    if load_before[0] > 0.5:
        print(
            f"run.py: other work (load {load_before[0]:.1f}) makes figures noisy", file=sys.stderr
        )
    timeout = options.timeout or PROFILES[options.profile].timeout
    errors = run_all(processes, store, a_core(), timeout)
    machine = {
        **context.machine(),
        "profile": options.profile,
        "load_before": load_before,
        "load_after": os.getloadavg(),
    }
    for output in {process.bench.output for process in processes}:
        write_json(output / CONTEXT, machine)
    for error in errors:
        print(f"run.py: {error}", file=sys.stderr)
    if errors:
        print(f"run.py: {len(errors)} errors; what failed has no figures", file=sys.stderr)
    return 1 if errors else 0


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.list:
        print("\n".join(BENCHES))
        return 0
    try:
        return measure(options)
    except (RunError, ResultsError, OSError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("run.py: interrupted; the same command goes on from here", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
