#!/usr/bin/env python3
"""Cuts a recorded trace to its first operations, with a header that is true of what is left.

A prefix is a legal trace: the state of every timer is known at any point of it. The command
computes the counts, the peak, the timers pending at the end, the ids and the duration anew. It
keeps the origin of the trace, and adds a line `# cut: first N of M operations`. See
benches/traces/FORMAT.md.
"""

from timerbench import command

command.begin(__name__)

import sys

from timerbench import command_line
from timerbench.traces import (
    CUT,
    FIRST_LINE,
    TraceError,
    follow,
    parse,
    read_lines,
    write_lines,
)


def cut(lines: list[str], wanted: int) -> list[str]:
    """Returns the lines of a trace that has only the first `wanted` operations."""
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


@command.ends_in_words(name="cut_trace")
def main(arguments: list[str] | None = None) -> None:
    parser = command_line.Parser(__doc__.split("\n", 1)[0])
    parser.add_argument(
        "operations", type=command_line.positive, help="how many operations to keep"
    )
    parser.add_argument("input", type=command_line.path, help="a .trace, .trace.gz or .trace.zst")
    parser.add_argument("output", type=command_line.path, help="the same; replaced if it is there")
    given = parser.parse_args(arguments)
    with command.about(given.input):
        lines = cut(read_lines(given.input), given.operations)
    with command.about(given.output):
        write_lines(given.output, lines)


if __name__ == "__main__":
    sys.exit(main())
