"""A page in Markdown that people write by hand, except for some lines that a command writes.

The page has entries, each below a heading of the third level. A command writes items of an entry,
and the text between two comments.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from timerbench.command import CommandError, about

WIDTH = 100
HEADING = re.compile(r"(#{1,3}) (.+)")


@dataclass(frozen=True)
class Block:
    """The part of a page between two comments. A page has each of the comments once."""

    begin: str
    end: str

    def put(self, page: str, lines: Iterable[str]) -> str:
        """Returns the page with these lines in the block.

        Raises CommandError if it has no such block.
        """
        if page.count(self.begin) != 1 or page.count(self.end) != 1:
            raise CommandError(f"does not have one '{self.begin}' and one '{self.end}'")
        before, _, rest = page.partition(self.begin)
        _, end, after = rest.partition(self.end)
        if not end:
            raise CommandError(f"has '{self.end}' before '{self.begin}'")
        return before + "\n".join([self.begin, *lines, self.end]) + after


@dataclass
class Entry:
    """A heading of the third level, and the lines below it."""

    heading: str
    above: dict[int, str]  # the headings of the chapters that contain it, by their level
    lines: list[str]

    def place_of(self, start: str) -> slice:
        """Returns the lines of the item that begins so; if there is none, its future place."""
        for first, line in enumerate(self.lines):
            if line.startswith(start):
                last = first + 1
                while last < len(self.lines) and self.lines[last].startswith("  "):
                    last += 1
                return slice(first, last)
        end = max(index for index, line in enumerate(self.lines) if line) + 1
        return slice(end, end)

    def item(self, start: str) -> str:
        """Returns the item in one line; an empty text if there is none."""
        return " ".join(line.strip() for line in self.lines[self.place_of(start)])


AnEntry = TypeVar("AnEntry", bound=Entry)


class Page(Generic[AnEntry]):
    """A page: its entries, and the lines before and between them."""

    def __init__(self, path: Path, entry_type: type[AnEntry]) -> None:
        self.path = path
        self.entries: list[AnEntry] = []
        self._parts: list[list[str]] = [[]]
        above: dict[int, str] = {}
        for line in path.read_text().splitlines():
            heading = HEADING.match(line)
            if heading is None:
                self._parts[-1].append(line)
                continue
            self._parts.append([line])
            level = len(heading[1])
            if level == 3:
                self.entries.append(entry_type(heading[2], dict(above), self._parts[-1]))
            else:
                above[level] = heading[2]

    def with_block(self, block: Block, lines: Iterable[str]) -> str:
        """Returns the page with these lines in the block.

        Raises CommandError, which names the file.
        """
        with about(self.path):
            return block.put(str(self), lines)

    def __str__(self) -> str:
        return "\n".join(line for part in self._parts for line in part) + "\n"


def wrapped(text: str) -> list[str]:
    """Wraps the text of an item into lines."""
    return textwrap.wrap(
        text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def anchor(heading: str) -> str:
    """Returns the anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
