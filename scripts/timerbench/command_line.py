"""The arguments of a command: adds an option in one line, and reads or refuses its values."""

from __future__ import annotations

import math
import re
from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from timerbench.benches import BENCHES
from timerbench.command import ROOT

MOST = 1_000_000_000  # a larger number is a slip, and too many seconds to wait
LOCAL = ROOT / "results" / "local"

Kind = Callable[[str], object]


class Parser(ArgumentParser):
    """Prints a description of several lines unchanged, and wraps one of a single line."""

    def __init__(self, description: str | None = None, **more: Any) -> None:  # noqa: ANN401
        is_long = "\n" in (description or "")
        look = RawDescriptionHelpFormatter if is_long else HelpFormatter
        super().__init__(description=description, formatter_class=look, **more)

    def takes(self, name: str, kind: Kind, value: str, says: str, default: object = None) -> None:
        """Adds an option with a value of a kind. `value` and `says` are for the help.

        The help also tells the default, if this is a number.
        """
        if isinstance(default, int | float):
            says += f"; {default:g} by default"
        self.add_argument(name, type=kind, metavar=value, help=says, default=default)

    def takes_several(self, name: str, kind: Kind, value: str, says: str) -> None:
        """Adds an option that may be given several times. Its values come in a list."""
        self.add_argument(name, type=kind, metavar=value, help=says, action="append", default=[])

    def takes_filter(self, says: str, default: str = "") -> None:
        self.takes("--filter", regular_expression, "REGEX", says, default)

    def takes_benches(self) -> None:
        self.takes_several(
            "--bench", name_of_bench, "NAME", "only this bench; several may be given"
        )

    def takes_directory_of_results(self) -> None:
        """Adds the argument `directory`."""
        self.add_argument("directory", nargs="?", type=path, default=LOCAL, help="of results")


class BriefParser(Parser):
    """Refuses a wrong argument in one line; only --help prints the usage."""

    bad_input = 2  # the exit status, unless the command says another one

    def error(self, message: str) -> NoReturn:
        self.exit(self.bad_input, f"{self.prog}: {message}\n")


def path(text: str) -> Path:
    """Returns a path. An empty text is refused: mostly it is a variable without a value."""
    if not text:
        raise ArgumentTypeError("'' is no path")
    return Path(text)


def regular_expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ArgumentTypeError(f"'{text}' is no regular expression: {error}") from error


def name_of_bench(text: str) -> str:
    if text not in BENCHES:
        raise ArgumentTypeError(f"'{text}' is none of {', '.join(BENCHES)}")
    return text


def count(text: str) -> int:
    return _whole_number(text, 0)


def positive(text: str) -> int:
    return _whole_number(text, 1)


def number(what: str, is_right: Callable[[float], bool], unit: str = "") -> Callable[[str], float]:
    """Returns a reader of numbers, perhaps with a unit. `what` says which numbers are right."""

    def read(text: str) -> float:
        try:
            value = float(text.removesuffix(unit))
        except ValueError:
            value = math.nan
        if not is_right(value):
            raise ArgumentTypeError(f"'{text}' is not {what}")
        return value

    return read


def _whole_number(text: str, least: int) -> int:
    if not (text.isascii() and text.isdecimal() and least <= int(text) <= MOST):
        raise ArgumentTypeError(f"'{text}' is not a whole number from {least} to {MOST:,}")
    return int(text)
