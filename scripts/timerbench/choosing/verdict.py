"""What follows from a table, in three sentences. No word says more than the intervals show."""

from __future__ import annotations

from collections.abc import Callable

from timerbench.choosing.figures import Row, Table
from timerbench.numerals import duration, three_digits

LITTLE = 5.0  # percent of a core
A_TIE = 0.1  # counted figures and worst calls that are so near to the best are equal to it
MOST_NAMES = 3


def of_queues(table: Table, file: str, pending: str) -> list[str]:
    """What it costs; what that rests on; what would change it."""
    return [_cost(table), _basis(table, pending), _change(table, file)]


def of_services(table: Table, file: str) -> list[str]:
    best = table.best
    cheap = [row for row in table.rows if row.core_percent.high < LITTLE]
    if len(cheap) == len(table.rows):
        first = (
            f"Each of these services takes less than {LITTLE:g}% of a core, caller included; "
            f"choose by what else you need: {_needs_of_services(table)}."
        )
    else:
        cost = _percent_in_words(best[0])
        first = (
            f"{_names(best)} {_verb(best, 'cost')} least, {cost} of a core, caller included; "
            f"by what else you may need: {_needs_of_services(table)}."
        )
    basis = (
        f"This rests on {_runs(table)} of 1.5 s in real time, with one thread that calls "
        f"{three_digits(table.operations_per_second)} times a second; "
        "lateness is the machine's as well as the service's."
    )
    known = [row for row in table.rows if row.limit_per_second]
    slowest = min(known, key=lambda row: row.limit_per_second or 0, default=None)
    if slowest is None or not slowest.limit_per_second:
        return [first, basis, f"Measure again on the machine that it is for: {_command(file)}."]
    room = slowest.limit_per_second / max(table.operations_per_second, 1e-9)
    change = (
        f"The first to fall behind is {slowest.name}, at {three_digits(room)} times this rate; "
        f"measure again when you come near, or when calls come from many threads: {_command(file)}."
    )
    return [first, basis, change]


def _cost(table: Table) -> str:
    cheap = [row for row in table.rows if not row.is_bound and row.core_percent.high < LITTLE]
    dear = [row for row in table.rows if row.is_bound or row.core_percent.low >= LITTLE]
    unsure = [row for row in table.rows if row not in cheap and row not in dear]
    if not cheap:
        best = table.best
        return (
            f"{_names(best)} {_verb(best, 'cost')} you least, {_percent_in_words(best[0])} of a "
            f"core; {_choose_by(table, best)}"
        )
    rest = [row for row in table.rows if row not in cheap]
    if not rest:
        whom = "Any of these queues costs"
    elif len(rest) <= MOST_NAMES:
        whom = f"Anything but {_names(rest)} costs"
    else:
        whom = f"{len(cheap)} of {len(table.rows)} queues cost"
    about = f" ({_names(unsure)}: perhaps)" if unsure and len(rest) > MOST_NAMES else ""
    return f"{whom} you less than {LITTLE:g}% of a core{about}; {_choose_by(table, cheap)}"


def _choose_by(table: Table, among: list[Row]) -> str:
    needs = {
        "least time": table.best,
        "fewest wake-ups": _least(among, lambda row: row.wakes_per_second),
        "least memory": _least(among, lambda row: row.memory_mb),
        "the shortest worst call": _least(among, lambda row: row.worst_call_ns),
    }
    known = [f"{need} ({_names(rows)})" for need, rows in needs.items() if rows]
    return f"choose by what else you need: {', '.join(known)}."


def _needs_of_services(table: Table) -> str:
    needs = {
        "exact starts": _least(table.rows, lambda row: row.lateness_ns.get("p50")),
        "fewest wake-ups": _least(table.rows, lambda row: row.wakes_per_second),
        "least memory": _least(table.rows, lambda row: row.memory_mb),
        "most room to grow": _least(
            table.rows, lambda row: None if not row.limit_per_second else 1 / row.limit_per_second
        ),
    }
    return ", ".join(f"{need} ({_names(rows)})" for need, rows in needs.items() if rows)


def _basis(table: Table, pending: str) -> str:
    ties = f"; {_names(table.best)} cannot be told apart" if len(table.best) > 1 else ""
    twins = (
        f"; equal queues differed by {100 * table.twins_differ_by:.1f}%"
        if table.twins_differ_by
        else ""
    )
    return (
        f"This rests on {_runs(table)} of {len(table.rows)} queues, which took turns on this "
        f"machine with {pending} and {three_digits(table.operations_per_second)} operations a "
        f"second, and were proved right{twins}{ties}."
    )


def _change(table: Table, file: str) -> str:
    best = table.best[0]
    times = LITTLE / best.core_percent.mean if best.core_percent.mean > 0 else 0
    if times >= 2:
        when = (
            f"at {three_digits(times)} times the rate {best.name} would take {LITTLE:g}% of a core"
        )
    else:
        when = "half the rate would halve the cost, and fewer timers make it less again"
    return (
        f"Another mix changes it: {when}; measure again then, and on the machine that it is for: "
        f"{_command(file)}."
    )


def _command(file: str) -> str:
    return f"./scripts/choose.py --load {file}"


def _runs(table: Table) -> str:
    return "one run" if table.processes == 1 else f"{table.processes} runs"


def _least(rows: list[Row], value: Callable[[Row], float | None]) -> list[Row]:
    known = {row.name: of_row for row in rows if (of_row := value(row)) is not None}
    if not known:
        return []
    least = min(known.values())
    return [row for row in rows if row.name in known and known[row.name] <= least * (1 + A_TIE)]


def _names(rows: list[Row]) -> str:
    """At most three of them, and how many others."""
    names = [row.name for row in rows]
    if len(names) > MOST_NAMES:
        return f"{', '.join(names[: MOST_NAMES - 1])} and {len(names) - MOST_NAMES + 1} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _verb(rows: list[Row], verb: str) -> str:
    return verb if len(rows) > 1 else f"{verb}s"


def _percent_in_words(row: Row) -> str:
    percent = row.core_percent
    if percent.processes == 1 or percent.high - percent.low < 0.1 * percent.mean:
        return f"{three_digits(percent.mean)}%"
    return f"{three_digits(percent.low)} to {three_digits(percent.high)}%"


def late_in_words(row: Row) -> str:
    known = [f"{name} {duration(ns)}" for name, ns in row.lateness_ns.items()]
    return ", ".join(known) or "nothing came due"
