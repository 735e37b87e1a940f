"""What our pages quote: the figures of a directory of results, by their names.

A page is a template. It says where its figures are from:

    {% set xeon = measured("xeon-2core-vm") %}

Then a number of the page is an expression:

    {{ xeon.figure("churn/min_heap/rpc/1000") | digits(2) }} ns
    {{ max(xeon.figure("lateness/{on_one_thread}/uniform/*:p99_ns")) | digits(3, "µs") }} µs

The name of a cell is bench/queue/workload/n, or bench/queue/trace. It means the figure of the
bench: ns an operation, of memory bytes a timer. After a colon follows another counter of the cell.
All of them are means over processes. A name means several cells if it has these:

    *                  anything but a slash
    {1000,10000}       one of these words
    {heaps - trees}    the members of a group that the bench measures, without those of another:
                       groups are the families and properties of the catalog, and the words of
                       results/pages/words.toml

Several figures are a Series of pandas, by queue if each queue has one, otherwise by cell. A
template takes their min, max, median or count, or most_of: the limit below which 95% of them stay.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd  # type: ignore[import-untyped]

from timerbench import agreement, simulated
from timerbench.command import CommandError
from timerbench.estimates import Figure
from timerbench.results import Name, Results, load, optional, value_of
from timerbench.results import Value as Counter
from timerbench.simulated import SimulatedError
from timerbench.standing import Standing, beside_best, standing

Value = Any  # a float, or a Series of pandas, which has no types for mypy
Rival = str | Mapping[str, str]
FigureOf = Callable[[Name, Counter], float | None]

TIMES = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}
UNITS = TIMES | {"%": 0.01, "kB": 1e3}


class FigureError(CommandError):
    """Why there is no such figure."""


class Beside(NamedTuple):
    """A cell beside the best of its rivals."""

    queue: str
    bench: str
    workload: str
    n: int | None  # a trace does not state it
    size: str  # the number of timers, or the tick of a replay
    times: float  # as long
    best: list[str]  # the best rival, and all that cannot be told from it

    @property
    def is_tie(self) -> bool:
        return self.queue in self.best


@dataclass(frozen=True)
class Measured:
    """A directory of results, and the words that pages have for groups of queues.

    Each function raises FigureError if a figure is not known, and ResultsError if the results are
    broken.
    """

    directory: Path
    words: Mapping[str, str]
    takes_bounds: bool = False

    @property
    def results(self) -> Results:
        return _loaded(self.directory)

    @property
    def at_least(self) -> Measured:
        """The same results, in which a lower bound of a cell counts as its figure.

        What is divided by such a figure, or is without it, is at most the result.
        """
        return replace(self, takes_bounds=True)

    def figure(self, cells: str) -> Value:
        """Returns what was measured of these cells."""
        return self._of_cells(cells, self._mean)

    def times(self, cells: str, rival: Rival) -> Value:
        """Returns how many times as much each cell takes as this queue of its case.

        If a word means several queues, it is the best of these. If each queue has a rival of its
        own, `rival` is a mapping. The two are compared within each process.
        """
        return self._of_cells(cells, lambda cell, of: self._standing(rival, cell, of).ratio.mean)

    def beside(self, cells: str, rivals: str) -> list[Beside]:
        """Returns the same as `times`, cell by cell, and which rivals are the best."""
        return [self._beside_best_of(rivals, cell) for cell in self._names(cells)]

    def half_widths(self, cells: str, rival: Rival | None = None) -> Value:
        """Returns half the interval of `times`, as a share.

        Without a rival each cell is compared with the best of its case. Then bounds, and the best
        itself, have no interval.
        """
        if rival is None:
            return self.at_least._of_cells(cells, self._half_width_beside_best)
        return self._of_cells(
            cells, lambda cell, of: _half_width(cell, self._standing(rival, cell, of).ratio)
        )

    def twins_apart(self, cells: str) -> Value:
        """Returns how far from 1 the ratio of each cell to its twin is, if it has one."""
        return self.at_least._of_cells(cells, self._twin_apart)

    def simulated(self, cells: str, column: str) -> Value:
        """Returns a column of results/simulated.json, of the build that measured."""
        return self._counted(simulated.STORED, cells, column)

    def schemes(self, cells: str, column: str) -> Value:
        """Returns a column of results/schemes.json, of the build that measured."""
        return self._counted(simulated.SCHEMES, cells, column)

    def soak(self, column: str) -> Value:
        """Returns a column of soak.jsonl: a figure for each queue."""
        file = self.directory / "soak.jsonl"
        try:
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            return pd.Series({line["queue"]: float(line[column]) for line in lines})
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise FigureError(f"{file} gives no {column}: {error!r}") from error

    def told_apart(self, other: str) -> int:
        """Returns how many pairs of queues both machines tell apart."""
        return len(_told_apart(self.directory, other))

    def same_order(self, other: str) -> float:
        """Returns the share of these pairs that have the same order on both machines."""
        pairs = _told_apart(self.directory, other)
        return sum(pair.same_order for pair in pairs) / len(pairs)

    def _of_cells(self, text: str, figure: FigureOf) -> Value:
        name, _, counter = text.partition(":")
        found = {}
        for cell in self._names(name):
            self._require_figure(cell)
            try:
                value = figure(cell, optional(counter) if counter else value_of(cell.bench))
            except ValueError as error:
                raise FigureError(f"{cell}:{counter} is no figure: {error}") from error
            if value is not None:
                found[cell] = value
        if not found:
            raise FigureError(f"{name} has no such figure" + (counter and f": {counter}"))
        return _as_written(name, found)

    def _require_figure(self, cell: Name) -> None:
        if not self.takes_bounds and self.results.is_bound(cell):
            raise FigureError(f"{cell} is only a lower bound; at_least takes it")

    def _beside_best_of(self, rivals: str, cell: Name) -> Beside:
        self._require_figure(cell)
        counter = value_of(cell.bench)
        beside = self._standing(rivals, cell, counter)
        best = replace(cell, queue=beside.rival)
        level = [
            one
            for one in self._meant(rivals, cell.bench, self.words)
            if (ratio := self.results.ratio(replace(cell, queue=one), best, counter))
            and ratio.may_be_1
        ]
        return Beside(cell.queue, cell.bench, *_parts_of(cell), beside.ratio.mean, level)

    def _mean(self, cell: Name, counter: Counter) -> float | None:
        figure = self.results.figure(cell, counter)
        return figure.mean if figure else None

    def _standing(self, rival: Rival, cell: Name, counter: Counter) -> Standing:
        if not isinstance(rival, str) and cell.queue not in rival:
            raise FigureError(f"{cell.queue} has no rival")
        word = rival if isinstance(rival, str) else rival[cell.queue]
        rivals = self._meant(word, cell.bench, self.words)
        timed = [one for one in rivals if not self.results.is_bound(replace(cell, queue=one))]
        if not timed:
            raise FigureError(f"{replace(cell, queue=rivals[0])} is only a lower bound")
        beside = standing(self.results, cell, timed, counter)
        if not beside:
            raise FigureError(f"no process measured {cell} and {word}")
        return beside

    def _half_width_beside_best(self, cell: Name, counter: Counter) -> float | None:
        beside = beside_best(self.results, cell, counter)
        if not beside or beside.is_bound or beside.rival == cell.queue:
            return None
        return _half_width(cell, beside.ratio)

    def _twin_apart(self, cell: Name, _: Counter) -> float | None:
        if self.results.is_bound(cell) or not (ratio := self.results.ratio_of_twins(cell)):
            return None
        return abs(ratio.mean - 1)

    def _counted(self, file: Path, pattern: str, column: str) -> Value:
        if column not in simulated.COLUMNS:
            raise FigureError(f"{file} has no column {column}")
        try:
            cells = simulated.of_build(self.results.context, simulated.read(file))
        except SimulatedError as error:
            raise FigureError(str(error)) from error
        found = {}
        for name in self._names(pattern, cells):
            counted = cells[str(name)]
            if counted is None:
                raise FigureError(f"{name} was too slow to be counted")
            found[name] = float(getattr(counted, column))
        return _as_written(pattern, found)

    def _names(self, pattern: str, among: Mapping[str, object] | None = None) -> Iterator[Name]:
        """Yields the cells that a name means. Each of its alternatives must mean at least one."""
        known = _cells(self.directory) if among is None else among
        for alternative in self._alternatives(pattern):
            cells = [alternative] if alternative in known else []
            if "*" in alternative:
                glob = re.compile(re.escape(alternative).replace(r"\*", "[^/]*"))
                cells = list(filter(glob.fullmatch, known))
            if not cells:
                raise FigureError(f"there is no cell {alternative}")
            yield from map(Name.parse, cells)

    def _alternatives(self, pattern: str) -> Iterator[str]:
        braces = re.search(r"\{([^}]*)\}", pattern)
        if not braces:
            yield pattern
            return
        before, after = pattern[: braces.start()], pattern[braces.end() :]
        bench = before.partition("/")[0] if "/" in before else "*"
        for text in self._meant(braces[1], bench, self.words):
            yield from self._alternatives(before + text + after)

    def _meant(self, text: str, bench: str, words: Mapping[str, str]) -> list[str]:
        """Returns the queues of `a, b - c` in this bench: those of a and b, without those of c."""
        joined, *left_out = re.split(r"\s+-\s+", text.strip())
        meant = self._joined(joined, bench, words)
        for word in left_out:
            if word not in {*words, *self.results.groups.members, *self._measured("*")}:
                raise FigureError(f"there is no {word} to leave out of {{{text}}}")
            without = self._joined(word, bench, words)
            meant = [one for one in meant if one not in without]
        if not meant:
            raise FigureError(f"nothing is left of {{{text}}}")
        return meant

    def _joined(self, text: str, bench: str, words: Mapping[str, str]) -> list[str]:
        meant: dict[str, None] = {}
        for word in re.split(r",\s*", text):
            if word in words:
                # If a definition contains its own word, the word means the group of the catalog
                # there.
                others = {other: words[other] for other in words if other != word}
                meant |= dict.fromkeys(self._meant(words[word], bench, others))
            elif word in self.results.groups:
                measured = self._measured(bench)
                members = self.results.groups[word]
                meant |= dict.fromkeys(one for one in members if one in measured)
            else:
                meant[word] = None
        return list(meant)

    def _measured(self, bench: str) -> set[str]:
        return {name.queue for name in self.results.rounds if bench in (name.bench, "*")}


def digits(value: Value, significant: int, unit: str = "ns") -> str:
    """Writes a figure with so many significant digits, in this unit, but without the unit."""
    if unit not in UNITS:
        raise FigureError(f"there is no unit '{unit}'; there are {', '.join(UNITS)}")
    scaled = _one(value) / UNITS[unit]
    rounded = float(f"{scaled:.{significant - 1}e}")
    if not rounded:
        return "0"
    before_the_point = math.floor(math.log10(abs(rounded))) + 1
    return f"{rounded:,.{max(0, significant - before_the_point)}f}"


def time(value: Value, significant: int) -> str:
    """Writes a time in the largest unit in which it is at least 1, and the unit."""
    rounded = float(f"{_one(value):.{significant - 1}e}")
    if not rounded:
        return "0"
    unit = ([unit for unit, of in TIMES.items() if rounded >= of] or ["ns"])[-1]
    return f"{digits(rounded, significant, unit)} {unit}"


def power_of_ten(value: Value) -> str:
    """Writes a figure that is a power of ten, or at most 1% off, as this power."""
    power = round(math.log10(_one(value)))
    if not math.isclose(value, 10.0**power, rel_tol=0.01):
        raise FigureError(f"{value:,g} is no power of ten")
    return f"10^{power}"


def most_of(*values: Value) -> float:
    """Returns the limit below which 95% of the figures stay."""
    return float(_together(values).quantile(0.95))


def median(*values: Value) -> float:
    return float(_together(values).median())


def least(*values: Value) -> float:
    return float(_together(values).min())


def most(*values: Value) -> float:
    return float(_together(values).max())


def count(*values: Value) -> int:
    return len(_together(values))


def _together(values: Iterable[Value]) -> Value:
    each = (value if isinstance(value, pd.Series) else [value] for value in values)
    together = pd.Series(list(itertools.chain.from_iterable(each)), dtype=float)
    if together.empty or together.isna().any():
        raise FigureError("there are figures without a partner, or none at all")
    return together


def _one(value: Value) -> float:
    if isinstance(value, pd.Series):
        raise FigureError(f"these are {len(value)} figures; take their min or max")
    if not math.isfinite(value):
        raise FigureError(f"the figure is {value}")
    return float(value)


def _as_written(pattern: str, found: Mapping[Name, float]) -> Value:
    """Returns one figure if the pattern names one cell, otherwise a Series."""
    if not re.search(r"[*{]", pattern):
        return next(iter(found.values()))
    queues = {name.queue for name in found}
    by_queue = len(queues) == len(found)
    return pd.Series({name.queue if by_queue else str(name): one for name, one in found.items()})


def _parts_of(cell: Name) -> tuple[str, int | None, str]:
    """Splits a case into its workload, the number of timers, and the size in words."""
    trace, is_trace, tick = cell.case.partition("@")
    if is_trace:
        return trace, None, re.sub(r"^\d+", r"\g<0> ", tick).replace("us", "µs")
    return cell.workload, cell.n, f"{cell.n:,}"


def _half_width(cell: Name, figure: Figure) -> float:
    if figure.processes == 1:
        raise FigureError(f"one process measured {cell}, and a figure of one has no interval")
    return figure.high / figure.mean - 1


@cache
def _loaded(directory: Path) -> Results:
    return load(directory)


@cache
def _cells(directory: Path) -> dict[str, None]:
    return dict.fromkeys(map(str, _loaded(directory).rounds))


@cache
def _told_apart(directory: Path, other: str) -> list[agreement.Pair]:
    beside = directory.parent / other
    if not beside.is_dir():
        raise FigureError(f"there are no results in {beside}")
    return agreement.told_apart(_loaded(directory), _loaded(beside))
