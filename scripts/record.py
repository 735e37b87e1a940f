#!/usr/bin/env python3
"""Records what a program does with its timers, as a trace that every queue can replay.

    record.py preload out.trace.zst -- unbound -d -c my.conf    libevent, libev, libuv
    record.py asyncio out.trace.zst -- python3 server.py        Python's asyncio
    record.py netty out.trace.zst -- java -jar server.jar       Netty's
    record.py node out.trace.zst -- node server.js              JavaScript's, in Node
    record.py kernel out.trace.zst --timers wheel --seconds 20  Linux's own, as root
    record.py lines mine.txt out.trace.zst                      from lines of a recorder of yours

A recorder writes plain lines while the program runs. Then this command makes a trace of the lines.
End the program as you always do, or by Ctrl-C: what it did until then is recorded. Say by --source
and --load where the trace comes from. If no trace can be made, the lines are kept. "Record yours"
in benches/traces/README.md shows a whole session.

Recording costs the program this processor time for each operation on a timer:

    preload 0.08 us    asyncio 1.9 us    netty 0.7 us    node 1.3 us    kernel 0.08 us

`record.py preload --help` says how that was measured, and what this recorder sees and does not see.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import datetime
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Protocol

from timerbench import command_line, traces
from timerbench.recorders import asyncio_loops, kernel, netty, node, plain_lines, preload, program


class Recorder(Protocol):
    """A module that records. Its docstring says what it sees and what it costs.

    Inside a program it writes plain lines to a folder: for each process PID.lines, or
    PID-KIND.lines; for another program that this process goes on with, PID-2.lines and so on.
    """

    __doc__: str | None
    CAPTURE: str  # how the operations are observed, for the header

    def environment(self) -> dict[str, str]:
        """Returns the variables that make a program load the recorder."""


LONGEST = 4_000  # characters of a fact in the header: with its key it fits into a line of a trace

INSIDE: dict[str, Recorder] = {
    "preload": preload,
    "asyncio": asyncio_loops,
    "netty": netty,
    "node": node,
}


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    try:
        if options.recorder == "lines":
            convert(options.input, options.output, options)
        else:
            record(options)
    except OSError as error:
        told = filter(None, [error.filename, error.strerror or str(error)])
        raise command.CommandError(": ".join(told)) from error


def record(options: argparse.Namespace) -> None:
    """Makes a trace for each process that set a timer, and for each kind of timers."""
    folder = Path(tempfile.mkdtemp(prefix=".record-", dir=options.output.parent))
    folder.chmod(0o1777)  # a server may change its user, and fork
    is_kept = False
    try:
        if options.recorder == "kernel":
            kernel.record(options, folder)
        else:
            program.run(options, folder.resolve(), INSIDE[options.recorder].environment())
        # Bytes of 0 were reserved for lines, and never written.
        files = [file for file in sorted(folder.glob("*.lines")) if plain_lines.is_begun(file)]
        if not files:
            raise command.CommandError("no timer was set that this recorder sees")
        is_kept = True
        failed = 0
        for file in files:
            output = (
                options.output if len(files) == 1 else _one_of_several(options.output, file.stem)
            )
            try:
                convert(file, output, options)
            except command.CommandError as error:  # the other processes have traces all the same
                print(f"record.py: no trace of {file.stem}: {error}", file=sys.stderr)
                failed += 1
        if failed == len(files):
            raise command.CommandError("there is no process of which a trace can be made")
        is_kept = failed > 0
    finally:
        if is_kept:
            print(
                f"record.py: the plain lines stay in {folder}; `record.py lines` makes a trace of "
                "them",
                file=sys.stderr,
            )
        else:
            shutil.rmtree(folder)


def _one_of_several(output: Path, name: str) -> Path:
    stem, dot, endings = output.name.partition(".trace")
    return output.with_name(f"{stem}-{name}{dot}{endings}")


def convert(lines: Path, output: Path, options: argparse.Namespace) -> None:
    origin = {
        "name": options.name or traces.name_of(output),
        "source": options.source,
        "load": options.load,
        "capture": options.capture,
        "date": str(options.date),
    }
    with command.about(lines):
        recording = plain_lines.read(lines)
        trace, left_out = plain_lines.to_trace(recording, origin)
    traces.write_lines(output, trace)
    header, _ = traces.parse(trace)
    print(
        f"{output}: {header['ops']} operations in {int(header['duration_ns']) / 1e9:.1f} s, "
        f"at most {header['peak_pending']} timers pending"
    )
    for what, count in left_out.items():
        if count:
            print(f"  left out: {count} {what}")
    for remark in recording.remarks:
        print(f"  {remark}")


def _parser() -> argparse.ArgumentParser:
    parser = command_line.Parser(__doc__)
    commands = parser.add_subparsers(metavar="RECORDER", dest="recorder", required=True)
    lines = commands.add_parser("lines", description=plain_lines.__doc__)
    lines.add_argument("input", type=command_line.path, help="a file of plain lines")
    _add_output(lines)
    lines.add_argument(
        "--capture",
        type=_words,
        default="plain lines, by scripts/record.py",
        help="how the operations were observed",
    )

    def add(name: str, about: str | None, capture: str) -> command_line.Parser:
        one = commands.add_parser(name, description=about)
        _add_output(one)
        one.set_defaults(capture=capture)
        return one

    for name, recorder in INSIDE.items():
        program.add_arguments(add(name, recorder.__doc__, recorder.CAPTURE))
    kernel.add_arguments(add("kernel", kernel.__doc__, kernel.CAPTURE))
    return parser


def _add_output(parser: command_line.Parser) -> None:
    parser.add_argument("output", type=_trace, help="a .trace, .trace.gz or .trace.zst")
    parser.takes("--name", _words, "NAME", "a short name; by default that of the file")
    parser.takes("--source", _words, "SOURCE", "the program, with its version", default="not said")
    parser.takes("--load", _words, "LOAD", "what drove it", default="not said")
    parser.add_argument(
        "--date",
        type=_day,
        default=datetime.datetime.now(datetime.UTC).date(),
        help="the day of the recording, as 2026-11-21; today by default",
    )


def _trace(text: str) -> Path:
    """Checks the name of the trace before the recording, not after it."""
    output = command_line.path(text)
    if not output.name.endswith(traces.ENDINGS):
        raise argparse.ArgumentTypeError(f"'{text}': {traces.NAMES}")
    if not output.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder '{output.parent}'")
    _words(traces.name_of(output))  # the name of the trace, if no other is given
    return output


def _words(text: str) -> str:
    is_a_line = text.isascii() and text.isprintable() and text.strip() == text != ""
    if not is_a_line or len(text) > LONGEST:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not one line of printable ASCII, of {LONGEST:,} characters at most"
        )
    return text


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no day, such as 2026-11-21") from None


if __name__ == "__main__":
    sys.exit(main())
