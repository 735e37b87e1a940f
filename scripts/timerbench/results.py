"""What run.py writes and the other scripts read: a file of JSON for each bench."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from dataclasses import replace as with_other
from datetime import datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from timerbench.benches import Subject, kind_of, subject_of
from timerbench.estimates import Figure, figure_of, figures_of_case, mean_of, shared_of_case
from timerbench.groups import (
    LIBRARIES,
    ORIGINALS,
    Groups,
    floors_in,
    groups_of,
    twins_in,
    without_groups,
)
from timerbench.moderated import Shared
from timerbench.schema import COUNTING, ResultsError, parse_json, read_bench, read_machine
from timerbench.whole_file import replace

# Of the files, for those who read results. ORIGINALS also names a folder: in a build, it has the
# programs of the originals; in a directory of results, their results in the same cases.
__all__ = ["COUNTING", "ORIGINALS", "ResultsError", "parse_json"]

CONTEXT = "context.json"

# In a directory of results: the folder with the same cases, measured in pages of 4 KiB.
SMALL_PAGES = "small_pages"

# These must be the same if figures are compared.
MADE_BY = ("commit", "compiler", "flags", "build_type", "libc", "cpu")

# The middle of a bin of a histogram, relative to its lower edge. A decade has 48 bins.
MIDDLE_OF_BIN = 10 ** (0.5 / 48)

# A tail of a histogram with fewer values is chance, so nothing is said about it.
FEWEST_BEYOND = 10

# In the bench `floor`, which touches memory without a queue, this stands in place of a queue.
MACHINE = "machine"

Entry = dict[str, Any]  # what was measured of a cell in a round: its counters, and histograms
Histogram = list[list[float]]  # bins that are not empty, in order: the lower edge, and how many
Process = dict[str, Any]  # a run of a binary: how it was made, and an entry for each cell
Value = Callable[[Entry], float | None]
Mark = Literal["whole", "window", "slower_than", "lagged"]
Whose = Literal["ours", "library", "original"]


@dataclass(frozen=True, order=True)
class Name:
    """The name of a benchmark: `bench/queue/case`; a case is `workload/n`, or a trace.

    In the place of the queue stands what the bench measures: a service, a way to sleep, MACHINE.
    """

    bench: str
    queue: str
    case: str

    @classmethod
    def parse(cls, text: str) -> Name:
        """Leaves out what Google Benchmark appends, such as `/iterations:1` and `/real_time`."""
        parts = text.split("/")
        while parts and (":" in parts[-1] or parts[-1].endswith("_time")):
            parts.pop()
        if len(parts) < 3:
            raise ValueError(f"'{text}' is not a name of the form bench/queue/case")
        return cls(parts[0], parts[1], "/".join(parts[2:]))

    @property
    def workload(self) -> str:
        return self.case.rpartition("/")[0] or self.case

    @property
    def n(self) -> int | None:
        """The number of timers. It is None for a trace, which does not state it."""
        _, slash, last = self.case.rpartition("/")
        return int(last) if slash and last.isdecimal() else None

    def __str__(self) -> str:
        return f"{self.bench}/{self.queue}/{self.case}"


def by_case(names: Iterable[Name]) -> dict[tuple[str, str], list[Name]]:
    """Groups the names by bench and case, and keeps their order."""
    cases: dict[tuple[str, str], list[Name]] = {}
    for name in names:
        cases.setdefault((name.bench, name.case), []).append(name)
    return cases


def ns_per_operation(entry: Entry) -> float:
    return float(entry["ns_per_operation"])


def bytes_per_timer(entry: Entry) -> float:
    return float(entry["bytes_per_timer"])


@cache
def optional(counter: str) -> Value:
    """Returns a reader of a counter that a cell may lack: `worst_expire_ns` if nothing expired."""

    def value(entry: Entry) -> float | None:
        return float(entry[counter]) if counter in entry else None

    return value


worst_expire_ns = optional("worst_expire_ns")


def value_of(bench: str) -> Callable[[Entry], float]:
    """Returns the reader of the figure that a bench is about."""
    return bytes_per_timer if bench in COUNTING else ns_per_operation


def quantile(counter: str, share: float) -> Value:
    """Returns a reader of the value that this share of a histogram stays below.

    It reads None if fewer than FEWEST_BEYOND values are above. It returns the middle of a bin, so
    it is within 2.5% of what was measured.
    """

    def value(entry: Entry) -> float | None:
        bins: Histogram = entry.get(counter, [])
        left = (1 - share) * sum(count for _, count in bins)
        if not bins or left < FEWEST_BEYOND:
            return None
        for lower_edge, count in reversed(bins):
            left -= count
            if left <= 0:
                return lower_edge * MIDDLE_OF_BIN
        return bins[0][0] * MIDDLE_OF_BIN

    return value


@dataclass(frozen=True)
class Results:
    """The cells of one machine, by name."""

    # What Google Benchmark and the binary say about themselves, taken from the first bench. For the
    # facts that figures are MADE_BY it has all values that occur. Groups are not in it.
    context: dict[str, Any]
    machine: dict[str, Any]  # the content of CONTEXT
    measured: dict[Subject, list[str]]  # in the order of the catalog
    groups: Groups
    rounds: dict[Name, dict[int, Entry]]  # by the number of the round
    twins: dict[Name, dict[int, Entry]]  # the second, equal objects of these cells
    floors: dict[Name, dict[int, Entry]]  # of what only sleeps, beside services
    began: datetime  # when its first process began
    ended: datetime  # when its last process ended
    pages: frozenset[str] = frozenset()  # "huge" or "small", for queues
    small_pages: Results | None = None  # the content of SMALL_PAGES

    @property
    def queues(self) -> list[str]:
        return self.measured["queues"]

    @property
    def libraries(self) -> frozenset[str]:
        """The queues that others wrote."""
        return frozenset(self.groups[LIBRARIES])

    def whose(self, name: str) -> Whose:
        """Whether a queue or a service is ours, or stands beside ours to compare with."""
        if name in self.libraries:
            return "library"
        return "original" if name in self.groups[ORIGINALS] else "ours"

    def family_of(self, name: str) -> str:
        """Returns the family in the catalog.

        Libraries are one family here, and originals another.
        """
        whose = self.whose(name)
        return self.groups.places.get(name, (name, 0))[0] if whose == "ours" else whose

    def beside(self, originals: Results) -> Results:
        """Returns these results with those of the originals in the same cases."""
        there = {(subject_of(name.bench), name.queue) for name in originals.rounds}
        return with_other(
            self,
            measured={
                of: [*names, *(one for one in originals.measured[of] if (of, one) in there)]
                for of, names in self.measured.items()
            },
            groups=self.groups.beside(originals.groups),
            rounds={**self.rounds, **originals.rounds},
        )

    def first_queue_of(self, family: str) -> str | None:
        """Returns the queue that stands for its family, if results name it and have it."""
        of_family = self.groups[family]
        return next((queue for queue in of_family if queue in self.queues), None)

    def names(self, bench: str) -> list[Name]:
        return [name for name in self.rounds if name.bench == bench]

    def cases(self, bench: str) -> list[str]:
        """Returns the cases of a bench by workload, then by n."""
        names = sorted(self.names(bench), key=lambda name: (name.workload, name.n or 0))
        return list(dict.fromkeys(name.case for name in names))

    def floor_of(self, bench: str, case: str) -> Name | None:
        """Returns what only slept in turns with the services of this case: none can be better."""
        return next((n for n in self.floors if (n.bench, n.case) == (bench, case)), None)

    def of_rounds(self, name: Name, value: Value) -> dict[int, float]:
        """Returns a value for each round that has it, by the number of the round."""
        entries = self.rounds.get(name) or self.floors.get(name, {})
        try:
            of_rounds = {n: value(entry) for n, entry in entries.items()}
        except KeyError as error:
            raise ResultsError(f"{name} has no counter {error}") from error
        return {n: of_round for n, of_round in of_rounds.items() if of_round is not None}

    def values(self, name: Name, value: Value) -> list[float]:
        """Returns a value for each round that has it."""
        return list(self.of_rounds(name, value).values())

    def ratios(self, name: Name, other: Name, value: Value) -> list[float]:
        """Returns the ratios to the other cell, one for each process that measured them both.

        A machine has faster hours and slower ones, and one process runs in one of them. So, for two
        cells of one case, the ratios tell more than the quotient of the figures. If no process has
        both cells, there are no ratios.
        """
        return _ratios(self.of_rounds(name, value), self.of_rounds(other, value), other)

    def ratio(self, name: Name, other: Name, value: Value) -> Figure | None:
        """Returns how many times as much a cell takes as another one of its case.

        All cells of the case tell how much ratios to the other one vary. It returns None if no
        process measured both.
        """
        beside = other, value
        if beside not in self._ratios_beside:
            self._ratios_beside[beside] = figures_of_case(self._alike(other, value))
        if name in self._ratios_beside[beside]:
            return self._ratios_beside[beside][name]
        ratios = self.ratios(name, other, value)
        return figure_of(ratios) if ratios else None

    def mean_ratio(self, name: Name, other: Name, value: Value) -> float | None:
        """Returns the mean of ratio(). It is much faster, as it needs no interval."""
        ratios = self.ratios(name, other, value)
        return mean_of(ratios) if ratios else None

    def shared(self, other: Name, value: Value) -> dict[int, Shared]:
        """Returns what the ratios to this cell share, by their number of processes."""
        return shared_of_case(self._alike(other, value))

    def _alike(self, other: Name, value: Value) -> dict[Name, list[float]]:
        """Returns the ratios to this cell that vary alike: of its case, and of its processes."""
        if 0 in self.of_rounds(other, value).values():
            return {}
        is_original = self.whose(other.queue) == "original"
        return {
            one: ratios
            for one in self._cases.get((other.bench, other.case), [])
            if not self.is_bound(one)
            and (self.whose(one.queue) == "original") == is_original
            and (ratios := self.ratios(one, other, value))
        }

    @cached_property
    def _cases(self) -> dict[tuple[str, str], list[Name]]:
        return by_case(self.rounds)

    @cached_property
    def _ratios_beside(self) -> dict[tuple[Name, Value], dict[Name, Figure]]:
        """The ratios that were asked for so far, by what they are ratios to."""
        return {}

    def figure(self, name: Name, value: Value) -> Figure | None:
        """Returns None for a cell that was not measured, or that lacks an optional counter."""
        values = self.values(name, value)
        return figure_of(values) if values else None

    def mean(self, name: Name) -> float:
        """Returns the mean of the bench's own figure, for a cell that was measured."""
        return mean_of(self.values(name, value_of(name.bench)))

    def ratio_of_twins(self, name: Name) -> Figure | None:
        """Returns the ratio of this cell to its twin, which is equal. There is no ratio to 0."""
        figures = self.of_rounds(name, ns_per_operation)
        ours = {n: ns for n, ns in figures.items() if ns > 0}
        twins = {n: ns_per_operation(entry) for n, entry in self.twins.get(name, {}).items()}
        ratios = _ratios(twins, ours, name)
        return figure_of(ratios) if ratios else None

    def twins_differ_by(self, names: Iterable[Name]) -> float | None:
        """Returns how far from 1 the ratios of these cells to their twins are, in 95% of the cells.

        It is None if no cell has a twin. A bound has no ratio.
        """
        with_twins = [name for name in names if name in self.twins and not self.is_bound(name)]
        known = [ratio for name in with_twins if (ratio := self.ratio_of_twins(name))]
        apart = [abs(ratio.mean - 1) for ratio in known]
        return float(np.quantile(apart, 0.95)) if apart else None

    def equals_differ_by(self) -> dict[str, float]:
        """Returns twins_differ_by() for all queues and for all services, if they have twins."""
        kinds = dict.fromkeys(kind_of(name.bench) for name in self.twins)
        known = {
            kind: self.twins_differ_by(n for n in self.twins if kind_of(n.bench) == kind)
            for kind in kinds
        }
        return {kind: apart for kind, apart in known.items() if apart is not None}

    def mark(self, name: Name) -> Mark:
        """Says whether the measured part was timed whole or in a window, or was too slow.

        Or says that the thread that makes the timers lagged, so that the load was another one.
        """
        entries = self.rounds.get(name, {}).values()
        if any(entry.get("generator_lagged") for entry in entries):
            return "lagged"
        if any(entry.get("slower_than") for entry in entries):
            return "slower_than"
        return "window" if any(entry.get("window_share", 1) < 1 for entry in entries) else "whole"

    def is_bound(self, name: Name) -> bool:
        """Whether the cell was too slow to be timed, so that its figure is only a lower bound."""
        return name in self._bounds

    @cached_property
    def _bounds(self) -> set[Name]:
        return {name for name in self.rounds if self.mark(name) == "slower_than"}


