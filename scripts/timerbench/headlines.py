"""What results say, in a sentence that stands above a chart.

The words follow the intervals. Something *beats* another one if it is surely better: the 95%
interval of their ratio, process by process, lies on one side of 1. So a headline never claims an
order that the figures do not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from timerbench.benches import BENCHES, in_order, kind_of
from timerbench.estimates import figure_of
from timerbench.results import COUNTING, Name, Results, Value, by_case, optional, value_of

# A headline with more exceptions than this says nothing.
MOST_EXCEPTIONS = 2

# The group of what may run a timer late: it does not compete with what is exact.
LATE = "late"

Selection = Callable[[Name], bool]


class Titles(NamedTuple):
    """The titles of a chart: what it says, and below that what it shows."""

    title: str
    line: str


@dataclass(frozen=True)
class Contest:
    """A case that was measured, and those that nobody beats in it."""

    bench: str
    workload: str
    n: int | None
    unbeaten: frozenset[str]  # empty: not known
    winner: str | None = None  # the one that beats all others that took part


@dataclass(frozen=True)
class _Claim:
    """Nobody beats the leader at these sizes, except in the workloads of `exceptions`."""

    sizes: tuple[int | None, ...]
    exceptions: tuple[str, ...]
    holds_in: int  # number of contests


def titles_of(  # noqa: PLR0913
    results: Results,
    bench: str,
    value: Value | None = None,
    *,
    shows: str | None = None,
    of: str = "",
    selected: Selection = lambda _: True,
) -> Titles:
    """Returns the titles of a chart of a bench.

    The chart is of the bench's own figure, unless `value` is given; `of` names that value. `shows`
    says in a few words what the chart shows; by default it is the title of the bench. It stands
    alone if the figures give no finding, as those of a single process.
    """
    about = BENCHES[bench]
    finding = headline_of(results, bench, value, selected)
    return titles(finding, shows or about.title, about.question, of)


def headline_of(
    results: Results,
    bench: str,
    value: Value | None = None,
    selected: Selection = lambda _: True,
) -> str | None:
    """Returns what the figures of a bench say. Those of a single process say nothing."""
    contests = contests_of(results, bench, value or value_of(bench), selected)
    return headline(contests, bench, results)


def titles(finding: str | None, shows: str, question: str, of: str = "") -> Titles:
    """Returns the finding, if there is one, above what is shown."""
    if finding is None:
        return Titles(shows, question)
    return Titles(
        f"{of}: {finding[0].lower()}{finding[1:]}" if of else finding, f"{shows}. {question}"
    )


def contests_of(
    results: Results, bench: str, value: Value, selected: Selection = lambda _: True
) -> list[Contest]:
    """Returns the contests of all cases of the bench in which several took part.

    If a single process measured them, nobody knows who is unbeaten.
    """
    late = {*results.groups[LATE]}
    shown = [name for name in results.names(bench) if selected(name) and name.queue not in late]
    order = in_order(bench, (name.workload for name in shown))
    of_cases = (_contest(results, names, value) for names in by_case(shown).values())
    contests = [contest for contest in of_cases if contest]
    return sorted(contests, key=lambda contest: (order.index(contest.workload), contest.n or 0))


def _contest(results: Results, names: Sequence[Name], value: Value) -> Contest | None:
    having = [name for name in names if results.values(name, value)]
    if len(having) < 2:
        return None
    known = [name for name in having if _is_known(results, name, value)]
    if len(known) < 2:
        return Contest(having[0].bench, having[0].workload, having[0].n, frozenset())
    timed = [name for name in known if not results.is_bound(name)]  # the others are beaten
    unbeaten = [
        name
        for name in timed
        if not any(_is_beaten_by(results, name, rival, value) for rival in timed if rival != name)
    ]
    winner = next((one.queue for one in unbeaten if _wins(results, one, having, value)), None)
    queues = frozenset(name.queue for name in unbeaten)
    return Contest(known[0].bench, known[0].workload, known[0].n, queues, winner)


def _is_known(results: Results, name: Name, value: Value) -> bool:
    """Whether several processes measured it, or it is a count.

    A service that starts tasks early counts as unknown: that is not better than being in time.
    """
    is_early = any(results.values(name, optional("early")))
    return not is_early and len(results.values(name, value)) >= _enough(name)


def _wins(results: Results, winner: Name, having: Sequence[Name], value: Value) -> bool:
    """Whether the winner beats each of the others, even those of which little is known."""
    return all(
        results.is_bound(name) or _is_beaten_by(results, name, winner, value)
        for name in having
        if name != winner
    )


def _enough(name: Name) -> int:
    """Returns how many processes can tell who is better: one for counts."""
    return 1 if name.bench in COUNTING else 2


def _is_beaten_by(results: Results, name: Name, rival: Name, value: Value) -> bool:
    """Whether the rival is better in the rounds that both have, if there are enough of them."""
    ours, of_rival = (results.of_rounds(one, value) for one in (name, rival))
    rounds = [number for number in ours if number in of_rival]
    if len(rounds) < _enough(name):
        return False
    if any(ours[number] <= 0 or of_rival[number] <= 0 for number in rounds):  # there is no ratio
        return figure_of([ours[number] - of_rival[number] for number in rounds]).low > 0
    ratio = results.ratio(name, rival, value)
    return ratio is not None and ratio.low > 1


def headline(contests: Sequence[Contest], bench: str, results: Results) -> str | None:
    """Says who is unbeaten where; None if nobody knows, or if most cases are not known."""
    known = [contest for contest in contests if contest.unbeaten]
    if not known or 2 * len(known) < len(contests):
        return None
    wins = Counter(one for contest in known for one in sorted(contest.unbeaten))
    measured = [one for names in results.measured.values() for one in names]
    leader, *others = sorted(wins, key=lambda one: (-wins[one], measured.index(one)))
    noun = "queue" if kind_of(bench) == "queues" else "service"
    late = {*results.groups[LATE]} & {name.queue for name in results.names(bench)}
    exact = "exact " if late else ""
    if bench == "sleep":
        noun = "way to sleep"
    if claim := _claim(contests, leader):
        where = _in_words(claim, contests, noun)
        beats_all = all(contest.winner == leader for contest in known)
        if beats_all and claim.holds_in == len(known) > 1:
            return f"{leader} beats every other {exact}{noun}{where}"
        return f"No {exact}{noun} beats {leader}{where}"
    if wins[leader] == len(known):
        cases = f"where several processes measured it ({len(known)} of {len(contests)} cases)"
        return f"No {exact}{noun} beats {leader} {cases}"
    second = f", {others[0]} in {wins[others[0]]}" if others else ""
    return (
        f"No {exact}{noun} leads throughout: {leader} is unbeaten in {wins[leader]} of "
        f"{len(known)} cases{second}"
    )


def _claim(contests: Sequence[Contest], leader: str) -> _Claim | None:
    """Returns the claim that holds in most contests; of equals, the one with fewest exceptions."""
    sizes = sorted({contest.n for contest in contests}, key=lambda n: n or 0)
    claims = [
        claim
        for begin in range(len(sizes))
        for end in range(begin + 1, len(sizes) + 1)
        if (claim := _claim_at(contests, leader, sizes[begin:end]))
    ]
    best = max(claims, key=lambda claim: (claim.holds_in, -len(claim.exceptions)), default=None)
    return best if best and 2 * best.holds_in > len(contests) else None


def _claim_at(
    contests: Sequence[Contest], leader: str, sizes: Sequence[int | None]
) -> _Claim | None:
    inside = [contest for contest in contests if contest.n in sizes]
    lost = dict.fromkeys(of.workload for of in inside if leader not in of.unbeaten)
    held = [contest for contest in inside if contest.workload not in lost]
    workloads = {contest.workload for contest in inside}
    if len(lost) > MOST_EXCEPTIONS or 2 * len(lost) >= len(workloads):
        return None
    return _Claim(tuple(sizes), tuple(lost), len(held))


def _in_words(claim: _Claim, contests: Sequence[Contest], noun: str) -> str:
    """Puts the sizes and the exceptions of a claim into words.

    `contests` are all contests, also those in which nobody knows who is unbeaten.
    """
    every = sorted({contest.n for contest in contests}, key=lambda n: n or 0)
    first, last = claim.sizes[0], claim.sizes[-1]
    if len(every) == len(claim.sizes):
        where = ""
    elif last == every[-1]:
        where = f" from {_size(first, noun)} on"
    elif first == every[0]:
        where = f" up to {_size(last, noun)}"
    elif first == last:
        where = f" with {_size(first, noun)}"
    else:
        where = f" from {first:,} to {_size(last, noun)}"
    but = f", but for {' and '.join(claim.exceptions)}" if claim.exceptions else ""
    return where + but


def _size(n: int | None, noun: str) -> str:
    return f"{n:,} timers" if noun == "queue" else f"n = {n:,}"
