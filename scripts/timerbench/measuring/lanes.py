"""Runs the processes of a run. Each core that measures is a *lane*: one process at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from timerbench.measuring.case import Process
from timerbench.measuring.children import side_by_side
from timerbench.measuring.execution import Ran, run
from timerbench.measuring.turns import Turns


@dataclass(frozen=True)
class Lanes:
    """The number of processes at a time.

    On each of these cores one process runs. Processes with threads run on all cores, `with_threads`
    of them at a time.
    """

    cores: Sequence[int | None]
    with_threads: int = 1


async def run_all(
    turns: Turns, lanes: Lanes, timeout: float, finish: Callable[[Ran], None]
) -> None:
    """Runs all processes. Calls `finish` with the output of each before it chooses the next one.

    Services come last: their threads run on all cores.
    """

    async def lane(core: int | None, next_round: Callable[[], list[Process]]) -> None:
        while processes := next_round():
            for process in processes:
                finish(await run(process, core, timeout))

    await side_by_side(lane(core, turns.next_pinned) for core in lanes.cores)
    await side_by_side(lane(None, turns.next_alone) for _ in range(lanes.with_threads))
