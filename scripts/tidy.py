"""Lints C++ by clang-tidy: all of it, or what differs from a commit.

A header is linted where a source includes it. The sources of a wing of the benches are linted as
one: what they all include would else be looked at in each of them. The build of clang must stand,
for its compile commands and its precompiled headers.
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
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "debug-clang"

# The sources of tests take 15 s each: one is linted only where no other source shows a header that
# it includes.
LEFT_OUT = re.compile(r"_test\.cpp$")
# Of these each takes the place of another library's functions, and has the names that it needs.
ALONE = Path("benches/traces/recorder")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
ANY_INCLUDE = re.compile(r'^#include [<"].+', re.M)
# What a program of a wing names for itself, others of that wing name, too.
PROGRAM = """
namespace timers::benches::{program} {{ using namespace benches; }}
#define benches benches::{program}
#define main main_of_{program}
#include "{source}"  // NOLINT(bugprone-suspicious-include)
#undef main
#undef benches
"""
# The check does not see through that macro.
NO_NESTING = "-checks=-modernize-concat-nested-namespaces"

# Where one of these changes, all is linted.
RULES = {Path(".clang-tidy"), Path("CMakePresets.json"), Path("scripts/tidy.py")}


@cache
def compile_commands() -> dict[Path, tuple[str, ...]]:
    """What is compiled how, without what it reads and writes."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    return {
        Path(command["file"]): tuple(shlex.split(command["command"].partition(" -o ")[0])[1:])
        for command in commands
    }


def compiled() -> set[Path]:
    """What the build compiles, relative to the root."""
    return {file.relative_to(ROOT) for file in compile_commands() if file.is_relative_to(ROOT)}


def sources() -> list[Path]:
    """Ours, and the kits that the build makes of ours. What a kit includes is linted there."""
    files = compiled()
    made = {file for file in files if file.is_relative_to("build")}
    kits = {file for file in made if file.parent == (BUILD / "kits").relative_to(ROOT)}
    of_kits: set[Path] = set().union(*(included(kit) for kit in kits))
    return sorted((files - made - of_kits) | kits)


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


def wing_of(source: Path) -> Path:
    """What is linted together with this source: its wing of the benches, or nothing else."""
    is_alone = source.parts[0] != "benches" or source.is_relative_to(ALONE)
    return source if is_alone else Path(*source.parts[:2])


def by_wings(sources: Iterable[Path]) -> list[list[Path]]:
    wings: dict[Path, list[Path]] = defaultdict(list)
    for source in sources:
        wings[wing_of(source)].append(source)
    return list(wings.values())


def together(sources: list[Path]) -> str:
    """One source in place of these."""
    texts = {source: (ROOT / source).read_text() for source in sources}
    # A header that a program includes first would take what follows for the program's own.
    includes = dict.fromkeys(line for text in texts.values() for line in ANY_INCLUDE.findall(text))
    parts = [
        PROGRAM.format(program=f"of_{source.stem}", source=ROOT / source)
        if "int main(" in text
        else f'#include "{ROOT / source}"  // NOLINT(bugprone-suspicious-include)\n'
        for source, text in texts.items()
    ]
    return "".join([*(f"{include}\n" for include in includes), *parts])


def lint(sources: list[Path]) -> str:
    """What clang-tidy finds; nothing if all is well."""
    if len(sources) == 1:
        of_source = ["-p", str(BUILD), str(ROOT / sources[0])]
    else:
        unit = BUILD / "tidy" / f"{wing_of(sources[0]).name}.cpp"
        unit.parent.mkdir(exist_ok=True)
        unit.write_text(together(sources))
        commands = dict.fromkeys(compile_commands()[ROOT / source] for source in sources)
        of_source = [NO_NESTING, str(unit), "--", *chain.from_iterable(commands)]
    run = subprocess.run(
        ["clang-tidy", "-quiet", *of_source], cwd=ROOT, check=False, capture_output=True, text=True
    )
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
        largest_first = sorted(by_wings(chosen), key=len, reverse=True)
        findings = [found for found in pool.map(lint, largest_first) if found]
    print("\n".join(findings), end="")
    print(f"{len(chosen)} sources linted, {len(findings)} with findings", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
