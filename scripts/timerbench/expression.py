"""A small language that says which measured figure a number of a text is.

    churn/min_heap/rpc/1000           a cell: ns an operation; of memory, bytes a timer
    churn/min_heap/rpc/10:operations  another counter of it; both are means over processes
    churn/*wheel*/rpc/{1000,10000}    several cells
    churn/{heaps - libraries}/rpc/10  the cells of a group, without those of another: groups are the
                                      families and properties of the catalog, and words of the page
    min(…), max, median               one figure of several, in one argument or in many
    count(…)                          how many there are
    most_of(cells)                    the limit below which 95% of them stay
    times_best(cells)                 how many times as much each takes as the best of its case
    times(cells, min_heap)            the same compared with this queue, or with the best of those
                                      that a word of the page means
    half_widths(cells)                half the interval of times_best(cells), as a share; the best
                                      of a case and bounds have none
    half_widths(times(cells, min_heap))  the same of times()
    twins_apart(cells)                how far from 1 the ratio of each to its twin is, if it has one
    a + b, a - b, a * b, a / b        with spaces; a / without them is part of a name
    at_least(x)                       accepts cells with only a lower bound
    rounded(x, 2)                     to two digits
    soak(operations)                  a column of soak.jsonl: a figure for each queue
    simulated(cells, instructions)    a column of results/simulated.json, of the build that measured
    schemes(cells, instructions)      the same of results/schemes.json
    told_apart('xeon-2core-vm')       how many pairs of queues this machine and that one tell apart;
                                      the two directories of results are neighbours
    same_order('xeon-2core-vm')       the share of these pairs with the same order on both

Braces contain words with commas between them; after each " - " follows what is left out. A group
means those of its members that the bench measures; each of them must have a cell.

An operation on several cells and several cells takes them in pairs: by case if the right side has
one queue, by queue if it has one case, by both otherwise. To compare figures of one case, use
times() and times_best(): these compare within each process. The two sides of a / b may be of
different hours.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import operator
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from timerbench import agreement, simulated
from timerbench.estimates import Figure
from timerbench.results import Name, Results, ResultsError, load, optional, value_of
from timerbench.results import Value as Counter
from timerbench.simulated import SimulatedError
from timerbench.standing import beside_best, standing, times_best

Cells = dict[Name, float]
Value = float | Cells
FigureOf = Callable[[Name, Counter], float | None]

PART = r"(?:[\w*.@+-]|\{[\w*.@+, -]*\})+"
NAME = re.compile(rf"(?<![\w/])(?=[a-z{{*]){PART}(?:/{PART})+(?::\w+)?")
ALTERNATIVES = re.compile(r"\{([^}]*)\}")

OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
OF_SEVERAL: dict[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "median": statistics.median,
    "count": len,
    "most_of": lambda values: float(np.quantile(values, 0.95)),
}


class ExpressionError(Exception):
    """Why an expression has no value."""


@dataclass(frozen=True)
class Language:
    """The results that expressions are about, and the words of the page.

    A word stands for what one could write in its place in braces.
    """

    results: Results
    directory: Path
    words: Mapping[str, str] = field(default_factory=dict)

    def evaluate(self, text: str) -> float:
        """Returns the value of an expression. Runs nothing but what this file defines."""
        quoted = NAME.sub(lambda name: repr(name[0]), text)
        try:
            value = self._value(ast.parse(quoted.strip(), mode="eval").body, bounds=False)
        except (SyntaxError, MemoryError, RecursionError) as error:  # the last two: nested too deep
            raise ExpressionError(f"'{text}' is no expression") from error
        except (ArithmeticError, ResultsError, ValueError) as error:
            raise ExpressionError(f"'{text}' has no value: {error}") from error
        if isinstance(value, dict):
            raise ExpressionError(f"'{text}' is {len(value)} figures; take their min or max")
        if not math.isfinite(value):
            raise ExpressionError(f"'{text}' is {value}")
        return value

    def _value(self, node: ast.expr, bounds: bool) -> Value:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return float(number)
            case ast.Constant(value=str() as name):
                return self._of_cells(name, bounds, self._mean)
            case ast.BinOp(left, op, right) if type(op) in OPERATORS:
                # If a lower bound is divided by or subtracted, the result is an upper bound.
                on_right = bounds and isinstance(op, ast.Add | ast.Mult)
                return _combined(
                    OPERATORS[type(op)], self._value(left, bounds), self._value(right, on_right)
                )
            case ast.Call(ast.Name(function), arguments, []):
                return self._call(function, arguments, bounds)
        raise ExpressionError(f"'{ast.unparse(node)}' is not part of the language")

    def _call(  # noqa: PLR0911 (one for each function)
        self, function: str, arguments: list[ast.expr], bounds: bool
    ) -> Value:
        match function, arguments:
            case "times_best", [ast.Constant(value=str() as name)]:
                return self._of_cells(name, bounds, partial(times_best, self.results))
            case "times", [ast.Constant(value=str() as name), ast.Name(rival)]:
                return self._of_cells(name, bounds, partial(self._times, rival))
            case "half_widths", [ast.Constant(value=str() as name)]:
                return self._of_cells(name, True, self._half_width)
            case (
                "half_widths",
                [ast.Call(ast.Name("times"), [ast.Constant(str() as name), ast.Name(rival)], [])],
            ):
                return self._of_cells(name, False, partial(self._times_half_width, rival))
            case "twins_apart", [ast.Constant(value=str() as name)]:
                return self._of_cells(name, True, self._twin_apart)
            case "at_least", [argument]:
                return self._value(argument, bounds=True)
            case "rounded", [argument, ast.Constant(value=int() as digits)] if digits > 0:
                value = self._value(argument, bounds)
                return _each(lambda one: float(f"{one:.{digits - 1}e}"), value)
            case "soak", [ast.Name(column)]:
                return self._soak(column)
            case "simulated" | "schemes", [ast.Constant(value=str() as name), ast.Name(column)]:
                file = simulated.STORED if function == "simulated" else simulated.SCHEMES
                return self._counted(file, name, column)
            case "told_apart" | "same_order", [ast.Constant(value=str() as machine)]:
                apart = _told_apart(self.directory, machine)
                same = sum(pair.same_order for pair in apart)
                return float(len(apart)) if function == "told_apart" else same / len(apart)
            case name, [_, *_] if name in OF_SEVERAL:
                values = [_several(self._value(argument, bounds)) for argument in arguments]
                return float(OF_SEVERAL[name](list(itertools.chain(*values))))
        raise ExpressionError(f"{function}() of such arguments is not part of the language")

    def _of_cells(self, text: str, bounds: bool, figure: FigureOf) -> Value:
        name, _, counter = text.partition(":")
        found = {}
        for cell in self._names(name):
            if not bounds and self.results.is_bound(cell):
                raise ExpressionError(f"{cell} is only a lower bound; at_least() lets it count")
            counted = optional(counter) if counter else value_of(cell.bench)
            if (value := figure(cell, counted)) is not None:
                found[cell] = value
        if not found:
            raise ExpressionError(f"{name} has no such figure" + (counter and f": {counter}"))
        return found if _is_several(name) else next(iter(found.values()))

    def _mean(self, cell: Name, counter: Counter) -> float | None:
        figure = self.results.figure(cell, counter)
        return figure.mean if figure else None

    def _times(self, rival: str, cell: Name, counter: Counter) -> float:
        return self._beside(rival, cell, counter).mean

    def _times_half_width(self, rival: str, cell: Name, counter: Counter) -> float:
        return _half_width(cell, self._beside(rival, cell, counter))

    def _beside(self, rival: str, cell: Name, counter: Counter) -> Figure:
        rivals = self._meant(rival, cell.bench, self.words)
        timed = [one for one in rivals if not self.results.is_bound(replace(cell, queue=one))]
        if not timed:
            raise ExpressionError(f"{replace(cell, queue=rivals[0])} is only a lower bound")
        beside = standing(self.results, cell, timed, counter)
        if not beside:
            raise ExpressionError(f"no process measured {cell} and {rival}")
        return beside.ratio

    def _half_width(self, cell: Name, counter: Counter) -> float | None:
        beside = beside_best(self.results, cell, counter)
        if not beside or beside.is_bound or beside.rival == cell.queue:
            return None
        return _half_width(cell, beside.ratio)

    def _twin_apart(self, cell: Name, _: Counter) -> float | None:
        if self.results.is_bound(cell) or not (ratio := self.results.ratio_of_twins(cell)):
            return None
        return abs(ratio.mean - 1)

    def _names(self, pattern: str, among: Iterable[Name] | None = None) -> Iterator[Name]:
        """Yields the cells that a name means.

        Each of its alternatives must mean at least one cell.
        """
        known = self.results.rounds if among is None else among
        for alternative in self._alternatives(pattern):
            glob = re.compile(re.escape(alternative).replace(r"\*", "[^/]*"))
            cells = [cell for cell in known if glob.fullmatch(str(cell))]
            if not cells:
                raise ExpressionError(f"there is no cell {alternative}")
            yield from cells

    def _alternatives(self, pattern: str) -> Iterator[str]:
        braces = ALTERNATIVES.search(pattern)
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
                raise ExpressionError(f"there is no {word} to leave out of {{{text}}}")
            without = self._joined(word, bench, words)
            meant = [one for one in meant if one not in without]
        if not meant:
            raise ExpressionError(f"nothing is left of {{{text}}}")
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

    def _soak(self, column: str) -> Cells:
        file = self.directory / "soak.jsonl"
        try:
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            return {Name("soak", line["queue"], column): float(line[column]) for line in lines}
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ExpressionError(f"{file} gives no {column}: {error!r}") from error

    def _counted(self, file: Path, pattern: str, column: str) -> Value:
        if column not in simulated.COLUMNS:
            raise ExpressionError(f"{file} has no column {column}")
        try:
            cells = simulated.of_build(self.results.context, simulated.read(file))
        except SimulatedError as error:
            raise ExpressionError(str(error)) from error
        found = {}
        for name in self._names(pattern, [Name.parse(cell) for cell in cells]):
            counted = cells[str(name)]
            if counted is None:
                raise ExpressionError(f"{name} was too slow to be counted")
            found[name] = float(getattr(counted, column))
        return found if _is_several(pattern) else next(iter(found.values()))


@cache
def _told_apart(directory: Path, neighbour: str) -> list[agreement.Pair]:
    other = directory.parent / neighbour
    if not other.is_dir():
        raise ExpressionError(f"there are no results in {other}")
    return agreement.told_apart(load(directory), load(other))


def _half_width(cell: Name, figure: Figure) -> float:
    if figure.processes == 1:
        raise ExpressionError(f"one process measured {cell}, and a figure of one has no interval")
    return figure.high / figure.mean - 1


def _is_several(name: str) -> bool:
    return bool(re.search(r"[*{]", name))


def _several(value: Value) -> list[float]:
    return list(value.values()) if isinstance(value, dict) else [value]


def _each(apply: Callable[[float], float], value: Value) -> Value:
    if isinstance(value, dict):
        return {cell: apply(one) for cell, one in value.items()}
    return apply(value)


def _combined(apply: Callable[[float, float], float], left: Value, right: Value) -> Value:
    if not isinstance(right, dict):
        return _each(lambda value: apply(value, right), left)
    if not isinstance(left, dict):
        return _each(lambda value: apply(left, value), right)
    key = _pairing(right)
    partners = {key(cell): value for cell, value in right.items()}
    if len(partners) < len(right):
        raise ExpressionError("cells of several benches on the right have no clear partners")
    for cell in left:
        if key(cell) not in partners:
            raise ExpressionError(f"{cell} has no partner on the right")
    return {cell: apply(value, partners[key(cell)]) for cell, value in left.items()}


def _pairing(right: Cells) -> Callable[[Name], object]:
    """Returns a function that gives the key by which a cell on the left finds its partner."""
    if len({cell.queue for cell in right}) == 1:
        return lambda cell: cell.case
    if len({cell.case for cell in right}) == 1:
        return lambda cell: cell.queue
    return lambda cell: (cell.queue, cell.case)
