"""The first screen of the report: for each question of a chooser, who is unbeaten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from timerbench.benches import BENCHES, workload_of
from timerbench.charts.heat_map import MEASURED
from timerbench.headlines import Contest, contests_of
from timerbench.measures import Unit
from timerbench.numerals import duration, short
from timerbench.report.cards import place_of
from timerbench.results import (
    Name,
    Results,
    Value,
    bytes_per_timer,
    ns_per_operation,
    optional,
    value_of,
    worst_expire_ns,
)

# The number of pending timers for queues, and of timers a second for services.
N = 100_000
RATE = 10_000

# More names than this are not written out.
MOST_NAMES = 3


@dataclass(frozen=True)
class Question:
    """A question: the benches and cases that are about it, and the figure that decides."""

    words: str
    benches: Sequence[str]
    of: str = ""  # the unit of work that the figure is for, if the question does not say it
    counter: str = ""  # the figure that the bench is about, if empty
    unit: Unit = "ns"
    population: str | None = None
    workload: str | None = None
    n: int | None = N

    @property
    def value(self) -> Value:
        return optional(self.counter) if self.counter else value_of(self.benches[0])

    def is_about(self, name: Name) -> bool:
        about = workload_of(name.bench, name.workload)
        return (
            (self.n is None or name.n == self.n)
            and (self.population is None or about.population == self.population)
            and (self.workload is None or name.workload == self.workload)
        )


OF_QUEUES = (
    Question("Limits, nearly always cancelled", MEASURED, population="timeouts"),
    Question("Timers that nearly always run", MEASURED, population="schedules"),
    Question("Events of a simulation", MEASURED, "an event", population="events", n=10_000),
    Question(
        "No long call, with mixed limits",
        ("churn",),
        "the worst call of expire",
        "worst_expire_ns",
        workload="rpc_mixed",
    ),
    Question("Least memory a timer", ("memory",), unit="bytes"),
)

OF_SERVICES = (
    Question("Least late, the median", ("lateness",), workload="uniform", n=RATE),
    Question("Least late, p99.9", ("lateness",), counter="p999_ns", workload="uniform", n=RATE),
    Question(
        "To schedule and cancel, 8 threads", ("contention",), workload="schedule_cancel_8", n=1_000
    ),
    Question("Least processor time an expiry", ("dispatch",), n=100_000),
    Question(
        "Least processor time when idle, a second",
        ("idle",),
        workload="one_timer_in_an_hour",
        n=None,
    ),
    Question("Least memory a timer", ("service_memory",), unit="bytes", workload="pending"),
)


def answers_of(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Returns the questions that the results can answer, with answers, for queues and services."""
    return {
        kind: [answer for question in questions if (answer := answer_to(results, question))]
        for kind, questions in {"queues": OF_QUEUES, "services": OF_SERVICES}.items()
    }


def answer_to(results: Results, question: Question) -> dict[str, Any] | None:
    contests = [
        contest
        for bench in question.benches
        for contest in contests_of(results, bench, question.value, question.is_about)
        if contest.unbeaten
    ]
    if question.n is None and contests:  # the contest with the largest n
        contests = [max(contests, key=lambda contest: contest.n or 0)]
    if not contests:
        return None
    wins = Counter(one for contest in contests for one in contest.unbeaten)
    measured = [one for names in results.measured.values() for one in names]
    ranked = sorted(wins, key=lambda one: (-wins[one], measured.index(one)))
    best = [one for one in ranked if wins[one] == wins[ranked[0]]]
    return {
        "question": question.words,
        "names": best[:MOST_NAMES],
        "more": max(len(best) - MOST_NAMES, 0),
        "why": why(results, question, contests, best[0], wins[best[0]]),
        **place_on_page(question, contests, best[0]),
    }


def place_on_page(question: Question, contests: Sequence[Contest], best: str) -> dict[str, Any]:
    """Returns which card of the page shows the figures, and what to choose there."""
    if len({contest.bench for contest in contests}) > 1:
        return {"bench": "", "workload": "", "measure": "", "n": 0}
    workload, n = "", question.n or 0
    if len(contests) == 1:
        workload, n = place_of(name_of(contests[0], best))
    return {
        "bench": contests[0].bench,
        "workload": workload,
        "measure": question.counter,
        "n": n,
    }


def name_of(contest: Contest, member: str) -> Name:
    case = f"{contest.workload}/{contest.n}" if contest.n is not None else contest.workload
    return Name(contest.bench, member, case)


def why(
    results: Results, question: Question, contests: Sequence[Contest], best: str, wins: int
) -> str:
    if len(contests) > 1:
        return f"unbeaten in {wins} of {len(contests)} workloads"
    (contest,) = contests
    figure = results.figure(name_of(contest, best), question.value)
    assert figure  # because it took part
    text = duration(float(f"{figure.mean:.2g}")) if question.unit == "ns" else short(figure.mean, 2)
    unit = " bytes" if question.unit == "bytes" else ""
    whose = f"{best}: " if len(contest.unbeaten) > 1 else ""
    return f"{whose}{text}{unit} {question.of}".strip()


# The picture beside the answers: what an operation takes, against another property.
GLANCE = (
    ("Calls with mixed limits", "churn", "rpc_mixed"),
    ("Events of a simulation", "hold", "exponential"),
)
AGAINST = (
    ("worst call of expire", None, worst_expire_ns, "ns"),
    ("bytes a timer", "memory", bytes_per_timer, "bytes"),
)


def glance_of(results: Results) -> list[dict[str, Any]]:
    """Returns the pictures, one for each load and property.

    A point is a queue with both figures.
    """
    found = []
    for title, bench, workload in GLANCE:
        for what, other_bench, value, unit in AGAINST:
            points = {}
            for queue in results.queues:
                name = Name(bench, queue, f"{workload}/{N}")
                other = Name(other_bench, queue, f"uniform/{N}") if other_bench else name
                x, y = results.figure(name, ns_per_operation), results.figure(other, value)
                if x and y and not results.is_bound(name) and y.mean > 0:
                    ends = (x.mean, x.low, x.high, y.mean, y.low, y.high)
                    points[queue] = [float(f"{end:.5g}") for end in ends]
            if len(points) > 1:
                found.append(
                    {
                        "title": f"{title}: time against {what}",
                        "x": f"ns {BENCHES[bench].operation}",
                        "y": what,
                        "unit": unit,
                        "points": points,
                    }
                )
    return found
