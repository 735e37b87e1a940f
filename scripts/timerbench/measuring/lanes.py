"""Runs the processes of a run: on each core that measures one at a time, a *lane*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from timerbench.measuring.case import Process
from timerbench.measuring.children import side_by_side
from timerbench.measuring.execution import Ran, run
from timerbench.measuring.turns import Turns


@dataclass(frozen=True)
class Lanes:
    """How many processes run at a time: one on each of these cores; or, of those with threads, so
    many on all cores.
    """

    cores: Sequence[int | None]
    with_threads: int = 1


async def run_all(
    turns: Turns, lanes: Lanes, timeout: float, finish: Callable[[Ran], None]
) -> None:
    """Calls `finish` with what each process left, before it asks whose turn is next.

    Services come last: their threads meet on all cores.
    """

    async def lane(core: int | None, next_round: Callable[[], list[Process]]) -> None:
        while processes := next_round():
            for process in processes:
                finish(await run(process, core, timeout))

    await side_by_side(lane(core, turns.next_pinned) for core in lanes.cores)
    await side_by_side(lane(None, turns.next_alone) for _ in range(lanes.with_threads))
