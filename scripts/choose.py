#!/usr/bin/env python3
"""Measures your own load, and tells what each queue and the fitting services cost you.

It sets up and builds what it needs, and then takes three minutes. Describe what your timers do by
options or by a file. Without any argument the command asks you.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from timerbench import command_line
from timerbench.choosing import quantities
from timerbench.choosing.load import Load, LoadError, Part, load_of, read_load
from timerbench.choosing.questions import ask
from timerbench.command import ROOT
from timerbench.traces import ENDINGS, NAMES
from timerbench.whole_file import replace

PROGRAMS = ["load", "load_use", "service_load"]

# The option that sets each part of a load. Messages name it if the load comes from options.
OPTIONS = {
    "connections": "--pending and --rearm",
    "calls": "--rpc",
    "periodic": "--every",
    "bursts": "--burst",
}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = command_line.BriefParser(
        __doc__, epilog="example: choose.py --pending 200k --rearm 50k/s@60s --rpc 10k/s@5s,99%"
    )
    parser.takes(
        "--pending", quantities.pending, "N", "so many connections, each with an idle limit"
    )
    parser.takes(
        "--rearm",
        quantities.rearms,
        "RATE@LIMIT",
        "packets that put these limits off, as 50k/s@60s; without it limits are an hour",
    )
    parser.takes_several(
        "--rpc",
        quantities.calls,
        "RATE@LIMIT,SHARE",
        "calls with a limit, of which a share is cancelled, as 10k/s@5s,99%%; ',20ms' says within "
        "which time half of the answers come",
    )
    parser.takes_several(
        "--every",
        quantities.in_each_period,
        "N@PERIOD",
        "periodic work, as 1k@10s: each of 1,000 timers runs every 10 s",
    )
    parser.takes_several(
        "--burst",
        quantities.in_each_period,
        "N@PERIOD",
        "timers that are all due at the same instant, as 5k@1s",
    )
    parser.takes(
        "--tick", quantities.tick, "TIME", "the length of a tick of queues; 1ms by default"
    )
    parser.takes("--load", command_line.path, "FILE", "a load that was kept")
    parser.takes(
        "--trace",
        command_line.path,
        "FILE",
        "a recording, in the form of benches/traces/FORMAT.md",
    )
    parser.add_argument(
        "--services",
        choices=["fitting", "all", "none"],
        default="fitting",
        help="measures those that fit, at most five (the default), all, or none",
    )
    parser.takes(
        "--output",
        command_line.path,
        "DIR",
        "where the load and the answer are kept; results/local/choice by default",
        default=command_line.LOCAL / "choice",
    )
    options = parser.parse_args(arguments)
    described = bool(options.rearm or parts_in(options))
    if sum((described, options.load is not None, options.trace is not None)) > 1:
        parser.error("--load, --trace and a load in options exclude each other")
    if options.tick is not None and (options.load or options.trace):
        parser.error("--tick excludes --load, which has tick_ms, and --trace, whose tick is 1ms")
    if options.rearm and options.pending is None:
        parser.error("--rearm needs --pending: of how many connections it puts the limits off")
    return options


def parts_in(options: argparse.Namespace) -> dict[str, list[Part]]:
    """Returns the parts of a load that the options describe."""
    parts = {"calls": options.rpc, "periodic": options.every, "bursts": options.burst}
    if options.pending is not None:
        parts["connections"] = [{"pending": options.pending, **(options.rearm or {})}]
    return {kind: of for kind, of in parts.items() if of}


def load_in(parts: dict[str, list[Part]], tick_ms: float | None) -> Load:
    """Names the option in an error: `calls[0].cancelled_percent is …` is about --rpc."""
    try:
        return load_of(parts, tick_ms)
    except LoadError as error:
        said = re.sub(r"^(\w+)\[\d+\]\.", lambda place: f"{OPTIONS[place[1]]}: ", str(error))
        raise LoadError(said) from error


def file_to_play(options: argparse.Namespace) -> Path:
    """Returns the file to replay.

    A load is written next to its answer; a recording stays where it is.
    """
    if options.trace:
        if not options.trace.is_file():
            raise LoadError(f"--trace '{options.trace}' is no file; give a recording")
        if not options.trace.name.endswith(ENDINGS):
            raise LoadError(f"--trace '{options.trace}': {NAMES}")
        return Path(options.trace).resolve()
    if options.load:
        load = read_load(options.load)
    elif parts := parts_in(options):
        load = load_in(parts, options.tick)
    else:
        load = ask(options.tick)
    kept: Path = options.output.resolve() / "load.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    replace(kept, json.dumps(load, indent=1) + "\n")  # it may be the file that was read
    return kept


def set_up_and_build() -> None:
    print("choose.py: sets up, and builds what it needs", file=sys.stderr)
    subprocess.run([ROOT / "scripts" / "setup.sh", "measure"], check=True, stdout=sys.stderr)
    subprocess.run(
        ["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    build = ["cmake", "--build", "--preset", "release", "--parallel", str(os.cpu_count() or 1)]
    subprocess.run([*build, "--target", *PROGRAMS], cwd=ROOT, check=True, stdout=sys.stderr)


def give_place_to_answer(file: Path, options: argparse.Namespace) -> NoReturn:
    """Becomes the process that measures and answers, so that Ctrl-C reaches only one process."""
    python = ROOT / ".venv" / "bin" / "python"
    options.output.mkdir(parents=True, exist_ok=True)
    words = [
        *(python, "-m", "timerbench.choosing.answer", file),
        *("--build", ROOT / "build" / "release", "--output", options.output.resolve()),
        *("--services", options.services),
    ]
    sys.stderr.flush()
    os.execve(python, [*map(str, words)], os.environ | {"PYTHONPATH": str(ROOT / "scripts")})


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> NoReturn:
    options = parse(arguments)
    file = file_to_play(options)
    try:
        set_up_and_build()
    except subprocess.CalledProcessError as error:
        raise command.CommandError(f"{error.cmd[0]} failed") from error
    give_place_to_answer(file, options)


if __name__ == "__main__":
    sys.exit(main())
