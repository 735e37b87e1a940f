"""What stands behind an option of choose.py: 200k, 50k/s@60s, 10k/s@5s,99%. It needs no package."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError

from timerbench.choosing.load import Part

THOUSANDS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}

_NUMBER = r"\d+(?:\.\d+)?(?:e\d+)?"
_COUNT = rf"({_NUMBER})([kMG]?)"
_TIME = rf"({_NUMBER})(us|ms|s|min|h|d)"


def _match(pattern: str, text: str, right: str) -> re.Match[str]:
    match = re.fullmatch(pattern, text, re.ASCII)
    if match is None:
        raise ArgumentTypeError(f"'{text}' is not understood; right is, for example, {right}")
    return match


def _plain(number: float) -> float:
    """Returns the number as one would write it: an integer if it is whole, and 0.005 for 5 ms."""
    rounded = round(number, 9)
    return int(rounded) if rounded.is_integer() else rounded


def _count(number: str, thousands: str) -> float:
    return _plain(float(number) * THOUSANDS[thousands])


def _seconds(number: str, unit: str) -> float:
    return _plain(float(number) * SECONDS[unit])


def pending(text: str) -> float:
    return _count(*_match(_COUNT, text, "200k").groups())


def rearms(text: str) -> Part:
    """Reads a rate of re-arms, and the limit that each of them sets."""
    rate, thousands, limit, unit = _match(rf"{_COUNT}/s@{_TIME}", text, "50k/s@60s").groups()
    return {"rearms_a_second": _count(rate, thousands), "limit_s": _seconds(limit, unit)}


def calls(text: str) -> Part:
    """Reads a rate, a limit, the cancelled share, and the median time of an answer."""
    match = _match(
        rf"{_COUNT}/s@{_TIME},({_NUMBER})%(?:,{_TIME})?", text, "10k/s@5s,99% or 10k/s@5s,99%,20ms"
    )
    rate, thousands, limit, unit, share, answer, unit_of_answer = match.groups()
    part = {
        "a_second": _count(rate, thousands),
        "limit_s": _seconds(limit, unit),
        "cancelled_percent": _plain(float(share)),
    }
    if answer is not None:
        part["answer_ms"] = _plain(1e3 * _seconds(answer, unit_of_answer))
    return part


def in_each_period(text: str) -> Part:
    """Reads a number of timers that run once in a period, and the period."""
    timers, thousands, period, unit = _match(rf"{_COUNT}@{_TIME}", text, "1k@10s").groups()
    return {"timers": _count(timers, thousands), "period_s": _seconds(period, unit)}


def tick(text: str) -> float:
    """Reads the length of a tick, in milliseconds."""
    return _plain(1e3 * _seconds(*_match(_TIME, text, "1ms").groups()))
