"""Tests of scripts/timerbench/progress.py."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from timerbench.progress import Left, Progress, in_words


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (Left(59), "37 of 96"),
        (Left(59, seconds=0.2), "37 of 96, about 0 s left"),
        (Left(59, seconds=89.4), "37 of 96, about 89 s left"),
        (Left(59, seconds=90), "37 of 96, about 2 min left"),
        (Left(59, seconds=3_600), "37 of 96, about 60 min left"),
        (Left(59, more=True), "37 of at least 96"),
        (Left(59, more=True, seconds=73 * 60), "37 of at least 96, 12 of about 85 min"),
        (Left(0, seconds=0), "37 of 37"),
    ],
)
def test_it_says_what_is_known(left: Left, words: str) -> None:
    assert in_words(37, 12 * 60, left) == words


def test_of_few_minutes_a_tenth_counts_and_less_is_told_in_seconds() -> None:
    assert in_words(5, 42, Left(4, more=True, seconds=20)) == "5 of at least 9, 42 of about 62 s"
    assert (
        in_words(5, 42, Left(4, more=True, seconds=96)) == "5 of at least 9, 0.7 of about 2.3 min"
    )


def test_without_a_terminal_each_line_says_how_far_the_run_is(
    capfd: pytest.CaptureFixture[str],
) -> None:
    long_line = "churn/" + "w" * 200
    clock = iter([100, 160, 220, 280])
    with Progress(Left(2, more=True), now=lambda: next(clock)) as progress:
        progress.finish_step("insert/warm/10", Left(1, more=True, seconds=120))
        progress.finish_step(long_line, Left(1, more=True, seconds=60))
        progress.finish_step("sleep/1ms/1", Left(0))
    assert capfd.readouterr().out.splitlines() == [
        "insert/warm/10; 1 of at least 2, 1.0 of about 3.0 min",
        f"{long_line}; 2 of at least 3, 2.0 of about 3.0 min",
        "sleep/1ms/1; 3 of 3",
    ]


def test_a_terminal_shows_it_in_a_bar() -> None:
    ours, theirs = pty.openpty()
    says = (
        "from timerbench.progress import Left, Progress\n"
        "with Progress(Left(2, seconds=600)) as progress:\n"
        "    progress.finish_step('insert/warm/10', Left(1, seconds=300))\n"
        "    progress.finish_step('churn/rpc/10', Left(0))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
    subprocess.run([sys.executable, "-c", says], stdout=theirs, env=environment, check=True)
    os.close(theirs)
    shown = ""
    while data := read(ours):
        shown += data
    os.close(ours)
    assert "0 of 2, about 10 min left" in shown
    assert "1 of 2, about 5 min left" in shown
    assert "2 of 2" in shown
    assert "insert/warm/10\r\n" in shown  # this line does not show the progress
    assert "churn/rpc/10\r\n" in shown


def read(terminal: int) -> str:
    """Reads from a terminal.

    Returns nothing when the other side is closed, an error of terminals.
    """
    try:
        return os.read(terminal, 10_000).decode()
    except OSError:
        return ""
