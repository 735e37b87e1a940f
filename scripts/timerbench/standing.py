"""How far a queue or a service is behind the best of its case, compared within each process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from timerbench.benches import subject_of
from timerbench.estimates import Figure
from timerbench.results import Name, Results, Value


@dataclass(frozen=True)
class Standing:
    """How many times as much a queue or service takes as a rival, in processes that have both."""

    name: Name
    rival: str
    ratio: Figure
    is_bound: bool  # it was too slow to be timed, so it takes more than this

    @property
    def is_tie(self) -> bool:
        """Whether the two cannot be told apart."""
        return not self.is_bound and self.ratio.may_be_1

    @property
    def at_least(self) -> float:
        """The ratio that is sure: 1 if the two tie."""
        return max(self.ratio.low, 1)


def standing(results: Results, name: Name, among: Iterable[str], value: Value) -> Standing | None:
    """Compares the cell with that rival among these that it is furthest behind, or least ahead of.

    Returns None if no process measured it with one of them.
    """
    behind = {
        one: mean
        for one in among
        if (mean := results.mean_ratio(name, replace(name, queue=one), value)) is not None
    }
    if not behind:
        return None
    rival = max(behind, key=behind.__getitem__)
    ratio = results.ratio(name, replace(name, queue=rival), value)
    assert ratio  # because it has a mean
    return Standing(name, rival, ratio, results.is_bound(name))


def rivals(results: Results, name: Name) -> list[str]:
    """Returns all others of its case, without those that were too slow to be timed."""
    return [
        other
        for other in results.measured[subject_of(name.bench)]
        if other != name.queue and not results.is_bound(replace(name, queue=other))
    ]


def beside_best(results: Results, name: Name, value: Value) -> Standing | None:
    """Compares the cell with the best of its case, which may be the cell itself.

    If the cell was too slow to be timed, the ratio is a bound. If all were too slow, the cell is
    compared with itself. Returns None if the cell was not measured.
    """
    itself, others = [name.queue], rivals(results, name)
    known = others if results.is_bound(name) else itself + others
    beside = standing(results, name, known, value)
    return beside or standing(results, name, itself, value)


def times_best(results: Results, name: Name, value: Value) -> float | None:
    """Returns how many times as much the cell takes as the best of its case: 1 if it is the best.

    With trimmed means, a ratio to the best need not be the quotient of the ratios to a third cell.
    So where several are nearly equal, each of them may be a hair behind another one.
    """
    beside = beside_best(results, name, value)
    return beside.ratio.mean if beside else None
