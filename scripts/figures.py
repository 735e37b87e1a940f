"""Checks that the figures of our pages are those of the results, and puts the right ones in.

A comment names the results, and may define words for groups of queues. It is valid up to the next
such comment. After a paragraph, a list, an item of a list or a table, another comment says what
each number of it is, in the order of the text:

    <!-- results: results/NAME
    our_heaps = heaps, linked_heaps - libraries
    -->

    Wheels cost 14 to 31 ns, heaps up to 2.4 times the best, at ticks of 1 ms.
    <!-- figures
    14 = min(churn/*wheel*/rpc/1000)
    31 = max(churn/*wheel*/rpc/100000)
    2.4 = max(times_best(churn/{our_heaps}/rpc/*))
    given: 1 ms
    -->

scripts/timerbench/expression.py describes the right sides. An indented line continues the line
above. The values are in ns, bytes and shares of 1. A number may have a unit (µs, ms, s, min, h, %,
million, kB, MB, GB, KiB, MiB, GiB), its own or that of the other end of its range; then it is
listed with the unit. A figure is right if the value of its expression, rounded to the digits that
the text shows, equals it. A number that nobody measured is `given`. A figure that occurs several
times is listed once, or each time.

Under the heading "What we found", or between the comments `findings` and `end of findings`, each
number must be listed. Numbers in code, targets of links, pictures, headings and words such as p99
do not count. A page without any block is an error.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from timerbench import command_line
from timerbench.command import ROOT
from timerbench.expression import ExpressionError, Language
from timerbench.results import load
from timerbench.whole_file import replace
from timerbench.written_numbers import Number, number_alone, numbers_in

PAGES = (
    "README.md",
    "results/findings.md",
    "results/other_machine.md",
    "results/claims.md",
    "results/lazy_wheel.md",
    "results/originals.md",
)
FINDINGS = "What we found"
COMMENT = re.compile(r"\s*<!--\s*(.*?)\s*-->", re.DOTALL)


@dataclass(frozen=True)
class Problem:
    at: int
    message: str
    changes: tuple[tuple[Number, str], ...] = ()  # what would make it right, if that is known


@dataclass(frozen=True)
class Figure:
    """A line of a block."""

    number: Number
    expression: str


@dataclass
class Block:
    """The comment that says what numbers are."""

    start: int
    figures: list[Figure] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)  # in the text that it is about

    def add(self, at: int, line: str) -> None:
        left, _, right = line.partition("=")
        if line.startswith("given:"):
            items = re.split(r",\s+", line.removeprefix("given:").strip())
        else:
            items = [left.strip()]
        for item in items:
            number = number_alone(item, at)
            if number is None:
                self.problems.append(Problem(at, f"'{item}' is no number"))
            elif line.startswith("given:"):
                self.given.append(number.key)
            elif right.strip():
                self.figures.append(Figure(number, right.strip()))
            else:
                self.problems.append(Problem(at, f"'{line}' does not say what the figure is"))


@dataclass(frozen=True)
class Source:
    """The comment that names the results behind the figures that follow it."""

    start: int
    results: str
    words: dict[str, str]  # what the page calls groups of queues


@dataclass
class Page:
    """A text of Markdown, and the comments in it that are about figures."""

    text: str
    sources: list[Source] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        lengths = (len(line) for line in self.text.splitlines(keepends=True))
        self._starts = list(accumulate(lengths, initial=0))
        root = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(self.text))
        covered = self._read_comments(root)
        self._read_numbers(root, covered)

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1

    def _span(self, node: SyntaxTreeNode) -> tuple[int, int]:
        first, last = node.map or (0, 0)
        return self._starts[first], self._starts[last]

    def _read_comments(self, root: SyntaxTreeNode) -> list[tuple[tuple[int, int], Block]]:
        """Returns which part of the page each block is about, small parts first."""
        covered = []
        for node in root.walk():
            start, end = self._span(node) if node.type == "html_block" else (0, 0)
            comment = COMMENT.match(self.text[start:end])
            if node.type == "html_inline" and re.match(r"<!--\s*figures\b", node.content):
                at = self._span(node.parent)[0] if node.parent else 0
                self.problems.append(Problem(at, "a block of figures begins within a line"))
            elif comment and comment[1].startswith("results:"):
                self.sources.append(source_of(comment[1], start))
            elif comment and re.match(r"figures\b", comment[1]):
                block = Block(start)
                for offset, line in entries(self.text[start:end]):
                    block.add(start + offset, line)
                before = node.previous_sibling
                if before and before.type in ("paragraph", "table", "bullet_list", "ordered_list"):
                    covered.append((self._span(before), block))
                else:
                    block.problems.append(Problem(start, "a block of figures follows no text"))
                self.blocks.append(block)
        return sorted(covered, key=lambda item: item[0][1] - item[0][0])

    def _read_numbers(
        self, root: SyntaxTreeNode, covered: list[tuple[tuple[int, int], Block]]
    ) -> None:
        """Gives each number to the block that is nearest to it."""
        findings = list(self._findings(root))
        for node in root.walk():
            if node.type not in ("paragraph", "table"):
                continue
            start, end = self._span(node)
            numbers = list(numbers_in(self.text[start:end], start))
            blocks = [block for (low, high), block in covered if low <= start and end <= high]
            if blocks:
                blocks[0].numbers += numbers
            elif numbers and any(low <= start < high for low, high in findings):
                message = f"'{numbers[0].key}' stands in the findings without a block of figures"
                self.problems.append(Problem(numbers[0].start, message))

    def _findings(self, root: SyntaxTreeNode) -> Iterator[tuple[int, int]]:
        """Yields the parts of the page where each number needs a block."""
        opened: tuple[int, str] | None = None
        for node in root.children:
            start, end = self._span(node)
            comment = COMMENT.fullmatch(self.text[start:end].strip())
            heading = node.children[0].content if node.type == "heading" else None
            if opened and (
                (comment and comment[1] == "end of findings")
                or (heading is not None and node.tag <= opened[1])
            ):
                yield opened[0], start
                opened = None
            if comment and comment[1] == "findings":
                opened = start, ""  # only a comment ends it, no heading
            elif heading == FINDINGS:
                opened = start, node.tag
        if opened:
            yield opened[0], len(self.text)


def source_of(comment: str, start: int) -> Source:
    first, *lines = comment.splitlines()
    words = {}
    for line in lines:
        word, _, meaning = line.partition("=")
        words[word.strip()] = meaning.strip()
    return Source(start, first.removeprefix("results:").strip(), words)


def entries(comment: str) -> list[tuple[int, str]]:
    """Returns the lines of a block, and where each begins.

    An indented line continues the line above.
    """
    body = re.match(r"(\s*)<!--\s*figures\b(.*?)-->", comment, re.DOTALL)
    assert body
    margin = len(body[1].rpartition("\n")[2])
    found: list[tuple[int, str]] = []
    offset = body.start(2)
    for index, line in enumerate(body[2].splitlines(keepends=True)):
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            pass
        elif found and index and indent > margin:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            found.append((offset + indent, line.strip()))
        offset += len(line)
    return found


def check(page: Page, directory: Path) -> list[Problem]:
    """Returns what is wrong with the page, which lies in `directory`."""
    problems = page.problems + [problem for block in page.blocks for problem in block.problems]
    if not page.blocks and not problems:
        problems.append(Problem(0, "the page has no block of figures, so that nothing is checked"))
    for source, blocks in groupby(
        page.blocks, key=lambda block: source_before(block, page.sources)
    ):
        if source is None:
            missing = "no comment <!-- results: DIRECTORY --> says where the figures are from"
            return [*problems, Problem(page.blocks[0].start, missing)]
        of_page = directory / source.results
        language = Language(load(of_page), of_page, source.words)
        problems += [problem for block in blocks for problem in check_block(block, language)]
    return sorted(problems, key=lambda problem: problem.at)


def source_before(block: Block, sources: list[Source]) -> Source | None:
    before = [source for source in sources if source.start < block.start]
    return before[-1] if before else None


def check_block(block: Block, language: Language) -> Iterator[Problem]:
    places: dict[str, list[Number]] = {}
    for number in block.numbers:
        places.setdefault(number.key, []).append(number)
    listed: dict[str, list[Figure]] = {}
    for figure in block.figures:
        listed.setdefault(figure.number.key, []).append(figure)
    yield from check_lists(block, places, listed)

    matched = []
    for key, figures in listed.items():
        if len(figures) == 1:
            matched.append((figures[0], places.get(key, [])))
        elif len(figures) == len(places.get(key, [])):
            matched += [
                (figure, [place]) for figure, place in zip(figures, places[key], strict=True)
            ]
    # If two figures have become the same, only their order tells which number is whose.
    in_block = sorted((pair for pair in matched if pair[1]), key=lambda pair: pair[0].number.start)
    for (_, [before, *_]), (figure, [here, *_]) in pairwise(in_block):
        if here.start < before.start:
            yield Problem(
                figure.number.start, f"'{here.key}' stands before '{before.key}' in the text"
            )
    for figure, numbers in matched:
        yield from check_figure(figure, numbers, language)


def check_lists(
    block: Block, places: dict[str, list[Number]], listed: dict[str, list[Figure]]
) -> Iterator[Problem]:
    """Yields a problem for each number that is in the text or in the block, but not in both."""
    for key, numbers in places.items():
        if key not in listed and key not in block.given:
            yield Problem(numbers[0].start, f"'{key}' is not in the block of figures")
        if key in listed and key in block.given:
            both = f"'{key}' is a figure and given; show one of them with another digit"
            yield Problem(numbers[0].start, both)
        if len(listed.get(key, [])) not in (0, 1, len(numbers)):
            times = f"'{key}' stands {len(numbers)} times, and is listed {len(listed[key])} times"
            yield Problem(numbers[0].start, times)
    for key in [*listed, *block.given]:
        if key not in places:
            at = listed[key][0].number.start if key in listed else block.start
            yield Problem(at, f"'{key}' is listed, but is not in the text")


def check_figure(figure: Figure, numbers: list[Number], language: Language) -> Iterator[Problem]:
    at = numbers[0].start if numbers else figure.number.start
    try:
        value = language.evaluate(figure.expression)
    except ExpressionError as error:
        yield Problem(at, f"'{figure.number.key}': {error}")
        return
    number = figure.number
    if not number.shows(value):
        right = number.written(value)
        changes = tuple((place, right) for place in [number, *numbers])
        found = f"{number.in_unit(value):,.6g} {number.unit}".strip()
        yield Problem(at, f"'{number.key}' is {found}: {figure.expression}", changes)


def corrected(text: str, problems: list[Problem]) -> str:
    changes = [change for problem in problems for change in problem.changes]
    for number, right in sorted(changes, key=lambda change: change[0].start, reverse=True):
        text = text[: number.start] + right + text[number.end :]
    return text


def write(path: Path, page: Page, problems: list[Problem]) -> list[Problem]:
    """Corrects the figures if that leaves no problem; otherwise returns what is left."""
    right = Page(corrected(page.text, problems))
    if left := check(right, path.parent):
        return left
    replace(path, right.text)
    for problem in problems:
        if not problem.changes:
            continue  # fixed by the corrections of other problems
        number, text = problem.changes[0]
        print(f"{path}:{page.line(problem.at)}: {number.key} -> {text} {number.unit}".rstrip())
    return []


def main(arguments: list[str] | None = None) -> int:
    parser = command_line.Parser(__doc__.split("\n", 1)[0])
    parser.add_argument(
        "pages",
        metavar="page",
        nargs="*",
        type=command_line.path,
        default=[ROOT / page for page in PAGES],
        help=f"{', '.join(PAGES)} by default",
    )
    parser.add_argument("--write", action="store_true", help="put the right figures in")
    options = parser.parse_args(arguments)
    return max(status_of(page, options.write) for page in options.pages)


def status_of(path: Path, put_in: bool) -> int:
    """Returns 0 if the page is right, 1 if it is wrong, 2 if this cannot be told.

    Says what is wrong.
    """
    try:
        page = Page(path.read_text())
        problems = check(page, path.parent)
        if put_in and problems:
            problems = write(path, page, problems)
    except command.TOLD as error:
        print(f"figures.py: {path}: {error}", file=sys.stderr)
        return 2
    for problem in problems:
        print(f"{path}:{page.line(problem.at)}: {problem.message}", file=sys.stderr)
    if problems and put_in:
        print(f"figures.py: {path} is left as it was", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
