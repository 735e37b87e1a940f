"""Asks what the timers of a program do, and makes a load of the answers. It needs no package."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

from timerbench.choosing import quantities
from timerbench.choosing.load import Load, LoadError, Part, load_of

# The questions, the readers of their answers, and the parts of a load that they are about.
QUESTIONS: list[tuple[str, Callable[[str], Any], str]] = [
    (
        "How many connections have an idle limit (as 200k)?",
        quantities.pending,
        "connections",
    ),
    (
        "How often are these limits put off, and for how long (as 50k/s@60s)?",
        quantities.rearms,
        "connections",
    ),
    (
        "How many calls have a limit, how long is it, and which share is cancelled "
        "(as 10k/s@5s,99%)?",
        quantities.calls,
        "calls",
    ),
    (
        "How many timers run in each period (as 1k@10s)?",
        quantities.in_each_period,
        "periodic",
    ),
    (
        "How many timers are due at the same instant, and how often (as 5k@1s)?",
        quantities.in_each_period,
        "bursts",
    ),
]


def ask(tick_ms: float | None, read: Callable[[], str] = sys.stdin.readline) -> Load:
    """Asks the questions. An empty answer skips a question; an invalid one repeats it."""
    print("What do your timers do? An empty line leaves a question out.", file=sys.stderr)
    parts: dict[str, list[Part]] = {}
    for question, read_answer, kind in QUESTIONS:
        if read_answer is quantities.rearms and "connections" not in parts:
            continue
        answer = _answer(question, read_answer, read)
        if answer is None:
            continue
        if read_answer is quantities.rearms:
            parts["connections"][0] |= answer
        else:
            parts[kind] = [{"pending": answer} if kind == "connections" else answer]
    if not parts:
        raise LoadError("no question was answered; --help says how to describe a load by options")
    return load_of(parts, tick_ms)


def _answer(question: str, read_answer: Callable[[str], Any], read: Callable[[], str]) -> Any:  # noqa: ANN401
    while True:
        print(question, end=" ", file=sys.stderr, flush=True)
        line = read()
        if not line.strip():
            return None
        try:
            return read_answer(line.strip())
        except ArgumentTypeError as error:
            print(error, file=sys.stderr)