@dataclass
class BenchFile:
    """All that is kept of a bench."""

    context: dict[str, Any]
    queues: list[str]
    processes: list[Process]

    @classmethod
    def read(cls, path: Path) -> BenchFile:
        file = read_bench(path)
        return cls(file["context"], file["queues"], file["processes"])

    def write(self, path: Path) -> None:
        """Writes a line for each process and for each of its cells.

        Writes the whole file, or nothing.
        """
        order = sorted(self.processes, key=lambda process: (process["group"], process["round"]))
        processes = ",\n".join(map(_lines, order))
        head = f'"context": {json.dumps(self.context)},\n"queues": {json.dumps(self.queues)}'
        replace(path, f'{{{head},\n"processes": [\n{processes}\n]}}\n')

    def last_started(self) -> str:
        return max((str(process["started"]) for process in self.processes), default="")

    def of_latest_build(self) -> list[Process]:
        """Returns the processes of the latest build.

        Figures of two builds, or of a group that ran in two ways, never come into one cell.
        """
        in_time = sorted(self.processes, key=lambda process: str(process["started"]))
        binary = in_time[-1]["binary"] if in_time else None
        arguments = {p["group"]: p["arguments"] for p in in_time if p["binary"] == binary}
        return [
            process
            for process in self.processes
            if _build(process) == (binary, arguments.get(process["group"]))
        ]


