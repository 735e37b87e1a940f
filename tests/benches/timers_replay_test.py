"""Tests of the command timers_replay: the one in build/release, or what TIMERS_REPLAY names."""

from __future__ import annotations

import os
import stat
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


@pytest.mark.parametrize("there", ["what was there before", None], ids=["replaced", "made"])
def test_a_symlink_stays_and_the_file_behind_it_is_written(
    tmp_path: Path, there: str | None
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "first").symlink_to("folder/second")
    (folder / "second").symlink_to("out.expected")
    if there:
        (folder / "out.expected").write_text(there)
    done = replay("--expect", TINY, "--output", tmp_path / "first")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "first").readlink() == Path("folder/second")
    assert (folder / "second").readlink() == Path("out.expected")
    assert not (folder / "out.expected").is_symlink()
    assert (folder / "out.expected").read_text() == (GOLDEN / "tiny@1ms.expected").read_text()
    assert {path.name for path in folder.iterdir()} == {"second", "out.expected"}


def test_writes_into_a_fifo(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    # Open for reading before anybody writes, so that neither side waits for the other.
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        done = replay("--expect", TINY, "--output", fifo)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert os.read(reading, 1 << 16).decode() == (GOLDEN / "tiny@1ms.expected").read_text()
    finally:
        os.close(reading)
    assert fifo.is_fifo()
    assert list(tmp_path.iterdir()) == [fifo]


def full_device(folder: Path) -> Path:
    """A device as /dev/full is, which nobody misses if it is replaced after all.

    Where none can be made it is a link to the machine's own, which may not be replaced there.
    """
    node = folder / "full"
    try:
        os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        node.open("w").close()
    except PermissionError:
        node.unlink(missing_ok=True)
        node.symlink_to("/dev/full")
    return node


def test_a_device_that_is_full_is_an_error_and_stays(tmp_path: Path) -> None:
    full = full_device(tmp_path)
    done = replay("--expect", TINY, "--output", full)
    assert done.returncode == 2
    assert done.stderr == f"timers_replay: {full}: No space left on device\n"
    assert full.is_char_device()
    assert list(tmp_path.iterdir()) == [full]


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


def test_says_that_a_directory_is_no_file(tmp_path: Path) -> None:
    done = replay("--expect", TINY, "--output", tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"timers_replay: {tmp_path}: Is a directory\n"
    assert list(tmp_path.iterdir()) == []


def test_says_that_links_lead_in_a_circle(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to("circle")
    done = replay("--expect", TINY, "--output", circle)
    assert done.returncode == 2
    assert done.stderr == f"timers_replay: {circle}: Too many levels of symbolic links\n"


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
