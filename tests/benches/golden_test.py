"""The golden files are what a second program, of its own, comes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden_replay import golden

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "benches" / "golden"
TRACES = [ROOT / "benches" / "traces" / "tiny.trace.gz", GOLDEN / "cases.trace"]
TICKS = {"1ms": 1_000_000, "1us": 1_000}


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.name)
@pytest.mark.parametrize("tick", TICKS)
def test_golden_file_is_what_a_naive_replay_shows(trace: Path, tick: str) -> None:
    name = trace.name.split(".", maxsplit=1)[0]
    assert golden(trace, TICKS[tick]) == (GOLDEN / f"{name}@{tick}.expected").read_text()


def test_golden_files_hold_every_answer() -> None:
    lines = (GOLDEN / "cases@1ms.expected").read_text().splitlines()
    answers = {(line[0], line[-1]) for line in lines if line[0] in "cr"}
    assert answers == {("c", "0"), ("c", "1"), ("r", "0"), ("r", "1")}
