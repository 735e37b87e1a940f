"""Writes report.html into a directory of results: one file that shows all of them to a browser.

The file needs no network and no other file. The same results give the same bytes.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from timerbench import command_line
from timerbench.charts.grid import WORST
from timerbench.charts.lines import MOST_LINES
from timerbench.charts.marks import WORDS
from timerbench.crossover import crossovers, rivals
from timerbench.moderated import ROUNDING
from timerbench.report.answers import answers_of, glance_of
from timerbench.report.cards import cards_of, members_of
from timerbench.report.own_load import corners_of
from timerbench.results import CONTEXT, BenchFile, Results, ResultsError, load
from timerbench.student import errors_to_either_side
from timerbench.templates import PALETTE, template_in
from timerbench.trimmed_mean import LEFT_OUT
from timerbench.whole_file import replace

PARTS = command.SCRIPTS / "timerbench" / "report"
FILE = "report.html"

# In this order: each style sheet uses what an earlier one defines.
STYLES = [PALETTE, PARTS / "report.css"]
SCRIPTS = [
    "figures.js",
    "state.js",
    "lines.js",
    "bars.js",
    "spread.js",
    "cards.js",
    "tables.js",
    "answer.js",
    "own_load.js",
    "page.js",
]


def most_processes(results: Results) -> int:
    return max(map(len, results.rounds.values()))


def crossings_of(results: Results) -> list[dict[str, Any]]:
    """Returns where the wheel or the heap is faster, and where the last crossing may lie."""
    queues = rivals(results) or {}
    return [
        {
            "bench": bench,
            "workload": workload,
            "words": str(crossing),
            "sizes": [crossing.sizes[0], crossing.sizes[-1]],
            "stretches": [[queues[of.faster], of.first, of.last] for of in crossing.stretches],
            "doubtful": crossing.doubtful,
        }
        for (bench, workload), crossing in crossovers(results).items()
    ]


def data_of(results: Results, directory: Path) -> dict[str, Any]:
    """Returns all data that the page draws."""
    if not results.queues:
        raise ResultsError("no queue was measured, so that there is nothing to report")
    return {
        "benches": cards_of(results, directory),
        "members": members_of(results),
        "answers": answers_of(results),
        "glance": glance_of(results),
        "corners": corners_of(results),
        "crossings": crossings_of(results),
        "most_lines": MOST_LINES,
        "marks": WORDS,
        "worst": WORST,
        "left_out": LEFT_OUT,
        "rounding": ROUNDING,
        "t": [None, *errors_to_either_side(np.arange(1, most_processes(results))).tolist()],
    }


def text_of(value: object) -> str:
    """Returns a value of a context in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list):
        return ", ".join(map(text_of, value))
    if isinstance(value, dict):
        return " ".join(map(text_of, value.values()))
    return "not told" if value is None else str(value)


def context_of(directory: Path, results: Results) -> list[tuple[str, str]]:
    """Returns what the figures depend on: build, machine, and how busy the machine was."""
    facts = results.context | results.machine
    lines = {key: text_of(value) for key, value in facts.items()}
    lines["rounds"] = span(len(entries) for entries in results.rounds.values())
    processes = [
        process
        for path in sorted(directory.glob("*.json"))
        if path.name != CONTEXT
        for process in BenchFile.read(path).of_latest_build()
    ]
    lines["processes"] = f"{len(processes)}"
    lines["started"] = span(process["started"] for process in processes)
    lines["load before a process"] = span(
        round(process["load_before"][0], 2) for process in processes
    )
    return [(key.replace("_", " "), value) for key, value in lines.items()]


def span(values: Iterable[float] | Iterable[str]) -> str:
    """Writes the range from the least to the greatest value; one value if all are the same."""
    ordered = sorted(set(values))  # type: ignore[type-var]
    return " to ".join(map(str, dict.fromkeys([ordered[0], ordered[-1]]))) if ordered else "none"


def embedded(value: object) -> str:
    """Returns JSON that is safe inside any HTML element: no text in it can end the element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def page_of(directory: Path) -> str:
    results = load(directory)
    return template_in(PARTS, "page.html.jinja").render(
        rivals=rivals(results) or {},
        intervals=most_processes(results) > 1,
        equals={kind: f"{100 * apart:.1f}%" for kind, apart in results.equals_differ_by().items()},
        machine=directory.resolve().name,
        summary=[results.context[key] for key in ("cpu", "compiler") if key in results.context],
        commit=results.context.get("commit"),
        context=context_of(directory, results),
        data=embedded(data_of(results, directory)),
        plotly=(PARTS / "vendored" / "plotly-basic.min.js").read_text(),
        styles=[file.read_text() for file in STYLES],
        scripts=[(PARTS / file).read_text() for file in SCRIPTS],
    )


def write(directory: Path) -> Path:
    """Writes the whole report, or leaves the former one unchanged."""
    file = directory / FILE
    replace(file, page_of(directory))
    return file


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> None:
    parser = command_line.Parser(__doc__.split("\n", 1)[0])
    parser.takes_directory_of_results()
    print(f"report  {write(parser.parse_args(arguments).directory)}")


if __name__ == "__main__":
    sys.exit(main())
