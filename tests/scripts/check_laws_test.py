"""Tests of tests/originals: its questions are about the laws, and check_laws.py finds mistakes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "tests" / "originals"
CHECK = HOME / "check_laws.py"
TITLE = re.compile(r"^(?:### )?(B-[KNQST]-\d\d) (.+)$", re.M)
ROW = re.compile(r"^\| (B-[KNQST]-\d\d) \|", re.M)

# Answers each question with its last word.
PROGRAM = "import sys\nfor line in sys.stdin: print(line.split()[-1], flush=True)"


def titles(text: str) -> dict[str, str]:
    return dict(TITLE.findall(text))


def section(name: str) -> set[str]:
    """Returns the laws in a table of the README."""
    page = (HOME / "README.md").read_text()
    return {*ROW.findall(page.split(f"\n## {name}\n")[1].split("\n## ")[0])}


def asked() -> dict[str, str]:
    """Returns the questions of each law, with all that belongs to them."""
    parts = [
        part
        for file in sorted((HOME / "laws").glob("*.txt"))
        for part in re.split(r"^(?=B-)", file.read_text(), flags=re.M)
        if part
    ]
    return {part.split(" ", 1)[0]: part for part in parts}


def check(who: str, file: Path, *program: str) -> tuple[int, str]:
    command = [sys.executable, str(CHECK), *who.split(), str(file), "--", *program]
    ended = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return ended.returncode, ended.stdout


def answered(who: str, tmp_path: Path, text: str, program: str = PROGRAM) -> tuple[int, str]:
    file = tmp_path / "laws.txt"
    file.write_text(text)
    return check(who, file, sys.executable, "-c", program)


def test_each_law_of_an_original_is_asked_or_the_page_says_why_not() -> None:
    laws = titles((ROOT / "tests" / "LAWS.md").read_text())
    assert len(laws) > 100
    assert {*asked()} | section("What is not asked") == {*laws}
    assert {*asked()} & section("What is not asked") == set()


def test_a_law_that_is_asked_has_the_title_that_it_has_on_its_page() -> None:
    laws = titles((ROOT / "tests" / "LAWS.md").read_text())
    for file in (HOME / "laws").glob("*.txt"):
        for law, title in titles(file.read_text()).items():
            assert (law, title) == (law, laws[law])


def test_the_page_names_the_laws_in_which_ours_differ() -> None:
    differ = {law for law, text in asked().items() if "\n    ours" in text}
    assert section("What ours do otherwise") == differ


def test_answers_are_compared_law_by_law(tmp_path: Path) -> None:
    text = "B-K-01 One\n  say a -> a\n\nB-K-02 Two\n  say b -> b\n  say c -> other\n"
    code, said = answered("originals", tmp_path, text)
    assert code == 1
    assert "B-K-02: 'say c' should be answered by 'other', and is by 'c'" in said
    assert said.endswith("1 passed, 1 failed\n")
    assert answered("originals", tmp_path, text.replace("other", "c")) == (
        0,
        "2 passed, 0 failed\n",
    )


def test_ours_has_an_answer_of_its_own_only_where_a_difference_is_listed(tmp_path: Path) -> None:
    text = "B-K-01 One\n  say a -> b\n    ours -> a\n    because it is\n      better\n"
    assert answered("ours", tmp_path, text)[0] == 0
    assert answered("originals", tmp_path, text)[0] == 1
    assert answered("ours", tmp_path, text.replace("ours -> a", "ours -> c"))[0] == 1
    code, said = answered("ours", tmp_path, text.replace("-> b", "-> a"))
    assert (code, "and there is none" in said) == (1, True)
    code, said = answered("ours", tmp_path, text.split("    because", maxsplit=1)[0])
    assert (code, "and no reason" in said) == (1, True)


def test_a_program_that_ends_early_fails_by_its_first_question_without_an_answer(
    tmp_path: Path,
) -> None:
    text = "B-K-01 One\n  say a -> a\n  say b -> b\n\nB-K-02 Two\n  say c -> c\n"
    code, said = answered("ours", tmp_path, text, "print('a'); raise SystemExit(3)")
    assert code == 1
    assert "ended with status 3" in said
    assert "'say b' has no answer" in said
    assert said.endswith("0 passed, 2 failed\n")


def test_what_is_no_question_is_refused(tmp_path: Path) -> None:
    code, said = answered("ours", tmp_path, "  say a -> a\n")
    assert (code, "this is not understood" in said) == (1, True)
    assert check("nobody", tmp_path / "laws.txt", "true")[0] == 2


def test_answers_of_originals_are_put_in_and_differences_stay(tmp_path: Path) -> None:
    text = "B-K-01 One\n  say a\n  say b -> old\n    ours -> c\n    because of this\n"
    assert answered("originals --write", tmp_path, text) == (0, "1 passed, 0 failed\n")
    lines = (tmp_path / "laws.txt").read_text().splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        *("B-K-01 One", "say a -> a", "say b -> b", "ours -> c", "because of this")
    ]
