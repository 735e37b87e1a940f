"""How far a queue or a service is behind the best of its case, compared within each process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from benches import subject_of
from intervals import median_interval, median_ratio
from results import Name, Results, Value


@dataclass(frozen=True)
class Standing:
    """How many times as much it takes as a rival: the median over the processes of both."""

    name: Name
    rival: str
    times: float
    low: float  # of the interval of the median, or of the range of few processes
    high: float
    rounds: int
    is_bound: bool  # it takes more, as it was too slow to be timed


def standing(results: Results, name: Name, rivals: Iterable[str], value: Value) -> Standing | None:
    """Beside the rival which it is furthest behind, or least ahead of.

    None if no process measured it with a rival.
    """
    beside_each = [
        Standing(
            name,
            rival,
            median_ratio(ratios),
            *median_interval(ratios),
            len(ratios),
            results.is_bound(name),
        )
        for rival in rivals
        if (ratios := results.ratios(name, replace(name, queue=rival), value))
    ]
    return max(beside_each, key=lambda beside: beside.times, default=None)


def rivals(results: Results, name: Name) -> list[str]:
    """All others of its case, without those that were too slow to be timed."""
    return [
        other
        for other in results.measured[subject_of(name.bench)]
        if other != name.queue and not results.is_bound(replace(name, queue=other))
    ]


def times_best(results: Results, name: Name, value: Value) -> float | None:
    """How many times as much it takes as the best of its case: 1 if that is itself.

    Of one that was too slow to be timed it is a bound, or 1 where all were. None if it was not
    measured.
    """
    itself, others = [name.queue], rivals(results, name)
    known = others if results.is_bound(name) else itself + others
    beside = standing(results, name, known, value) or standing(results, name, itself, value)
    return beside.times if beside else None
