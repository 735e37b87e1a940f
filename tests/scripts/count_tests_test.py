"""Tests of scripts/count_tests.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from count_tests import Count, count

GTEST = """Running main() from gtest_main.cc
[  FAILED  ] A.B (0 ms)
[==========] 9 tests from 2 test suites ran. (0 ms total)
[  PASSED  ] 6 tests.
[  SKIPPED ] 2 tests.
"""


def junit(path: Path, *cases: str) -> Path:
    path.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    return path


def case(output: str = "", state: str = "") -> str:
    return f'<testcase name="x">{state}<system-out>{output}</system-out></testcase>'


FAILED = "<failure message='no'/>"
SKIPPED = "<skipped/>"


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([case()], Count(1, 0, 0)),
        ([case(state=FAILED)], Count(0, 1, 0)),
        ([case(state=SKIPPED)], Count(0, 0, 1)),
        ([case(GTEST, FAILED), case()], Count(7, 1, 2)),
        ([case("done\n12 passed, 0 failed\n")], Count(12, 0, 0)),
        ([case("12 passed, 3 failed, 1 skipped", FAILED)], Count(12, 3, 1)),
        ([case("12 passed, 0 failed", FAILED)], Count(12, 1, 0)),
        ([case("12 passed, 0 failed\nand more")], Count(1, 0, 0)),
    ],
)
def test_counts_the_cases_that_a_test_reports(
    tmp_path: Path, cases: list[str], expected: Count
) -> None:
    assert count([junit(tmp_path / "x.xml", *cases)], broken=0) == expected


def test_adds_up_files(tmp_path: Path) -> None:
    files = [junit(tmp_path / name, case(), case(GTEST, FAILED)) for name in ("a.xml", "b.xml")]
    assert count(files, broken=0) == Count(14, 2, 4)


def test_what_is_broken_counts_when_no_test_failed(tmp_path: Path) -> None:
    good = junit(tmp_path / "good.xml", case())
    bad = junit(tmp_path / "bad.xml", case(state=FAILED))
    assert count([good], broken=2) == Count(1, 2, 0)
    assert count([good, bad], broken=2) == Count(1, 1, 0)


def test_a_file_that_is_missing_or_broken_counts_as_failed(tmp_path: Path) -> None:
    (tmp_path / "broken.xml").write_text("<testsuite>")
    files = [tmp_path / "none.xml", tmp_path / "broken.xml", junit(tmp_path / "x.xml", case())]
    assert count(files, broken=0) == Count(1, 2, 0)


def test_prints_skipped_tests_only_if_there_are_any() -> None:
    assert str(Count(3, 0, 0)) == "3 passed, 0 failed"
    assert str(Count(3, 1, 2)) == "3 passed, 1 failed, 2 skipped"
