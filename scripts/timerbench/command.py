"""Ends a command in scripts/ that cannot go on: with one line, and without a traceback.

A command begins with these lines, before all other imports. The other packages may be missing, and
to import them takes so long that Ctrl-C may come meanwhile.

    from timerbench import command

    command.begin(__name__)

This line stands above the `main` of the command:

    @command.ends_in_words()
"""

from __future__ import annotations

import inspect
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FrameType, TracebackType
from typing import ParamSpec

SCRIPTS = Path(__file__).resolve().parent.parent
ROOT = SCRIPTS.parent  # of the repository

IMPOSSIBLE = 2
MISTAKEN = 70  # by us, with a traceback; Python ends with 1, which says that something is worse
INTERRUPTED = 130  # the exit status that a shell reports for a program that Ctrl-C ended
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)

Arguments = ParamSpec("Arguments")


class CommandError(Exception):
    """Why a command cannot go on, in words for whoever called it."""


# For these the command prints the message of the exception, and ends.
TOLD = (CommandError, OSError, UnicodeDecodeError)


def begin(module: str) -> None:
    """Prepares the process for Ctrl-C and errors.

    Does nothing in a test, which imports the command.
    """
    if module != "__main__":
        return
    sys.excepthook = _end
    # SIGTERM, too, gives a command the time to remove what is half done. Programs that a shell
    # script starts in the background ignore Ctrl-C by default; we do not.
    for interrupt in INTERRUPTS:
        signal.signal(interrupt, signal.default_int_handler)


def ends_in_words(
    status: int = IMPOSSIBLE, name: str = ""
) -> Callable[[Callable[Arguments, int | None]], Callable[Arguments, int]]:
    """Decorates a main. If main cannot go on, it says why and ends with the exit status `status`.

    If main returns None, the status is 0. The message begins with the name of main's file, or with
    `name`.
    """

    def decorated(main: Callable[Arguments, int | None]) -> Callable[Arguments, int]:
        of_file = Path(inspect.getfile(main)).name

        @wraps(main)
        def ending(*arguments: Arguments.args, **more: Arguments.kwargs) -> int:
            try:
                return main(*arguments, **more) or 0
            except TOLD as error:
                print(f"{name or of_file}: {error}", file=sys.stderr)
                return status

        return ending

    return decorated


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Adds the name of this file in front of each error inside the block."""
    try:
        yield
    except TOLD as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise CommandError(f"{path}: {reason}") from error


@contextmanager
def interrupted_afterwards() -> Iterator[None]:
    """Delays Ctrl-C until the block inside is done, such as a start that must not be forgotten."""
    came: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        came.append(number)

    handlers = {interrupt: signal.signal(interrupt, remember) for interrupt in INTERRUPTS}
    try:
        yield
    finally:
        for interrupt, handler in handlers.items():
            signal.signal(interrupt, handler)
    for number in came:
        signal.raise_signal(number)


def _end(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Reports an exception that nobody caught; Python calls this."""
    name = Path(sys.argv[0]).name
    if isinstance(error, KeyboardInterrupt):
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    if isinstance(error, ModuleNotFoundError) and not _is_ours(error):
        print(
            f"{name}: this Python has no module '{error.name}'; run scripts/setup.sh, "
            f"then .venv/bin/python scripts/{name}",
            file=sys.stderr,
        )
        sys.exit(IMPOSSIBLE)
    sys.__excepthook__(kind, error, traceback)
    sys.exit(MISTAKEN)


def _is_ours(error: ModuleNotFoundError) -> bool:
    """Whether the missing module is in this folder, so that scripts/setup.sh does not help."""
    package = (error.name or "").partition(".")[0]
    return (SCRIPTS / package).is_dir() or (SCRIPTS / f"{package}.py").is_file()
