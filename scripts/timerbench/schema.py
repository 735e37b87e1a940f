"""The form of a file of results, which is checked when the file is read.

An error takes one line: the file, the place in it, what is there, and what should be there.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import UNSET, Meta, UnsetType

from timerbench.benches import is_in_passes
from timerbench.command import CommandError

NotNegative = Annotated[float, Meta(ge=0)]
Text = str | None | UnsetType
Number = float | None | UnsetType
Histogram = list[tuple[float, NotNegative]]  # the lower edge of a bin, and its count

# The results of these benches are the same in every process: one process tells all.
COUNTING = {"memory", "service_memory"}

# Everything else in an entry is a counter.
NO_COUNTERS = {"run_name", "label"}


class ResultsError(CommandError):
    """A directory that holds no results, or broken results."""


class Machine(msgspec.Struct):
    """context.json: all that is known of the machine, as text, numbers, or lists of these."""

    cores: Number = UNSET
    memory_bytes: Number = UNSET
    kernel: Text = UNSET
    governor: Text = UNSET
    transparent_hugepages: Text = UNSET
    clock_source: Text = UNSET
    load: list[float] | UnsetType | None = UNSET
    load_before: list[float] | UnsetType | None = UNSET
    load_after: list[float] | UnsetType | None = UNSET


class Build(msgspec.Struct):
    """The context of a bench: how it was built, and which groups there are, in words."""

    cpu: Text = UNSET
    compiler: Text = UNSET
    flags: Text = UNSET
    commit: Text = UNSET
    build_type: Text = UNSET
    libc: Text = UNSET
    families: str | UnsetType = UNSET
    properties: str | UnsetType = UNSET
    libraries: str | UnsetType = UNSET
    twins: str | UnsetType = UNSET
    floors: str | UnsetType = UNSET


class Entry(msgspec.Struct):
    """What a process measured of a cell. There are more counters, all of them finite numbers."""

    # Behind the queue stands a case, and not only what Name.parse leaves out.
    run_name: Annotated[str, Meta(pattern=r"^[^/]+/[^/]+/([^/]*/)*(?![^/]*(:|_time(/|$)))[^/]+")]
    ns_per_operation: NotNegative | UnsetType = UNSET
    bytes_per_timer: float | UnsetType = UNSET
    label: str | UnsetType = UNSET
    lateness: Histogram | UnsetType = UNSET
    generator_lag: Histogram | UnsetType = UNSET
    over_time: list[tuple[float, float, float | None]] | UnsetType = UNSET


class Process(msgspec.Struct):
    """A run of a binary: what was run and when, and an entry for each cell."""

    group: str
    round: Annotated[int, Meta(ge=1)]
    binary: str
    arguments: list[str]
    started: Annotated[datetime, Meta(tz=True)]
    seconds: Annotated[float, Meta(ge=0, le=1e9)]
    load_before: Annotated[list[float], Meta(min_length=1)]
    benchmarks: list[Entry]
    pages: Annotated[str, Meta(pattern="^(huge|small)$")] | UnsetType = UNSET


class Bench(msgspec.Struct):
    """The content of <bench>.json."""

    context: Build
    queues: list[str]
    processes: list[Process]


def read_bench(path: Path) -> dict[str, Any]:
    file = _read(path, Bench)
    for at, process in enumerate(file["processes"]):
        for position, entry in enumerate(process["benchmarks"]):
            for counter, value, message in faults_of(entry):
                place = f"processes[{at}].benchmarks[{position}].{counter}"
                _refuse(path, place, value, message)
    return file


def read_machine(path: Path) -> dict[str, Any]:
    """Reads what was kept about the machine; nothing, if there is no file."""
    return _read(path, Machine) if path.exists() else {}


def parse_json(text: str | bytes) -> Any:  # noqa: ANN401
    """Reads JSON. Refuses NaN, infinity and too large numbers: these are no figures."""

    def finite(constant: str) -> float:
        value = float(constant)
        if not math.isfinite(value):
            raise ValueError(f"{constant} is no figure")
        return value

    try:
        return json.loads(text, parse_constant=finite, parse_float=finite)
    except RecursionError as error:
        raise ValueError("brackets within brackets, too deep to be read") from error


def _read(path: Path, kind: type[msgspec.Struct]) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(path.read_text())
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at ")
        place = place.strip("`")
        _refuse(path, place.removeprefix("$").removeprefix("."), _at(value, place), message)
    except RecursionError:
        _refuse(path, "", UNSET, "brackets within brackets, too deep to be read")
    except (OSError, ValueError) as error:  # an error of JSON names line and column
        _refuse(path, "", UNSET, str(error))
    return value


def faults_of(entry: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Yields the impossible counters of an entry whose types are right, and what would be right."""
    bench = entry["run_name"].partition("/")[0]
    figure = "bytes_per_timer" if bench in COUNTING else "ns_per_operation"
    if figure not in entry:
        yield figure, UNSET, f"{entry['run_name']} has no {figure}, which a file of {bench} holds"
    for counter, value in entry.items():
        if counter not in NO_COUNTERS and not _is_finite(value):
            yield counter, value, "expected a finite number"
    time = entry.get(figure, math.inf)
    if is_in_passes(bench) and bench not in COUNTING and _is_finite(time) and time <= 0:
        yield figure, time, "expected a time above 0"


def _is_finite(value: object) -> bool:
    """Whether a value is a finite number, or a list of such numbers.

    Figures in a list may be absent.
    """
    if isinstance(value, list):
        return all(one is None or _is_finite(one) for one in value)
    try:
        return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def _at(value: Any, place: str) -> Any:  # noqa: ANN401
    """Returns the value at a place such as `$.processes[0].round`."""
    for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", place):
        value = value[key] if key else value[int(index)]
    return value


def _refuse(path: Path, place: str, value: object, message: str) -> NoReturn:
    shown = "" if value is UNSET else json.dumps(value)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    where = f"{place or 'the file'} is {shown}: " if shown else f"{place}: " if place else ""
    raise ResultsError(f"{path} is broken: {where}{message[:1].lower()}{message[1:]}")
