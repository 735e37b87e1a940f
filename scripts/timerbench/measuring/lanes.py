"""Runs the processes of a run: on each core that measures one at a time, a *lane*."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from timerbench.measuring.case import Process
from timerbench.measuring.execution import Ran, run
from timerbench.measuring.turns import Turns


async def run_all(
    turns: Turns, cores: Sequence[int | None], timeout: float, finish: Callable[[Ran], None]
) -> None:
    """Calls `finish` with what each process left, before it asks whose turn is next.

    Services come last, one at a time and on all cores: their threads meet there.
    """

    async def lane(core: int | None, next_round: Callable[[], list[Process]]) -> None:
        while processes := next_round():
            for process in processes:
                finish(await run(process, core, timeout))

    try:
        async with asyncio.TaskGroup() as lanes:
            for core in cores:
                lanes.create_task(lane(core, turns.next_pinned))
    except ExceptionGroup as errors:  # one of it is enough: the other lanes were cancelled
        raise errors.exceptions[0] from None
    await lane(None, turns.next_alone)
