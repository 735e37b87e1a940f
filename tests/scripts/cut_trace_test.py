"""Tests of scripts/cut_trace.py."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import cut_trace
from timerbench import traces

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "benches" / "traces"
CASES = (ROOT / "tests" / "benches" / "golden" / "cases.trace").read_text()


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.trace"
    path.write_text(CASES)
    return path


def cut(*arguments: object) -> int:
    return cut_trace.main([str(argument) for argument in arguments])


def test_keeps_the_first_operations_under_a_header_that_is_true_of_them(cases: Path) -> None:
    out = cases.with_name("cut.trace")
    assert cut(8, cases, out) == 0
    lines = out.read_text().splitlines()
    assert lines[1:5] == CASES.splitlines()[1:5]
    assert lines[7:18] == [
        "# ops: 8",
        "# count_s: 5",
        "# count_r: 2",
        "# count_c: 0",
        "# count_f: 1",
        "# peak_pending: 5",
        "# pending_at_end: 4",
        "# ids: 5",
        "# duration_ns: 3000000",
        "# dropped_unknown: 0",
        "# cut: first 8 of 20 operations",
    ]
    assert lines[18:] == CASES.splitlines()[17:25]


def test_leaves_a_whole_trace_as_it_is(cases: Path) -> None:
    out = cases.with_name("cut.trace")
    assert cut(20, cases, out) == 0
    assert out.read_text() == CASES


def test_remembers_how_long_the_trace_was_before_the_first_cut(cases: Path) -> None:
    assert cut(8, cases, cases) == 0
    assert cut(3, cases, cases) == 0
    assert "# cut: first 3 of 20 operations\n" in cases.read_text()


@pytest.mark.parametrize("name", ["cut.trace", "cut.trace.gz", "cut.trace.zst"])
def test_writes_the_same_bytes_every_time_in_every_form(cases: Path, name: str) -> None:
    out = cases.with_name(name)
    assert cut(8, cases, out) == 0
    first = out.read_bytes()
    assert cut(8, cases, out) == 0
    assert out.read_bytes() == first
    again = cases.with_name("again.trace")
    assert cut(8, out, again) == 0
    assert cut(8, cases, cases) == 0
    assert again.read_text() == cases.read_text()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("0 s 1 5000000", "0 s 0 5000000", "line 19: id 0 is pending already"),
        ("0 s 1 5000000", "0 s 2 5000000", "line 19: id 2 leaves out 1"),
        ("0 s 1 5000000", "0 c 1", "line 19: id 1 is not pending"),
        ("999999 r 0 5000000", "999999 r 0", "line 22: not an operation"),
        ("999999 r 0", "0999999 r 0", "line 22: not an operation"),
        ("3000000 s 2", "2000000 s 2", "line 26: time goes back"),
        ("0 s 0 5000000", "1 s 0 5000000", "line 18: the first operation is not at 0"),
        ("# load:", "# toll:", "line 4: not a header line, or one too many"),
        ("# load:", "# name:", "line 4: not a header line, or one too many"),
        ("# source: made by hand\n", "", "the header lacks source"),
        ("# ops: 20", "# ops: 21", "ops is 21, but 20 operations follow"),
        ("# clock: ns", "# clock: us", "the clock is us, not ns"),
        ("# dropped_unknown: 0", "# dropped_unknown: -1", "dropped_unknown is no number: '-1'"),
        ("0 s 1 5000000", "0 s 1 9223372036854775808", "line 19: a number is out of range"),
        ("0 s 1 5000000", "0 s 1 -9223372036854775809", "line 19: a number is out of range"),
        ("0 s 1 5000000", "0 s 4294967296 5", "line 19: a number is out of range"),
        ("0 s 1 5000000", "0 s 1 -0", "line 19: not an operation"),
        ("0 s 1", "0\ts 1", "line 19: '\\t' is no printable ASCII"),
        ("# load:", f"# load: {'x' * 4096}", "line 4: the line is longer than 4096 bytes"),
        ("# timer-trace 1", "# timer-trace 2", 'the first line is not "# timer-trace 1"'),
        ("12500000 c 3\n", "12500000 c 3", "the last line has no end"),
        (CASES, "", "the file is empty"),
    ],
)
def test_says_what_is_wrong_and_writes_nothing(
    cases: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, reason: str
) -> None:
    assert old in CASES
    cases.write_text(CASES.replace(old, new, 1))
    assert cut(10, cases, cases.with_name("cut.trace")) == 2
    assert capsys.readouterr().err == f"cut_trace: {cases}: {reason}\n"
    assert list(cases.parent.iterdir()) == [cases]


@pytest.mark.parametrize(
    "cut_of",
    [
        "some",
        "first 20 operations",
        "first 19 of 30 operations",
        "first 20 of 20 operations",
        "first 20 of 030 operations",
    ],
)
def test_a_trace_says_truly_what_it_is_the_beginning_of(
    cases: Path, capsys: pytest.CaptureFixture[str], cut_of: str
) -> None:
    right = CASES.replace("# ops: 20", "# ops: 20\n# cut: first 20 of 30 operations", 1)
    cases.write_text(right)
    assert cut(20, cases, cases.with_name("cut.trace")) == 0
    cases.write_text(right.replace("first 20 of 30 operations", cut_of))
    assert cut(10, cases, cases) == 2
    assert f"cut is '{cut_of}', but should be 'first 20 of M operations'" in capsys.readouterr().err


def test_takes_the_earliest_deadline(cases: Path) -> None:
    cases.write_text(CASES.replace("0 s 1 5000000", "0 s 1 -9223372036854775808", 1))
    assert cut(10, cases, cases) == 0


def test_refuses_to_cut_more_than_there_is(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cut(21, cases, cases.with_name("cut.trace")) == 2
    assert "there are only 20 operations to cut 21 from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("short.trace.gz", gzip.compress(CASES.encode())[:-9]),
        ("plain.trace.gz", CASES.encode()),
        ("plain.trace.zst", CASES.encode()),
        ("notes.txt", CASES.encode()),
        ("latin.trace", "Zürich\n".encode("latin-1")),
    ],
)
def test_refuses_files_that_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, data: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert cut(5, path, tmp_path / "cut.trace") == 2
    assert capsys.readouterr().err.startswith(f"cut_trace: {path}: ")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["fifo.trace", "fifo.trace.gz", "fifo.trace.zst"])
def test_refuses_to_read_a_fifo(
    make_fifo: Callable[[Path], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    trace = tmp_path / name
    make_fifo(trace)
    assert cut(5, trace, tmp_path / "cut.trace") == 2
    assert capsys.readouterr().err == f"cut_trace: {trace}: it is not a regular file\n"
    assert list(tmp_path.iterdir()) == [trace]


def test_says_that_there_is_no_such_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none.trace"
    assert cut(5, path, tmp_path / "cut.trace") == 2
    assert capsys.readouterr().err == f"cut_trace: {path}: No such file or directory\n"


def test_leaves_the_old_file_when_it_cannot_write_a_new_one(
    cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cases.with_name("cut.trace")
    out.write_text("what was there before")
    monkeypatch.setattr(traces, "check", _fail)
    assert cut(5, cases, out) == 2
    assert out.read_text() == "what was there before"
    assert sorted(cases.parent.iterdir()) == [cases, out]


def _fail(_: list[str]) -> None:
    raise traces.TraceError("it is not right")


def test_says_who_brings_zstd_where_it_is_missing(
    cases: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(cases.parent))
    out = cases.with_name("cut.trace.zst")
    assert cut(5, cases, out) == 2
    message = f"cut_trace: {out}: zstd is missing; scripts/setup.sh installs it\n"
    assert capfd.readouterr().err == message
    assert sorted(cases.parent.iterdir()) == [cases]


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_takes_only_a_number_of_operations_above_zero(cases: Path, number: str) -> None:
    with pytest.raises(SystemExit) as ended:
        cut(number, cases, cases.with_name("cut.trace"))
    assert ended.value.code == 2


def test_the_recorded_traces_are_small() -> None:
    """The test of describe_traces.py reads them all, and finds whether they are legal."""
    assert 0 < sum(trace.stat().st_size for trace in TRACES.glob("*.trace*")) <= 8_000_000
