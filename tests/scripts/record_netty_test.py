"""Tests of scripts/record.py netty, on a program that runs on Netty."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import record
from timerbench import traces
from timerbench.recorders import netty

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).resolve().parent / "recorded" / "OnNetty.java"

needs_netty = pytest.mark.skipif(
    not netty.AGENT.exists() or not shutil.which("java"), reason=f"{netty.AGENT} is not built"
)


def recorded(tmp_path: Path, deed: str) -> Path:
    [jar] = (ROOT / "build" / "originals").glob("netty-common-*.jar")
    command = ["java", "-cp", str(jar), str(PROGRAM), deed]
    assert record.main(["netty", str(tmp_path / "out.trace"), "--", *command]) == 0
    return tmp_path


def histories(trace: Path) -> Iterator[tuple[float, str]]:
    """Yields for each timer the delay in ms, and what happened to the timer."""
    lines = traces.read_lines(trace)
    traces.check(lines)
    pending: dict[str, tuple[float, str]] = {}
    for line in traces.parse(lines)[1]:
        time, verb, timer, *deadline = line.split()
        if verb == "s":
            pending[timer] = ((int(deadline[0]) - int(time)) / 1e6, "set")
        else:
            delay, _ = pending.pop(timer)
            yield delay, {"c": "cancelled", "f": "expired"}[verb]
    yield from pending.values()


def in_words(delay: float) -> str:
    """Names a delay. It is a bit less than the program's: the recorder sees the timer later."""
    return "brief" if delay <= 1 else "long" if 1_000 < delay <= 60_000 else "Netty's own"


@needs_netty
def test_timeouts_of_a_wheel_are_recorded(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "wheel") / "out.trace"
    seen = sorted((in_words(delay), end) for delay, end in histories(trace))
    assert seen == [("brief", "expired"), ("long", "cancelled"), ("long", "set")]


@needs_netty
def test_tasks_of_an_event_loop_are_recorded(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "loop") / "out.trace"
    seen = sorted((in_words(delay), end) for delay, end in histories(trace))
    assert [pair for pair in seen if pair[0] != "Netty's own"] == [
        ("brief", "expired"),
        ("brief", "expired"),
        ("long", "cancelled"),
        ("long", "cancelled"),
    ]


@needs_netty
def test_wheels_and_loops_are_two_traces(tmp_path: Path) -> None:
    recorded(tmp_path, "both")
    names = [trace.name.rpartition("-")[2] for trace in tmp_path.glob("out-*.trace")]
    assert sorted(names) == ["loops.trace", "wheel.trace"]


def test_says_how_to_make_what_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(netty, "AGENT", tmp_path / "none.jar")
    assert record.main(["netty", str(tmp_path / "out.trace"), "--", "true"]) == 2
    assert capsys.readouterr().err == (
        f"record.py: {tmp_path / 'none.jar'} is missing; scripts/setup.sh --originals, and then "
        "scripts/build.sh release timers_agent, make it\n"
    )
