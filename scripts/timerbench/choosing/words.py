"""A load and its pending timers in words."""

from __future__ import annotations

from timerbench.choosing.load import Load, mean_pending, operations_a_second, runs_a_second
from timerbench.numerals import duration, three_digits


def in_words(load: Load) -> list[str]:
    """Describes each part in a line, and the whole in one more."""
    lines = []
    for part in load.get("connections", []):
        put_off = (
            f"put off {three_digits(part['rearms_a_second'])} times a second"
            if part["rearms_a_second"]
            else "never put off"
        )
        lines.append(
            f"{part['pending']:,} connections whose limit of {_span(part['limit_s'])} is {put_off}"
        )
    for part in load.get("calls", []):
        lines.append(
            f"{three_digits(part['a_second'])} calls a second with a limit of "
            f"{_span(part['limit_s'])}, of which {part['cancelled_percent']:g}% are cancelled, "
            f"half of them within {_span(min(part['answer_ms'] / 1e3, part['limit_s'] / 10))}"
        )
    for part in load.get("periodic", []):
        lines.append(f"{part['timers']:,} timers that run every {_span(part['period_s'])}")
    for part in load.get("bursts", []):
        lines.append(
            f"{part['timers']:,} timers that run at the same instant, every "
            f"{_span(part['period_s'])}"
        )
    lines.append(
        f"together about {pending_in_words(load)}, {three_digits(operations_a_second(load))} "
        f"operations and {three_digits(runs_a_second(load))} runs a second, in ticks of "
        f"{_span(load['tick_ms'] / 1e3)}"
    )
    return lines


def pending_in_words(load: Load) -> str:
    return f"{three_digits(mean_pending(load))} timers pending"


def _span(seconds: float) -> str:
    return duration(seconds * 1e9)
