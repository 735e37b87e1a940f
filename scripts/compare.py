"""Compares two directories of results cell by cell: worse, better, the same, or unknown.

The unit is the process. If one run measured both, the ratio of B to A is the mean over its rounds,
in which the two ran one after the other. Otherwise it is the ratio of the figures. It has a 95%
interval and a p: if there are six processes or more, the lowest and the highest sixth do not count.
The method of Benjamini and Hochberg keeps false discoveries at 5% over all cells. A cell is worse
or better if it passes this test, and the difference is 3% (--smallest) or more. A cell is the same
if two one-sided tests show that the ratio is within these 3%. For all other cells neither is
shown.

If the machines differ, or the hours, the speed of the machine is taken off, and the output says
how.

Exit status: 0 no cell is worse, and at least 95% of the cells of up to 100,000 timers are shown to
be the same, or better; 1 a cell is worse, or B lacks a queue in a case that it ran; 2 this cannot
be told; 3 bad input; 70 a mistake of ours.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import math
import re
import sys
from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from rich.console import Console
from rich.table import Table
from scipy.stats import false_discovery_control  # type: ignore[import-untyped]

from timerbench import command_line, student
from timerbench.benches import kind_of, subject_of
from timerbench.estimates import INTERVAL
from timerbench.numerals import three_digits
from timerbench.ratios import ratios
from timerbench.results import (
    COUNTING,
    Name,
    Results,
    ResultsError,
    by_case,
    load,
    ns_per_operation,
    refuse_within,
    write_json,
)
from timerbench.speed import (
    Pairs,
    differences,
    in_both,
    in_words,
    is_nothing,
    pairs,
    why_speeds_differ,
)
from timerbench.text_table import text_table

WORSE, CANNOT_TELL, BAD_INPUT = 1, 2, 3

LEVEL = 0.05  # of false discoveries among all cells, and of each test that two are the same
SHARE_THE_SAME = 0.95  # of the cells of up to MANY timers
MANY = 100_000
SMALLEST = 3.0  # percent

Verdict = Literal["worse", "better", "same", "cannot tell", "one process", "only bounds"]
COLOURS: dict[Verdict, str] = {"worse": "bold red", "better": "green"}
SHOWN: tuple[Verdict, ...] = ("worse", "better", "same")


@dataclass(frozen=True)
class Comparison:
    """A cell in A and in B: the means, and the ratio of B to A with its 95% interval.

    The ratio is without the speeds of the machines, so it may differ from the quotient of the
    means. If a single process measured the cell, there is neither an interval nor a p.
    """

    name: Name
    a: float
    b: float
    ratio: float
    low: float | None
    high: float | None
    p: float | None
    q: float | None  # p, corrected for the number of cells
    verdict: Verdict


def matching(results: Results, wanted: re.Pattern[str], only: list[str]) -> Results:
    """Returns the results of the cases that match, of some benches or all."""
    rounds = {
        name: rounds
        for name, rounds in results.rounds.items()
        if (not only or name.bench in only) and wanted.search(f"{name.bench}/{name.case}")
    }
    return replace(results, rounds=rounds)


def compare(a: Results, b: Results, found: Pairs, smallest: float) -> list[Comparison]:
    """Returns the comparison of each cell, the worst first."""
    table = tested(a, b, found, math.log1p(smallest))
    cells = []
    for name, row in zip(found.cells, table.itertuples(index=False), strict=True):
        known = (row.low, row.high, row.p, row.q)
        low, high, p, q = (None if math.isnan(x) else float(x) for x in known)
        verdict = verdict_of(row, math.log1p(smallest))
        means = a.mean(name), b.mean(name)
        cells.append(Comparison(name, *means, float(row.ratio), low, high, p, q, verdict))
    return sorted(cells, key=lambda cell: (-cell.ratio, cell.name))


def tested(a: Results, b: Results, found: Pairs, smallest: float) -> pd.DataFrame:
    """Returns a row for each cell; `smallest` is a logarithm."""
    table = ratios(found)
    log = np.log(table.ratio)
    table["p"] = student.share_beyond(log / table.error, table.degrees)
    table["is_counted"] = [name.bench in COUNTING for name in found.cells]
    table["has_only_bounds"] = [
        has_only_bounds(name, a, b, ratio)
        for name, ratio in zip(found.cells, table.ratio, strict=True)
    ]
    # A single process gives no p, and counted figures do not vary by chance.
    of_chance = table.p.notna() & ~table.is_counted & ~table.has_only_bounds
    table["q"] = np.nan
    if of_chance.any():
        table.loc[of_chance, "q"] = false_discovery_control(table.p[of_chance])
    reach = table.error * student.quantile(1 - LEVEL, table.degrees)
    return table.assign(is_same=abs(log) + reach <= smallest)


def has_only_bounds(name: Name, a: Results, b: Results, ratio: float) -> bool:
    """Whether the cell was too slow to be timed, so that its ratio tells nothing."""
    a_is_bound, b_is_bound = (results.is_bound(name) for results in (a, b))
    return (a_is_bound and (b_is_bound or ratio > 1)) or (b_is_bound and ratio < 1)


def verdict_of(row: Any, smallest: float) -> Verdict:  # noqa: ANN401
    """Returns the verdict on a cell; `row` is its row from `tested`."""
    if row.has_only_bounds:
        return "only bounds"
    if math.isnan(row.p) and not row.is_counted:
        return "one process"
    if abs(math.log(row.ratio)) >= smallest and (row.is_counted or row.q < LEVEL):
        return "worse" if row.ratio > 1 else "better"
    return "same" if row.is_same or row.is_counted else "cannot tell"


def lacking(a: Results, b: Results) -> list[Name]:
    """Returns the cells that B lacks although it ran their case: a queue failed, or is gone."""
    cases = by_case(b.rounds)
    return [n for n in a.rounds if n not in b.rounds and (n.bench, n.case) in cases]


def only_in(some: Results, other: Results) -> list[str]:
    """Returns the cells that `other` lacks, a text for each case.

    An example is `churn/{min_heap,wheel}/rpc/10`.
    """
    missing = by_case(name for name in some.rounds if name not in other.rounds)
    return [
        str(names[0])
        if len(names) == 1
        else f"{bench}/{{{','.join(n.queue for n in names)}}}/{case}"
        for (bench, case), names in missing.items()
    ]


def share_that_agrees(a: Results, b: Results, names: list[Name]) -> tuple[int, int]:
    """Returns in how many cells the two intervals overlap, and how many cells have both intervals.

    The intervals are of the ratio to the best queue of A's case. They say how far two runs of one
    build agree. A single process gives no interval.
    """
    told = (
        name
        for name in names
        if (kind_of(name.bench) == "queues" or subject_of(name.bench) == "services")
        and name.bench not in COUNTING
        and not (a.is_bound(name) or b.is_bound(name))
    )
    meet = []
    for of_case in by_case(told).values():
        best = min(of_case, key=a.mean)
        for name in of_case:
            of_a, of_b = (results.ratio(name, best, ns_per_operation) for results in (a, b))
            if name != best and of_a and of_b and min(of_a.processes, of_b.processes) > 1:
                meet.append(of_a.low <= of_b.high and of_b.low <= of_a.high)
    return sum(meet), len(meet)


def table_of(cells: list[Comparison], a: Results, b: Results) -> Table:
    what = "ns an operation; memory: bytes a timer"
    table = text_table([what, "A", "B", "B/A", INTERVAL, "q", "verdict"], edge=True)
    for cell in cells:
        means = [
            ("> " if results.is_bound(cell.name) else "") + three_digits(mean)
            for results, mean in ((a, cell.a), (b, cell.b))
        ]
        interval = "–" if cell.low is None else f"{cell.low:.2f} – {cell.high:.2f}"
        q = "–" if cell.q is None else f"{cell.q:.3f}"
        style = COLOURS.get(cell.verdict, "")
        row = (*means, f"{cell.ratio:.2f}", interval, q, cell.verdict)
        table.add_row(str(cell.name), *row, style=style)
    return table


def say_what_is_missing(a: Results, b: Results, cells: list[Comparison]) -> None:
    for name in only_in(a, b):
        print(f"only in A: {name}")
    for name in only_in(b, a):
        print(f"only in B: {name}")
    if lost := len(lacking(a, b)):
        print(f"B lacks {lost} of these cells though it ran their cases for other queues")
    counts = Counter(cell.verdict for cell in cells)
    if once := counts["one process"]:
        print(f"{once} cells have no interval: only one process measured them in A or in B")
    if nothing := sum(is_nothing(name, a, b) for name in a.rounds if name in b.rounds):
        print(f"{nothing} cells of services are 0 in a process, and are not compared")
    if bounds := counts["only bounds"]:
        print(f"{bounds} of {len(cells)} cells were too slow to be timed; bounds tell nothing")


def say_the_verdicts(cells: list[Comparison], smallest: float) -> None:
    for bench in dict.fromkeys(sorted(cell.name.bench for cell in cells)):
        counts = Counter(cell.verdict for cell in cells if cell.name.bench == bench)
        print(f"{bench}: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in counts))
    counts = Counter(cell.verdict for cell in cells)
    print(
        f"of {len(cells)} cells {counts['worse']} are worse and {counts['better']} better "
        f"({smallest:.1%} apart or more, false discoveries at {LEVEL:.0%}), and "
        f"{counts['same']} are shown to be the same"
    )


def status_of(cells: list[Comparison], threshold: float) -> int:
    """Returns the exit status.

    B is worse somewhere, or the same nearly everywhere, or neither is shown.
    """
    if any(cell.verdict == "worse" and cell.ratio > 1 + threshold for cell in cells):
        return WORSE
    tell = [cell for cell in cells if cell.verdict != "only bounds"]
    tell = [cell for cell in tell if (cell.name.n or 0) <= MANY] or tell
    shown = sum(cell.verdict in SHOWN for cell in tell)
    print(
        f"{shown} of {len(tell)} cells of up to {MANY:,} timers have a verdict; "
        f"{SHARE_THE_SAME:.0%} should"
    )
    return 0 if tell and shown >= SHARE_THE_SAME * len(tell) else CANNOT_TELL


def report(options: argparse.Namespace) -> int:
    if options.json:
        refuse_within("--json", options.json, (options.a, options.b))
    whole = load(options.a), load(options.b)
    a, b = (matching(results, options.filter, options.bench) for results in whole)
    for letter, directory, results in (("A", options.a, a), ("B", options.b, b)):
        print(f"{letter}: {directory}, commit {results.context.get('commit', 'unknown')}")
    for difference in differences(a, b):
        print(f"A and B differ in {difference}")
    names = in_both(a, b)
    if not names:
        asked = [f"--bench {bench}" for bench in options.bench]
        asked += [f"--filter '{options.filter.pattern}'"] if options.filter.pattern else []
        which = f" for {' '.join(asked)}" if asked else ""
        raise ResultsError(f"{options.a} and {options.b} have no cell in common{which}")
    why = why_speeds_differ(a, b)
    # The bench `floor` tells the speed even if it does not match.
    found = pairs(*whole, names, normalised=why is not None)
    cells = compare(a, b, found, options.smallest / 100)
    print("\n".join(in_words(why, found)))
    shown = [cell for cell in cells if options.all or cell.verdict in COLOURS]
    if shown:
        console = Console(highlight=False)
        console.width = max(console.width, 120)  # a pipe has no width of its own
        console.print(table_of(shown, a, b))
    say_what_is_missing(a, b, cells)
    say_the_verdicts(cells, options.smallest / 100)
    meet, told = share_that_agrees(a, b, names)
    if told:
        print(f"the intervals of the ratio to the best of A's case meet in {meet} of {told} cells")
    if options.json:
        comparison = {
            "a": str(options.a),
            "b": str(options.b),
            "speed": {"why": why, "taken_off": found.taken_off},
            "cells": [{**asdict(cell), "name": str(cell.name)} for cell in cells],
            "only_in_a": only_in(a, b),
            "only_in_b": only_in(b, a),
            "intervals_that_meet": {"meet": meet, "of": told},
        }
        write_json(options.json, comparison)
    threshold = options.smallest if options.threshold is None else options.threshold
    status = status_of(cells, threshold / 100)
    return WORSE if lacking(a, b) else status


percent = command_line.number("a percentage of 0 or more", lambda value: 0 <= value < math.inf, "%")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = command_line.BriefParser(__doc__)
    parser.bad_input = BAD_INPUT
    for name, when in {"a": "before", "b": "after"}.items():
        parser.takes(name, command_line.path, name.upper(), f"directory of results: {when}")
    parser.takes("--smallest", percent, "PERCENT", "less apart is the same", default=SMALLEST)
    parser.takes(
        "--threshold",
        percent,
        "PERCENT",
        "how much worse makes the exit status 1; as much as --smallest by default",
    )
    parser.takes_filter("only what matches, of names like churn/rpc/1000")
    parser.takes_benches()
    parser.add_argument("--all", action="store_true", help="shows every cell")
    parser.takes("--json", command_line.path, "FILE", "also writes the result there")
    return parser.parse_args(arguments)


@command.ends_in_words(BAD_INPUT)
def main(arguments: list[str] | None = None) -> int:
    return report(parse(arguments))


if __name__ == "__main__":
    sys.exit(main())
