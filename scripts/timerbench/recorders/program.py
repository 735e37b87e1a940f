"""Runs a program that has a recorder inside.

The recorder finds two settings in the environment: a folder for its plain lines, and the most
lines. Each process writes a file of its own. If possible, the process reserves the whole file and
maps it into memory. Then nothing is lost when the process is killed, and the program may close any
descriptor.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from timerbench import command_line
from timerbench.command import INTERRUPTS, CommandError, interrupted_afterwards

FOLDER = "TIMERBENCH_RECORD_FOLDER"
MOST = "TIMERBENCH_RECORD_MOST"

SECONDS_TO_END = 30  # a server may first answer what it was asked


def add_arguments(parser: command_line.Parser) -> None:
    parser.add_argument("program", nargs="+", help="and its arguments, behind --")
    parser.add_argument(
        "--seconds",
        type=command_line.positive,
        help="end the program by SIGTERM after so long; "
        f"kill it if it still runs {SECONDS_TO_END} s later",
    )
    parser.add_argument(
        "--most",
        type=command_line.positive,
        default=1 << 20,
        help="how many operations of a process are recorded; each takes 64 bytes of disk",
    )


def run(options: argparse.Namespace, folder: Path, environment: dict[str, str]) -> None:
    """Runs the program until it ends, the seconds are over, or Ctrl-C comes."""
    settings = {FOLDER: str(folder), MOST: str(options.most)}
    running = None
    try:
        with interrupted_afterwards():
            running = subprocess.Popen(options.program, env=os.environ | environment | settings)
        status = running.wait(options.seconds)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        if not running:
            raise
        _end(running, options.program[0])
        return
    except OSError as error:
        raise CommandError(f"'{options.program[0]}' cannot be run: {error.strerror}") from error
    if status != 0:
        print(f"record.py: '{options.program[0]}' ended with status {status}", file=sys.stderr)


def _end(running: subprocess.Popen[bytes], name: str) -> None:
    """Ends the program. Kills it if it goes on all the same.

    Another Ctrl-C or SIGTERM changes nothing, so the recording is not lost.
    """
    before = {one: signal.signal(one, signal.SIG_IGN) for one in INTERRUPTS}
    try:
        running.terminate()
        try:
            running.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            print(
                f"record.py: '{name}' still ran {SECONDS_TO_END} s after SIGTERM, and is killed",
                file=sys.stderr,
            )
            running.kill()
            running.wait()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
