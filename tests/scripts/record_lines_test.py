"""Tests of scripts/record.py lines: plain lines become a trace, or are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

import record
from timerbench import traces

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "benches" / "traces" / "tiny.trace.gz"

LINES = """\
1000 set connection 6000
1200 set 0x7f10 1900
1500 set connection 8500
# what a recorder has to say
1600 cancel 0x7f10
2100 set 0x7f10 1900
2200 expire 0x7f10
"""


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return tmp_path / "mine.txt"


def convert(lines: Path, *options: str) -> int:
    return record.main(["lines", str(lines), str(lines.with_name("mine.trace")), *options])


def operations(lines: Path) -> list[str]:
    return traces.parse(traces.read_lines(lines.with_name("mine.trace")))[1]


def test_a_set_of_a_timer_that_waits_is_a_re_arm_and_times_count_from_the_first(
    lines: Path,
) -> None:
    lines.write_text(LINES)
    assert convert(lines) == 0
    assert operations(lines) == [
        "0 s 0 5000",
        "200 s 1 900",
        "500 r 0 7500",
        "600 c 1",
        "1100 s 1 900",
        "1200 f 1",
    ]


def test_the_header_says_where_the_trace_comes_from(
    lines: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines.write_text(LINES)
    said = {"source": "mine 1.0", "load": "none", "capture": "by hand", "date": "2026-11-21"}
    assert convert(lines, *(f"--{key}={value}" for key, value in said.items())) == 0
    trace = traces.read_lines(lines.with_name("mine.trace"))
    traces.check(trace)
    header = traces.parse(trace)[0]
    assert header["name"] == "mine"
    assert {key: header[key] for key in said} == said
    assert capsys.readouterr().out == (
        f"{lines.with_name('mine.trace')}: 6 operations in 0.0 s, at most 2 timers pending\n"
        "  what a recorder has to say\n"
    )


def test_a_recorded_trace_as_plain_lines_becomes_the_same_trace(lines: Path) -> None:
    whole = traces.parse(traces.read_lines(TINY))[1]
    plain = []
    for operation in whole:
        time, verb, timer, *deadline = operation.split()
        what = {"s": "set", "r": "set", "c": "cancel", "f": "expire"}[verb]
        plain.append(" ".join([time, what, timer, *deadline]))
    lines.write_text("\n".join(plain) + "\n")
    assert convert(lines) == 0
    assert [without_id(line) for line in operations(lines)] == [without_id(line) for line in whole]


def without_id(operation: str) -> list[str]:
    fields = operation.split()
    return fields[:2] + fields[3:]


def test_lines_of_several_threads_are_sorted_and_equal_times_stay_as_they_are(lines: Path) -> None:
    lines.write_text("30 cancel a\n10 set a 50\n30 set a 70\n20 set b 60\n")
    assert convert(lines) == 0
    assert operations(lines) == ["0 s 0 40", "10 s 1 50", "20 c 0", "20 s 0 60"]


def test_what_is_on_timers_of_before_is_counted_in_the_header(
    lines: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines.write_text("5 cancel old\n6 expire older\n10 set a 50\n20 cancel a\n30 cancel a\n")
    assert convert(lines) == 0
    assert operations(lines) == ["0 s 0 40", "10 c 0"]
    header = traces.parse(traces.read_lines(lines.with_name("mine.trace")))[0]
    assert header["dropped_unknown"] == "2"
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  left out: 2 on timers that were set before the recording began",
        "  left out: 1 cancels of timers that no longer waited",
    ]


def reserved(text: str) -> bytes:
    """Returns a line as a recorder inside a program writes it: all lines have one length."""
    return f"{text:63}\n".encode()


def test_what_was_not_written_when_the_program_was_killed_is_left_out(
    lines: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = reserved("20 cancel a")[:5] + bytes(58) + b"\n"
    ends = bytes(40) + reserved("20 cancel a")[40:]
    not_begun = bytes(64)
    end_only = bytes(63) + b"\n"
    whole = [reserved("10 set a 50"), reserved("25 cancel a")]
    lines.write_bytes(
        whole[0]
        + begun
        + not_begun
        + not_begun
        + ends
        + not_begun
        + whole[1]
        + end_only
        + bytes(640)
    )
    assert convert(lines) == 0
    assert operations(lines) == ["0 s 0 40", "15 c 0"]
    assert (
        "  left out: 3 lines that are not whole: the program was killed, or still runs\n"
        in capsys.readouterr().out
    )


BAD = "is not one of TIME set ID DEADLINE, TIME cancel ID or TIME expire ID"
NO_NUMBER = "is not a whole number of ns from -2^63 + 1 to 2^63 - 1"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("20 fire a", f"line 2: '20 fire a' {BAD}"),
        ("20 set a", f"line 2: '20 set a' {BAD}"),
        ("20 cancel a 50", f"line 2: '20 cancel a 50' {BAD}"),
        ("20", f"line 2: '20' {BAD}"),
        ("", f"line 2: '' {BAD}"),
        ("1.5 cancel a", f"line 2: the time '1.5' {NO_NUMBER}"),
        ("20 set b 5e3", f"line 2: the deadline '5e3' {NO_NUMBER}"),
        ("20 set b 9223372036854775808", f"line 2: the deadline '9223372036854775808' {NO_NUMBER}"),
        ("20 set b \x01", "line 2: '20 set b \\x01' holds a byte that cannot be printed"),
        (
            "20 set b -9223372036854775800",
            "line 2: the deadline -9223372036854775800 is 2^63 ns or more from the first line that "
            "sets a timer, which is at 10",
        ),
        (
            "20 cancel a\n30 expire a",
            "line 3: timer 'a' expires, but does not wait: it ended in line 2, and was not set "
            "again",
        ),
    ],
)
def test_a_bad_line_is_refused_by_its_number_with_what_would_be_right(
    lines: Path, capsys: pytest.CaptureFixture[str], line: str, reason: str
) -> None:
    lines.write_text(f"10 set a 50\n{line}\n40 cancel a\n")
    assert convert(lines) == 2
    assert capsys.readouterr().err == f"record.py: {lines}: {reason}\n"
    assert list(lines.parent.iterdir()) == [lines]


@pytest.mark.parametrize("text", ["", "# nothing\n", "10 cancel a\n"])
def test_lines_that_set_no_timer_are_no_trace(
    lines: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    lines.write_text(text)
    assert convert(lines) == 2
    assert capsys.readouterr().err == f"record.py: {lines}: there is no line that sets a timer\n"


def test_a_time_that_no_trace_can_hold_is_refused(
    lines: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines.write_text("-9223372036854775807 set a 0\n9223372036854775807 cancel a\n")
    assert convert(lines) == 2
    assert "is 2^63 ns or more" in capsys.readouterr().err


def test_a_link_to_a_compressed_trace_is_read_as_the_trace(tmp_path: Path) -> None:
    compressed, link = tmp_path / "tiny.trace.zst", tmp_path / "link.trace.zst"
    traces.write_lines(compressed, traces.read_lines(TINY))
    link.symlink_to(compressed)
    assert traces.read_lines(link) == traces.read_lines(TINY)


def test_there_are_no_such_lines(lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(lines) == 2
    assert capsys.readouterr().err == f"record.py: {lines}: No such file or directory\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["mine.zst"], "'mine.zst': a trace is called *.trace, *.trace.gz or *.trace.zst"),
        (["no/mine.trace"], "there is no folder 'no'"),
        (["Zürich.trace"], "'Zürich' is not one line of printable ASCII"),
        (["a.trace", "--load", ""], "'' is not one line of printable ASCII"),
        (["a.trace", "--name", "Zürich"], "'Zürich' is not one line of printable ASCII"),
        (["a.trace", "--load", 4_001 * "a"], "is not one line of printable ASCII, of 4,000 "),
        (["a.trace", "--date", "today"], "'today' is no day, such as 2026-11-21"),
    ],
)
def test_a_bad_argument_is_refused_before_anything_is_recorded(
    capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        record.main(["lines", "in.txt", *arguments])
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err
