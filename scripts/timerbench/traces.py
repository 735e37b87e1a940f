"""Recorded traces: reads and writes them, and checks that they are legal and their headers true.

benches/traces/FORMAT.md describes the form.
"""

from __future__ import annotations

import gzip
import pathlib
import re
import subprocess
import tempfile
import zlib
from typing import IO

from timerbench.command import ROOT, CommandError, about
from timerbench.whole_file import replace

TRACES = ROOT / "benches" / "traces"
FIRST_LINE = "# timer-trace 1"
ENDINGS = (".trace", ".trace.gz", ".trace.zst")
NAMES = "a trace is called *.trace, *.trace.gz or *.trace.zst"
NUMBER = r"(?:0|[1-9][0-9]{0,18})"
LAST = 2**63 - 1  # the largest number
SIGNED = rf"(?:{NUMBER}|-[1-9][0-9]{{0,18}})"
OPERATION = re.compile(rf"({NUMBER}) (?:([sr]) ({NUMBER}) ({SIGNED})|([cf]) ({NUMBER}))")
CUT = re.compile(rf"first ({NUMBER}) of ({NUMBER}) operations")

# Limits that no honest trace reaches.
LONGEST_LINE = 4096
MOST_LINES = 2**26
MOST_IDS = 2**32


class TraceError(CommandError):
    """What is wrong with a trace, and where."""


def name_of(file: pathlib.Path) -> str:
    """Returns the name of a trace, also for benchmarks: tiny.trace.gz is called tiny."""
    return file.name.partition(".trace")[0]


class Tally:
    """Follows the timers of a trace; knows what its header must say."""

    def __init__(self) -> None:
        self.count = dict.fromkeys("srcf", 0)
        self.pending: set[int] = set()
        self.peak = 0
        self.ids = 0
        self.time = 0

    def add(self, line: str) -> None:
        match = OPERATION.fullmatch(line)
        if not match:
            raise TraceError("not an operation")
        time = int(match[1])
        verb = match[2] or match[5]
        timer = int(match[3] or match[6])
        if timer >= MOST_IDS or time > LAST or not -LAST - 1 <= int(match[4] or 0) <= LAST:
            raise TraceError("a number is out of range")
        if time < self.time:
            raise TraceError("time goes back")
        if time != 0 and self.operations == 0:
            raise TraceError("the first operation is not at 0")
        if verb == "s":
            if timer in self.pending:
                raise TraceError(f"id {timer} is pending already")
            if timer > self.ids:
                raise TraceError(f"id {timer} leaves out {self.ids}")
            self.ids = max(self.ids, timer + 1)
            self.pending.add(timer)
            self.peak = max(self.peak, len(self.pending))
        elif timer not in self.pending:
            raise TraceError(f"id {timer} is not pending")
        elif verb != "r":
            self.pending.remove(timer)
        self.time = time
        self.count[verb] += 1

    @property
    def operations(self) -> int:
        return sum(self.count.values())

    def header(self) -> dict[str, int]:
        return {
            "ops": self.operations,
            **{f"count_{verb}": number for verb, number in self.count.items()},
            "peak_pending": self.peak,
            "pending_at_end": len(self.pending),
            "ids": self.ids,
            "duration_ns": self.time,
        }


DESCRIBED = ("name", "source", "load", "capture", "date", "clock")
KEYS = (*DESCRIBED, *Tally().header(), "dropped_unknown")


def read_lines(path: pathlib.Path) -> list[str]:
    """Returns the lines of a trace, without their ends.

    Only a regular file is read. A FIFO is refused because its writer may never come. Raises
    TraceError, or OSError.
    """
    try:
        text = _data_of(path).decode("ascii")
    except (EOFError, UnicodeDecodeError, zlib.error) as error:
        raise TraceError(str(error)) from error
    if not text:
        raise TraceError("the file is empty")
    if not text.endswith("\n"):
        raise TraceError("the last line has no end")
    lines = text[:-1].split("\n")
    if odd := re.search(r"[^\n -~]", text):
        number = text.count("\n", 0, odd.start()) + 1
        raise TraceError(f"line {number}: {odd[0]!r} is no printable ASCII")
    if len(lines) > MOST_LINES:
        raise TraceError(f"a trace has at most {MOST_LINES} lines, and this one {len(lines)}")
    if len(longest := max(lines, key=len)) > LONGEST_LINE:
        number = lines.index(longest) + 1
        raise TraceError(f"line {number}: the line is longer than {LONGEST_LINE} bytes")
    return lines


