"""Tests of scripts/describe_traces.py, and of the tables of our recordings."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import describe_traces
from describe_traces import MS, TABLES, US, Description, describe
from timerbench.traces import Tally, TraceError

ROOT = Path(__file__).resolve().parents[2]
PAGE = f"# Traces\n\n{TABLES.begin}\n{TABLES.end}\n\nThe rest.\n"


def trace_of(*operations: str) -> list[str]:
    """Makes a legal trace of these operations. Times and deadlines are in ms."""
    lines = []
    tally = Tally()
    for operation in operations:
        time, verb, identity, *deadline = operation.split()
        times = [str(int(float(text) * MS)) for text in (time, *deadline)]
        lines.append(" ".join([times[0], verb, identity, *times[1:]]))
        tally.add(lines[-1])
    header = {
        **dict.fromkeys(("name", "source", "load", "capture", "date"), "made by hand"),
        "clock": "ns",
        **tally.header(),
        "dropped_unknown": 0,
    }
    return ["# timer-trace 1", *(f"# {key}: {value}" for key, value in header.items()), *lines]


def description(*operations: str) -> Description:
    return describe(trace_of(*operations))


def write(path: Path, *operations: str) -> Path:
    path.write_text("\n".join(trace_of(*operations)) + "\n")
    return path


def check(folder: Path, *arguments: str) -> int:
    return describe_traces.main(list(arguments), folder)


def test_the_tables_of_our_recordings_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert describe_traces.main([]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("operations", "uses"),
    [
        (["0 s 0 5", "5 f 0", "5 s 0 10"], {"periodic": 1}),
        (["0 s 0 5", "7 f 0", "7 s 0 10", "9 c 0"], {"periodic": 1, "timeout": 1}),
        (["0 s 0 5", "5 f 0", "5 s 0 11.1"], {"delay": 1}),
        (["0 s 0 5", "0 s 1 50", "5 f 0", "5 c 1", "5 s 0 10"], {"delay": 1, "timeout": 1}),
        (["0 s 0 5", "5 f 0"], {"delay": 1}),
        (["0 s 0 5", "0 s 1 5", "5 f 0", "5 f 1"], {"delay": 2}),
        (["0 s 0 5", "4 c 0"], {"timeout": 1}),
        (["0 s 0 5", "4 r 0 9", "8 r 0 13"], {"watchdog": 1}),
        (["0 s 0 5", "4 r 0 9", "8 c 0"], {"watchdog": 1}),
        (["0 s 0 5", "4 r 0 9", "9 f 0"], {"deferred": 1}),
        (["0 s 0 5", "1 r 0 3", "3 f 0"], {"delay": 1}),
        (["0 s 0 5", "1 r 0 5", "2 c 0"], {"timeout": 1}),
        (["0 s 0 5"], {}),
    ],
)
def test_tells_the_use_of_a_timer(operations: list[str], uses: dict[str, int]) -> None:
    assert +description(*operations).uses == uses


def test_counts_timers_and_how_they_end() -> None:
    described = description(
        "0 s 0 5", "0 s 1 5", "1 r 0 6", "2 r 0 7", "3 c 0", "5 f 1", "6 s 0 20", "7 s 1 20"
    )
    assert (described.timers, described.most_pending) == (4, 2)
    assert (described.put_off, described.cancelled, described.expired) == (1, 1, 1)
    assert described.share(described.cancelled) == "25.0"


def test_counts_delays_as_a_queue_sees_them() -> None:
    """Deadlines are rounded up, and times down. A deadline that has passed is due next."""
    described = description(
        "0 s 0 5", "0.2 s 1 5.2", "0.9 s 2 5.9", "1 s 3 6", "2 s 4 1", "3 s 5 -1", "4 s 6 4.0005"
    )
    assert described.delays[MS] == {5: 2, 6: 2, 1: 3}
    assert described.delays[US] == {5_000: 4, 1: 3}


@pytest.mark.parametrize(("others", "few"), [(0, 1), (1, 1), (2, 2), (11, 10)])
def test_counts_how_few_delays_nine_timers_in_ten_have(others: int, few: int) -> None:
    same = [f"0 s {index} 5" for index in range(9)]
    different = [f"0 s {9 + index} {6 + index}" for index in range(others)]
    assert description(*same, *different).delays_of_most(MS) == few


def test_writes_the_tables_and_then_finds_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "b.trace", "0 s 0 5", "5 f 0")
    (tmp_path / "a.trace.gz").write_bytes(
        gzip.compress(("\n".join(trace_of("0 s 0 5", "1 c 0")) + "\n").encode())
    )
    page = tmp_path / "README.md"
    page.write_text(PAGE)
    assert check(tmp_path) == 1
    assert capsys.readouterr().err == (
        f"describe_traces.py: {page}: the tables are not up to date\n"
    )
    assert page.read_text() == PAGE
    assert check(tmp_path, "--write") == 0
    assert check(tmp_path) == 0
    lines = page.read_text().splitlines()
    rows = [line for line in lines if line.startswith("| `")]
    assert rows == [
        "| `a` | 1 | 1 | 1 | 1 | 1 | 1 | 0.0 | 100.0 | 0.0 |",
        "| `b` | 1 | 1 | 1 | 1 | 1 | 1 | 0.0 | 0.0 | 100.0 |",
        "| `a` | 0.0 | 0.0 | 0.0 | 100.0 | 0.0 | 0.0 |",
        "| `b` | 0.0 | 0.0 | 100.0 | 0.0 | 0.0 | 0.0 |",
    ]
    assert (lines[0], lines[-1]) == ("# Traces", "The rest.")


def test_prints_the_tables_of_traces_that_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "mine.trace", "0 s 0 5", "5 f 0")
    assert check(tmp_path / "nowhere", str(path)) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("| trace | timers |")
    assert printed[2] == "| `mine` | 1 | 1 | 1 | 1 | 1 | 1 | 0.0 | 0.0 | 100.0 |"
    assert printed[-1].startswith("| `mine` | 0.0 |")


def test_does_not_write_the_tables_of_some_traces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        check(tmp_path, "--write", "some.trace")
    assert ended.value.code == 2
    assert "--write puts in the tables of all traces" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("bad.trace", "0 s 0 5\n", 'the first line is not "# timer-trace 1"'),
        ("bad.trace", "", "the file is empty"),
        ("bad.trace.gz", "no gzip", "Not a gzipped file (b'no')"),
        ("bad.txt", "", "a trace is called *.trace, *.trace.gz or *.trace.zst"),
    ],
)
def test_names_a_trace_that_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, reason: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert check(tmp_path, str(path)) == 2
    assert capsys.readouterr().err == f"describe_traces.py: {path}: {reason}\n"


def test_refuses_to_read_a_fifo(
    make_fifo: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "fifo.trace"
    make_fifo(trace)
    assert check(tmp_path) == 2
    assert capsys.readouterr().err == f"describe_traces.py: {trace}: it is not a regular file\n"


def test_names_an_operation_that_is_not_legal() -> None:
    lines = trace_of("0 s 0 5", "1 c 0")
    lines[-1] = f"{MS} c 1"
    with pytest.raises(TraceError, match="id 1 is not pending"):
        describe(lines)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (None, "No such file or directory"),
        ("# Traces\n", f"does not have one '{TABLES.begin}' and one '{TABLES.end}'"),
        (PAGE + TABLES.begin, f"does not have one '{TABLES.begin}' and one '{TABLES.end}'"),
        (f"{TABLES.end}\n{TABLES.begin}\n", f"has '{TABLES.end}' before '{TABLES.begin}'"),
    ],
)
@pytest.mark.parametrize("arguments", [[], ["--write"]])
def test_names_a_page_without_a_place_for_the_tables(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    page: str | None,
    reason: str,
    arguments: list[str],
) -> None:
    write(tmp_path / "a.trace", "0 s 0 5")
    path = tmp_path / "README.md"
    if page is not None:
        path.write_text(page)
    assert check(tmp_path, *arguments) == 2
    assert capsys.readouterr().err == f"describe_traces.py: {path}: {reason}\n"
    assert path.exists() == (page is not None)
