"""Prints tables of a directory of results: a row a queue, a service, and a setting of one."""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import statistics
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from timerbench import command_line
from timerbench.benches import CONTENTION, ContentionWorkload, Population, workload_of
from timerbench.charts.cells import sizes, workloads
from timerbench.estimates import Figure
from timerbench.numerals import duration, short_count, three_digits
from timerbench.results import (
    COUNTING,
    Entry,
    Name,
    Results,
    ResultsError,
    Value,
    load,
    ns_per_operation,
    optional,
    value_of,
)
from timerbench.standing import beside_best, times_best
from timerbench.text_table import text_table


@dataclass(frozen=True)
class Shown:
    """A figure of the table. If the cell was too slow to be timed, the figure is only a bound."""

    value: float
    is_bound: bool
    is_tie: bool = False  # it ties with the best of its case, or is the best

    def __str__(self) -> str:
        return ("> " if self.is_bound else "") + three_digits(self.value)


def shown(results: Results, name: Name, value: Value = ns_per_operation) -> Shown | None:
    figure = results.figure(name, value)
    if figure is None:
        return None
    return Shown(figure.mean, results.is_bound(name), is_tie(results, name, value))


def is_tie(results: Results, name: Name, value: Value) -> bool:
    try:
        beside = beside_best(results, name, value)
    except ResultsError:  # the best is 0, so there is no ratio
        return False
    return beside is not None and beside.is_tie


def best_of(figures: Iterable[Shown | None]) -> float:
    """Returns the least of the known figures; if all are bounds, the least bound."""
    there = [figure for figure in figures if figure]
    return min(figure.value for figure in [f for f in there if not f.is_bound] or there)


def ratio_to_best(results: Results, queue: str, cases: Iterable[Name]) -> Shown | None:
    """Returns how many times as slow as the fastest queue this one is.

    It is the geometric mean over the cases.
    """
    ratios, any_bound = [], False
    for case in cases:
        own = Name(case.bench, queue, case.case)
        ratio = times_best(results, own, ns_per_operation)
        if ratio is None:
            return None
        ratios.append(ratio)
        any_bound |= results.is_bound(own)
    return Shown(statistics.geometric_mean(ratios), any_bound) if ratios else None


def cases_of(results: Results, population: Population) -> list[Name]:
    """Returns a name for each case with timers of this population.

    Recordings are not among them.
    """
    cases = {(name.bench, name.case): name for name in results.rounds if name.bench != "replay"}
    return [
        name
        for name in cases.values()
        if workload_of(name.bench, name.workload).population == population
    ]


# The table has room only for the largest n of calls with one limit. Beside them stand calls with
# different limits, at one n. Equal limits are the best case of a wheel that reuses what it has
# written.
MOST_N_OF_CALLS = 4
OTHER_CALLS = ("rpc_mixed/10000", "rpc_wide/10000")


def columns(results: Results) -> dict[str, list[Shown | None]]:
    """Returns the figures under each heading, in the order of the queues."""
    replay = [Name("replay", "", case) for case in results.cases("replay")]
    churn = results.cases("churn")
    calls = [case for case in churn if case.startswith("rpc/")][-MOST_N_OF_CALLS:]
    calls += [case for case in OTHER_CALLS if case in churn]
    table = {"replay\n× best": [ratio_to_best(results, q, replay) for q in results.queues]}
    for name in (Name("churn", "", case) for case in calls):
        table[f"{name.workload}\n{short_count(name.n or 0)}"] = [
            shown(results, Name("churn", queue, name.case)) for queue in results.queues
        ]
    populations: tuple[Population, Population] = ("timeouts", "schedules")
    for population in populations:
        cases = cases_of(results, population)
        table[f"{population}\n× best"] = [ratio_to_best(results, q, cases) for q in results.queues]
    return {heading: figures for heading, figures in table.items() if any(figures)}


# The calls in the table, with their headings. There is no room for all calls.
CALLS_IN_TABLE = {"schedule": "schedule", "cancel": "cancel", "schedule_cancel": "both"}


def by_several_threads(measured: list[str]) -> list[ContentionWorkload]:
    """Returns a workload for each call of the table and each memory.

    It is the one with four threads, or else with the most below four.
    """
    known = [CONTENTION[workload] for workload in measured if workload in CONTENTION]
    in_table = [of for of in known if of.call in CALLS_IN_TABLE and of.threads <= 4]
    return list({(of.call, of.memory): of for of in in_table}.values())


def columns_of_services(results: Results) -> dict[str, list[Shown | None]]:
    """Returns the same of services, for each workload with the most timers that were measured."""

    def figures(bench: str, workload: str, value: Value = ns_per_operation) -> list[Shown | None]:
        n = max(sizes(results, bench, workload))
        names = [
            Name(bench, service, f"{workload}/{n}") for service in results.measured["services"]
        ]
        return [shown(results, name, value) for name in names]

    table = {
        f"{CALLS_IN_TABLE[of.call]}\n{of.threads}\n{of.memory}": figures("contention", str(of))
        for of in by_several_threads(workloads(results, "contention"))
    }
    for workload in workloads(results, "dispatch"):
        table["expiry\nCPU"] = figures("dispatch", workload)
        allocations = optional("allocations_per_schedule")
        table["alloc.\neach"] = figures("dispatch", workload, allocations)
    return table


