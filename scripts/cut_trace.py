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
import sys
import tempfile
import zlib

from timerbench import command_line
from timerbench.traces import (
    FIRST_LINE,
    NUMBER,
    TraceError,
    check,
    follow,
    parse,
    read_lines,
    run_zstd,
)
from timerbench.whole_file import replace

CUT = re.compile(rf"first ({NUMBER}) of ({NUMBER}) operations")


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
