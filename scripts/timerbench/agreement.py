"""How far two machines agree on which queue is the faster one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from timerbench.benches import subject_of
from timerbench.estimates import Figure
from timerbench.headlines import LATE
from timerbench.results import COUNTING, Name, Results, ResultsError, by_case, ns_per_operation


@dataclass(frozen=True)
class Pair:
    """Two queues in one case: how many times as long the first takes, on each of the machines."""

    name: Name
    rival: str
    on_a: Figure
    on_b: Figure

    @property
    def told_apart(self) -> bool:
        """Whether each of the machines tells which queue is faster."""
        return not (self.on_a.may_be_1 or self.on_b.may_be_1)

    @property
    def same_order(self) -> bool:
        return (self.on_a.mean > 1) == (self.on_b.mean > 1)

    @property
    def at_stake(self) -> float:
        """How far the two queues are apart at least, on the machine on which they are closer."""
        return min(max(of.mean, 1 / of.mean) for of in (self.on_a, self.on_b))


def told_apart(a: Results, b: Results) -> list[Pair]:
    """Returns the pairs that both machines tell apart. Raises ResultsError if there are none."""
    if not (found := [pair for pair in pairs(a, b) if pair.told_apart]):
        raise ResultsError("there is no pair of queues that both machines tell apart")
    return found


def pairs(a: Results, b: Results) -> Iterator[Pair]:
    """Yields all pairs of exact queues of ours that both machines timed in several processes."""
    both = (n for n in a.rounds if n in b.rounds and _takes_part(n, a) and _takes_part(n, b))
    for names in by_case(both).values():
        for name, other in combinations(names, 2):
            on_a, on_b = (of.ratio(name, other, ns_per_operation) for of in (a, b))
            if on_a and on_b and min(on_a.processes, on_b.processes) > 1:
                yield Pair(name, other.queue, on_a, on_b)


def _takes_part(name: Name, results: Results) -> bool:
    return (
        subject_of(name.bench) == "queues"
        and name.bench not in COUNTING
        and results.whose(name.queue) == "ours"
        and name.queue not in results.groups[LATE]
        and not results.is_bound(name)
    )
