"""The conclusions from a table, in three sentences. They claim no more than the intervals show."""

from __future__ import annotations

from collections.abc import Callable

from timerbench.choosing.figures import Row, Spread, Table
from timerbench.numerals import three_digits

LITTLE = 5.0  # percent of a core
EVEN_LESS = (0.01, 0.1, 1.0)
A_TIE = 0.01  # a difference of this share still counts as a tie
MOST_NAMES = 3


def of_queues(table: Table, file: str, pending: str) -> list[str]:
    """Says what the queues cost, what this is based on, and what would change it."""
    return [_cost(table), _basis(table, pending), _change(table, file)]


def of_services(table: Table, file: str) -> list[str]:
    best = table.best
    cheap = [row for row in table.rows if row.core_percent.high < LITTLE]
    if len(cheap) == len(table.rows):
        first = (
            f"Each of these services takes less than {_bound(cheap):g}% of a core, "
            "caller included; "
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
    slowest = _least(table.rows, lambda row: row.limit_per_second)
    limits = [row.limit_per_second.value for row in slowest if row.limit_per_second]
    if not _all_limits_are_known(table):
        return [
            first,
            basis,
            "How much more they can do was not found for all of them; measure again with fewer "
            f"timers, or on a machine with less to do: {_command(file)}.",
        ]
    room = min(limits) / max(table.operations_per_second, 1e-9)
    who = (
        "All of them keep up with about"
        if len(slowest) == len(table.rows) > 1
        else f"{_names(slowest)} {_verb(slowest, 'fall')} behind first, from about"
    )
    change = (
        f"{who} {three_digits(room)} times this rate; measure again when you come near, or when "
        f"calls come from many threads: {_command(file)}."
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
    perhaps = f", and perhaps {_names(unsure)}" if unsure and len(rest) > MOST_NAMES else ""
    bound = LITTLE if rest else _bound(cheap)
    return f"{whom} you less than {bound:g}% of a core{perhaps}; {_choose_by(table, cheap)}"


def _bound(rows: list[Row]) -> float:
    """Returns a round percentage that surely none of these takes."""
    highest = max(row.core_percent.high for row in rows)
    return next((bound for bound in EVEN_LESS if highest < bound), LITTLE)


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
    }
    if _all_limits_are_known(table):
        needs["most room to grow"] = _most(table.rows, lambda row: row.limit_per_second)
    return ", ".join(f"{need} ({_names(rows)})" for need, rows in needs.items() if rows)


def _all_limits_are_known(table: Table) -> bool:
    return all(row.limit_per_second for row in table.rows)


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
    option = "--load" if file.endswith(".json") else "--trace"
    return f"./scripts/choose.py {option} {file}"


def _runs(table: Table) -> str:
    return "one run" if table.processes == 1 else f"{table.processes} runs"


def _least(rows: list[Row], value: Callable[[Row], Spread | None]) -> list[Row]:
    """Returns the one with the least, and those whose ranges overlap with its own."""
    known = {row.name: of_row for row in rows if (of_row := value(row))}
    if not known:
        return []
    reach = min(known.values(), key=lambda spread: spread.value).high * (1 + A_TIE)
    return [row for row in rows if row.name in known and known[row.name].low <= reach]


def _most(rows: list[Row], value: Callable[[Row], Spread | None]) -> list[Row]:
    def inverse(row: Row) -> Spread | None:
        spread = value(row)
        return spread and Spread(1 / spread.value, 1 / spread.high, 1 / spread.low)

    return _least(rows, inverse)


def _names(rows: list[Row]) -> str:
    """Returns at most three names, and the number of the others."""
    names = [row.shown for row in rows]
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
