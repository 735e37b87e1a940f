"""Runs programs that do not outlive this process, and several coroutines at a time."""

from __future__ import annotations

import asyncio
import logging
import signal
from asyncio.subprocess import PIPE
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

# Ctrl-C may end a child just before asyncio kills it. Then asyncio warns that it does not know the
# status of the child, which nobody asks for.
logging.getLogger("asyncio").setLevel(logging.ERROR)


async def said_by(
    words: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    timeout: float | None = None,
    stdout: int = PIPE,
) -> tuple[int | None, str, str]:
    """Returns the exit status of a command, and the text of both outputs as far as they are read.

    If this is cancelled, or the timeout passes, the command is killed.
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
    if child.returncode == -signal.SIGINT:  # it may get Ctrl-C before us
        raise KeyboardInterrupt
    out, errors = ((text or b"").decode(errors="replace").strip() for text in said)
    return child.returncode, out, errors


async def side_by_side(coroutines: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """Returns the results of all coroutines.

    If one fails, cancels the others, waits for them to end, and raises its error.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in coroutines]
    except ExceptionGroup as errors:  # one of its errors is enough
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
