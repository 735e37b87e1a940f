"""Replays a trace without a timer queue, in as few lines as can be, and writes what it must show.

It follows benches/traces/GOLDEN.md and FORMAT.md alone, so that the golden files are known to be
right by two programs that have no line in common.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

MASK = 2**64 - 1
END_OF_TIME = MASK


@dataclass
class Timer:
    """A pending timer. They are kept in the order in which they were set."""

    line: int
    deadline: int


def mix(first: int, second: int, third: int) -> int:
    mixed = first * 0x9E3779B97F4A7C15 + second * 0xC2B2AE3D27D4EB4F + third * 0x165667B19E3779F9
    mixed &= MASK
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93 & MASK
    return mixed ^ (mixed >> 32)


class Replay:
    """The timers of one replay, and what they showed."""

    def __init__(self) -> None:
        self.now = 0
        self.timers: list[Timer] = []
        self.by_id: dict[int, Timer] = {}
        self.lines: list[str] = []
        self.expiries = 0
        self.digest = 0
        self.order = 0

    def expire(self, now: int) -> None:
        if now <= self.now:
            return
        self.now = now
        due = [timer for timer in self.timers if timer.deadline <= now]
        self.timers = [timer for timer in self.timers if timer.deadline > now]
        for timer in sorted(due, key=lambda timer: timer.deadline):
            self.lines.append(f"e {timer.line} {timer.deadline} {now}")
            triple = mix(timer.line, timer.deadline, now)
            self.expiries += 1
            self.digest = (self.digest + triple) & MASK
            self.order = (self.order ^ triple) * 0xD6E8FEB86659FD93 & MASK

    def set(self, identity: int, line: int, deadline: int) -> None:
        timer = Timer(line, max(deadline, self.now + 1))
        self.timers.append(timer)
        self.by_id[identity] = timer

    def take(self, identity: int, verb: str, line: int) -> Timer | None:
        """Removes the timer of this id, if it is pending still, and notes whether it was."""
        timer = self.by_id[identity]
        pending = any(timer is other for other in self.timers)
        self.timers = [other for other in self.timers if other is not timer]
        self.lines.append(f"{verb} {line} {pending:d}")
        self.digest = (self.digest + mix(line, END_OF_TIME, int(pending))) & MASK
        return timer if pending else None


def golden(trace: Path, tick_ns: int) -> str:
    data = trace.read_bytes()
    text = gzip.decompress(data) if trace.suffix == ".gz" else data
    lines = text.decode("ascii").splitlines()
    replay = Replay()
    operations = 0
    latest = 0
    name = ""
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            name = line.removeprefix("# name: ") if line.startswith("# name: ") else name
            continue
        operations += 1
        time, verb, identity, *rest = line.split(" ")
        deadline = max(0, -(-int(rest[0]) // tick_ns)) if rest else 0
        latest = max(latest, deadline)
        replay.expire(int(time) // tick_ns)
        if verb == "s":
            replay.set(int(identity), number, deadline)
        elif verb == "r":
            timer = replay.take(int(identity), verb, number)
            replay.set(int(identity), timer.line if timer else number, deadline)
        elif verb == "c":
            replay.take(int(identity), verb, number)
    last_expire = max(latest, replay.now + 1)
    replay.expire(last_expire)
    head = [
        "# timer-expectation 1",
        f"# trace: {name}",
        f"# tick_ns: {tick_ns}",
        f"# operations: {operations}",
        f"# last_expire: {last_expire}",
    ]
    foot = [
        f"# expiries: {replay.expiries}",
        f"# digest: {replay.digest:016x}",
        f"# order: {replay.order:016x}",
    ]
    return "\n".join([*head, *replay.lines, *foot]) + "\n"
