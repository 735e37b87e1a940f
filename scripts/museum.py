#!/usr/bin/env python3
"""Says in tests/MUSEUM.md which test catches each bug, or checks that the page says it.

The page has an entry for each published bug of a timer: what went wrong, where one can read it,
and the law that it broke. An exhibit is a file that has the mistake: a model in tests/museum, or
a planted fault in tests/faults. It names the threads that tell of the bug, and the tests that
catch it:

    Seen in: https://github.com/netty/netty/issues/1959
    Caught by: LetsATimerThatSetsItselfAnewNotSlip

An entry and its exhibit belong together because both name the same thread. This command writes
the lines *Caught by* and *Ours* of each entry from its exhibits, the links of the line *Law*, and
the counts. People write the rest of the page. *Caught by* names sentences of the kits,
*Ours* tests that are not installed with them. A bug that no sentence catches has a line that says
why:

    - *Not yet:* the contracts ask for it, and the kit does not test it.
    - *Beyond:* the contracts do not speak of it.

Without --write the exit status is 1 if anything is wrong. Standard error has a line for each fault:

    - a line or the counts that are not up to date
    - an entry without a source
    - a bug that is neither caught nor excused, or is both
    - a law that does not exist, or that the test does not hold
    - a test that does not exist
    - an exhibit that is not on the page

--write corrects the lines and the counts first.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import laws
from laws import Holder, Law
from timerbench import command_line, whole_file, written_page
from timerbench.command import ROOT
from timerbench.written_page import WIDTH, Block, anchor, wrapped

KITS = ("queues", "services", "real_time")
KIT_OF_FIELD = {
    "Queue": "queues",
    "Hidden": "queues",
    "Staying": "queues",
    "Service": "services",
    "RealTime": "real_time",
    "Schedules": None,
    "Test": None,
}
SCHEDULES = "services/schedules/schedules_test.cpp"
FIELD = re.compile(rf"^(?:// )?(Seen in|Caught by|{'|'.join(KIT_OF_FIELD)}): (.+)$", re.MULTILINE)
THREAD = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)")
LINK = re.compile(rf"\[([^\]]+)\]\(({THREAD.pattern})\)")

SOURCE = "- *Source:*"
LAW = "- *Law:*"
CAUGHT = "- *Caught by:*"
OURS = "- *Ours:*"
NOT_YET = "- *Not yet:*"
BEYOND = "- *Beyond:*"
COUNTS = Block("<!-- counts of the museum -->", "<!-- end of the counts -->")


@dataclass(frozen=True)
class Exhibit:
    """A file that has a published bug, seen from the page, and the tests that catch it."""

    file: str
    threads: tuple[str, ...]
    tests: tuple[Holder, ...]
    is_of_kit: bool

    def __str__(self) -> str:
        """Says which tests catch it, and where it is."""
        names = ", ".join(f"[`{test.name}`]({test.file})" for test in self.tests)
        kind = "planted [fault]" if self.file.endswith(".patch") else "[model]"
        return f"{names}, seen on a {kind}({self.file})"


def sentences(tests: Path, kit: str) -> dict[str, Holder]:
    """Returns the sentences of a kit by their names."""
    return {
        name: Holder(path.relative_to(tests).as_posix(), name)
        for path in sorted((tests / "conformance" / kit).glob("*.cpp"))
        for name in laws.KIT_SENTENCE.findall(path.read_text())
    }


def exhibit_of(tests: Path, path: Path, known: dict[str, dict[str, Holder]]) -> Exhibit:
    """Reads an exhibit from its file; `known` has the sentences of each kit."""
    fields: dict[str, list[str]] = {}
    for field, value in FIELD.findall(path.read_text()):
        fields.setdefault(field, []).append(value)
    kit = path.parent.name if path.parent.name in KITS else None
    for field, its_kit in KIT_OF_FIELD.items():
        kit = its_kit if field in fields else kit
    caught_by = fields.get("Caught by", [])
    if kit is None:
        file = SCHEDULES if "Schedules" in fields else ""
        if "Test" in fields:
            file = fields["Test"][0].split()[0].removeprefix("tests/")
        holders = [Holder(file, name) for name in caught_by]
    else:
        holders = [known[kit].get(name, Holder("", name)) for name in caught_by]
    return Exhibit(
        file=path.relative_to(tests).as_posix(),
        threads=tuple(fields.get("Seen in", [])),
        tests=tuple(holders),
        is_of_kit=kit is not None,
    )


def exhibits(tests: Path) -> list[Exhibit]:
    """Returns all models, and the planted faults that were seen in other projects."""
    models = [path for kit in KITS for path in sorted((tests / "museum" / kit).glob("*.cpp"))]
    patches = sorted((tests / "faults").glob("*.patch"))
    known = {kit: sentences(tests, kit) for kit in KITS}
    all_of_them = [exhibit_of(tests, path, known) for path in (*models, *patches)]
    return [one for one in all_of_them if one.threads or one.file.endswith(".cpp")]


class Entry(written_page.Entry):
    """The entry of a bug on the page."""

    @property
    def group(self) -> str:
        return self.above.get(2, "")

    def links(self) -> list[tuple[str, str]]:
        """Returns the threads: what the page calls each of them, and its address."""
        return [(match[1], match[2]) for match in LINK.finditer(self.item(SOURCE))]

    def laws(self) -> list[Law]:
        return list(laws.laws_in(re.sub(r"\]\([^)]*\)", "", self.item(LAW))))

    def is_beyond(self) -> bool:
        return bool(self.item(BEYOND))

    def excuses(self) -> int:
        return sum(1 for start in (NOT_YET, BEYOND) if self.item(start))

    def exhibits(self, all_of_them: Iterable[Exhibit]) -> list[Exhibit]:
        threads = {address for _, address in self.links()}
        return [one for one in all_of_them if threads.intersection(one.threads)]


Page = written_page.Page[Entry]


def page_of(tests: Path) -> Page:
    return Page(tests / "MUSEUM.md", Entry)


def items_of(
    entry: Entry, shown: list[Exhibit], titles: dict[Law, str]
) -> Iterator[tuple[str, list[str]]]:
    """Yields the items that this command writes, and the lines that each should have."""
    for start, is_of_kit in ((CAUGHT, True), (OURS, False)):
        catchers = [str(exhibit) for exhibit in shown if exhibit.is_of_kit == is_of_kit]
        yield start, wrapped(f"{start} {'; '.join(catchers)}") if catchers else []
    links = [
        f"[{titles[law]}](LAWS.md#{anchor(titles[law])})" for law in entry.laws() if law in titles
    ]
    if links and len(links) == len(entry.laws()):
        yield LAW, wrapped(f"{LAW} {', '.join(links)}")


def is_caught(entry: Entry, all_of_them: list[Exhibit]) -> bool:
    return any(exhibit.is_of_kit for exhibit in entry.exhibits(all_of_them))


def counts_of(page: Page, all_of_them: list[Exhibit]) -> list[str]:
    """Counts the bugs of each group.

    Counts also those that the contracts can express, and those that the kit catches.
    """

    def count(entries: list[Entry]) -> tuple[int, int, int]:
        expressible = [entry for entry in entries if not entry.is_beyond()]
        caught = [entry for entry in entries if is_caught(entry, all_of_them)]
        return len(entries), len(expressible), len(caught)

    rows = []
    for group in dict.fromkeys(entry.group for entry in page.entries):
        counted = count([entry for entry in page.entries if entry.group == group])
        rows.append(f"| [{group}](#{anchor(group)}) | {' | '.join(map(str, counted))} |")
    bugs, expressible, caught = count(page.entries)
    threads = [address for entry in page.entries for _, address in entry.links()]
    projects = {match[1] for address in threads if (match := THREAD.fullmatch(address))}
    return [
        "",
        *textwrap.wrap(
            f"Here are {bugs} bugs, told in {len(threads)} threads of {len(projects)} projects. "
            f"The contracts of Timerbench can express {expressible} of them. The kits, as they "
            f"are installed, catch {caught} of these.",
            WIDTH,
        ),
        "",
        "| | Bugs | The contracts can express | The kits catch |",
        "|---|---:|---:|---:|",
        *rows,
        f"| all | {bugs} | {expressible} | {caught} |",
        "",
    ]


def written(page: Page, all_of_them: list[Exhibit], titles: dict[Law, str]) -> str:
    """Returns the page with its lines corrected."""
    for entry in page.entries:
        for start, lines in items_of(entry, entry.exhibits(all_of_them), titles):
            entry.lines[entry.place_of(start)] = lines
    return page.with_block(COUNTS, counts_of(page, all_of_them))


def faults_of_exhibits(page: Page, all_of_them: list[Exhibit]) -> Iterator[str]:
    on_page = {address for entry in page.entries for _, address in entry.links()}
    for exhibit in all_of_them:
        if not exhibit.threads:
            yield f"{exhibit.file}: names no thread in a line 'Seen in'"
        if not exhibit.tests:
            yield f"{exhibit.file}: names no test in a line 'Caught by'"
        for thread in exhibit.threads:
            if thread not in on_page:
                yield f"{exhibit.file}: {thread} is not on the page"
        for test in exhibit.tests:
            if not test.file:
                yield f"{exhibit.file}: the kit has no sentence {test.name}"


def faults_of_sources(page: Page) -> Iterator[str]:
    seen: set[str] = set()
    for entry in page.entries:
        if not entry.links():
            yield f"{entry.heading}: has no source"
        for text, address in entry.links():
            match = THREAD.fullmatch(address)
            if match is None or text != f"{match[1]}#{match[2]}":
                yield f"{entry.heading}: the link {text} leads to {address}"
            if address in seen:
                yield f"{entry.heading}: {address} is on the page twice"
            seen.add(address)


def faults_of_entry(
    entry: Entry,
    all_of_them: list[Exhibit],
    titles: dict[Law, str],
    holders: dict[Law, set[Holder]],
) -> Iterator[str]:
    shown = entry.exhibits(all_of_them)
    for law in entry.laws():
        if law not in titles:
            yield f"{entry.heading}: {law} is no law"
    if is_caught(entry, all_of_them):
        tests = {test for exhibit in shown if exhibit.is_of_kit for test in exhibit.tests}
        held = [law for law in entry.laws() if tests & holders.get(law, set())]
        if not entry.laws():
            yield f"{entry.heading}: is caught, and names no law"
        elif not held:
            yield f"{entry.heading}: the tests that catch it hold none of its laws"
        if entry.excuses():
            yield f"{entry.heading}: something catches it, but the page says why nothing does"
    elif entry.excuses() != 1:
        yield f"{entry.heading}: no exhibit shows it, and the page does not say why in one line"
    for start, lines in items_of(entry, shown, titles):
        if entry.lines[entry.place_of(start)] != lines:
            yield f"{entry.heading}: the line '{start[3:-2]}' is not as --write writes it"


def faults(
    page: Page,
    all_of_them: list[Exhibit],
    titles: dict[Law, str],
    holders: dict[Law, set[Holder]],
) -> Iterator[str]:
    """Yields what is wrong with a page, and with the exhibits that it shows."""
    yield from faults_of_exhibits(page, all_of_them)
    yield from faults_of_sources(page)
    for entry in page.entries:
        yield from faults_of_entry(entry, all_of_them, titles, holders)
    if str(page) != page.with_block(COUNTS, counts_of(page, all_of_them)):
        yield "the counts are not up to date"


@command.ends_in_words()
def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = command_line.Parser(__doc__)
    parser.add_argument("--write", action="store_true", help="make the page right")
    options = parser.parse_args(arguments)
    tests = root / "tests"
    page, all_of_them = page_of(tests), exhibits(tests)
    titles = {entry.law: entry.heading for entry in laws.page_of(tests).entries}
    holders = laws.held_by(laws.citations(tests))
    if options.write:
        whole_file.replace(page.path, written(page, all_of_them, titles))
        page = page_of(tests)
    found = list(faults(page, all_of_them, titles, holders))
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
