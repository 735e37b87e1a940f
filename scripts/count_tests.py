#!/usr/bin/env python3
"""Counts test cases in JUnit files: prints `N passed, N failed`, and `, N skipped` if there are.

A test of CTest counts as several cases if it is a GoogleTest program, or if the last line of its
output has this form. Then it counts as the cases that it reports. Needs nothing but the standard
library and this folder.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from timerbench import command_line

OWN_COUNT = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
GTEST_RAN = re.compile(r"^\[={10}\] (\d+) tests? from \d+ test (?:suite|case)s? ran\.", re.M)
GTEST_COUNT = re.compile(r"^\[ +(PASSED|SKIPPED) +\] (\d+) tests?\b", re.M)


@dataclass(frozen=True)
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def reported(output: str) -> Count | None:
    """Returns the numbers of cases that a test's own output reports; None if it reports none."""
    lines = output.strip().splitlines()
    if lines and (own := OWN_COUNT.match(lines[-1].strip())):
        return Count(*(int(number or 0) for number in own.groups()))
    if ran := GTEST_RAN.search(output):
        counts = {what: int(number) for what, number in GTEST_COUNT.findall(output, ran.end())}
        passed, skipped = counts.get("PASSED", 0), counts.get("SKIPPED", 0)
        return Count(passed, int(ran[1]) - passed - skipped, skipped)
    return None


def counts(junit: Path) -> Iterator[Count]:
    for case in ElementTree.parse(junit).iter("testcase"):
        failed = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped") is not None
        inner = reported(case.findtext("system-out") or "")
        if inner is not None and failed and inner.failed == 0:
            yield inner + Count(failed=1)  # a crash or a leak after the last case
        elif inner is not None:
            yield inner
        else:
            yield Count(int(not failed and not skipped), int(failed), int(skipped))


def count(files: list[Path], broken: int) -> Count:
    """Counts all test cases. If no case failed, broken files and `broken` count as failed."""
    total = Count()
    for file in files:
        try:
            total = sum(counts(file), total)
        except (OSError, ElementTree.ParseError) as error:
            print(f"count_tests.py: {file} is no JUnit file: {error}", file=sys.stderr)
            broken += 1
    if total.failed == 0:
        total += Count(failed=broken)
    return total


def main() -> int:
    parser = command_line.Parser(__doc__.split("\n", 1)[0])
    parser.add_argument(
        "junit", nargs="*", type=command_line.path, help="JUnit files of CTest or pytest"
    )
    parser.add_argument(
        "--broken", type=command_line.count, default=0, help="what failed outside of the tests"
    )
    options = parser.parse_args()
    total = count(options.junit, options.broken)
    print(total)
    return 0 if total.passed > 0 and total.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
