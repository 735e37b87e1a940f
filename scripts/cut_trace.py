#!/usr/bin/env python3
"""Cuts a recorded trace to its first operations, with a header that is true of what is left.

A prefix is a legal trace: the state of every timer is known at any point of it. The counts, the
peak, what is pending at the end, the ids and the duration are computed anew; what says where the
trace comes from stays, and a line `# cut: first N of M operations` is added. See
benches/traces/FORMAT.md.
"""

from timerbench import command

command.begin(__name__)

import argparse
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

from timerbench import command_line
from timerbench.whole_file import replace

FIRST_LINE = "# timer-trace 1"
DESCRIPTIVE_KEYS = ("name", "source", "load", "capture", "date", "clock")
COMPUTED_KEYS = (
    "ops",
    "count_s",
    "count_r",
    "count_c",
    "count_f",
    "peak_pending",
    "pending_at_end",
    "ids",
    "duration_ns",
)
KEYS = DESCRIPTIVE_KEYS + COMPUTED_KEYS + ("dropped_unknown",)
NUMBER = r"(?:0|[1-9][0-9]*)"
OPERATION = re.compile(rf"({NUMBER}) (?:([sr]) ({NUMBER}) (-?{NUMBER})|([cf]) ({NUMBER}))")
CUT = re.compile(rf"first ({NUMBER}) of ({NUMBER}) operations")


class TraceError(Exception):
    """What is wrong with a trace, and where."""


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


def read_lines(path: pathlib.Path) -> list[str]:
    """The lines of a trace, without their ends."""
    if path.name.endswith(".trace.gz"):
        with gzip.open(path, "rb") as stream:
            data = stream.read()
    elif path.name.endswith(".trace.zst"):
        data = run_zstd("-dcq", "--long=27", "--", str(path))
    elif path.name.endswith(".trace"):
        data = path.read_bytes()
    else:
        raise TraceError("a trace is called *.trace, *.trace.gz or *.trace.zst")
    if not data:
        raise TraceError("the file is empty")
    text = data.decode("ascii")
    if not text.endswith("\n"):
        raise TraceError("the last line has no end")
    return text[:-1].split("\n")


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
    return header, lines[1 + len(header) :]


def check(lines: list[str]) -> None:
    """Raises TraceError if the lines are not a legal trace whose header is true."""
    header, operations = parse(lines)
    tally = follow(operations, first_line=2 + len(header))
    for key, value in tally.header().items():
        if header[key] != str(value):
            raise TraceError(f"{key} is {header[key]}, but the operations say {value}")


def follow(operations: list[str], first_line: int) -> Tally:
    tally = Tally()
    for number, line in enumerate(operations, first_line):
        try:
            tally.add(line)
        except TraceError as error:
            raise TraceError(f"line {number}: {error}") from None
    return tally


def cut(lines: list[str], wanted: int) -> list[str]:
    """The lines of the trace of the first `wanted` operations."""
    header, operations = parse(lines)
    if header["ops"] != str(len(operations)):
        raise TraceError(f"ops is {header['ops']}, but {len(operations)} operations follow")
    if wanted > len(operations):
        raise TraceError(f"there are only {len(operations)} operations to cut {wanted} from")
    kept = operations[:wanted]
    tally = follow(kept, first_line=2 + len(header))
    header |= {key: str(value) for key, value in tally.header().items()}
    if wanted < len(operations):
        earlier = CUT.fullmatch(header.get("cut", ""))
        whole = earlier[2] if earlier else len(operations)
        header["cut"] = f"first {wanted} of {whole} operations"
    return [FIRST_LINE, *(f"# {key}: {value}" for key, value in header.items()), *kept]


def write(path: pathlib.Path, lines: list[str]) -> None:
    """Writes a trace and reads it back; the file appears under its name only when it is right."""
    data = ("\n".join(lines) + "\n").encode("ascii")
    with tempfile.TemporaryDirectory(prefix=".cut-", dir=path.parent) as directory:
        made = pathlib.Path(directory) / path.name
        if path.name.endswith(".trace.gz"):
            made.write_bytes(gzip.compress(data, 9, mtime=0))
        elif path.name.endswith(".trace.zst"):
            # zstd gets a file, not a pipe, so that it notes the size and readers need no 128 MiB.
            plain = pathlib.Path(directory) / "plain"
            plain.write_bytes(data)
            run_zstd("-19", "--long=27", "-q", str(plain), "-o", str(made))
        elif path.name.endswith(".trace"):
            made.write_bytes(data)
        else:
            raise TraceError("a trace is called *.trace, *.trace.gz or *.trace.zst")
        written = read_lines(made)
        check(written)
        if written != lines:
            raise TraceError("what was written reads differently")
        replace(path, made.read_bytes())


def run_zstd(*arguments: str) -> bytes:
    try:
        done = subprocess.run(["zstd", *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise TraceError("zstd is missing; scripts/setup.sh installs it") from None
    if done.returncode != 0:
        raise TraceError(done.stderr.decode(errors="replace").strip() or "zstd failed")
    return done.stdout


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument(
        "operations", type=command_line.positive, help="how many operations to keep"
    )
    parser.add_argument("input", type=command_line.path, help="a .trace, .trace.gz or .trace.zst")
    parser.add_argument("output", type=command_line.path, help="the same; replaced if it is there")
    given = parser.parse_args(arguments)
    try:
        lines = cut(read_lines(given.input), given.operations)
    except (TraceError, OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        return fail(given.input, error)
    try:
        write(given.output, lines)
    except (TraceError, OSError) as error:
        return fail(given.output, error)
    return 0


def fail(path: pathlib.Path, error: Exception) -> int:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    print(f"cut_trace: {path}: {reason}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