def _build(process: Process) -> tuple[str, list[str]]:
    return process["binary"], process["arguments"]


def _lines(process: Process) -> str:
    facts = json.dumps({key: value for key, value in process.items() if key != "benchmarks"})
    entries = ",\n  ".join(json.dumps(entry) for entry in process["benchmarks"])
    return f'{facts[:-1]}, "benchmarks": [\n  {entries}]}}'


def load(directory: Path) -> Results:
    """Reads a directory of results, with the originals and the small pages in it, if any."""
    results = _load(directory)
    if _files(directory / ORIGINALS):
        results = results.beside(_load(directory / ORIGINALS))
    if not (directory / SMALL_PAGES).is_dir():
        return results
    small = _load(directory / SMALL_PAGES)
    if "huge" in small.pages:
        raise ResultsError(
            f"{directory / SMALL_PAGES} was measured in huge pages; measure it by "
            "scripts/run.py --small-pages"
        )
    return with_other(results, small_pages=small)


def _files(directory: Path) -> list[Path]:
    """Returns the files of results, one for each bench that was measured."""
    return sorted(path for path in directory.glob("*.json") if path.name != CONTEXT)


def _load(directory: Path) -> Results:
    files = {path.stem: BenchFile.read(path) for path in _files(directory)}
    if not files:
        raise ResultsError(f"{directory} holds no results; scripts/run.py makes some")
    rounds: dict[Name, dict[int, Entry]] = {}
    twins: dict[Name, dict[int, Entry]] = {}
    floors: dict[Name, dict[int, Entry]] = {}
    begins, ends = [], []
    pages: set[str] = set()
    left_out = 0
    for bench, file in files.items():
        processes = file.of_latest_build()
        if kind_of(bench) == "queues":
            pages |= {process.get("pages", "small") for process in processes}
        left_out += len(file.processes) - len(processes)
        twin_of = twins_in(file.context)
        for process in sorted(processes, key=lambda process: int(process["round"])):
            begins.append(datetime.fromisoformat(process["started"]))
            ends.append(begins[-1] + timedelta(seconds=process["seconds"]))
            for entry in process["benchmarks"]:
                name = Name.parse(entry["run_name"])
                if queue := twin_of.get(name.queue):
                    of_name = twins.setdefault(with_other(name, queue=queue), {})
                elif name.queue in floors_in(file.context):
                    of_name = floors.setdefault(name, {})
                else:
                    of_name = rounds.setdefault(name, {})
                of_name[int(process["round"])] = entry
    if not rounds:
        raise ResultsError(f"{directory} holds no results; scripts/run.py makes some")
    context = without_groups(next(iter(files.values())).context)
    for key in MADE_BY:
        different = dict.fromkeys(str(file.context.get(key)) for file in files.values())
        if len(different) > 1:
            context[key] = " and ".join(different)
            print(f"{directory}: benches differ in {key}: {context[key]}", file=sys.stderr)
    if left_out:
        print(
            f"{directory}: {left_out} processes of an older build, or run in another way, "
            "are left out",
            file=sys.stderr,
        )
    latest_first = sorted(files, key=lambda bench: files[bench].last_started(), reverse=True)
    groups = groups_of(files[bench].context for bench in latest_first)
    machine = read_machine(directory / CONTEXT)
    return Results(
        context,
        machine,
        _measured(files, latest_first),
        groups,
        rounds,
        twins,
        floors,
        began=min(begins),
        ended=max(ends),
        pages=frozenset(pages),
    )


