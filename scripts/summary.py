"""Prints a table of a directory of results: one line a queue."""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from results import Name, Results, ResultsError, load, ns_per_operation

ROOT = Path(__file__).resolve().parent.parent


def median(results: Results, bench: str, queue: str, case: str) -> float | None:
    figure = results.figure(Name(bench, queue, case), ns_per_operation)
    return figure.median if figure else None


def three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"


def replay_ratio(results: Results, queue: str) -> float | None:
    """How many times slower than the fastest queue, as the geometric mean over the traces."""
    ratios = []
    for case in results.cases("replay"):
        own = median(results, "replay", queue, case)
        if own is None:
            return None
        others = (median(results, "replay", other, case) for other in results.queues)
        ratios.append(own / min(other for other in others if other is not None))
    return statistics.geometric_mean(ratios) if ratios else None


def columns(results: Results) -> dict[str, list[float | None]]:
    """The figures under each heading, in the order of the queues."""
    table = {}
    if results.names("replay"):
        table["replay\n× best"] = [replay_ratio(results, queue) for queue in results.queues]
    for case in sorted(results.cases("churn"), key=lambda case: int(case.split("/")[1])):
        workload, n = case.split("/")
        table[f"churn {workload}\n{int(n):,}"] = [
            median(results, "churn", queue, case) for queue in results.queues
        ]
    return table


def table_of(results: Results) -> Table:
    table = Table(
        title="replay: mean of the traces; churn: ns an operation",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("queue", no_wrap=True)
    shown = []
    for heading, figures in columns(results).items():
        table.add_column(heading, justify="right")
        best = min((figure for figure in figures if figure is not None), default=None)
        texts = ["–" if figure is None else three_digits(figure) for figure in figures]
        shown.append(
            [
                f"[bold green]{text}[/]" if figure is not None and figure == best else text
                for text, figure in zip(texts, figures, strict=True)
            ]
        )
    for queue, *row in zip(results.queues, *shown, strict=True):
        table.add_row(queue, *row)
    return table


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "directory", nargs="?", type=Path, default=ROOT / "results" / "local", help="of results"
    )
    options = parser.parse_args(arguments)
    try:
        results = load(options.directory)
    except ResultsError as error:
        print(f"summary.py: {error}", file=sys.stderr)
        return 2
    Console().print(table_of(results))
    for chart in sorted(options.directory.glob("*.svg")):
        print(f"chart   {chart}")
    print(f"figures {options.directory}/*/*.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
