"""Tests of the command timers_replay: the one in build/release, or what TIMERS_REPLAY names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "benches" / "golden"
TINY = ROOT / "benches" / "traces" / "tiny.trace.gz"
COMMAND = Path(os.environ.get("TIMERS_REPLAY", ROOT / "build" / "release" / "timers_replay"))

pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason=f"{COMMAND} is not built")


def replay(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("tick", ["1ms", "1us"])
def test_writes_the_golden_text(tick: str) -> None:
    done = replay("--expect", TINY, "--tick", tick)
    golden = (GOLDEN / f"tiny@{tick}.expected").read_text()
    assert (done.returncode, done.stdout, done.stderr) == (0, golden, "")


def test_counts_in_milliseconds_unless_told_otherwise() -> None:
    done = replay("--expect", GOLDEN / "cases.trace")
    assert done.stdout == (GOLDEN / "cases@1ms.expected").read_text()


@pytest.mark.parametrize("queue", ["ordered_map", "min_heap", "priority_queue"])
def test_shows_the_same_digest_with_any_queue(queue: str) -> None:
    golden = (GOLDEN / "tiny@1ms.expected").read_text()
    digest = next(line for line in golden.splitlines() if line.startswith("# digest: "))
    assert digest in replay("--expect", TINY, "--queue", queue).stdout.splitlines()


def test_writes_a_file_whole(tmp_path: Path) -> None:
    output = tmp_path / "out.expected"
    output.write_text("what was there before")
    done = replay("--expect", TINY, "--output", output)
    assert (done.returncode, done.stdout) == (0, "")
    assert output.read_text() == (GOLDEN / "tiny@1ms.expected").read_text()
    assert list(tmp_path.iterdir()) == [output]


def test_writes_nothing_for_a_malformed_trace(tmp_path: Path) -> None:
    bad = tmp_path / "bad.trace"
    good = (GOLDEN / "cases.trace").read_text()
    bad.write_text(good.replace("7500000 f 0", "7500000 f 2000"))
    output = tmp_path / "out.expected"
    for done in (replay("--expect", bad), replay("--expect", bad, "--output", output)):
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"timers_replay: {bad}:31: id 2000 is not pending\n"
    assert list(tmp_path.iterdir()) == [bad]


def test_says_which_trace_it_cannot_read() -> None:
    done = replay("--expect", "none.trace")
    assert done.returncode == 2
    assert done.stderr == "timers_replay: none.trace: No such file or directory\n"


def test_says_what_it_cannot_write(tmp_path: Path) -> None:
    output = tmp_path / "none" / "out.expected"
    done = replay("--expect", TINY, "--output", output)
    assert done.returncode == 2
    assert done.stderr == f"timers_replay: {output}: No such file or directory\n"


def test_notices_that_the_standard_output_is_full() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [COMMAND, "--expect", TINY], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "timers_replay: standard output: No space left on device\n"


@pytest.mark.parametrize(
    "arguments",
    [[], ["--expect", str(TINY), "--queue", "abacus"], ["--expect", str(TINY), "--tick", "1h"]],
)
def test_refuses_what_it_does_not_know(arguments: list[str]) -> None:
    done = replay(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
