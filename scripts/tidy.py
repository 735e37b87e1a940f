"""Lints C++ by clang-tidy: all of it, or what differs from a commit.

A header is linted where a source includes it. The build of clang must stand, for its compile
commands and its precompiled headers.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "debug-clang"

# Benches that only name their workloads are alike: churn stands for them. The sources of tests take
# 15 s each: one is linted only where no other source shows a header that it includes.
LEFT_OUT = re.compile(
    r"benches/queues/(burst|cancel|constant|expire|insert|million|rearm)\.cpp$|_test\.cpp$"
)
# Each source of the kit takes 5 s, most of it for GoogleTest. Those of a folder take 10 s together.
TOGETHER = re.compile(
    r"tests/(conformance/(queues|services|real_time)|services/schedules)/\w+\.cpp$"
)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)

# Where one of these changes, all is linted.
RULES = {Path(".clang-tidy"), Path("CMakePresets.json"), Path("scripts/tidy.py")}


@cache
def compile_commands() -> dict[Path, str]:
    """By the source, relative to the root."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    files = {Path(command["file"]): command["command"] for command in commands}
    ours = {file: command for file, command in files.items() if file.is_relative_to(ROOT)}
    return {file.relative_to(ROOT): command for file, command in ours.items()}


def sources() -> list[Path]:
    """Those that the build compiles, relative to the root."""
    return sorted(file for file in compile_commands() if not file.is_relative_to("build"))


def is_left_out(source: Path) -> bool:
    return LEFT_OUT.search(source.as_posix()) is not None


@cache
def includes_of(file: Path) -> list[Path]:
    """What the file at this absolute path includes."""
    return [Path(header) for header in INCLUDE.findall(file.read_text())]


def included(source: Path) -> set[Path]:
    """The source and all of the project that it includes, directly or not."""
    seen: set[Path] = set()
    todo = [source]
    while todo:
        file = todo.pop()
        if file not in seen and (ROOT / file).is_file():
            seen.add(file)
            todo += includes_of(ROOT / file)
    return seen


def changed_since(commit: str) -> set[Path]:
    git_diff = ["git", "diff", "--name-only", "--diff-filter=d", commit, "--"]
    listed = subprocess.run(git_diff, cwd=ROOT, check=False, capture_output=True, text=True)
    if listed.returncode != 0:
        raise ValueError(f"--base: '{commit}' is no commit of this repository")
    return set(map(Path, listed.stdout.splitlines()))


def covering(changed: set[Path], of: Iterable[Path]) -> list[Path]:
    """Few sources in which all that changed is seen, if any source shows it."""
    reach = {source: included(source) & changed for source in of}
    chosen = [source for source in reach if source in changed and not is_left_out(source)]
    left = set().union(*reach.values()) - set().union(*(reach[source] for source in chosen))
    left = {file for file in left if not is_left_out(file)}
    while left:
        best = max(reach, key=lambda source: (len(reach[source] & left), not is_left_out(source)))
        chosen.append(best)
        left -= reach[best]
    return sorted(chosen)


def jobs(chosen: Iterable[Path]) -> list[list[Path]]:
    """The sources that are linted as one, and each of the others alone."""
    by_folder: dict[Path, list[Path]] = {}
    for source in chosen:
        together = TOGETHER.search(source.as_posix()) is not None
        by_folder.setdefault(source.parent if together else source, []).append(source)
    return list(by_folder.values())


def flags_of(command: str) -> list[str]:
    """What the compiler is told, but for its input and its output."""
    words = shlex.split(command)
    compiler = next(i for i, word in enumerate(words) if Path(word).name.startswith("clang++"))
    flags = words[compiler + 1 :]
    for option in ("-o", "-c"):
        at = flags.index(option)
        del flags[at : at + 2]
    return flags


def lint(these: list[Path]) -> str:
    """What clang-tidy finds; nothing if all is well."""
    clang_tidy = ["clang-tidy", "-quiet"]
    with tempfile.TemporaryDirectory() as folder:
        if len(these) == 1:
            clang_tidy += ["-p", str(BUILD), str(ROOT / these[0])]
        else:
            together = Path(folder) / "together.cpp"
            together.write_text("".join(f'#include "{ROOT / source}"\n' for source in these))
            clang_tidy += [f"--config-file={ROOT / '.clang-tidy'}"]
            clang_tidy += ["--checks=-bugprone-suspicious-include", str(together), "--"]
            # A name of one may hide that of another. Each alone is compiled with -Wshadow.
            clang_tidy += [*flags_of(compile_commands()[these[0]]), "-Wno-shadow"]
        run = subprocess.run(clang_tidy, cwd=ROOT, check=False, capture_output=True, text=True)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--base", metavar="COMMIT", help="lint only what differs from it")
    options = parser.parse_args(arguments)
    try:
        changed = changed_since(options.base) if options.base else RULES
        of = sources()
    except (ValueError, OSError) as error:
        print(f"tidy.py: {error}", file=sys.stderr)
        return 2
    to_see = set().union(*(included(source) for source in of))
    if not changed & RULES:
        to_see &= changed
    chosen = covering(to_see, of)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [found for found in pool.map(lint, jobs(chosen)) if found]
    print("\n".join(findings), end="")
    print(f"{len(chosen)} sources linted, {len(findings)} with findings", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
