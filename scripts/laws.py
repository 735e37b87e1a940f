#!/usr/bin/env python3
"""Says in tests/LAWS.md which tests hold each law, or checks that the page says it.

A test names the laws that it holds in the comment right above it: `// A-07, B-N-10..B-N-12`. The
page has an entry for each law. This command writes the line *Held by* of each entry from those
comments, and the table that counts the laws. People write the rest of the page. A law that
no test holds has a line *Not held* with the reason.

    ### A-07 A deadline in the past is due now

    What must hold, in a few sentences.

    - *Source:* where the law comes from.
    - *Held by:* [queues/x_test](queues/x_test.cpp) `Suite.Test`, `Suite.Another`

A law may be held by a GoogleTest, a sentence of a kit, a test of pytest, or a function that tests
call (its name is shown with parentheses).

Without --write the exit status is 1 if anything is wrong. Standard error has a line for each fault:

    - a line or the table that is not up to date
    - an id that the page does not have
    - a comment that stands above no test
    - a law that is neither held nor excused, or is both
    - laws out of order

--write corrects the lines and the table first.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from timerbench import command_line, whole_file, written_page
from timerbench.command import ROOT, CommandError
from timerbench.written_page import Block, anchor, wrapped

SUFFIXES = {".cpp", ".hpp", ".py"}
SECTION = r"(A|B-[KNQST]|C|D)-"
CITED = re.compile(rf"\b{SECTION}(\d+)(?:\.\.{SECTION}(\d+))?")
CPP_COMMENT = re.compile(r"(?:^| )(//)")
EXAMPLE = re.compile(r"/// {4,}")

# Declarations that may stand below a comment.
GOOGLE_TEST = re.compile(r"(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")
KIT_SENTENCE = re.compile(r'const Sentence \w+\(\s*"(\w+)"')
PYTHON_FUNCTION = re.compile(r"def (\w+)\(")
CPP_FUNCTION = re.compile(r"[\w:<>,&* ]+?[ &*](\w+)\([^;{]*\)[^;{]*\{")

LAW = re.compile(rf"{SECTION}(\d+) \S")
HELD = "- *Held by:*"
NOT_HELD = "- *Not held:*"
TABLE = Block("<!-- table of the laws -->", "<!-- end of the table -->")


@dataclass(frozen=True, order=True)
class Law:
    section: str
    number: int

    def __str__(self) -> str:
        return f"{self.section}-{self.number:02}"


@dataclass(frozen=True, order=True)
class Holder:
    """A test, and the file that it is in, seen from the page."""

    file: str
    name: str


@dataclass(frozen=True)
class Citation:
    """A comment that names laws, and the test below it."""

    laws: tuple[Law, ...]
    holder: Holder | None
    place: str


def laws_in(comment: str) -> Iterator[Law]:
    """Yields the laws that a text names: A-1, B-N-01, and all of a range A-1..A-3."""
    for section, first, last_section, last in CITED.findall(comment):
        if last_section == section:
            yield from (Law(section, number) for number in range(int(first), int(last) + 1))
        else:
            yield Law(section, int(first))
            if last_section:
                yield Law(last_section, int(last))


def comment_starts(text: str, suffix: str) -> dict[int, int]:
    """Returns the column where a comment starts, by the index of its line."""
    if suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        starts = [token.start for token in tokens if token.type == tokenize.COMMENT]
        return {line - 1: column for line, column in starts}
    found = {index: CPP_COMMENT.search(line) for index, line in enumerate(text.splitlines())}
    return {index: match.start(1) for index, match in found.items() if match}


def comments_of(text: str, suffix: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yields each comment: the index of its first line, its text, and the lines below it.

    A comment beside code has no lines below it. Examples in a comment are not part of its text.
    """
    lines = text.splitlines()
    starts = comment_starts(text, suffix)
    alone = [
        index in starts and not line[: starts[index]].strip() for index, line in enumerate(lines)
    ]
    for are_alone, block in groupby(range(len(lines)), key=alone.__getitem__):
        indices = [index for index in block if index in starts]
        said = {index: lines[index][starts[index] :] for index in indices}
        if not are_alone:
            yield from ((index, said[index], []) for index in indices)
        else:
            wanted = "\n".join(line for line in said.values() if not EXAMPLE.match(line))
            yield indices[0], wanted, lines[indices[-1] + 1 :]


def declared_name(lines: list[str], suffix: str) -> str | None:
    """Returns the name of the test that these lines begin with, as the page writes it."""
    text = "\n".join(lines[:8]).lstrip(" ")  # no declaration has more lines
    if suffix == ".py":
        function = PYTHON_FUNCTION.match(text)
        if function is not None and function[1].startswith("test_"):
            return function[1]
    else:
        if test := GOOGLE_TEST.match(text):
            return f"{test[1]}.{test[2]}"
        if sentence := KIT_SENTENCE.match(text):
            return sentence[1]
        function = CPP_FUNCTION.match(text)
    return f"{function[1]}()" if function else None


def sources(tests: Path) -> list[Path]:
    return sorted(path for path in tests.rglob("*") if path.suffix in SUFFIXES)


def citations(tests: Path) -> Iterator[Citation]:
    """Yields all comments below `tests` that name laws."""
    for path in sources(tests):
        file = path.relative_to(tests).as_posix()
        for first, comment, below in comments_of(path.read_text(), path.suffix):
            if laws := tuple(laws_in(comment)):
                name = declared_name(below, path.suffix)
                holder = Holder(file, name) if name else None
                yield Citation(laws, holder, f"{tests.name}/{file}:{first + 1}")


