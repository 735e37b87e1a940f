"""Reads what run.py wrote: a figure for each cell, with its spread over the rounds."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"


@dataclass(frozen=True, order=True)
class Name:
    """The name of a benchmark: `bench/queue/case`."""

    bench: str
    queue: str
    case: str

    @classmethod
    def parse(cls, text: str) -> Name:
        """Leaves out what Google Benchmark appends, as in `/iterations:1` and `/real_time`."""
        parts = text.split("/")
        while parts and (":" in parts[-1] or parts[-1].endswith("_time")):
            parts.pop()
        if len(parts) < 3:
            raise ValueError(f"'{text}' is not a name of the form bench/queue/case")
        return cls(parts[0], parts[1], "/".join(parts[2:]))

    def __str__(self) -> str:
        return f"{self.bench}/{self.queue}/{self.case}"


@dataclass(frozen=True)
class Figure:
    """The median over the rounds, and the extremes."""

    median: float
    low: float
    high: float


class ResultsError(Exception):
    """A directory that holds no results, or broken ones."""


@dataclass(frozen=True)
class Results:
    """The cells of one machine, by name. Queues stand in the order of the catalog."""

    context: dict[str, Any]  # what Google Benchmark and the binary say of themselves, once
    queues: list[str]
    rounds: dict[Name, list[dict[str, Any]]]  # the entry of Google Benchmark of each round

    def names(self, bench: str) -> list[Name]:
        return [name for name in self.rounds if name.bench == bench]

    def cases(self, bench: str) -> list[str]:
        return sorted({name.case for name in self.names(bench)})

    def figure(self, name: Name, value: Callable[[dict[str, Any]], float]) -> Figure | None:
        """None for a cell that was not measured."""
        if name not in self.rounds:
            return None
        try:
            values = [value(entry) for entry in self.rounds[name]]
        except KeyError as error:
            raise ResultsError(f"{name} has no counter {error}") from error
        return Figure(statistics.median(values), min(values), max(values))


def ns_per_operation(entry: dict[str, Any]) -> float:
    return float(entry["ns_per_operation"])


def worst_expire_ns(entry: dict[str, Any]) -> float:
    return float(entry["worst_expire_ns"])


def load(directory: Path) -> Results:
    """Reads a directory of results. Of each bench, only the figures of its latest build count."""
    try:
        manifest = json.loads((directory / MANIFEST).read_text())
    except FileNotFoundError as error:
        raise ResultsError(f"{directory} holds no results; scripts/run.py makes some") from error
    except ValueError as error:
        raise ResultsError(f"{directory / MANIFEST} is broken: {error}") from error

    latest: dict[str, dict[str, Any]] = {}
    for file, entry in manifest.items():
        bench = file.split("/")[0]
        if bench not in latest or entry["started"] > latest[bench]["started"]:
            latest[bench] = entry

    context: dict[str, Any] = {}
    queues: dict[str, None] = {}
    rounds: dict[Name, list[dict[str, Any]]] = {}
    left_out = 0
    for file, entry in sorted(manifest.items()):
        if entry["binary"] != latest[file.split("/")[0]]["binary"]:
            left_out += 1
            continue
        queues.update(dict.fromkeys(entry["queues"]))
        try:
            report = json.loads((directory / file).read_text())
            context = context or report["context"]
            for cell in report["benchmarks"]:
                rounds.setdefault(Name.parse(cell["run_name"]), []).append(cell)
        except (OSError, ValueError, KeyError) as error:
            raise ResultsError(f"{directory / file} is broken: {error!r}") from error
    if left_out:
        print(f"{directory}: {left_out} files of an older build are left out", file=sys.stderr)
    return Results(context, list(queues), rounds)


def write_json(path: Path, value: object) -> None:
    """Writes the whole file, or leaves what was there."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(value, indent=1) + "\n")
    part.replace(path)