def _data_of(path: pathlib.Path) -> bytes:
    """Returns the content of the file, decompressed."""
    if path.exists() and not path.is_file():
        raise TraceError("it is not a regular file")
    if path.name.endswith(".trace.gz"):
        with gzip.open(path, "rb") as stream:
            return stream.read()
    if path.name.endswith(".trace.zst"):
        # By its input, because zstd itself does not follow links.
        with path.open("rb") as stream:
            return run_zstd("-dcq", "--long=27", stdin=stream)
    if path.name.endswith(".trace"):
        return path.read_bytes()
    raise TraceError(NAMES)


def write_lines(path: pathlib.Path, lines: list[str]) -> None:
    """Writes a trace and reads it back. The file gets its name only if the trace is right."""
    data = ("\n".join(lines) + "\n").encode("ascii")
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=path.parent) as directory:
        made = pathlib.Path(directory) / path.name
        if path.name.endswith(".trace.gz"):
            made.write_bytes(gzip.compress(data, 9, mtime=0))
        elif path.name.endswith(".trace.zst"):
            # zstd gets a file, not a pipe, so that it stores the size, and readers need no 128 MiB.
            plain = pathlib.Path(directory) / "plain"
            plain.write_bytes(data)
            run_zstd("-19", "--long=27", "-q", str(plain), "-o", str(made))
        elif path.name.endswith(".trace"):
            made.write_bytes(data)
        else:
            raise TraceError(NAMES)
        written = read_lines(made)
        check(written)
        if written != lines:
            raise TraceError("what was written reads differently")
        replace(path, made.read_bytes())


def parse(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Splits a trace into header and lines of operations, and checks the header's form."""
    if lines[0] != FIRST_LINE:
        raise TraceError(f'the first line is not "{FIRST_LINE}"')
    header = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.startswith("#"):
            break
        key, colon, value = line.removeprefix("# ").partition(": ")
        if not line.startswith("# ") or not colon or key not in (*KEYS, "cut") or key in header:
            raise TraceError(f"line {number}: not a header line, or one too many")
        header[key] = value
    missing = [key for key in KEYS if key not in header]
    if missing:
        raise TraceError(f"the header lacks {', '.join(missing)}")
    if header["clock"] != "ns":
        raise TraceError(f"the clock is {header['clock']}, not ns")
    if not re.fullmatch("[0-9]+", header["dropped_unknown"]):
        raise TraceError(f"dropped_unknown is no number: {header['dropped_unknown']!r}")
    if "cut" in header:
        cut = CUT.fullmatch(header["cut"])
        if not cut or cut[1] != header["ops"] or not int(cut[1]) < int(cut[2]) <= LAST:
            raise TraceError(
                f"cut is '{header['cut']}', but should be 'first {header['ops']} of M operations', "
                "with M above that"
            )
    return header, lines[1 + len(header) :]


def check(lines: list[str]) -> None:
    """Raises TraceError if the lines are not a legal trace whose header is true."""
    header, operations = parse(lines)
    tally = follow(operations, first_line=2 + len(header))
    if tally.operations == 0:
        raise TraceError("there are no operations")
    for key, value in tally.header().items():
        if header[key] != str(value):
            raise TraceError(f"{key} is {header[key]}, but the operations say {value}")


def check_file(path: pathlib.Path) -> None:
    """Raises CommandError, which names the file, if the file is not a legal trace."""
    with about(path):
        check(read_lines(path))


def follow(operations: list[str], first_line: int) -> Tally:
    tally = Tally()
    for number, line in enumerate(operations, first_line):
        try:
            tally.add(line)
        except TraceError as error:
            raise TraceError(f"line {number}: {error}") from None
    return tally


def run_zstd(*arguments: str, stdin: IO[bytes] | None = None) -> bytes:
    try:
        done = subprocess.run(["zstd", *arguments], stdin=stdin, capture_output=True, check=False)
    except FileNotFoundError:
        raise TraceError("zstd is missing; scripts/setup.sh installs it") from None
    if done.returncode != 0:
        raise TraceError(done.stderr.decode(errors="replace").strip() or "zstd failed")
    return done.stdout
