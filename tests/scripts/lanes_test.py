"""Tests of how many processes run.py has at a time."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from timerbench.measuring import lanes
from timerbench.measuring.turns import Turns


class FakeTurns:
    """Turns with some rounds for a core each, and some for all cores. A round is a process."""

    def __init__(self, pinned: int, alone: int) -> None:
        self.pinned = [["pinned"] for _ in range(pinned)]
        self.alone = [["alone"] for _ in range(alone)]

    def next_pinned(self) -> list[str]:
        return self.pinned.pop() if self.pinned else []

    def next_alone(self) -> list[str]:
        return self.alone.pop() if self.alone else []


@pytest.mark.parametrize("with_threads", [1, 3])
def test_services_follow_queues_so_many_at_a_time(
    monkeypatch: pytest.MonkeyPatch, with_threads: int
) -> None:
    running: list[str] = []
    seen: list[tuple[list[str], int | None]] = []

    async def run(process: str, core: int | None, _timeout: float) -> str:
        running.append(process)
        await asyncio.sleep(0)  # lets all others begin that may begin
        seen.append((list(running), core))
        await asyncio.sleep(0)
        running.remove(process)
        return process

    monkeypatch.setattr(lanes, "run", run)
    ended: list[Any] = []
    turns = cast(Turns, FakeTurns(pinned=4, alone=6))
    asyncio.run(lanes.run_all(turns, lanes.Lanes([0, 1], with_threads), 1, ended.append))
    assert ended == ["pinned"] * 4 + ["alone"] * 6
    assert {core for of, core in seen if of[0] == "pinned"} == {0, 1}
    assert {core for of, core in seen if of[0] == "alone"} == {None}
    assert max(len(of) for of, _ in seen if of[0] == "pinned") == 2
    assert max(len(of) for of, _ in seen if of[0] == "alone") == with_threads
    assert all(len(set(of)) == 1 for of, _ in seen)