def held_by(cited: Iterable[Citation]) -> defaultdict[Law, set[Holder]]:
    holders: defaultdict[Law, set[Holder]] = defaultdict(set)
    for citation in cited:
        if citation.holder is not None:
            for law in citation.laws:
                holders[law].add(citation.holder)
    return holders


class Entry(written_page.Entry):
    """The entry of a law on the page."""

    @property
    def law(self) -> Law:
        match = LAW.match(self.heading)
        assert match, "page_of takes no other"
        return Law(match[1], int(match[2]))

    @property
    def section_title(self) -> str:
        """The title of the chapter of the law, or of its part if it is in B."""
        return self.above.get(2 if self.law.section.startswith("B-") else 1, "")

    def holders(self) -> set[Holder]:
        """Returns the tests that the page names."""
        return {
            Holder(file, name)
            for file, names in re.findall(r"\]\((\S+)\)((?:,? `[^`]+`)+)", self.item(HELD))
            for name in re.findall(r"`([^`]+)`", names)
        }

    def is_excused(self) -> bool:
        return bool(self.item(NOT_HELD))


Page = written_page.Page[Entry]


def page_of(tests: Path) -> Page:
    """Reads the page. Raises CommandError if an entry is not about a law."""
    page = Page(tests / "LAWS.md", Entry)
    for entry in page.entries:
        if not LAW.match(entry.heading):
            raise CommandError(f"{page.path}: the entry '{entry.heading}' begins with no law")
    return page


def lines_of(holders: set[Holder]) -> list[str]:
    """Returns the lines *Held by* of a law: its tests, file by file."""
    files = [
        f"[{file.rpartition('.')[0]}]({file}) " + ", ".join(f"`{test.name}`" for test in tests)
        for file, tests in groupby(sorted(holders), key=lambda holder: holder.file)
    ]
    return wrapped(f"{HELD} {'; '.join(files)}") if files else []


def table_of(page: Page, holders: dict[Law, set[Holder]]) -> list[str]:
    """Returns a table of the sections: how many laws each has, how many are held, and which not."""
    titles: dict[str, str] = {}
    for entry in page.entries:
        titles.setdefault(entry.law.section, entry.section_title)
    rows = []
    for section, title in titles.items():
        laws = [entry.law for entry in page.entries if entry.law.section == section]
        not_held = [str(law) for law in laws if not holders.get(law)]
        counts = f"{len(laws)} | {len(laws) - len(not_held)} | {', '.join(not_held) or '–'}"
        rows.append(f"| [{title}](#{anchor(title)}) | {counts} |")
    laws_held = sum(1 for entry in page.entries if holders.get(entry.law))
    rows.append(f"| all | {len(page.entries)} | {laws_held} | |")
    return ["", "| | Laws | Held | Not held |", "|---|---:|---:|---|", *rows, ""]


def written(page: Page, cited: list[Citation]) -> str:
    """Returns the page with its lines corrected."""
    holders = held_by(cited)
    for entry in page.entries:
        entry.lines[entry.place_of(HELD)] = lines_of(holders[entry.law])
    return page.with_block(TABLE, table_of(page, holders))


def faults_of_comments(page: Page, cited: list[Citation]) -> Iterator[str]:
    laws = {entry.law for entry in page.entries}
    for citation in cited:
        for law in citation.laws:
            if law not in laws:
                yield f"{citation.place}: {law} is no law of the page"
        if citation.holder is None:
            named = ", ".join(str(law) for law in citation.laws)
            yield f"{citation.place}: the comment that names {named} stands above no test"


def faults_of_order(page: Page) -> Iterator[str]:
    """Checks that the laws of a section stand together, and are numbered from 1."""
    last: dict[str, int] = defaultdict(int)
    section = ""
    for law in (entry.law for entry in page.entries):
        starts_again = law.section != section and law.section in last
        if starts_again or law.number != last[law.section] + 1:
            yield f"{law}: is out of order"
        section = law.section
        last[section] = law.number


def faults_of_entry(entry: Entry, found: set[Holder]) -> Iterator[str]:
    law, shown = entry.law, entry.holders()
    for holder in sorted(found - shown):
        yield f"{law}: the page does not name {holder.file} {holder.name}"
    for holder in sorted(shown - found):
        yield f"{law}: the page names {holder.file} {holder.name}, which does not cite it"
    if found == shown and entry.lines[entry.place_of(HELD)] != lines_of(found):
        yield f"{law}: the line 'Held by' is not as --write writes it"
    if found and entry.is_excused():
        yield f"{law}: a test holds it, but the page says why none does"
    if not found and not entry.is_excused():
        yield f"{law}: no test holds it, and the page does not say why"


def faults(page: Page, cited: list[Citation]) -> Iterator[str]:
    """Yields what is wrong with a page, and with the comments that it is made from."""
    yield from faults_of_comments(page, cited)
    yield from faults_of_order(page)
    holders = held_by(cited)
    for entry in page.entries:
        yield from faults_of_entry(entry, holders[entry.law])
    if str(page) != page.with_block(TABLE, table_of(page, holders)):
        yield "the table of the laws is not up to date"


@command.ends_in_words()
def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = command_line.Parser(__doc__)
    parser.add_argument("--write", action="store_true", help="make the page right")
    options = parser.parse_args(arguments)
    tests = root / "tests"
    page, cited = page_of(tests), list(citations(tests))
    if options.write:
        whole_file.replace(page.path, written(page, cited))
        page = page_of(tests)
    found = list(faults(page, cited))
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
