"""The counts of callgrind for each queue and workload: results/simulated.json and schemes.json.

The counts depend on nothing but the program, so one file serves all machines. A program depends on
a compiler, libc, processor and set of flags: their names are the key of its counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from timerbench.command import ROOT, CommandError
from timerbench.whole_file import replace

STORED = ROOT / "results" / "simulated.json"
SCHEMES = STORED.with_name("schemes.json")  # schemes of Varghese & Lauck, by table and n

# The simulated machine: size in bytes, ways and bytes of a line of each cache. They are those of
# many processors, with a share of the last cache. The predictor is callgrind's own.
CACHES = {"I1": "32768,8,64", "D1": "32768,8,64", "LL": "8388608,16,64"}


class Counted(msgspec.Struct, frozen=True, array_like=True):
    """What an operation takes on the simulated machine."""

    instructions: float
    d1_misses: float  # of data, in the first cache
    ll_misses: float  # of data, in the last cache: these wait for memory
    mispredicted: float  # branches with a condition


COLUMNS = list(Counted.__struct_fields__)

# By the name of the benchmark; None for a queue that is too slow to be counted.
Cells = dict[str, Counted | None]


class SimulatedError(CommandError):
    """A file that does not have the right form."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    caches: dict[str, str]
    columns: list[str]
    counts: dict[str, Cells]


def rounded(value: float) -> float:
    """Rounds to four digits and at most three decimals: noise in the file would hide changes."""
    return round(float(f"{value:.4g}"), 3)


def read(path: Path) -> dict[str, Cells]:
    """Reads the counts by the key; there are none if there is no file."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return {}
    try:
        file = msgspec.json.decode(text, type=_File)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise SimulatedError(f"{path} is broken: {error}") from error
    if (file.caches, file.columns) != (CACHES, COLUMNS):
        raise SimulatedError(f"{path} is of another simulated machine, or of other counts")
    return file.counts


def write(path: Path, counts: Mapping[str, Mapping[str, Counted | None]]) -> None:
    """Writes the counts, one line for each cell."""
    programs = _block(
        f"{json.dumps(key)}: {_block(_line(*cell) for cell in cells.items())}"
        for key, cells in sorted(counts.items())
    )
    facts = {"caches": json.dumps(CACHES), "columns": json.dumps(COLUMNS), "counts": programs}
    replace(path, _block(f'"{fact}": {value}' for fact, value in facts.items()) + "\n")


def _block(lines: Iterable[str]) -> str:
    return "{\n" + ",\n".join(lines) + "\n}"


def _line(name: str, counted: Counted | None) -> str:
    return f"{json.dumps(name)}: {msgspec.json.encode(counted).decode()}"


def key_of(context: Mapping[str, Any], processor: str) -> str:
    return ", ".join((context["compiler"], context["libc"], processor, context["flags"]))


def of_build(context: Mapping[str, Any], counts: Mapping[str, Cells]) -> Cells:
    """Returns the counts of the program that has this context.

    The context of results does not name the kind of processor. If someone counted on two kinds, one
    compiler has two programs: then nothing is returned.
    """
    told = [str(context.get(fact)) for fact in ("compiler", "libc", "flags")]
    found = []
    for key, cells in counts.items():
        parts = key.split(", ", 3)  # only the last one, which is the flags, may contain a comma
        if parts[:2] + parts[3:] == told:
            found.append(cells)
    return found[0] if len(found) == 1 else {}


def words_of(cells: Cells, name: str) -> str:
    if name not in cells:
        return "no such cell"
    counted = cells[name]
    return f"{counted.instructions:g} instructions" if counted else "too slow to be counted"
