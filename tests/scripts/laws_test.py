"""Tests of scripts/laws.py, and of the page of the laws."""

from __future__ import annotations

from pathlib import Path

import pytest

import laws
from laws import Holder, Law

ROOT = Path(__file__).resolve().parents[2]

PAGE = """# Laws

<!-- table of the laws -->
<!-- end of the table -->

# A. Universal laws

### A-01 No timer is early

Not even by a tick.

- *Source:* ours.

### A-02 A deadline is inclusive

- *Source:* ours.
- *Not held:* nobody knows why.

# B. Originals

## B.1 java.util.Timer

### B-T-01 A task is used once

- *Source:* measured.
"""

SOURCES = {
    "queues/time_test.cpp": """
// A-01
TEST(Queue, IsNeverEarly) {
""",
    "conformance/queues/time.cpp": """
// A-01, B-T-01: and why.
const Sentence early(
    "NeverRunsATimerEarly", [](Scenario& queue) {
""",
}


def write_page(root: Path, page: str = PAGE, sources: dict[str, str] = SOURCES) -> Path:
    """Writes a page with its tests, and corrects it with --write."""
    for name, text in {"LAWS.md": page, **sources}.items():
        path = root / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert laws.main(["--write"], root) == 0
    return root / "tests" / "LAWS.md"


def faults(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    capsys.readouterr()
    status = laws.main(list(arguments), root)
    lines = capsys.readouterr().err.splitlines()
    assert status == (1 if lines else 0)
    return lines


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def cited(tmp_path: Path, name: str, text: str) -> list[laws.Citation]:
    path = tmp_path / name
    path.write_text(text)
    return list(laws.citations(tmp_path))


def test_the_page_of_the_laws_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert faults(ROOT, capsys) == []


def test_all_laws_are_read_and_most_are_held() -> None:
    tests = ROOT / "tests"
    found = list(laws.citations(tests))
    holders = laws.held_by(found)
    page = laws.page_of(tests)
    assert len(laws.sources(tests)) > 50
    assert len(found) > 300
    for section in ("A", "B-K", "B-N", "B-Q", "B-S", "B-T", "C", "D"):
        wanted = [entry.law for entry in page.entries if entry.law.section == section]
        assert sum(1 for law in wanted if holders[law]) > len(wanted) / 2
    assert all(len(entry.lines) > 2 and "- *Source:* " in str(entry) for entry in page.entries)


def test_a_comment_names_laws_one_by_one_and_in_ranges() -> None:
    text = " A-07, B-N-3 and A-10..A-12; C-01..D-02. Not B-9, nor A-B, nor 7."
    assert [str(law) for law in laws.laws_in(text)] == [
        *("A-07", "B-N-03", "A-10", "A-11", "A-12", "C-01", "D-02")
    ]


@pytest.mark.parametrize(
    ("name", "text", "holder"),
    [
        ("x_test.cpp", "// A-1\nTEST(Suite, Name) {", "Suite.Name"),
        ("x_test.cpp", "// A-1\nTEST_F(Suite, Name) {", "Suite.Name"),
        ("x_test.cpp", "// A-1\nTEST_P(Suite, Name) {", "Suite.Name"),
        ("x_test.cpp", "// A-1\nTYPED_TEST(Suite,\n           Name) {", "Suite.Name"),
        ("x_test.cpp", "// A-1: why\n// and more\nTEST(Suite, Name) {", "Suite.Name"),
        ("x.cpp", '// A-1\nconst Sentence x("Name", [](Scenario& queue) {', "Name"),
        ("x.cpp", '// A-1\nconst Sentence x(\n    "Name", [](auto& kind) {', "Name"),
        ("x.hpp", "/// A-1: a race\ninline void race(const Kind& kind, int) {", "race()"),
        ("x.hpp", "class X {\n  // A-1\n  void check() const {", "check()"),
        ("x_test.py", "# A-1\ndef test_name() -> None: ...", "test_name"),
        ("x.py", "# A-1\ndef prove(what: str) -> None: ...", "prove()"),
    ],
)
def test_the_test_below_a_comment_holds_its_laws(
    tmp_path: Path, name: str, text: str, holder: str
) -> None:
    (citation,) = cited(tmp_path, name, text)
    assert citation.laws == (Law("A", 1),)
    assert citation.holder == Holder(name, holder)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.cpp", "// A-1\n\nTEST(Suite, Name) {"),
        ("x.cpp", "// A-1\nint x = f(1);\nTEST(Suite, Name) {"),
        ("x.cpp", "call();  // A-1"),
        ("x.cpp", "// A-1\n#include <vector>\n\nvoid f() {"),
        ("x.py", "# A-1\nX = 1\n\n\ndef test_name() -> None: ..."),
        ("x.py", "call()  # A-1"),
        ("x.py", "# A-1"),
    ],
)
def test_a_comment_that_stands_above_no_test_holds_nothing(
    tmp_path: Path, name: str, text: str
) -> None:
    (citation,) = cited(tmp_path, name, text)
    assert citation.holder is None


