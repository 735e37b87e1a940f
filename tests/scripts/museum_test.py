"""Tests of scripts/museum.py, and of the page of the museum."""

from __future__ import annotations

from pathlib import Path

import pytest

import museum
from laws import Holder, Law

ROOT = Path(__file__).resolve().parents[2]

PAGE = """# The museum

<!-- counts of the museum -->
<!-- end of the counts -->

## Order

Two timers.

### The heap was none

It only went down.

- *Source:* [a/heap#1](https://github.com/a/heap/pull/1), [b/heap#2](https://github.com/b/heap/issues/2)
- *Law:* A-01

### Two threads met

- *Source:* [a/heap#3](https://github.com/a/heap/issues/3)
- *Law:* A-02
- *Not yet:* it is a race.

## Stop

### The process ended

- *Source:* [c/stop#4](https://github.com/c/stop/issues/4)
- *Law:* who ends, ends
- *Beyond:* we have no processes.
"""

LAWS = """# A. Universal laws

### A-01 Deadlines run in order

- *Source:* ours.

### A-02 One wins, or the other

- *Source:* ours.

### A-03 The end is the end

- *Source:* ours.
"""

MODEL = """// The entry only goes down.
//
// Seen in: https://github.com/a/heap/pull/1
// Caught by: RunsInOrder
"""

PATCH = """A timer is taken in two steps.

Test: tests/services/race_test.cpp tests/services/all.cpp
Seen in: https://github.com/a/heap/issues/3
Caught by: Races.HaveOneWinner

--- a/impls/x.hpp
"""

PAGE_FILE = "MUSEUM.md"
MODEL_FILE = "museum/queues/goes_down.cpp"
FILES = {
    PAGE_FILE: PAGE,
    "LAWS.md": LAWS,
    MODEL_FILE: MODEL,
    "faults/state-two_steps.patch": PATCH,
    "faults/heap-of_our_own.patch": "A fault.\n\nQueue: X\nCaught by: RunsInOrder\n",
    "conformance/queues/order.cpp": '// A-01\nconst Sentence order("RunsInOrder", [] {\n',
    "conformance/services/order.cpp": 'const Sentence x(\n    "StartsInOrder", [] {\n',
    "services/race_test.cpp": "// A-02\nTEST(Races, HaveOneWinner) {\n",
}


def write_museum(root: Path, changed: dict[str, str] | None = None) -> Path:
    """Writes a small museum. Corrects it with --write unless a fault is wanted."""
    for name, text in {**FILES, **(changed or {})}.items():
        path = root / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    museum.main(["--write"], root)
    return root / "tests" / "MUSEUM.md"


