"""Records the timers of a program that takes them from libevent, libev or libuv.

The program must load the library as a shared one: `ldd PROGRAM` shows it. One that is compiled into
the program is not seen.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from timerbench.recorders import program
from timerbench.recorders.recorder import RecordError

CAPTURE = "calls of libevent, libev and libuv, by scripts/record.py preload"
LIBRARY = Path(__file__).resolve().parents[3] / "build" / "release" / "libtimers_recorder.so"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    program.add_arguments(parser)


def record(options: argparse.Namespace, folder: Path) -> None:
    if not LIBRARY.is_file():
        raise RecordError(
            f"{LIBRARY} is missing; scripts/build.sh release timers_recorder makes it"
        )
    program.run(options, folder, {"LD_PRELOAD": str(LIBRARY)})