@dataclass(frozen=True)
class Column:
    """A counter of a workload, in another unit, and the n that is shown if this n was measured."""

    bench: str
    workload: str
    counter: str
    unit: float = 1
    n: int | None = None

    def __call__(self, entry: Entry) -> float | None:
        value = optional(self.counter)(entry)
        return None if value is None else value / self.unit

    def case_in(self, results: Results) -> str | None:
        """Returns the case with this n, or else with the most timers that were measured."""
        ns = sizes(results, self.bench, self.workload)
        return f"{self.workload}/{self.n if self.n in ns else ns[-1]}" if ns else None


# The columns, by their headings.
COLUMNS_OF_SETTINGS = {
    "late µs\nmedian": Column("lateness", "uniform", "ns_per_operation", 1e3, 10_000),
    "late µs\np99.9": Column("lateness", "uniform", "p999_ns", 1e3, 10_000),
    "late ms\nwithin 3 s": Column("lateness", "within_3s", "max_ns", 1e6),
    "late ms\nslow task": Column("slow_task", "one_of_500ms", "p99_ns", 1e6, 1_000),
    "idle\nµs/s": Column("idle", "one_timer_in_an_hour", "ns_per_operation", 1e3),
    "bytes\na timer": Column("service_memory", "pending", "bytes_per_timer"),
}


def settings_of(results: Results) -> list[str]:
    """Returns the settings of the catalog that were measured."""
    measured = {name.queue for name in results.rounds}
    return [setting for setting in results.measured["settings"] if setting in measured]


def columns_of_settings(results: Results) -> dict[str, list[Shown | None]]:
    table = {}
    for heading, column in COLUMNS_OF_SETTINGS.items():
        if case := column.case_in(results):
            names = [Name(column.bench, one, case) for one in settings_of(results)]
            table[heading] = [shown(results, name, column) for name in names]
    return {heading: figures for heading, figures in table.items() if any(figures)}


# How much later than a thread that only sleeps, by the headings.
BEYOND_FLOOR = {
    "median": Column("lateness", "uniform", "p50_beyond_floor_ns", n=10_000),
    "p99": Column("lateness", "uniform", "p99_beyond_floor_ns", n=10_000),
    "p99.9": Column("lateness", "uniform", "p999_beyond_floor_ns", n=10_000),
}


def table_beyond_floor(results: Results) -> Table | None:
    """Returns the table, or None if no floor was measured."""
    table = text_table(["setting", *BEYOND_FLOOR])
    for setting in settings_of(results):
        figures = [
            results.figure(Name(column.bench, setting, case), column)
            for column in BEYOND_FLOOR.values()
            if (case := column.case_in(results))
        ]
        if any(figures):
            table.add_row(setting, *map(with_interval, figures))
    return table if table.rows else None


def with_interval(figure: Figure | None) -> str:
    """Writes a figure ± its interval, up to its further end. A single process has no interval."""
    if figure is None:
        return "–"
    return duration(figure.mean) + f" ± {duration(figure.reach)}" * (figure.processes > 1)


def table_of(what: str, rows: list[str], columns: dict[str, list[Shown | None]]) -> Table:
    def text_of(figure: Shown | None, best: float) -> str:
        if not figure:
            return "–"
        is_best = (figure.is_tie or figure.value == best) and not figure.is_bound
        return f"[bold green]{figure}[/]" if is_best else str(figure)

    table = text_table([what, *columns])
    texts = ([text_of(f, best_of(figures)) for f in figures] for figures in columns.values())
    for name, *row in zip(rows, *texts, strict=True):
        table.add_row(name, *row)
    return table


def print_tables(results: Results, console: Console) -> None:
    if results.queues:
        print("rpc…: ns an operation, by n pending; × best: geometric means over all workloads")
        console.print(table_of("queue", results.queues, columns(results)))
    if services := results.measured["services"]:
        print(
            "a call: ns, by number of threads and by memory; an expiry: ns of processor time; "
            "allocations of each"
        )
        console.print(table_of("service", services, columns_of_services(results)))
    if of_settings := columns_of_settings(results):
        print(
            "how late: at 10,000 timers a second; at worst, if n are due within 3 s; p99 behind a "
            "task of 500 ms"
        )
        console.print(table_of("setting", settings_of(results), of_settings))
    if beyond_floor := table_beyond_floor(results):
        print("late beyond a thread that only sleeps, at 10,000 a second, with 95% intervals")
        console.print(beyond_floor)


def unstable(results: Results) -> str:
    """Says how many figures are unstable. One process is enough to know a count, but not a time."""
    figures = {name: results.figure(name, value_of(name.bench)) for name in results.rounds}
    known = [f for name, f in figures.items() if f and (f.processes > 1 or name.bench in COUNTING)]
    count = sum(figure.unstable for figure in known)
    line = f"{count} of {len(known)} cells are unstable: their mean is not known to 10%"
    once = len(figures) - len(known)
    return f"{line}; {once} have one process only, which does not tell" if once else line


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> None:
    parser = command_line.Parser(__doc__)
    parser.takes_directory_of_results()
    directory = parser.parse_args(arguments).directory
    results = load(directory)
    console = Console()
    console.width = max(console.width, 100)
    print_tables(results, console)
    print(unstable(results))
    for kind, apart in results.equals_differ_by().items():
        print(f"equal {kind} differ by up to {100 * apart:.1f}%: 95% of the twins are as close")
    for chart in sorted(directory.glob("*.svg")):
        print(f"chart   {chart}")
    if (directory / "report.html").exists():
        print(f"report  {directory}/report.html")
    print(f"figures {directory}/*.json")


if __name__ == "__main__":
    sys.exit(main())
