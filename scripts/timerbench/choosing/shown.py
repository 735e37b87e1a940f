"""The answer of choose.py as text, as JSON and as a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from rich.console import Console

from timerbench.choosing.figures import FEWEST, Row, Spread, Table
from timerbench.estimates import INTERVAL
from timerbench.numerals import duration, three_digits
from timerbench.templates import PALETTE, template_in
from timerbench.text_table import text_table

WIDTH = 150  # of the tables
WIDTH_OF_TEXT = 100


@dataclass(frozen=True)
class Answer:
    """The answer for one load."""

    of: str  # the load or the recording, in words
    parts: list[str]
    queues: Table
    queues_verdict: list[str]
    services: Table | None
    services_verdict: list[str]
    context: dict[str, Any]
    errors: list[str]


def cells_of_queue(row: Row) -> dict[str, str]:
    """Returns the text under each heading."""
    more = "> " if row.is_bound else ""
    return {
        "rank": f"{row.rank}",
        "queue": f"{row.shown} (library)" if row.is_library else row.shown,
        "ns/op": more + _with_interval(row),
        "% core": more + three_digits(row.core_percent.mean),
        "MB": _known(row.memory_mb, three_digits),
        "p99.9 call": _known(row.p999_call_ns, duration),
        "worst call": _known(row.worst_call_ns, duration),
        "wakes/s": _known(row.wakes_per_second, three_digits),
    }


def cells_of_service(row: Row) -> dict[str, str]:
    cells = cells_of_queue(row)
    del cells["queue"]
    late = {
        f"late {heading}": _known(row.lateness_ns.get(quantile), duration)
        for heading, quantile in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p999"))
    }
    least = "≥ " if row.limit_is_least else ""
    limit = {"limit/s": least + _known(row.limit_per_second, three_digits)}
    return {"rank": cells.pop("rank"), "service": row.name, **cells, **late, **limit}


def _with_interval(row: Row) -> str:
    """Writes a figure ± its interval, up to its further end, if enough processes measured it."""
    if row.is_bound or row.ns.processes < FEWEST:
        return three_digits(row.ns.mean)
    return f"{three_digits(row.ns.mean)} ± {three_digits(row.ns.reach)}"


def _known(of: Spread | None, write: Callable[[float], str]) -> str:
    return "–" if of is None else write(of.value)


NOTES = (
    f"± is the {INTERVAL} over processes. A figure without ± may be wrong by half. "
    "A rank is one more than the number of rows that are surely faster. "
    "% core: ns an operation by operations a second. MB: the most that was held, without handles. "
    "Calls: of the verb whose calls take longest. wakes/s: of a thread that sleeps until the next "
    "expiry; queues that cannot name it have none."
)
NOTES_OF_SERVICES = (
    "ns/op: a call, and what the threads of the service take for it. "
    "wakes/s: how often its threads slept. late: from the deadline to the start; "
    "a quantile needs ten starts beyond it. limit/s: "
    "operations a second with which it keeps up, to a factor of 1.4, when the load goes faster."
)


def print_answer(answer: Answer, file: IO[str]) -> None:
    console = Console(file=file, width=WIDTH, highlight=False, markup=False)
    say = console.print
    say(answer.of)
    for part in answer.parts:
        say(f"  {part}", soft_wrap=True)
    say()
    _print_table(console, [cells_of_queue(row) for row in answer.queues.rows])
    say(NOTES, width=WIDTH_OF_TEXT)
    say()
    say(" ".join(answer.queues_verdict), width=WIDTH_OF_TEXT)
    if answer.services is not None:
        say()
        _print_table(console, [cells_of_service(row) for row in answer.services.rows])
        say(NOTES_OF_SERVICES, width=WIDTH_OF_TEXT)
        say()
        say(" ".join(answer.services_verdict), width=WIDTH_OF_TEXT)
    for error in answer.errors:
        say(f"not measured: {error}", soft_wrap=True)


def _print_table(console: Console, rows: list[dict[str, str]]) -> None:
    table = text_table(rows[0], names=1)  # the ranks come before the names
    for row in rows:
        table.add_row(*row.values())
    console.print(table)


def as_json(answer: Answer, load: object) -> dict[str, Any]:
    """Returns all that is known, for programs. Figures have the ends of their intervals."""
    known = asdict(answer)
    del known["of"], known["parts"]  # words, for people
    return {"form": "timerbench choice 1", "load": load, **known}


def as_page(answer: Answer) -> str:
    return template_in(Path(__file__).parent, "page.html.jinja").render(
        palette=PALETTE.read_text(),
        answer=answer,
        queues=[(row, cells_of_queue(row)) for row in answer.queues.rows],
        services=[
            (row, cells_of_service(row))
            for row in (answer.services.rows if answer.services else [])
        ],
        notes=NOTES,
        notes_of_services=NOTES_OF_SERVICES,
        widest=max(
            (row.core_percent.high for row in answer.queues.rows if not row.is_bound), default=1
        ),
    )
