"""Tells how far two runs of one build agree, figure by figure.

A figure is the median over the rounds, with its interval. Those of two runs agree if the intervals
meet, and are narrow enough to say something: up to 10% of the median to either side, or 25% of what
is late or slow once in 100 or 1,000 times. What was measured by one round has no interval, and what
is counted needs none: both are left out.

Exit status: 0 if 95% of the figures agree, 1 if fewer do, 2 bad input.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import math
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table

from compare import refuse_within
from timerbench import command_line
from timerbench.numerals import three_digits
from timerbench.results import (
    COUNTING,
    Figure,
    Name,
    Results,
    ResultsError,
    Value,
    load,
    ns_per_operation,
    optional,
    write_json,
)

SHARE_THAT_AGREES = 0.95

NARROW = 0.10
NARROW_OF_TAIL = 0.25

TAILS = ("p99_ns", "p999_ns")

Verdict = Literal["agree", "apart", "wide", "one round"]


@dataclass(frozen=True)
class Pair:
    """A figure in both runs."""

    name: Name
    counter: str
    a: Figure
    b: Figure
    narrow: float

    @property
    def verdict(self) -> Verdict:
        if min(self.a.rounds, self.b.rounds) == 1:
            return "one round"
        if max(width(self.a), width(self.b)) > self.narrow:
            return "wide"
        return "agree" if self.a.low <= self.b.high and self.b.low <= self.a.high else "apart"


def width(figure: Figure) -> float:
    """How far the interval reaches to the further side, as a share of the median."""
    reach = max(figure.high - figure.median, figure.median - figure.low)
    if reach == 0:
        return 0.0
    return reach / abs(figure.median) if figure.median else math.inf


def pairs_of(a: Results, b: Results) -> list[Pair]:
    """Of every cell that both have: what the bench is about, and the tails that it counts."""
    pairs = []
    for name in a.rounds:
        if name.bench in COUNTING:
            continue
        # The figure of ticks is a tail itself.
        narrow = NARROW_OF_TAIL if name.bench == "ticks" else NARROW
        of_cell: list[tuple[str, Value, float]] = [("ns_per_operation", ns_per_operation, narrow)]
        of_cell += [(tail, optional(tail), NARROW_OF_TAIL) for tail in TAILS]
        for counter, value, is_narrow in of_cell:
            of_a, of_b = a.figure(name, value), b.figure(name, value)
            if of_a and of_b:
                pairs.append(Pair(name, counter, of_a, of_b, is_narrow))
    return pairs


def table_of(pairs: list[Pair]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("figure", no_wrap=True)
    for heading in ("A", "from", "to", "B", "from", "to", "verdict"):
        table.add_column(heading, justify="right", no_wrap=True)
    for pair in pairs:
        figures = [
            three_digits(value)
            for figure in (pair.a, pair.b)
            for value in (figure.median, figure.low, figure.high)
        ]
        table.add_row(f"{pair.name} {pair.counter}", *figures, pair.verdict)
    return table


def json_of(a: Path, b: Path, pairs: list[Pair], share: float) -> dict[str, Any]:
    return {
        "a": str(a),
        "b": str(b),
        "share_that_agrees": round(share, 4),
        "figures": [
            {
                "name": str(pair.name),
                "counter": pair.counter,
                "a": asdict(pair.a),
                "b": asdict(pair.b),
                "verdict": pair.verdict,
            }
            for pair in pairs
        ],
    }


def say_by_bench(pairs: list[Pair]) -> None:
    for bench in dict.fromkeys(pair.name.bench for pair in pairs):
        counts = Counter(pair.verdict for pair in pairs if pair.name.bench == bench)
        several = sum(counts.values()) - counts["one round"]
        print(
            f"{bench}: {counts['agree']} of {several} agree, {counts['apart']} apart, "
            f"{counts['wide']} wide; {counts['one round']} of one round"
        )


def report(options: argparse.Namespace) -> int:
    if options.json:
        refuse_within(options.json, (options.a, options.b))
    a, b = load(options.a), load(options.b)
    commits = [results.context.get("commit", "unknown") for results in (a, b)]
    if commits[0] != commits[1]:
        print(f"A is of commit {commits[0]}, B of {commits[1]}", file=sys.stderr)
    pairs = pairs_of(a, b)
    several = [pair for pair in pairs if pair.verdict != "one round"]
    if not several:
        raise ResultsError(f"no figure has several rounds in both {options.a} and {options.b}")
    share = sum(pair.verdict == "agree" for pair in several) / len(several)
    if options.json:
        write_json(options.json, json_of(options.a, options.b, pairs, share))
    console = Console(highlight=False)
    console.width = max(console.width, 140)  # a pipe is as wide as it needs to be
    console.print(table_of([pair for pair in several if pair.verdict != "agree"]))
    say_by_bench(pairs)
    print(
        f"{share:.1%} of {len(several)} figures agree; {SHARE_THAT_AGREES:.0%} are expected at "
        "least"
    )
    return 0 if share >= SHARE_THAT_AGREES else 1


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("a", type=command_line.path, metavar="A", help="directory of results")
    parser.add_argument(
        "b", type=command_line.path, metavar="B", help="of the same build, run again"
    )
    parser.add_argument(
        "--json", type=command_line.path, metavar="FILE", help="also writes the result there"
    )
    try:
        return report(parser.parse_args(arguments))
    except (ResultsError, OSError) as error:
        print(f"agreement.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
