"""The examples in other languages show what the golden files say, where the language is installed.

Each is also seen to fail: a copy of it with a mistake in its queue shows something else.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "benches" / "traces" / "examples"
GOLDEN = ROOT / "tests" / "benches" / "golden"
TRACES = {
    "tiny": gzip.decompress((ROOT / "benches" / "traces" / "tiny.trace.gz").read_bytes()),
    "cases": (GOLDEN / "cases.trace").read_bytes(),
}
TICKS = {"1ms": "1000000", "1us": "1000"}


@dataclass(frozen=True)
class Example:
    """How to build and run a source in its folder, and mistakes in its queue: what is replaced."""

    source: str
    build: list[str]
    run: list[str]
    mistakes: dict[str, tuple[str, str]]


LANGUAGES = {
    "python": Example(
        "replay.py",
        [],
        [sys.executable, "replay.py"],
        {
            "equal deadlines go last in, first out": ("self.turns + 1", "self.turns - 1"),
            "a cancel is forgotten": ("timer.turn != 0, 0", "timer.turn != 0, timer.turn"),
        },
    ),
    "rust": Example(
        "replay.rs",
        ["rustc", "-Dwarnings", "replay.rs"],
        ["./replay"],
        {
            "equal deadlines go last in, first out": (
                "self.turns += 1;",
                "self.turns = self.turns.wrapping_sub(1);",
            ),
            "a cancel is forgotten": ('"c" => queue.timers[timers[&id]].turn = 0', '"c" => {}'),
        },
    ),
    "go": Example(
        "replay.go",
        ["go", "build", "replay.go"],
        ["./replay"],
        {
            "equal deadlines go last in, first out": ("q.turns++", "q.turns--"),
            "a cancel is forgotten": (
                'if verb == "c" {\n\t\t\t\ttimers[id].turn = 0',
                'if verb == "c" {',
            ),
        },
    ),
    "java": Example(
        "Replay.java",
        ["javac", "-Xlint:all", "-Werror", "Replay.java"],
        ["java", "-cp", ".", "Replay"],
        {
            "equal deadlines go last in, first out": ("++turns", "--turns"),
            "a cancel is forgotten": ("pending.remove(timer)", "pending.contains(timer)"),
        },
    ),
}


def build(example: Example, folder: Path, text: str) -> None:
    (folder / example.source).write_text(text)
    if example.build:
        if not shutil.which(example.build[0]):
            pytest.skip(f"{example.build[0]} is not installed")
        subprocess.run(example.build, cwd=folder, check=True)


def shown(example: Example, folder: Path, trace: str, tick: str) -> list[str]:
    done = subprocess.run(
        [*example.run, TICKS[tick]],
        cwd=folder,
        input=TRACES[trace],
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout.decode().splitlines()


def expected(trace: str, tick: str) -> list[str]:
    lines = (GOLDEN / f"{trace}@{tick}.expected").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_shows_what_the_golden_files_say(language: str, tmp_path: Path) -> None:
    example = LANGUAGES[language]
    build(example, tmp_path, (EXAMPLES / example.source).read_text())
    for trace in TRACES:
        for tick in TICKS:
            assert shown(example, tmp_path, trace, tick) == expected(trace, tick)


@pytest.mark.parametrize(
    ("language", "mistake"),
    [
        (language, mistake)
        for language, example in LANGUAGES.items()
        for mistake in example.mistakes
    ],
)
def test_shows_something_else_with_a_mistake(language: str, mistake: str, tmp_path: Path) -> None:
    example = LANGUAGES[language]
    right, wrong = example.mistakes[mistake]
    text = (EXAMPLES / example.source).read_text()
    assert right in text
    build(example, tmp_path, text.replace(right, wrong))
    assert shown(example, tmp_path, "tiny", "1ms") != expected("tiny", "1ms")


def test_every_example_is_run() -> None:
    sources = {example.source for example in LANGUAGES.values()}
    assert sources == {path.name for path in EXAMPLES.iterdir()} - {"README.md"}
