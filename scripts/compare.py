"""Compares two directories of results cell by cell, and says what differs beyond chance.

Exit status: 0 nothing is worse, 1 something is worse beyond the threshold or B lacks a queue in a
case that it ran, 2 bad input.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import math
import statistics
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from scipy import stats  # type: ignore[import-untyped]

from timerbench import command_line
from timerbench.benches import subject_of
from timerbench.intervals import ratio, ratio_interval
from timerbench.numerals import three_digits
from timerbench.results import (
    COUNTING,
    MADE_BY,
    Name,
    Results,
    ResultsError,
    load,
    value_of,
    write_json,
)

BAD_INPUT = 3

LEVEL = 0.05  # of significance
SHARE_THE_SAME = 0.95  # of the cells, in an A/A run
SMALLEST = 3.0  # percent
THRESHOLD = 5.0  # percent

Verdict = Literal["worse", "better", "same", "too few rounds", "only bounds"]
COLOURS: dict[Verdict, str] = {"worse": "bold red", "better": "green"}


@dataclass(frozen=True)
class Comparison:
    """A cell in A and in B: the medians, and the ratio of B to A with its 95% interval.

    The ratio is over all pairs of rounds, so that it need not be the quotient of the medians.
    """

    name: Name
    a: float
    b: float
    ratio: float
    low: float
    high: float
    p: float  # of Mann and Whitney's test; 0 or 1 of what is counted
    verdict: Verdict


def can_show(a: int, b: int) -> bool:
    """Whether so many rounds may differ at the level: all of A could be below all of B."""
    return 2 / math.comb(a + b, a) < LEVEL


def compare_cell(name: Name, a: Results, b: Results, smallest: float) -> Comparison:
    of_a, of_b = (results.values(name, value_of(name.bench)) for results in (a, b))
    medians = statistics.median(of_a), statistics.median(of_b)
    b_to_a = ratio(of_a, of_b)
    low, high = ratio_interval(of_a, of_b)
    p = float(stats.mannwhitneyu(of_a, of_b, alternative="two-sided", method="exact").pvalue)
    a_is_bound, b_is_bound = (results.is_bound(name) for results in (a, b))
    verdict: Verdict = "same"
    if name.bench in COUNTING:
        p = 0.0 if b_to_a != 1 else 1.0
    if (a_is_bound and (b_is_bound or b_to_a > 1)) or (b_is_bound and b_to_a < 1):
        verdict = "only bounds"
    elif name.bench not in COUNTING and not can_show(len(of_a), len(of_b)):
        verdict = "too few rounds"
    elif p < LEVEL and not low <= 1 <= high and abs(b_to_a - 1) >= smallest:
        verdict = "worse" if b_to_a > 1 else "better"
    return Comparison(name, *medians, b_to_a, low, high, p, verdict)


def is_nothing(name: Name, *results: Results) -> bool:
    """A service may take no time, leave nothing behind or not be late, which has no ratio."""
    if subject_of(name.bench) != "settings":
        return False
    return any(value <= 0 for of in results for value in of.values(name, value_of(name.bench)))


def compare(a: Results, b: Results, smallest: float) -> list[Comparison]:
    """All cells of both, the worst first."""
    both = [name for name in a.rounds if name in b.rounds and not is_nothing(name, a, b)]
    cells = (compare_cell(name, a, b, smallest) for name in both)
    return sorted(cells, key=lambda cell: (-cell.ratio, cell.name))


def lacking(a: Results, b: Results) -> list[Name]:
    """The cells of A in whose case B ran other queues: these failed, or are gone."""
    cases = {(name.bench, name.case) for name in b.rounds}
    return [n for n in a.rounds if n not in b.rounds and (n.bench, n.case) in cases]


def only_in(some: Results, other: Results) -> list[str]:
    """The cells that the other lacks; those of a case in one: `churn/{min_heap,wheel}/rpc/10`."""
    queues: dict[tuple[str, str], list[str]] = {}
    for name in some.rounds:
        if name not in other.rounds:
            queues.setdefault((name.bench, name.case), []).append(name.queue)
    return [
        f"{bench}/{each[0] if len(each) == 1 else '{' + ','.join(each) + '}'}/{case}"
        for (bench, case), each in queues.items()
    ]


def differences(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """In what the contexts differ that makes figures differ; a commit is meant to."""
    keys = [key for key in MADE_BY if key != "commit"]
    keys += ["cores", "memory_bytes", "hypervisor", "kernel", "governor", "turbo"]
    keys += ["transparent_hugepages", "clock_source"]
    return [f"{key}: '{a.get(key)}' and '{b.get(key)}'" for key in keys if a.get(key) != b.get(key)]


def table_of(cells: list[Comparison], a: Results, b: Results) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("ns an operation; memory: bytes a timer", no_wrap=True)
    for heading in ("A", "B", "B/A", "95% interval", "p"):
        table.add_column(heading, justify="right", no_wrap=True)
    for cell in cells:
        medians = [
            ("> " if results.is_bound(cell.name) else "") + three_digits(median)
            for results, median in ((a, cell.a), (b, cell.b))
        ]
        ratio = "~" if cell.verdict not in COLOURS else f"{cell.ratio:.2f}"
        interval = f"{cell.low:.2f} – {cell.high:.2f}"
        style = COLOURS.get(cell.verdict, "")
        table.add_row(str(cell.name), *medians, ratio, interval, f"{cell.p:.3f}", style=style)
    return table


def say_what_is_missing(a: Results, b: Results, cells: list[Comparison]) -> None:
    for name in only_in(a, b):
        print(f"only in A: {name}")
    for name in only_in(b, a):
        print(f"only in B: {name}")
    if lost := len(lacking(a, b)):
        print(f"B lacks {lost} of these cells though it ran their cases for other queues")
    counts = Counter(cell.verdict for cell in cells)
    if too_few := counts["too few rounds"]:
        print(
            f"too few rounds in {too_few} of {len(cells)} cells: nothing can be shown at "
            f"{LEVEL:.0%}; 4 in A and 4 in B are enough (scripts/run.py --rounds 5)"
        )
    if nothing := sum(is_nothing(name, a, b) for name in a.rounds if name in b.rounds):
        print(f"{nothing} cells of services are 0 in a round, and are not compared")
    if bounds := counts["only bounds"]:
        print(f"too slow to be timed in {bounds} of {len(cells)} cells: their bounds tell nothing")


def say_the_rest(cells: list[Comparison], smallest: float) -> None:
    counts = Counter(cell.verdict for cell in cells)
    tested = counts["worse"] + counts["better"] + counts["same"]
    print(
        f"{tested} of {len(cells)} cells tested: "
        f"{counts['worse']} worse, {counts['better']} better, {counts['same']} ~ "
        f"(p >= {LEVEL:g}, or 1 lies in the interval, or less than {smallest:.1%} apart)"
    )
    if counts["worse"] + counts["better"]:
        print(f"by chance alone, up to {LEVEL * tested:.0f} of {tested} cells could seem to differ")


def json_of(a: Path, b: Path, cells: list[Comparison], results: tuple[Results, Results]) -> Any:  # noqa: ANN401
    return {
        "a": str(a),
        "b": str(b),
        "cells": [{**asdict(cell), "name": str(cell.name)} for cell in cells],
        "only_in_a": only_in(*results),
        "only_in_b": only_in(*reversed(results)),
    }


def status_when_same(cells: list[Comparison]) -> int:
    """For two runs of one build; what is counted tells nothing of how quiet the machine was."""
    timed = [cell for cell in cells if cell.name.bench not in COUNTING]
    tested = [cell for cell in timed if cell.verdict in ("worse", "better", "same")]
    if not tested:
        raise ResultsError("no cell could be tested, so that nothing is known to be the same")
    share = sum(cell.verdict == "same" for cell in tested) / len(tested)
    print(f"{share:.1%} of {len(tested)} cells are ~; {SHARE_THE_SAME:.0%} are expected at least")
    return 0 if share >= SHARE_THE_SAME else 1


def refuse_within(file: Path, directories: tuple[Path, ...]) -> None:
    """What lies with the results would be taken for some, or take their place."""
    for directory in directories:
        if file.resolve().is_relative_to(directory.resolve()):
            raise ResultsError(f"--json {file} lies in {directory}; give a file outside of it")


def report(options: argparse.Namespace) -> int:
    if options.json:
        refuse_within(options.json, (options.a, options.b))
    a, b = load(options.a), load(options.b)
    for letter, directory, results in (("A", options.a, a), ("B", options.b, b)):
        print(f"{letter}: {directory}, commit {results.context.get('commit', 'unknown')}")
    contexts = [{**results.machine, **results.context} for results in (a, b)]
    for difference in differences(*contexts):
        print(f"A and B differ in {difference}")
    cells = compare(a, b, options.smallest / 100)
    if not cells:
        raise ResultsError(f"{options.a} and {options.b} have no cell in common")
    if options.json:
        write_json(options.json, json_of(options.a, options.b, cells, (a, b)))
    shown = [cell for cell in cells if options.all or cell.verdict in COLOURS]
    if shown:
        console = Console(highlight=False)
        console.width = max(console.width, 110)  # a pipe is as wide as it needs to be
        console.print(table_of(shown, a, b))
    say_what_is_missing(a, b, cells)
    say_the_rest(cells, options.smallest / 100)
    if options.expect_same:
        return max(status_when_same(cells), 1 if lacking(a, b) else 0)
    limit = 1 + options.threshold / 100
    if lacking(a, b):
        return 1
    return 1 if any(cell.verdict == "worse" and cell.ratio > limit for cell in cells) else 0


def percent(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is not a percentage of 0 or more")
    return value


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "a", type=command_line.path, metavar="A", help="directory of results: before"
    )
    parser.add_argument(
        "b", type=command_line.path, metavar="B", help="directory of results: after"
    )
    parser.add_argument(
        "--smallest",
        type=percent,
        default=SMALLEST,
        metavar="PERCENT",
        help=f"differences below it are not shown; {SMALLEST:g} by default",
    )
    parser.add_argument(
        "--threshold",
        type=percent,
        default=THRESHOLD,
        metavar="PERCENT",
        help=f"how much worse makes the exit status 1; {THRESHOLD:g} by default",
    )
    parser.add_argument("--all", action="store_true", help="shows every cell")
    parser.add_argument(
        "--expect-same",
        action="store_true",
        help="for two runs of one build: the status is 0 if nearly every cell is the same",
    )
    parser.add_argument(
        "--json", type=command_line.path, metavar="FILE", help="also writes the result there"
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    try:
        return report(parse(arguments))
    except (ResultsError, OSError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
