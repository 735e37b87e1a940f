"""What two runs measured, as logarithms; without the speeds of their machines if these differ.

In a case of queues, each process has its own speed: how much longer its reference queues took than
in A. The reference queues are those with a twin. The logarithm of a reference is the mean of the
queue and its twin. Its difference to the usual logarithm in A is computed, and the speed is the
median of the differences of all references. If a single reference queue changed, it moves the
median no more than noise does, and its change still shows. If there are no twins, all queues of the
case are references. The speed of a call of a service comes from the bench `floor`, which uses the
machine and no timer. The lateness of a timer and its bytes do not depend on the speed of the
processor, so they stay as they were measured.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

import pandas as pd  # type: ignore[import-untyped]

from timerbench.benches import kind_of, subject_of
from timerbench.results import COUNTING, MADE_BY, Name, Results, by_case, ns_per_operation, value_of
from timerbench.trimmed_mean import trimmed_mean

Logs = dict[int, float]  # by the number of the process

# With fewer references, one that changed would be half of the median.
FEWEST_REFERENCES = 3

# Facts that tell one machine from another one, or from its own former state.
OF_MACHINE = [
    "cpu",
    "cores",
    "memory_bytes",
    "hypervisor",
    "kernel",
    "governor",
    "turbo",
    "transparent_hugepages",
    "clock_source",
]

BY_TWINS = "by the queues that have twins"
BY_ALL = "by all queues of the case"
BY_FLOOR = "by the bench floor"
AS_MEASURED = "not at all"


@dataclass
class Pairs:
    """The logarithms of each cell in A and in B; and the number of cells for each kind of speed."""

    cells: dict[Name, tuple[Logs, Logs]] = field(default_factory=dict)
    taken_off: Counter[str] = field(default_factory=Counter)
    side_by_side: bool = False  # whether the processes of a round ran one directly after the other


def differences(a: Results, b: Results) -> list[str]:
    """Returns what makes the figures of A and B differ. Different commits are expected."""
    of_a, of_b = (
        {**results.machine, **results.context, "pages": " and ".join(sorted(results.pages))}
        for results in (a, b)
    )
    keys = dict.fromkeys([key for key in MADE_BY if key != "commit"] + [*OF_MACHINE, "pages"])
    return [
        f"{key}: '{of_a.get(key)}' and '{of_b.get(key)}'"
        for key in keys
        if of_a.get(key) != of_b.get(key)
    ]


def why_speeds_differ(a: Results, b: Results, names: tuple[str, str] = ("A", "B")) -> str | None:
    """Says why the speeds differ; None for two runs of one machine at the same time."""
    facts = [{**results.machine, **results.context} for results in (a, b)]
    for key in OF_MACHINE:
        of_a, of_b = (of_side.get(key) for of_side in facts)
        if None not in (of_a, of_b) and of_a != of_b:
            return f"{key} differs: '{of_a}' and '{of_b}'"
    if a.ended < b.began or b.ended < a.began:
        first, other = names
        hours = f"from {a.began:%F %R} to {a.ended:%F %R}"
        return f"{first} was measured {hours}, {other} from {b.began:%F %R}"
    return None


def in_words(why: str | None, found: Pairs) -> list[str]:
    """Says whether the speed of the machine is taken off, why, and in how many cells which way."""
    if why is None:
        return ["one machine at one time: figures are compared as they were measured"]
    cells = [f"  {how}: {count} cells" for how, count in found.taken_off.items()]
    return [f"the speed of the machine is taken off, as {why}", *cells]


def is_nothing(name: Name, *results: Results) -> bool:
    """Whether a service took no time, left nothing behind or was not late: 0 has no ratio."""
    return any(value <= 0 for of in results for value in of.values(name, value_of(name.bench)))


def in_both(a: Results, b: Results) -> list[Name]:
    return [name for name in a.rounds if name in b.rounds and not is_nothing(name, a, b)]


def pairs(a: Results, b: Results, names: Iterable[Name], *, normalised: bool) -> Pairs:
    """Returns the pairs of these cells, which both results have with figures above 0."""
    found = Pairs(side_by_side=not normalised)
    shift = _shift_of_floor(a, b) if normalised else None
    for of_case in by_case(names).values():
        how, speeds = _speeds(a, b, of_case, shift) if normalised else (AS_MEASURED, None)
        found.taken_off[how] += len(of_case)
        for name in of_case:
            of_a, of_b = _logs(a, name), _logs(b, name)
            if speeds:
                of_a, of_b = _less(of_a, speeds[0]), _less(of_b, speeds[1])
            found.cells[name] = of_a, of_b
    return found


def _logs(results: Results, name: Name) -> Logs:
    values = results.of_rounds(name, value_of(name.bench))
    return {number: math.log(value) for number, value in values.items()}


def _less(logs: Logs, speeds: Logs) -> Logs:
    return {number: log - speeds[number] for number, log in logs.items() if number in speeds}


def _speeds(
    a: Results, b: Results, case: list[Name], shift: float | None
) -> tuple[str, tuple[Logs, Logs] | None]:
    """Returns how the speeds were found, and how slow each process of A and of B was."""
    bench = case[0].bench
    of_queues = kind_of(bench) == "queues"
    if bench in COUNTING or not (of_queues or subject_of(bench) in ("services", "machine")):
        return AS_MEASURED, None
    timed = [name for name in case if not (a.is_bound(name) or b.is_bound(name))]
    with_twins = [name for name in timed if name in a.twins and name in b.twins]
    if of_queues and len(with_twins) >= FEWEST_REFERENCES:
        return BY_TWINS, _speeds_by(a, b, with_twins)
    if of_queues and len(timed) >= FEWEST_REFERENCES:
        return BY_ALL, _speeds_by(a, b, timed)
    if shift is None:
        return AS_MEASURED, None
    of_a, of_b = ({n for name in case for n in of.rounds[name]} for of in (a, b))
    return BY_FLOOR, (dict.fromkeys(of_a, 0.0), dict.fromkeys(of_b, shift))


def _speeds_by(a: Results, b: Results, references: list[Name]) -> tuple[Logs, Logs]:
    logs = [pd.DataFrame({name: _logs_with_twin(of, name) for name in references}) for of in (a, b)]
    usual = logs[0].apply(lambda of_name: trimmed_mean(of_name.dropna()).mean)
    of_a, of_b = ((of_side - usual).median(axis=1).to_dict() for of_side in logs)
    return of_a, of_b


def _logs_with_twin(results: Results, name: Name) -> Logs:
    """Returns the mean of a queue and its twin in each process; without a twin, the queue's own."""
    logs = _logs(results, name)
    twins = results.twins.get(name)
    if twins is None:
        return logs
    return {
        number: (log + math.log(ns_per_operation(twins[number]))) / 2
        for number, log in logs.items()
        if number in twins
    }


def _shift_of_floor(a: Results, b: Results) -> float | None:
    """Returns how much longer a touch of memory takes in B; None without the bench."""
    both = [name for name in a.names("floor") if name in b.rounds]
    means = [[trimmed_mean([*_logs(of, name).values()]).mean for of in (a, b)] for name in both]
    return float(median(of_b - of_a for of_a, of_b in means)) if means else None