def faults(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    capsys.readouterr()
    status = museum.main(list(arguments), root)
    lines = capsys.readouterr().err.splitlines()
    assert status == (1 if lines else 0)
    return lines


def test_the_page_of_the_museum_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert faults(ROOT, capsys) == []


def test_the_museum_has_many_bugs_and_the_kits_catch_most_that_they_can() -> None:
    tests = ROOT / "tests"
    page = museum.page_of(tests)
    shown = museum.exhibits(tests)
    caught = [entry for entry in page.entries if museum.is_caught(entry, shown)]
    expressible = [entry for entry in page.entries if not entry.is_beyond()]
    assert len(page.entries) >= 50
    assert len(caught) > 0.75 * len(expressible)
    assert len({entry.group for entry in page.entries}) >= 6


def test_writes_what_catches_a_bug_and_where_it_was_seen(tmp_path: Path) -> None:
    lines = write_museum(tmp_path).read_text().splitlines()
    start = lines.index(
        "- *Law:* [A-01 Deadlines run in order](LAWS.md#a-01-deadlines-run-in-order)"
    )
    assert lines[start + 1 : start + 3] == [
        "- *Caught by:* [`RunsInOrder`](conformance/queues/order.cpp), seen on a",
        "  [model](museum/queues/goes_down.cpp)",
    ]


def test_writes_which_test_of_ours_sees_a_bug_that_the_kit_does_not(tmp_path: Path) -> None:
    lines = write_museum(tmp_path).read_text().splitlines()
    start = lines.index("- *Not yet:* it is a race.")
    assert lines[start + 1 : start + 3] == [
        "- *Ours:* [`Races.HaveOneWinner`](services/race_test.cpp), seen on a planted",
        "  [fault](faults/state-two_steps.patch)",
    ]


def test_counts_what_there_is_what_can_be_said_and_what_is_caught(tmp_path: Path) -> None:
    lines = write_museum(tmp_path).read_text().splitlines()
    counts = lines[lines.index(museum.COUNTS.begin) : lines.index(museum.COUNTS.end)]
    assert "Here are 3 bugs, told in 4 threads of 3 projects." in " ".join(counts)
    assert counts[-5:-1] == [
        "|---|---:|---:|---:|",
        "| [Order](#order) | 2 | 2 | 1 |",
        "| [Stop](#stop) | 1 | 0 | 0 |",
        "| all | 3 | 2 | 1 |",
    ]


def test_writes_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = write_museum(tmp_path)
    text = page.read_text()
    assert faults(tmp_path, capsys) == []
    assert faults(tmp_path, capsys, "--write") == []
    assert page.read_text() == text


def test_reads_models_and_patches_alike(tmp_path: Path) -> None:
    write_museum(tmp_path)
    model, patch = museum.exhibits(tmp_path / "tests")
    assert model.file == "museum/queues/goes_down.cpp"
    assert model.threads == ("https://github.com/a/heap/pull/1",)
    assert model.tests == (Holder("conformance/queues/order.cpp", "RunsInOrder"),)
    assert model.is_of_kit
    assert patch.tests == (Holder("services/race_test.cpp", "Races.HaveOneWinner"),)
    assert not patch.is_of_kit


@pytest.mark.parametrize("kit", list(museum.KITS))
def test_a_model_is_caught_by_the_kit_of_its_folder(tmp_path: Path, kit: str) -> None:
    sentences = f"conformance/{kit}/stop.cpp"
    model = f"museum/{kit}/never_ends.cpp"
    write_museum(
        tmp_path,
        {
            sentences: f'const Sentence x("EndsIn{kit}", [] {{\n',
            model: f"// Seen in: https://github.com/c/stop/issues/4\n// Caught by: EndsIn{kit}\n",
        },
    )
    (exhibit,) = [one for one in museum.exhibits(tmp_path / "tests") if one.file == model]
    assert exhibit.tests == (Holder(sentences, f"EndsIn{kit}"),)
    assert exhibit.is_of_kit


def test_a_patch_names_the_kit_that_catches_it(tmp_path: Path) -> None:
    patch = "faults/state-two_steps.patch"
    for field, kit in museum.KIT_OF_FIELD.items():
        text = PATCH.replace("Test: tests/services/race_test.cpp", f"{field}: tests/a_test.cpp")
        write_museum(tmp_path, {patch: text})
        (exhibit,) = [one for one in museum.exhibits(tmp_path / "tests") if one.file == patch]
        assert exhibit.is_of_kit == (kit is not None)


def test_a_law_is_read_with_and_without_its_link() -> None:
    for line in (
        "- *Law:* A-01, D-02",
        "- *Law:* [A-01 One](LAWS.md#a-01), [D-02 Two](LAWS.md#c-9)",
    ):
        entry = museum.Entry("X", {}, ["### X", "", line])
        assert entry.laws() == [Law("A", 1), Law("D", 2)]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ((PAGE_FILE, "- *Not yet:* it is a race.\n", ""), "Two threads met: no exhibit shows it"),
        (
            (PAGE_FILE, "- *Law:* A-01", "- *Law:* A-01\n- *Beyond:* no."),
            "The heap was none: something catches it, but the page says why nothing does",
        ),
        ((PAGE_FILE, "*Law:* A-02", "*Law:* A-09"), "Two threads met: A-09 is no law"),
        (
            (PAGE_FILE, "*Law:* A-01", "*Law:* A-03"),
            "The heap was none: the tests that catch it hold none of its laws",
        ),
        (
            (PAGE_FILE, "*Law:* A-01", "*Law:* order"),
            "The heap was none: is caught, and names no law",
        ),
        ((PAGE_FILE, "*Source:* [c/stop#4]", "*Seen:* [c/stop#4]"), "The process ended: has no"),
        ((PAGE_FILE, "[c/stop#4]", "[c/stop#5]"), "The process ended: the link c/stop#5 leads to"),
        (
            (
                PAGE_FILE,
                "[c/stop#4](https://github.com/c/stop/issues/4)",
                "[a/heap#3](https://github.com/a/heap/issues/3)",
            ),
            "The process ended: https://github.com/a/heap/issues/3 is on the page twice",
        ),
        ((MODEL_FILE, "RunsInOrder", "RunsOut"), "the kit has no sentence RunsOut"),
        ((MODEL_FILE, "Seen in", "Heard of"), "goes_down.cpp: names no thread"),
        ((MODEL_FILE, "Caught by", "Missed by"), "goes_down.cpp: names no test"),
        ((MODEL_FILE, "pull/1", "pull/7"), "pull/7 is not on the page"),
    ],
)
def test_a_fault_is_found(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: tuple[str, str, str],
    fault: str,
) -> None:
    file, old, new = change
    assert old in FILES[file]
    write_museum(tmp_path, {file: FILES[file].replace(old, new)})
    assert any(fault in line for line in faults(tmp_path, capsys, "--write"))


def test_a_line_that_was_written_by_hand_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = write_museum(tmp_path)
    page.write_text(page.read_text().replace("`RunsInOrder`", "`RunsWell`"))
    assert faults(tmp_path, capsys) == [
        "The heap was none: the line 'Caught by' is not as --write writes it"
    ]


def test_counts_that_were_changed_by_hand_are_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = write_museum(tmp_path)
    page.write_text(page.read_text().replace("Here are 3 bugs", "Here are 4 bugs"))
    assert faults(tmp_path, capsys) == ["the counts are not up to date"]
    assert faults(tmp_path, capsys, "--write") == []


def test_a_law_that_cannot_be_read_is_an_error_of_its_own_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_museum(tmp_path)
    page = tmp_path / "tests" / "LAWS.md"
    page.write_text(page.read_text().replace("### A-02", "### A2"))
    assert museum.main([], tmp_path) == 2
    assert f"museum.py: {page}: the entry 'A2" in capsys.readouterr().err


def test_a_page_without_counts_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = write_museum(tmp_path)
    page.write_text(page.read_text().replace(museum.COUNTS.end, ""))
    assert museum.main([], tmp_path) == 2
    assert "does not have one" in capsys.readouterr().err


def test_a_missing_page_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert museum.main([], tmp_path) == 2
    assert "MUSEUM.md" in capsys.readouterr().err
