"""Counts the instructions of an operation, and compares them with results/instructions.json.

Callgrind counts, so that the load of the machine changes nothing: a cell further than 2% from its
baseline runs other code. A baseline is of one compiler, libc and set of flags.

Exit status: 0 all as in the baseline, 1 something differs, 2 it cannot be told.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timerbench import command_line
from timerbench.results import Name, write_json

ROOT = Path(__file__).resolve().parent.parent
BASELINE = ROOT / "results" / "instructions.json"
RENEW = ".venv/bin/python scripts/instructions.py --renew"

TOLERANCE = 0.02
SHOWN_WHEN_RENEWED = 0.001
COUNTED_BUILD = "RelWithDebInfo"  # that of the presets for release

# The queue that does nothing: what it takes is what the harness costs.
NO_QUEUE = "no_queue"
# The harness may cost 2 ns a verb. `instructions --time-harness` shows it going at 14 to 15
# instructions a ns (AMD EPYC of 3.5 GHz).
HARNESS_LIMIT = 28.0

Cells = dict[str, float]  # instructions an operation, by the name of the benchmark


class CountError(Exception):
    """Nothing can be counted, or compared."""


@dataclass(frozen=True)
class Counts:
    key: str  # what the counts depend on beside the code
    cells: Cells


@dataclass(frozen=True)
class Difference:
    """A cell that is not as in the baseline; None where there is no figure."""

    name: str
    before: float | None
    now: float | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.name}: {self.now:.2f}, new"
        if self.now is None:
            return f"{self.name}: {self.before:.2f}, not counted any more"
        ratio = self.now / self.before
        return f"{self.name}: {self.before:.2f}, now {self.now:.2f}: {ratio - 1:+.1%}"


def parse_dump(path: Path) -> tuple[str, int] | None:
    """A benchmark and its instructions; None for the dump that callgrind adds at its end."""
    text = path.read_text()
    trigger = re.search(r"^desc: Trigger: (.+)$", text, re.MULTILINE)
    if trigger and trigger[1] == "Program termination":
        return None
    name = trigger and re.fullmatch(r"Client Request: (.+)", trigger[1])
    total = re.search(r"^totals: (\d+)$", text, re.MULTILINE)
    if not name or not total or not re.search(r"^events: Ir$", text, re.MULTILINE):
        raise CountError(f"{path} is no whole dump of instructions for a benchmark")
    return name[1], int(total[1])


def parse_dumps(directory: Path) -> dict[str, int]:
    instructions: dict[str, int] = {}
    for path in sorted(directory.iterdir()):
        dump = parse_dump(path)
        if dump is None:
            continue
        if dump[0] in instructions:
            raise CountError(f"{path} is a second dump for {dump[0]}")
        instructions[dump[0]] = dump[1]
    return instructions


def key_of(context: Mapping[str, Any]) -> str:
    if context["build_type"] != COUNTED_BUILD:
        raise CountError(
            f"only a build of the preset release is counted: {COUNTED_BUILD}, "
            f"not {context['build_type'] or 'one without a type'}"
        )
    parts = (context["compiler"], context["libc"], platform.machine(), context["flags"])
    return ", ".join(parts)


def combine(report: Mapping[str, Any], instructions: Mapping[str, int]) -> Counts:
    """What the program says of its cells, with what callgrind counted of them."""
    operations = {
        str(Name.parse(entry["run_name"])): float(entry["operations"])
        for entry in report["benchmarks"]
    }
    if unequal := operations.keys() ^ instructions.keys():
        raise CountError(f"not both run and counted: {', '.join(sorted(unequal))}")
    if idle := [name for name, n in operations.items() if not n > 0]:
        raise CountError(f"no operation is done in {', '.join(idle)}")
    cells = {name: round(instructions[name] / operations[name], 3) for name in operations}
    return Counts(key_of(report["context"]), cells)


def failures_of(ended: subprocess.CompletedProcess[str]) -> str:
    """The cells that failed their proof, or else the end of what was said."""
    try:
        failed = [one for one in json.loads(ended.stdout)["benchmarks"] if "error_message" in one]
    except (ValueError, KeyError):
        failed = []
    lines = [f"{Name.parse(one['run_name'])}: {one['error_message']}" for one in failed]
    return "\n".join(lines) or ended.stderr.strip() or f"status {ended.returncode}"


def count(build: Path) -> Counts:
    binary = build / "instructions"
    if not binary.is_file():
        raise CountError(f"{binary} is missing; scripts/build.sh builds it")
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise CountError("valgrind is missing; scripts/setup.sh installs it")
    with tempfile.TemporaryDirectory() as directory:
        ended = subprocess.run(
            [
                valgrind,
                "--quiet",
                "--tool=callgrind",
                "--instr-atstart=no",
                f"--callgrind-out-file={directory}/dump",
                binary.resolve(),
                "--benchmark_format=json",
            ],
            # Settings of the allocator, of the loader and of Google Benchmark are left out.
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            raise CountError(f"{binary} failed:\n{failures_of(ended)}")
        instructions = parse_dumps(Path(directory))
    try:
        return combine(json.loads(ended.stdout), instructions)
    except (ValueError, KeyError) as error:
        raise CountError(f"{binary} does not say what it ran: {error!r}") from error


def read_baseline(path: Path) -> dict[str, Cells]:
    try:
        value = json.loads(path.read_text()) if path.exists() else {}
        return {key: {cell: float(n) for cell, n in of.items()} for key, of in value.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise CountError(f"{path} is broken: {error!r}") from error


def differences(before: Cells, now: Cells, tolerance: float) -> list[Difference]:
    names = dict.fromkeys([*before, *now])
    pairs = (Difference(name, before.get(name), now.get(name)) for name in names)
    return [one for one in pairs if not alike(one.before, one.now, tolerance)]


def alike(before: float | None, now: float | None, tolerance: float) -> bool:
    return before is not None and now is not None and abs(now - before) <= tolerance * before


def check_harness(cells: Cells) -> None:
    harness = {name: n for name, n in cells.items() if Name.parse(name).queue == NO_QUEUE}
    if not harness:
        raise CountError(f"the harness is not counted: there is no cell of {NO_QUEUE}")
    for name, n in harness.items():
        if n > HARNESS_LIMIT:
            raise CountError(
                f"{name}: the harness takes {n:.1f} instructions a verb; "
                f"{HARNESS_LIMIT:g} are 2 ns, and the most that it may take"
            )


def compare(counts: Counts, baseline: dict[str, Cells]) -> int:
    before = baseline.get(counts.key)
    if before is None:
        raise CountError(f"there is no baseline for '{counts.key}'; {RENEW} makes one")
    different = differences(before, counts.cells, TOLERANCE)
    for one in different:
        print(one)
    if any(one.before is None or one.now is None for one in different):
        raise CountError(f"the baseline has other cells; {RENEW} renews it")
    if different:
        print(
            f"{len(different)} of {len(before)} cells differ by more than {TOLERANCE:.0%}; "
            f"if that is meant, {RENEW} renews the baseline"
        )
        return 1
    print(f"{len(before)} cells are within {TOLERANCE:.0%} of the baseline for '{counts.key}'")
    return 0


def renew(counts: Counts, baseline: dict[str, Cells], path: Path) -> None:
    different = differences(baseline.get(counts.key, {}), counts.cells, SHOWN_WHEN_RENEWED)
    for one in different:
        print(one)
    write_json(path, dict(sorted({**baseline, counts.key: counts.cells}.items())))
    print(
        f"{path} has {len(counts.cells)} cells for '{counts.key}', "
        f"{len(different)} of which differ by more than {SHOWN_WHEN_RENEWED:.1%} from before"
    )


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--build",
        type=command_line.path,
        default=ROOT / "build" / "release",
        metavar="DIR",
        help="where the program is; build/release by default",
    )
    parser.add_argument(
        "--renew",
        action="store_true",
        help="makes what is counted now the baseline of this compiler, libc and flags",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    try:
        baseline = read_baseline(BASELINE)
        print("counting instructions under valgrind, for about a minute", flush=True)
        counts = count(options.build)
        check_harness(counts.cells)
        if options.renew:
            renew(counts, baseline, BASELINE)
            return 0
        return compare(counts, baseline)
    except (CountError, OSError) as error:
        print(f"instructions.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
