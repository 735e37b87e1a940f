"""From how many timers on the hierarchical wheel is faster than the heap, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benches import in_order
from intervals import CONFIDENCE, RESAMPLES, SEED
from results import Name, Results, ns_per_operation

HEAP = "min_heap"
WHEEL = "hierarchical_wheel"
COMPARED = ("churn", "expire", "insert", "cancel", "rearm")

# The median times of a queue at each n, or a row of them for each resample.
Times = NDArray[np.float64]


@dataclass(frozen=True)
class Crossover:
    """Who is faster at the ends, and the last n at which that changes, if it does.

    `low` and `high` are the 95% interval of `n`: 0 or infinite where it may lie beyond the sizes
    that were measured.
    """

    sizes: tuple[int, ...]
    faster_at_last: str
    n: float | None = None
    low: float = math.nan
    high: float = math.nan

    @property
    def faster_at_first(self) -> str:
        """Just below the crossing."""
        if self.n is None:
            return self.faster_at_last
        return HEAP if self.faster_at_last == WHEEL else WHEEL

    def __str__(self) -> str:
        who = "wheel" if self.faster_at_last == WHEEL else "heap"
        if self.n is None:
            return f"always {who}"
        low = f"below {self.sizes[0]:,}" if self.low == 0 else _two_digits(self.low)
        high = f"above {self.sizes[-1]:,}" if self.high == math.inf else _two_digits(self.high)
        return f"{who} from {_two_digits(self.n)} ({low} to {high})"


def _two_digits(n: float) -> str:
    return f"{float(f'{n:.2g}'):,.0f}"


def crossovers(results: Results) -> dict[tuple[str, str], Crossover]:
    """By bench and workload, in the order of the table."""
    found = {}
    for bench in COMPARED:
        for workload in in_order(bench, (name.workload for name in results.names(bench))):
            if crossing := crossover(results, bench, workload):
                found[bench, workload] = crossing
    return found


def crossover(results: Results, bench: str, workload: str) -> Crossover | None:
    """None unless both queues were timed at the same two sizes or more."""

    def rounds(queue: str, n: int) -> list[float]:
        """None of a queue that was too slow, of which only a bound is known."""
        name = Name(bench, queue, f"{workload}/{n}")
        too_slow = results.mark(name) == "slower_than"
        return [] if too_slow else results.values(name, ns_per_operation)

    sizes = sorted(
        {name.n for name in results.names(bench) if name.workload == workload and name.n}
    )
    both = {n: pair for n in sizes if all(pair := (rounds(HEAP, n), rounds(WHEEL, n)))}
    if len(both) < 2:
        return None
    return crossover_of(tuple(both), *zip(*both.values(), strict=True))


def crossover_of(
    sizes: tuple[int, ...], heap: Sequence[Sequence[float]], wheel: Sequence[Sequence[float]]
) -> Crossover:
    """Of the times in each round, for each size."""
    lead = _lead(_medians(heap), _medians(wheel))
    wheel_leads = bool(lead[-1] > 0)
    faster = WHEEL if wheel_leads else HEAP
    n = _last_crossing(sizes, lead, wheel_leads)
    if n == 0:
        return Crossover(sizes, faster)
    random = np.random.default_rng(SEED)
    leads = _lead(_resampled_medians(heap, random), _resampled_medians(wheel, random))
    crossings = [_last_crossing(sizes, of_one, wheel_leads) for of_one in leads]
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(crossings, (tail, 1 - tail), method="nearest")  # some are infinite
    return Crossover(sizes, faster, n, float(low), float(high))


def _lead(heap: Times, wheel: Times) -> Times:
    """How far the wheel is ahead at each n, as a logarithm."""
    lead: Times = np.log(heap) - np.log(wheel)
    return lead


def _last_crossing(sizes: tuple[int, ...], lead: Times, wheel_leads: bool) -> float:
    """From which n on one of the two leads: 0 if always, infinite if not at the last size.

    Between two sizes a time is taken to be a straight line on logarithmic scales.
    """
    behind = [index for index in range(len(sizes)) if (lead[index] > 0) != wheel_leads]
    if not behind:
        return 0
    at = behind[-1]
    if at + 1 == len(sizes):
        return math.inf
    share = lead[at] / (lead[at] - lead[at + 1])
    return float(sizes[at] * (sizes[at + 1] / sizes[at]) ** share)


def _medians(rounds: Sequence[Sequence[float]]) -> Times:
    return np.array([np.median(of_size) for of_size in rounds])


def _resampled_medians(rounds: Sequence[Sequence[float]], random: np.random.Generator) -> Times:
    """A row for each resample, with the rounds of each size drawn with replacement."""
    return np.column_stack(
        [
            np.median(random.choice(np.asarray(of_size), (RESAMPLES, len(of_size))), axis=1)
            for of_size in rounds
        ]
    )
