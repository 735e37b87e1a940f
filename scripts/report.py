"""Writes report.html into a directory of results: one file that shows all of them to a browser.

It needs no network and no other file. The same results give the same bytes.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import base64
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jinja2

from timerbench import command_line
from timerbench.benches import (
    BENCHES,
    CONTENTION,
    Subject,
    operation_of,
    subject_of,
    workload_of,
)
from timerbench.charts.cells import cell_of, workloads
from timerbench.charts.registry import all_charts
from timerbench.charts.style import styles_of
from timerbench.crossover import crossovers, rivals
from timerbench.estimates import t_quantile
from timerbench.results import (
    CONTEXT,
    MACHINE,
    BenchFile,
    Name,
    Results,
    ResultsError,
    load,
    optional,
)
from timerbench.whole_file import replace

ROOT = Path(__file__).resolve().parent.parent
PARTS = ROOT / "scripts" / "timerbench" / "report"
FILE = "report.html"

# Read in this order; each uses what those before it define.
STYLES = ["report.css"]
SCRIPTS = ["figures.js", "state.js", "lines.js", "bars.js", "tables.js", "report.js"]

# What can be drawn over n, under these names: of each workload, those that it has.
MEASURES = {
    "ns_per_operation": {"name": "time", "unit": "for"},
    "worst_expire_ns": {"name": "worst call", "unit": "for the worst call of expire"},
    "p999_expire_ns": {"name": "p99.9 call", "unit": "for the p99.9 call of expire"},
    "bytes_per_timer": {"name": "bytes", "unit": "bytes a timer"},
    "peak_bytes_per_timer": {"name": "peak bytes", "unit": "bytes a timer at the peak"},
    "empty_calls_per_timer": {"name": "empty calls", "unit": "calls that ran nothing, a timer"},
    "moves_per_timer": {"name": "moves", "unit": "moves of a pending timer"},
}

# What has names and colours on the page.
SHOWN: tuple[Subject, ...] = ("queues", "services", "ways")

# Not known of a queue that was too slow for a single timer.
A_TIMER = {"empty_calls_per_timer", "moves_per_timer"}

# What only tables show: that of memory, and those of services and of sleep.
TABLE_COUNTERS = [
    "bytes_empty",
    "residue_bytes",
    "leak_bytes_per_operation",
    "allocations_per_operation",
    "allocations_per_schedule",
    "p99_ns",
    "p999_ns",
    "worst_ns",
    "wake_call_ns",
    "woken_after_ns",
]


def figures_of(results: Results, name: Name) -> dict[str, Any]:
    """Of each counter that the cell has: mean, low, high, whether unstable, and each round."""
    figures: dict[str, Any] = {"mark": results.mark(name)}
    for counter in [*MEASURES, *TABLE_COUNTERS]:
        cell = cell_of(results, name, optional(counter))
        if cell and not (counter in A_TIMER and cell.is_bound):
            of_rounds = results.of_rounds(name, optional(counter))
            figures[counter] = [
                cell.figure.mean,
                cell.figure.low,
                cell.figure.high,
                cell.unstable,
                [of_rounds.get(number) for number in range(1, max(of_rounds) + 1)],
            ]
    return figures


def workloads_of(results: Results, bench: str) -> list[dict[str, Any]]:
    """The workloads of a bench, with a cell for each queue and n; a trace has one n, called 0."""
    cells: dict[str, dict[str, dict[int, Any]]] = {}
    for name in results.names(bench):
        of_queue = cells.setdefault(name.workload, {}).setdefault(name.queue, {})
        of_queue[name.n or 0] = figures_of(results, name)
    return [
        {
            "name": workload,
            "line": workload_of(bench, workload).line,
            "population": workload_of(bench, workload).population,
            "operation": operation_of(bench, workload),
            **words_of_calls(bench, workload),
            "cells": cells[workload],
        }
        for workload in (results.cases(bench) if bench == "replay" else workloads(results, bench))
    ]


def words_of_calls(bench: str, workload: str) -> dict[str, str]:
    """Of contention: the title of a group of columns, and of a column."""
    if bench != "contention" or workload not in CONTENTION:
        return {}
    of = CONTENTION[workload]
    return {"calls": of.calls_in_words, "threads": of.threads_in_words}


def crossings_of(results: Results) -> list[dict[str, Any]]:
    """Where the wheel and the heap are the faster one, and where the last crossing may lie."""
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


def looks_of(results: Results, subject: Subject) -> list[dict[str, Any]]:
    """Colours and dashes are those of the charts; dashes and gaps in widths of the line.

    The libraries together are as one family, and so are the originals.
    """
    return [
        {
            "name": name,
            "family": results.groups.places.get(name, (name, 0))[0]
            if (whose := results.whose(name)) == "ours"
            else whose,
            "colour": style["color"],
            "dashes": None if style["linestyle"] == "-" else style["linestyle"][1],
        }
        for name, style in styles_of(results, subject).items()
    ]


def gallery_of(directory: Path) -> list[tuple[str, str]]:
    """The charts of services that were drawn, each as an address that has all of it."""
    drawn = []
    for name, chart in all_charts().items():
        file = directory / f"{name}.svg"
        if subject_of(chart.benches[0]) in ("services", "settings", "wheels") and file.exists():
            content = base64.b64encode(file.read_bytes()).decode()
            drawn.append((name, f"data:image/svg+xml;base64,{content}"))
    return drawn


def most_processes(results: Results) -> int:
    return max(map(len, results.rounds.values()))


def data_of(results: Results) -> dict[str, Any]:
    """All that the page draws."""
    measured = {name.bench for name in results.rounds}
    if unknown := sorted(measured - BENCHES.keys()):
        raise ResultsError(
            f"scripts/timerbench/benches.py says nothing of the bench '{unknown[0]}'"
        )
    if not results.queues:
        raise ResultsError("no queue was measured, so that there is nothing to report")
    return {
        **{subject: looks_of(results, subject) for subject in SHOWN},
        "machine": MACHINE,
        "t": [None, *(t_quantile(fewer) for fewer in range(1, most_processes(results)))],
        "crossings": crossings_of(results),
        "measures": MEASURES,
        "benches": [
            {
                "name": bench,
                "subject": about.subject,
                "title": about.title,
                "question": about.question,
                "workloads": workloads_of(results, bench),
            }
            for bench, about in BENCHES.items()
            if bench in measured and about.subject in (*SHOWN, "machine")
        ],
    }


def text_of(value: object) -> str:
    """A value of a context as one reads it."""
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
    """What the figures depend on: build, machine, and how busy it was."""
    lines = {key: text_of(value) for key, value in results.context.items()}
    lines |= {key: text_of(value) for key, value in results.machine.items()}
    rounds = [len(entries) for entries in results.rounds.values()]
    lines["rounds"] = span(rounds)
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
    """From the least to the most; one value where all are the same."""
    ordered = sorted(set(values))  # type: ignore[type-var]
    return " to ".join(map(str, dict.fromkeys([ordered[0], ordered[-1]]))) if ordered else "none"


def embedded(value: object) -> str:
    """JSON that no text inside of it can end, whatever element it stands in."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def page_of(directory: Path) -> str:
    results = load(directory)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PARTS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja").render(
        rivals=rivals(results) or {},
        intervals=most_processes(results) > 1,
        equals={kind: f"{100 * apart:.1f}%" for kind, apart in results.equals_differ_by().items()},
        machine=directory.resolve().name,
        summary=[results.context[key] for key in ("cpu", "compiler") if key in results.context],
        commit=results.context.get("commit"),
        context=context_of(directory, results),
        gallery=gallery_of(directory),
        data=embedded(data_of(results)),
        plotly=(PARTS / "vendored" / "plotly-basic.min.js").read_text(),
        styles=[(PARTS / file).read_text() for file in STYLES],
        scripts=[(PARTS / file).read_text() for file in SCRIPTS],
    )


def write(directory: Path) -> Path:
    """Writes the whole report, or leaves what was there."""
    file = directory / FILE
    replace(file, page_of(directory))
    return file


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "directory",
        nargs="?",
        type=command_line.path,
        default=ROOT / "results" / "local",
        help="of results",
    )
    options = parser.parse_args(arguments)
    try:
        print(f"report  {write(options.directory)}")
    except (ResultsError, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