def test_examples_strings_and_other_files_name_no_laws(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("// A-1")
    (tmp_path / "x.py").write_text('TEXT = """\n# A-1\n"""')
    assert cited(tmp_path, "x.hpp", '///     // A-1\n///     TEST(A, B) {\nf("A-1");') == []


def test_writes_the_tests_of_each_law_by_file(tmp_path: Path) -> None:
    lines = write_page(tmp_path).read_text().splitlines()
    start = lines.index("- *Source:* ours.")
    assert lines[start + 1 : start + 3] == [
        "- *Held by:* [conformance/queues/time](conformance/queues/time.cpp) "
        "`NeverRunsATimerEarly`;",
        "  [queues/time_test](queues/time_test.cpp) `Queue.IsNeverEarly`",
    ]
    assert lines.count("") == PAGE.splitlines().count("") + 2  # around the table


def test_writes_how_many_laws_each_section_has(tmp_path: Path) -> None:
    lines = write_page(tmp_path).read_text().splitlines()
    assert lines[lines.index(laws.TABLE.begin) + 4 : lines.index(laws.TABLE.end) - 1] == [
        "| [A. Universal laws](#a-universal-laws) | 2 | 1 | A-02 |",
        "| [B.1 java.util.Timer](#b1-javautiltimer) | 1 | 1 | – |",
        "| all | 3 | 2 | |",
    ]


def test_writes_the_same_again(tmp_path: Path) -> None:
    page = write_page(tmp_path)
    text = page.read_text()
    assert laws.main(["--write"], tmp_path) == 0
    assert page.read_text() == text


def test_a_test_that_moves_is_found_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = write_page(tmp_path)
    (tmp_path / "tests/queues/time_test.cpp").rename(tmp_path / "tests/queues/early_test.cpp")
    assert faults(tmp_path, capsys) == [
        "A-01: the page does not name queues/early_test.cpp Queue.IsNeverEarly",
        "A-01: the page names queues/time_test.cpp Queue.IsNeverEarly, which does not cite it",
    ]
    assert faults(tmp_path, capsys, "--write") == []
    assert "time_test" not in page.read_text()


def test_a_law_whose_last_citation_went_needs_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page(tmp_path)
    change(tmp_path / "tests/conformance/queues/time.cpp", ", B-T-01", "")
    assert faults(tmp_path, capsys) == [
        "B-T-01: the page names conformance/queues/time.cpp NeverRunsATimerEarly, "
        "which does not cite it",
        "B-T-01: no test holds it, and the page does not say why",
        "the table of the laws is not up to date",
    ]
    assert faults(tmp_path, capsys, "--write") == [
        "B-T-01: no test holds it, and the page does not say why"
    ]


def test_a_law_that_is_cited_and_not_on_the_page_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page(tmp_path)
    change(tmp_path / "tests/queues/time_test.cpp", "// A-01", "// A-01, A-03, C-01")
    unknown = [
        "tests/queues/time_test.cpp:2: A-03 is no law of the page",
        "tests/queues/time_test.cpp:2: C-01 is no law of the page",
    ]
    assert faults(tmp_path, capsys) == unknown
    assert faults(tmp_path, capsys, "--write") == unknown


def test_a_law_that_is_held_needs_no_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = write_page(tmp_path)
    change(page, "- *Source:* measured.", "- *Source:* measured.\n- *Not held:* it is hard.")
    assert faults(tmp_path, capsys) == ["B-T-01: a test holds it, but the page says why none does"]


def test_a_comment_above_no_test_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page(tmp_path)
    change(tmp_path / "tests/queues/time_test.cpp", "TEST(", "int x;\nTEST(")
    assert faults(tmp_path, capsys, "--write") == [
        "tests/queues/time_test.cpp:2: the comment that names A-01 stands above no test"
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("### A-02", "### A-03", "A-03: is out of order"),
        ("### A-02", "### A-01", "A-01: is out of order"),
        ("- *Source:* measured.", "### A-03 Apart", "A-03: is out of order"),
    ],
)
def test_laws_are_numbered_without_a_gap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, fault: str
) -> None:
    page = write_page(tmp_path)
    change(page, old, new)
    assert fault in faults(tmp_path, capsys, "--write")


def test_a_line_that_was_written_by_hand_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = write_page(tmp_path)
    change(page, "`NeverRunsATimerEarly`;\n  [", "`NeverRunsATimerEarly`; [")
    assert faults(tmp_path, capsys) == ["A-01: the line 'Held by' is not as --write writes it"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (laws.TABLE.end, "", f"does not have one '{laws.TABLE.begin}' and one '{laws.TABLE.end}'"),
        ("### A-02", "### A2", "the entry 'A2"),
    ],
)
def test_a_page_of_another_form_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, reason: str
) -> None:
    page = write_page(tmp_path)
    change(page, old, new)
    text = page.read_text()
    for arguments in ([], ["--write"]):
        assert laws.main(arguments, tmp_path) == 2
        assert f"laws.py: {page}: {reason}" in capsys.readouterr().err
    assert page.read_text() == text


def test_a_missing_page_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert laws.main([], tmp_path) == 2
    assert "LAWS.md" in capsys.readouterr().err
