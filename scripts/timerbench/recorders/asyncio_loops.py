"""Records the timers of Python's asyncio: call_later, call_at, sleep, timeout, wait_for.

Every Python that the program starts loads a module before anything else. It watches the handles of
timers, from which all of these are made. uvloop is not seen, for it has handles of its own; asyncio
has no re-arm.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from timerbench.recorders import program

CAPTURE = "asyncio's TimerHandle, by scripts/record.py asyncio"
INSIDE = Path(__file__).resolve().parent / "inside_python"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    program.add_arguments(parser)


def record(options: argparse.Namespace, folder: Path) -> None:
    before = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join([str(INSIDE), *filter(None, [before])])
    program.run(options, folder, {"PYTHONPATH": path})
