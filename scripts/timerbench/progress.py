"""Shows the progress of a run: in a terminal by a bar, elsewhere by words in each line."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

TOLD_IN_SECONDS = 90  # a shorter time is written in seconds
FEW_MINUTES = 10  # below this, minutes have a decimal


@dataclass(frozen=True)
class Left:
    """What a run still has to do, as far as this is known."""

    steps: int  # at least so many
    more: bool = False  # whether more steps may follow until the time is over
    seconds: float | None = None


def in_words(done: int, passed: float, left: Left) -> str:
    """Describes the progress: `done` steps are done, and `passed` seconds have passed."""
    steps = f"{done} of {'at least ' if left.more else ''}{done + left.steps}"
    if left.seconds is None or left.steps == 0:
        return steps
    if left.more:
        whole = passed + left.seconds
        if whole < TOLD_IN_SECONDS:
            return f"{steps}, {passed:.0f} of about {whole:.0f} s"
        digits = 1 if whole < 60 * FEW_MINUTES else 0
        return f"{steps}, {passed / 60:.{digits}f} of about {whole / 60:.{digits}f} min"
    if left.seconds >= TOLD_IN_SECONDS:
        return f"{steps}, about {left.seconds / 60:.0f} min left"
    return f"{steps}, about {left.seconds:.0f} s left"


class Progress:
    """Shows the progress of a run. There may be more steps than are known."""

    def __init__(self, left: Left, now: Callable[[], float] = time.monotonic) -> None:
        self._console = Console(highlight=False, markup=False)
        self._done = 0
        self._now = now
        self._began = now()
        columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
        self._bar = Bar(*columns, console=self._console, disable=not self._console.is_interactive)
        self._task = self._bar.add_task(in_words(0, 0, left), total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def finish_step(self, line: str, left: Left) -> None:
        """Prints the line about a step that has ended, after which `left` remains."""
        self._done += 1
        passed = self._now() - self._began
        words = in_words(self._done, passed, left)
        if self._console.is_interactive:
            # If the time is known, the bar follows the time, as it is known better than the number
            # of steps.
            completed, rest = (
                (self._done, left.steps) if left.seconds is None else (passed, left.seconds)
            )
            self._bar.update(
                self._task,
                completed=completed,
                total=completed + rest,
                description=words,
                refresh=True,
            )
        else:
            line = f"{line}; {words}"
        self._console.print(line, soft_wrap=True)
