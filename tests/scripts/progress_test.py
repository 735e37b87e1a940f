"""Tests of scripts/timerbench/progress.py."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from timerbench.progress import Progress, left


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, ""),
        (0.2, "about 0 s left"),
        (89.4, "about 89 s left"),
        (90, "about 2 min left"),
        (3_600, "about 60 min left"),
    ],
)
def test_the_rest_is_told_in_minutes_once_there_are_some(seconds: float | None, text: str) -> None:
    assert left(seconds) == text


def test_without_a_terminal_each_line_says_how_far_the_run_is(
    capfd: pytest.CaptureFixture[str],
) -> None:
    long_line = "churn/" + "w" * 200
    with Progress(3, None) as progress:
        progress.finish_step("insert/warm/10", 300)
        progress.finish_step(long_line, None)
        progress.finish_step("sleep/1ms/1", 0)
    assert capfd.readouterr().out.splitlines() == [
        "insert/warm/10; 1 of 3, about 5 min left",
        f"{long_line}; 2 of 3",
        "sleep/1ms/1; 3 of 3",
    ]


def test_a_terminal_shows_it_in_a_bar() -> None:
    ours, theirs = pty.openpty()
    says = (
        "from timerbench.progress import Progress\n"
        "with Progress(2, 600) as progress:\n"
        "    progress.finish_step('insert/warm/10', 300)\n"
        "    progress.finish_step('churn/rpc/10', 0)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
    subprocess.run([sys.executable, "-c", says], stdout=theirs, env=environment, check=True)
    os.close(theirs)
    shown = ""
    while data := read(ours):
        shown += data
    os.close(ours)
    assert "about 10 min left" in shown
    assert "about 5 min left" in shown
    assert "1/2" in shown
    assert "2/2" in shown
    assert "insert/warm/10\r\n" in shown
    assert "1 of 2" not in shown


def read(terminal: int) -> str:
    """Nothing once the other side is closed, which is an error of terminals."""
    try:
        return os.read(terminal, 10_000).decode()
    except OSError:
        return ""