def _measured(files: dict[str, BenchFile], latest_first: list[str]) -> dict[Subject, list[str]]:
    """Returns what was measured, in the latest order of the catalog; what left it, at the end."""
    measured: dict[Subject, list[str]] = {subject: [] for subject in get_args(Subject)}
    for bench in latest_first:
        of_subject = measured[subject_of(bench)]
        context = files[bench].context
        known = {*of_subject, *twins_in(context), *floors_in(context)}
        of_subject += [name for name in files[bench].queues if name not in known]
    return measured


def _ratios(ours: dict[int, float], theirs: dict[int, float], other: Name) -> list[float]:
    """Returns the ratios in the rounds that both have."""
    try:
        return [ours[number] / theirs[number] for number in ours if number in theirs]
    except ZeroDivisionError as error:
        raise ResultsError(f"{other} has a figure of 0, of which there is no multiple") from error


def write_json(path: Path, value: object) -> None:
    replace(path, json.dumps(value, indent=1) + "\n")


def refuse_within(option: str, file: Path, directories: Iterable[Path]) -> None:
    """Refuses a file among results: it would be read as results, or replace some."""
    for directory in directories:
        if file.resolve().is_relative_to(directory.resolve()):
            raise ResultsError(f"{option} {file} lies in {directory}; give a file outside of it")
