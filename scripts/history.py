"""Shows the results of several commits side by side.

For each cell it shows the figure in the first directory. For each later directory it shows the
ratio to that figure, with its 95% interval. A column has the name of the commit that was measured.
The statistics are those of compare.py: the unit is the process, rounds of one run are compared one
by one, and if the machines differ, or the hours, the speed of the machine is taken off.

A single process gives no interval. < and > stand before a bound: one of the two was too slow to be
timed. Even without a difference, one cell in twenty has an interval without 1, by chance.
compare.py corrects for this chance.

Exit status: 0, or 3 for bad input.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from rich.console import Console
from rich.table import Table

from timerbench import command_line
from timerbench.charts import over_commits
from timerbench.charts.sheet import our_look, svg_of
from timerbench.estimates import INTERVAL
from timerbench.history import Beside, Ratio, Run, beside, cells_of, runs_in
from timerbench.numerals import three_digits
from timerbench.results import Name, ResultsError, refuse_within, write_json
from timerbench.speed import differences, in_words
from timerbench.text_table import text_table
from timerbench.whole_file import replace

BAD_INPUT = 3
WIDE = 1_000  # characters; the table takes what it needs of them


def text_of(ratio: Ratio | None) -> str:
    if ratio is None:
        return "–"
    if ratio.low is None:
        return f"{ratio.sign} {ratio.mean:.2f}".strip()
    return f"{ratio.mean:.2f} ({ratio.low:.2f} – {ratio.high:.2f})"


def table_of(first: Run, later: list[Beside], names: list[Name]) -> Table:
    what = f"ns an operation (memory: bytes a timer), then ratios ({INTERVAL})"
    table = text_table([what, first.name, *(one.later.name for one in later)], edge=True)
    for name in names:
        bound = "> " if first.results.is_bound(name) else ""
        figure = bound + three_digits(first.results.mean(name))
        table.add_row(str(name), figure, *(text_of(one.ratios.get(name)) for one in later))
    return table


def say_what_is_compared(first: Run, later: list[Beside]) -> None:
    print(f"{first.name}: {first.directory}; ratios are to this one")
    for one in later:
        name, results = one.later.name, one.later.results
        print(f"{name}: {one.later.directory}")
        for difference in differences(first.results, results):
            print(f"{name} and {first.name} differ in {difference}")
        for line in in_words(one.why, one.pairs):
            print(f"{name}: {line}")


def say_what_is_missing(later: list[Beside], names: list[Name], wanted: re.Pattern[str]) -> None:
    for one in later:
        for reason, cells in one.gaps(names).items():
            print(f"{one.later.name}: {cells} of {len(names)} cells have no ratio: {reason}")
        if more := set(cells_of(one.later.results, wanted)) - set(names):
            print(f"{one.later.name}: {len(more)} cells are not shown: {one.first.name} lacks them")


def content_of(first: Run, later: list[Beside], names: list[Name]) -> dict[str, Any]:
    def ratio_of(one: Beside, name: Name) -> dict[str, Any] | None:
        return asdict(one.ratios[name]) if name in one.ratios else None

    return {
        "first": {"name": first.name, "directory": str(first.directory)},
        "later": [
            {
                "name": one.later.name,
                "directory": str(one.later.directory),
                "speed": {"why": one.why, "taken_off": one.pairs.taken_off},
            }
            for one in later
        ],
        "cells": [
            {
                "name": str(name),
                "figure": first.results.mean(name),
                "is_bound": first.results.is_bound(name),
                "ratios": [ratio_of(one, name) for one in later],
            }
            for name in names
        ],
    }


def report(options: argparse.Namespace) -> None:
    directories = [options.first, *options.later]
    for option, file in (("--json", options.json), ("--chart", options.chart)):
        if file:
            refuse_within(option, file, directories)
    first, *others = runs_in(directories)
    names = cells_of(first.results, options.filter)
    if not names:
        like = next(iter(first.results.rounds))
        raise ResultsError(
            f"--filter '{options.filter.pattern}' matches no cell of {first.directory}, "
            f"which has such as {like}"
        )
    later = [beside(first, run) for run in others]
    panels = over_commits.panels_of(later, names)
    if options.chart and not panels:
        raise ResultsError("--chart has nothing to show: of these cells none has a ratio")
    if options.chart and len(panels) > over_commits.MOST_PANELS:
        raise ResultsError(
            f"--chart shows {over_commits.MOST_PANELS} cases at most, and these are {len(panels)}; "
            f"give a narrower --filter, such as '{next(iter(panels))[1]}$'"
        )
    say_what_is_compared(first, later)
    Console(highlight=False, width=WIDE).print(table_of(first, later, names))
    say_what_is_missing(later, names, options.filter)
    if options.json:
        write_json(options.json, content_of(first, later, names))
    if options.chart:
        with our_look():
            replace(options.chart, svg_of(over_commits.draw(first, later, panels)))


def svg(text: str) -> Path:
    if not text.endswith(".svg"):
        raise argparse.ArgumentTypeError(f"'{text}' is no name of an SVG, such as history.svg")
    return Path(text)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = command_line.BriefParser(__doc__)
    parser.bad_input = BAD_INPUT
    parser.takes("first", command_line.path, "DIR", "of results; the reference")
    parser.add_argument(
        "later",
        type=command_line.path,
        nargs="+",
        metavar="DIR",
        help="of results, one for each later commit, in their order",
    )
    parser.takes_filter("only what matches, of names like churn/lazy_wheel/rpc/1000")
    parser.takes("--json", command_line.path, "FILE", "also writes the result there")
    parser.takes(
        "--chart",
        svg,
        "FILE.svg",
        "also draws the ratios over the commits, there: a panel for each case "
        f"that has some, {over_commits.MOST_PANELS} at most; without this option nothing is drawn",
    )
    return parser.parse_args(arguments)


@command.ends_in_words(BAD_INPUT)
def main(arguments: list[str] | None = None) -> None:
    report(parse(arguments))


if __name__ == "__main__":
    sys.exit(main())
