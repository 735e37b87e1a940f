"""Programs that do not outlive us, and several of them at a time."""

from __future__ import annotations

import asyncio
import signal
from asyncio.subprocess import PIPE
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


async def said_by(
    words: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    timeout: float | None = None,
    stdout: int = PIPE,
) -> tuple[int | None, str, str]:
    """The status of a command, and what it says on both its outputs, as far as we listen.

    If this is cancelled, or takes longer than it may, the command is killed.
    """
    child = await asyncio.create_subprocess_exec(
        *words, env=env, cwd=cwd, stdout=stdout, stderr=PIPE
    )
    try:
        async with asyncio.timeout(timeout):
            said = await child.communicate()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode == -signal.SIGINT:  # Ctrl-C comes to it, too, and may have come there first
        raise KeyboardInterrupt
    out, errors = ((text or b"").decode(errors="replace").strip() for text in said)
    return child.returncode, out, errors


async def side_by_side(coroutines: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """What they return. If one fails, the others are cancelled, and end before that is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in coroutines]
    except ExceptionGroup as errors:  # one of it is enough
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
