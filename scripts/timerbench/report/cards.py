"""What the report shows of each bench: its finding, its cells, and how they were measured."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from timerbench import student
from timerbench.benches import (
    BENCHES,
    CONTENTION,
    Subject,
    is_in_passes,
    kind_of,
    operation_of,
    subject_of,
    workload_of,
)
from timerbench.charts.cells import cell_of, workloads
from timerbench.charts.lateness import PANELS as LATENESS
from timerbench.charts.registry import all_charts
from timerbench.charts.style import styles_of
from timerbench.headlines import LATE, headline_of
from timerbench.measures import Measure, measures_of, quantiles_of
from timerbench.moderated import Shared
from timerbench.results import COUNTING, MACHINE, Name, Results, ResultsError, optional

# The subjects whose members have names and colours on the page.
SHOWN: tuple[Subject, ...] = ("queues", "staying", "services", "settings", "wheels", "ways")

# These are not known of a queue that was too slow for a single timer.
A_TIMER = {"empty_calls_per_timer", "moves_per_timer"}

# What n counts in a bench, if it does not count timers.
OVER = {
    "contention": "threads",
    "ticks": "timers a second",
    "slack": "timers a second",
    "slow_task": "tasks a second",
    "idle": "seconds",
    "overload": "seconds",
    "sleep": "ns between deadlines",
}

# More digits than are known of any figure. Tails differ from process to process by a tenth and
# more, and most figures of the page are of single processes.
DIGITS = 5
TAIL = re.compile(r"(worst|p99|p999|max)_")
DIGITS_OF_A_TAIL = 3
# Of a spread two digits are known at most.
DIGITS_OF_A_SPREAD = 3


def cards_of(results: Results, directory: Path) -> list[dict[str, Any]]:
    """Returns the card of each bench that was measured, in the order of the table."""
    measured = {name.bench for name in results.rounds}
    if unknown := sorted(measured - BENCHES.keys()):
        raise ResultsError(
            f"scripts/timerbench/benches.py says nothing of the bench '{unknown[0]}'"
        )
    return [
        card_of(results, directory, bench)
        for bench in BENCHES
        if bench in measured and subject_of(bench) in (*SHOWN, "machine")
    ]


def card_of(results: Results, directory: Path, bench: str) -> dict[str, Any]:
    about = BENCHES[bench]
    subject = subject_of(bench)
    return {
        "name": bench,
        "subject": subject,
        "kind": "ways" if subject == "ways" else kind_of(bench),
        "title": about.title,
        "question": about.question,
        "finding": headline_of(results, bench),
        "measures": [_of_measure(measure, about.operation) for measure in measures_of(bench)],
        "quantiles": [measure.counter for measure in quantiles_of(bench)],
        "workloads": workloads_of(results, bench),
        "how": how_measured(results, bench),
        "pictures": [
            f"{name}.svg"
            for name, chart in all_charts().items()
            if chart.benches[0] == bench and (directory / f"{name}.svg").exists()
        ],
    }


def _of_measure(measure: Measure, operation: str) -> dict[str, str]:
    """Describes a measure. By default a time is for the operation of the bench."""
    return {
        "name": measure.counter,
        "label": measure.name,
        "unit": measure.unit,
        "of": measure.of or f"for {operation}",
        "own": "" if measure.of else "yes",  # for the operation of each workload
    }


def workloads_of(results: Results, bench: str) -> list[dict[str, Any]]:
    """Returns the workloads of a bench, with a cell for each member and n.

    The n of a trace is 0.
    """
    found: dict[str, dict[str, Any]] = {}
    for workload in results.cases(bench) if bench == "replay" else workloads(results, bench):
        names = [name for name in results.names(bench) if name.workload == workload]
        for name in sorted(names, key=lambda name: name.n or 0):
            label, n = place_of(name)
            shown = found.setdefault(
                label,
                {
                    "name": label,
                    "line": workload_of(bench, workload).line,
                    "population": workload_of(bench, workload).population,
                    "operation": operation_of(bench, workload),
                    "over": over_of(bench, workload),
                    "cells": {},
                },
            )
            shown["cells"].setdefault(name.queue, {})[n] = figures_of(results, name)
    return list(found.values())


def place_of(name: Name) -> tuple[str, int]:
    """Returns the workload of the page at which a cell stands, and its n.

    In contention, a call, a memory and a number of timers make a workload; n is the number of
    threads.
    """
    of = CONTENTION.get(name.workload) if name.bench == "contention" else None
    if of is None:
        return name.workload, name.n or 0
    return f"{of.calls_in_words}, {name.n:,} pending", of.threads


def over_of(bench: str, workload: str) -> str:
    """Returns what n counts."""
    if bench == "lateness" and workload in LATENESS:
        return LATENESS[workload][1]
    return OVER.get(bench, "timers")


def figures_of(results: Results, name: Name) -> dict[str, Any]:
    """Returns for each counter of the cell mean, low, high, whether unstable, and each round.

    The figure that the bench is about also has what the ratios to it share, for each number of
    rounds: the fields of Shared, with the errors that an interval reaches in place of the degrees.
    Returns the mark, too, unless the cell is whole, as most cells are. An original is called one.
    """
    mark = results.mark(name)
    figures: dict[str, Any] = {} if mark == "whole" else {"mark": mark}
    if results.whose(name.queue) == "original":
        figures["whose"] = "original"
    for counter in dict.fromkeys(measure.counter for measure in measures_of(name.bench)):
        cell = cell_of(results, name, optional(counter))
        if cell and not (counter in A_TIMER and cell.is_bound):
            of_rounds = results.of_rounds(name, optional(counter))
            digits = DIGITS_OF_A_TAIL if TAIL.match(counter) else DIGITS
            figures[counter] = [
                _short(cell.mean),
                _short(cell.low),
                _short(cell.high),
                int(cell.unstable),
                [_short(of_rounds.get(number), digits) for number in range(1, max(of_rounds) + 1)],
            ]
    itself = measures_of(name.bench)[0].counter
    if itself in figures and (shared := results.shared(name, optional(itself))):
        figures[itself].append([[rounds, *_written(one)] for rounds, one in shared.items()])
    return figures


def _written(shared: Shared) -> list[float | int | None]:
    errors = student.errors_to_either_side(shared.degrees)
    known = (shared.variance, shared.own_share, errors)
    return [_short(number, DIGITS_OF_A_SPREAD) for number in known]


def _short(value: float | None, digits: int = DIGITS) -> float | int | None:
    """Rounds a number to this number of digits."""
    if value is None:
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def looks_of(results: Results, subject: Subject) -> list[dict[str, Any]]:
    """Returns the colours and dashes of the charts. Dashes and gaps are in widths of the line.

    The libraries together count as one family, and so do the originals.
    """
    return [
        {
            "name": name,
            "family": results.family_of(name),
            "late": name in results.groups[LATE],
            "colour": style["color"],
            "dashes": None if style["linestyle"] == "-" else style["linestyle"][1],
        }
        for name, style in styles_of(results, subject).items()
    ]


def how_measured(results: Results, bench: str) -> str:
    """Says how a bench was measured, in a sentence or two. results/README.md has the details."""
    processes = [len(results.rounds[name]) for name in results.names(bench)]
    many = " to ".join(map(str, sorted({min(processes), max(processes)})))
    units = "one process" if max(processes) == 1 else f"{many} processes"
    if bench in COUNTING:
        return f"Counted by an allocator that counts, in {units}; nothing is timed."
    if is_in_passes(bench):
        pages = "".join(f", in {pages} pages of memory" for pages in sorted(results.pages))
        return (
            f"In each of {units} for a case, pinned to a core{pages}, all take turns in random "
            "order, and each is proved right. The figure is the mean of the processes."
        )
    if bench == "contention":
        return (
            f"In each of {units} for a case, all services take turns. In a turn, all threads begin "
            "together and make 16,384 calls, four times; the median counts."
        )
    if subject_of(bench) == "ways":
        return f"In each of {units} a thread sleeps to each deadline, and notes how late it wakes."
    return (
        f"In each of {units} for a case, each service has a turn with the load, in real time. "
        "Quantiles are of all tasks of a process, and the figure is the mean of the processes."
    )


def members_of(results: Results) -> dict[Subject, list[dict[str, Any]]]:
    """Returns for each subject what was measured, and its looks."""
    return {subject: looks_of(results, subject) for subject in SHOWN} | {
        "machine": [{"name": MACHINE, "family": MACHINE, "colour": "#888888", "dashes": [1, 1]}]
    }
