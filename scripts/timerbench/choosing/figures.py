"""What was measured, in terms of a choice. Figures that cannot be told apart are a tie."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from timerbench.choosing.measuring import Measured, Round
from timerbench.estimates import Figure, figure_of
from timerbench.groups import LIBRARIES, TWINS
from timerbench.measuring.program import OF_A_TWIN
from timerbench.results import Entry, quantile

FEWEST = 3  # processes; with fewer, a figure is known only to a half
TO_A_HALF = 1.5

TAIL = {"p99": 0.99, "p999": 0.999}
VERBS = ("insert", "rearm", "cancel", "expire")


@dataclass(frozen=True)
class Spread:
    """A value and its range, as far as the processes tell."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """The figures of a queue or a service. None is what is not known."""

    name: str
    rank: int  # 1, and 1 for each that is surely faster
    ns: Figure  # of an operation
    is_bound: bool  # it was too slow to be measured, so it takes more than this
    core_percent: Figure
    memory_mb: Spread | None
    p999_call_ns: Spread | None
    worst_call_ns: Spread | None
    wakes_per_second: Spread | None
    lateness_ns: dict[str, Spread]  # of services: quantiles
    limit_per_second: Spread | None = None  # of services: the greatest load that it keeps up with
    limit_is_least: bool = False
    is_library: bool = False
    may_be_late: bool = False

    @property
    def shown(self) -> str:
        """The name, with a warning if the queue may be late."""
        return f"{self.name} (may be late)" if self.may_be_late else self.name


@dataclass(frozen=True)
class Table:
    """All rows, by rank, and then by the measured figure."""

    rows: list[Row]
    operations_per_second: float
    processes: int
    twins_differ_by: float  # as a share; 0 where there are none

    @property
    def best(self) -> list[Row]:
        """The rows that are not surely slower than another one."""
        return [row for row in self.rows if row.rank == 1]


def table_of_queues(measured: Measured) -> Table:
    """Makes the table. Memory and wake-ups are counts, which do not vary by chance."""
    rate = next(iter(measured.use.values()), {}).get("operations_per_second", 0.0)
    twins = measured.groups.get(TWINS, frozenset())
    apart = _apart(measured.queues, twins)
    ranks = _ranks(measured.queues, apart, leave_out=twins)
    rows = []
    for name, rank in ranks.items():
        entries = _entries(measured.queues, name)
        use = measured.use.get(name, {})
        ns = known([float(entry["ns_per_operation"]) for entry in entries])
        rows.append(
            Row(
                name,
                rank,
                ns,
                _is_bound(entries),
                _percent(ns, rate),
                _in_mb(_of_same_work([use.get("bytes")])),
                _of_same_work(_longest(entry, "p999_{}_ns") for entry in entries),
                _of_same_work(_longest(entry, "worst_{}_ns") for entry in entries),
                _of_same_work([use.get("wakes_per_second")]),
                {},
                is_library=name in measured.groups.get(LIBRARIES, ()),
                may_be_late=name in measured.groups.get("late", ()),
            )
        )
    return Table(_in_order(rows), rate, len(measured.queues), apart)


def table_of_services(measured: Measured) -> Table:
    ranks = _ranks(measured.services, 0, leave_out=frozenset())
    rows = []
    for name, rank in ranks.items():
        entries = _entries(measured.services, name)
        limit = measured.limits.get(name, {})
        ns = known([float(entry["ns_per_operation"]) for entry in entries])
        rate = statistics.fmean(entry["operations_per_second"] for entry in entries)
        late = {"p50": _in_real_time(entries, "p50_late_ns"), **_tail(entries)}
        rows.append(
            Row(
                name,
                rank,
                ns,
                False,
                _percent(ns, rate),
                _in_mb(_in_real_time(entries, "bytes")),
                _in_real_time(entries, "p999_call_ns"),
                _in_real_time(entries, "worst_call_ns"),
                _in_real_time(entries, "wakes_per_second"),
                {quantile: of for quantile, of in late.items() if of},
                _limit(limit.get("operations_per_second")),
                bool(limit.get("is_least")),
            )
        )
    of_all = [e["operations_per_second"] for of in measured.services for e in of.values()]
    rate = statistics.median(of_all) if of_all else 0.0
    return Table(_in_order(rows), rate, len(measured.services), 0)


def known(values: list[float]) -> Figure:
    """Returns the figure. Of two processes it may be wrong by half, as it may be of one."""
    figure = figure_of(values)
    if len(values) >= FEWEST:
        return figure
    ends = min(values) / TO_A_HALF, max(values) * TO_A_HALF
    return Figure(figure.mean, *ends, len(values))


def _in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row.rank, row.ns.mean))


def _entries(rounds: list[Round], name: str) -> list[Entry]:
    return [of[name] for of in rounds if name in of]


def _is_bound(entries: list[Entry]) -> bool:
    return any(entry.get("slower_than") for entry in entries)


def _ranks(rounds: list[Round], apart: float, *, leave_out: frozenset[str]) -> dict[str, int]:
    """Ranks them by ratios within each process: all queues share a process and its disturbances."""
    names = dict.fromkeys(name for of in rounds for name in of if name not in leave_out)
    bounds = {name for name in names if _is_bound(_entries(rounds, name))}

    def is_surely_slower(name: str, other: str) -> bool:
        if other in bounds:  # it takes at least so much, and nobody knows how much
            return False
        ratios = _ratios(rounds, name, other)
        return bool(ratios) and known(ratios).low > 1 + apart

    return {
        name: 1 + sum(is_surely_slower(name, other) for other in names if other != name)
        for name in names
    }


def _ratios(rounds: list[Round], name: str, other: str) -> list[float]:
    return [
        of[name]["ns_per_operation"] / of[other]["ns_per_operation"]
        for of in rounds
        if name in of and other in of and of[other]["ns_per_operation"] > 0
    ]


def _apart(rounds: list[Round], twins: frozenset[str]) -> float:
    """Returns how far two equal queues are apart.

    Smaller differences between queues do not count.
    """
    ratios = [_ratios(rounds, twin, twin.removesuffix(OF_A_TWIN)) for twin in sorted(twins)]
    return max((abs(figure_of(of).mean - 1) for of in ratios if of), default=0.0)


def _percent(ns: Figure, per_second: float) -> Figure:
    """Returns the share of a core that this rate of operations takes, in percent."""
    share = per_second * 1e-9 * 100
    return Figure(ns.mean * share, ns.low * share, ns.high * share, ns.processes)


def _tail(entries: list[Entry]) -> dict[str, Spread | None]:
    """Returns quantiles of the starts of all processes together: one process has too few starts."""
    counts: Counter[float] = Counter()
    for entry in entries:
        counts.update(dict(entry.get("late", [])))
    bins = [list(of_bin) for of_bin in sorted(counts.items())]
    known = {name: quantile("late", share)({"late": bins}) for name, share in TAIL.items()}
    return {name: ns if ns is None else Spread(ns, ns, ns) for name, ns in known.items()}


def _in_mb(held: Spread | None) -> Spread | None:
    return held and Spread(held.value / 1e6, held.low / 1e6, held.high / 1e6)


def _limit(per_second: float | None) -> Spread | None:
    """Returns the limit.

    The service keeps up with this rate, and falls behind with 1.4 times as much.
    """
    return None if per_second is None else Spread(per_second, per_second, per_second * 2**0.5)


def _longest(entry: Entry, counter: str) -> float | None:
    """Returns the counter of the verb with the longest calls."""
    known = [entry[of] for verb in VERBS if (of := counter.format(verb)) in entry]
    return max(known, default=None)


def _of_same_work(values: Iterable[float | None]) -> Spread | None:
    """Returns the least value: queues do the same in each process, and disturbances only add.

    The upper end is what a quarter of the processes stay below.
    """
    there = [value for value in values if value is not None]
    if not there:
        return None
    high = float(np.quantile(there, 0.25)) if len(there) >= FEWEST else max(there)
    return Spread(min(there), min(there), high)


def _in_real_time(entries: list[Entry], counter: str) -> Spread | None:
    """Returns the median: the work of services differs from process to process."""
    there = [value for entry in entries if (value := entry.get(counter)) is not None]
    return Spread(statistics.median(there), min(there), max(there)) if there else None
