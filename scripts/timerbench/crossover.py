"""From how many timers on a wheel is faster than a heap, and how sure that is.

Compared are the heap and the hierarchical wheel that stand for their families.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from timerbench.benches import in_order
from timerbench.estimates import Figure
from timerbench.numerals import two_digits
from timerbench.results import Name, Results, ns_per_operation

Side = Literal["heap", "wheel"]
HEAP: Side = "heap"
WHEEL: Side = "wheel"
FAMILIES: dict[Side, str] = {HEAP: "heaps", WHEEL: "hierarchical_wheels"}

COMPARED = ("churn", "expire", "insert", "cancel", "rearm")

# How far the wheel is ahead at each n, as a logarithm.
Lead = NDArray[np.float64]


@dataclass(frozen=True)
class Stretch:
    """A range of numbers of timers in which one of the two is faster."""

    faster: Side
    first: float
    last: float


@dataclass(frozen=True)
class Crossover:
    """Who is faster where, and how sure the last crossing is.

    `low` and `high` are the interval of that crossing. They are 0 or infinite where it may lie
    beyond the measured sizes. Without a crossing, `high` above 0 says that there may still be one.
    """

    sizes: tuple[int, ...]
    processes: tuple[int, ...]  # at each of these sizes
    stretches: tuple[Stretch, ...]
    low: float = 0
    high: float = 0

    @property
    def faster_at_last(self) -> Side:
        return self.stretches[-1].faster

    @property
    def n(self) -> float | None:
        """The last crossing."""
        return self.stretches[-1].first if len(self.stretches) > 1 else None

    @property
    def decided_by(self) -> int:
        """The fewest processes at the sizes next to the last crossing; without one, at any size."""
        if self.n is None:
            return min(self.processes)
        after = max(bisect_left(self.sizes, self.n), 1)  # the first size from the crossing on
        return min(self.processes[after - 1 : after + 1])

    @property
    def doubtful(self) -> tuple[float, float] | None:
        """The range of sizes in which the last crossing may lie; None if unknown or nowhere."""
        if self.decided_by == 1 or self.high == 0:
            return None
        return max(self.low, self.sizes[0]), min(self.high, self.sizes[-1])

    def __str__(self) -> str:
        who = self.faster_at_last
        if self.n is None:
            if self.decided_by > 1 and self.high > 0:
                where = "at" if self.high == math.inf else "below"
                n = f"{self.sizes[-1]:,}" if self.high == math.inf else two_digits(self.high)
                return f"{who} throughout, perhaps not {where} {n}"
            if 1 in self.processes:
                return f"always {who} (one process at {self.sizes[self.processes.index(1)]:,})"
            return f"always {who}"
        if self.decided_by == 1:
            return f"{who} from {two_digits(self.n)} (one process)"
        if self.low == 0 and self.high == math.inf:
            return f"{who} from {two_digits(self.n)}, perhaps anywhere"
        low = f"below {self.sizes[0]:,}" if self.low == 0 else two_digits(self.low)
        high = f"above {self.sizes[-1]:,}" if self.high == math.inf else two_digits(self.high)
        return f"{who} from {two_digits(self.n)} ({low} to {high})"


def rivals(results: Results) -> dict[Side, str] | None:
    """Returns the two queues, if the results have both and name their families."""
    queues = {side: results.first_queue_of(family) for side, family in FAMILIES.items()}
    found = {side: queue for side, queue in queues.items() if queue}
    return found if len(found) == len(queues) else None


def crossovers(results: Results) -> dict[tuple[str, str], Crossover]:
    """Returns the crossovers by bench and workload, in the order of the table."""
    found = {}
    for bench in COMPARED:
        for workload in in_order(bench, (name.workload for name in results.names(bench))):
            if crossing := crossover(results, bench, workload):
                found[bench, workload] = crossing
    return found


def crossover(results: Results, bench: str, workload: str) -> Crossover | None:
    """Returns None unless both queues were timed at two common sizes or more."""
    queues = rivals(results)
    if not queues:
        return None
    sizes = {name.n for name in results.names(bench) if name.workload == workload and name.n}
    of_sizes = {}
    for n in sorted(sizes):
        heap, wheel = (Name(bench, queues[side], f"{workload}/{n}") for side in (HEAP, WHEEL))
        is_bound = results.is_bound(heap) or results.is_bound(wheel)
        if not is_bound and (ratio := results.ratio(heap, wheel, ns_per_operation)):
            of_sizes[n] = ratio
    if len(of_sizes) < 2:
        return None
    return crossover_of(tuple(of_sizes), list(of_sizes.values()))


def crossover_of(sizes: tuple[int, ...], ratios: Sequence[Figure]) -> Crossover:
    """Finds the crossover from the ratio heap / wheel for each size."""
    stretches = _stretches(sizes, _leads(ratios, "mean"))
    found = Crossover(sizes, tuple(ratio.processes for ratio in ratios), stretches)
    if found.decided_by == 1:
        return found
    # The ends of the interval are the crossings of the curves through the ends of the leads. On one
    # curve the faster queue gets ahead as early as possible, on the other as late as possible.
    early, late = ("high", "low") if found.faster_at_last == WHEEL else ("low", "high")
    low, high = (
        _last_crossing(sizes, _leads(ratios, end), found.faster_at_last) for end in (early, late)
    )
    return replace(found, low=low, high=high)


def _leads(figures: Sequence[Figure], end: str) -> Lead:
    return np.log([getattr(figure, end) for figure in figures])


def _faster(lead: float) -> Side:
    return WHEEL if lead > 0 else HEAP


def _stretches(sizes: tuple[int, ...], lead: Lead) -> tuple[Stretch, ...]:
    """Splits the sizes into stretches.

    Between two sizes the time is taken as a straight line on logarithmic scales.
    """
    stretches = [Stretch(_faster(lead[0]), sizes[0], sizes[-1])]
    for at, (here, after) in enumerate(pairwise(lead)):
        if _faster(here) != _faster(after):
            crossing = float(sizes[at] * (sizes[at + 1] / sizes[at]) ** (here / (here - after)))
            stretches[-1] = replace(stretches[-1], last=crossing)
            stretches.append(Stretch(_faster(after), crossing, sizes[-1]))
    return tuple(stretches)


def _last_crossing(sizes: tuple[int, ...], lead: Lead, faster: Side) -> float:
    """Returns the n from which `faster` leads: 0 if always, infinite if not at the last size."""
    *before, last = _stretches(sizes, lead)
    if last.faster != faster:
        return math.inf
    return last.first if before else 0
