"""How far a run has come: a bar below its lines in a terminal, words in each line elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar


def left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {seconds:.0f} s left"


class Progress:
    """Of so many steps, which take so long altogether, if that is known."""

    def __init__(self, steps: int, seconds: float | None) -> None:
        self._console = Console(highlight=False)
        self._steps = steps
        self._done = 0
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
        )
        self._bar = Bar(*columns, console=self._console, disable=not self._console.is_interactive)
        self._task = self._bar.add_task(left(seconds), total=steps)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def finish_step(self, line: str, seconds: float | None) -> None:
        """Prints the line about a step; what is left takes so many seconds."""
        self._done += 1
        rest = left(seconds) if self._done < self._steps else ""
        if self._console.is_interactive:
            self._bar.update(self._task, completed=self._done, description=rest, refresh=True)
        else:
            count = f"{self._done} of {self._steps}"
            line = f"{line}; {', '.join(filter(None, [count, rest]))}"
        self._console.print(line, soft_wrap=True)
