"""How far a queue or a service is behind the best of its case, compared within each process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from timerbench.benches import subject_of
from timerbench.intervals import median_interval, median_ratio
from timerbench.results import Name, Results, Value


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


def standing(results: Results, name: Name, among: Iterable[str], value: Value) -> Standing | None:
    """Beside that one of these which it is furthest behind, or least ahead of.

    None if no process measured it with one of them.
    """
    ratios = _ratios(results, name, among, value)
    if not ratios:
        return None
    rival = max(ratios, key=lambda one: median_ratio(ratios[one]))
    beside = ratios[rival]
    return Standing(
        name,
        rival,
        median_ratio(beside),
        *median_interval(beside),
        len(beside),
        results.is_bound(name),
    )


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
    ratios = _ratios(results, name, known, value) or _ratios(results, name, itself, value)
    return max(map(median_ratio, ratios.values()), default=None)


def _ratios(
    results: Results, name: Name, among: Iterable[str], value: Value
) -> dict[str, list[float]]:
    """To each of these that a process measured with it."""
    to_all = {one: results.ratios(name, replace(name, queue=one), value) for one in among}
    return {one: ratios for one, ratios in to_all.items() if ratios}
