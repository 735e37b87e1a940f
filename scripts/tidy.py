"""Lints C++ by clang-tidy: all of it, or what differs from a commit.

A header is linted where a source includes it. Some files are linted together as one file: the
sources of a wing of the benches, those of a folder of the tests, and the headers that only tests
include. Otherwise each of them would lint again what they all include. The build of clang must
exist: its compile commands and generated files are needed.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import json
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path

from timerbench import command_line
from timerbench.command import ROOT

BUILD = ROOT / "build" / "debug-clang"

# These replace functions of a library, and need the same names as the library.
ALONE = re.compile(r"^(benches/traces/recorder/|tests/services/schedules/intercepted\.cpp$)")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
ANY_INCLUDE = re.compile(r'^#include [<"].+', re.M)
# Programs of one wing may define the same names.
PROGRAM = """
namespace timers::benches::{program} {{ using namespace benches; }}
#define benches benches::{program}
#define main main_of_{program}
#include "{source}"  // NOLINT(bugprone-suspicious-include)
#undef main
#undef benches
"""
# The check cannot see through this macro.
NO_NESTING = "-checks=-modernize-concat-nested-namespaces"

# If one of these changes, everything is linted.
RULES = {Path(".clang-tidy"), Path("CMakePresets.json"), Path("scripts/tidy.py")}


@cache
def compile_commands() -> dict[Path, tuple[str, ...]]:
    """Returns the arguments of the compiler for each source, without input and output files."""
    file = BUILD / "compile_commands.json"
    try:
        commands = json.loads(file.read_text())
    except ValueError as error:
        raise command.CommandError(f"{file}: {error}") from error
    return {
        Path(command["file"]): tuple(shlex.split(command["command"].partition(" -o ")[0])[1:])
        for command in commands
    }


def compiled() -> set[Path]:
    """Returns the files that the build compiles, relative to the root."""
    return {file.relative_to(ROOT) for file in compile_commands() if file.is_relative_to(ROOT)}


def sources() -> list[Path]:
    """Returns our sources, and the kits that the build makes from ours.

    The headers of a kit are linted through the kit.
    """
    files = compiled()
    made = {file for file in files if file.is_relative_to("build")}
    kits = {file for file in made if file.parent == (BUILD / "kits").relative_to(ROOT)}
    of_kits: set[Path] = set().union(*(included(kit) for kit in kits))
    return sorted((files - made - of_kits) | kits)


def is_left_out(source: Path) -> bool:
    """The sources of tests would take 15 s each, so only their headers are linted."""
    return source.name.endswith("_test.cpp")


@cache
def includes_of(file: Path) -> list[Path]:
    """Returns what the file at this absolute path includes."""
    return [Path(header) for header in INCLUDE.findall(file.read_text())]


def included(source: Path) -> set[Path]:
    """Returns the source and all files of the project that it includes, directly or not."""
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
        raise command.CommandError(f"--base: '{commit}' is no commit of this repository")
    return set(map(Path, listed.stdout.splitlines()))


def covering(changed: set[Path], of: Collection[Path]) -> list[Path]:
    """Chooses few sources, and headers of tests, that cover the changed files as far as any can."""
    reach = {source: included(source) & changed for source in of}
    shown_by_tests = set().union(*(reach.pop(source) for source in of if is_left_out(source)))
    chosen = [source for source in reach if source in changed]
    left = set().union(*reach.values()) - set().union(*(reach[source] for source in chosen))
    while left:
        best = max(reach, key=lambda source: len(reach[source] & left))
        chosen.append(best)
        left -= reach[best]
    shown = set().union(*reach.values())
    headers = {file for file in shown_by_tests - shown if not is_left_out(file)}
    return sorted({*chosen, *headers})


def wing_of(file: Path) -> Path:
    """Returns the group of files that is linted together with this file.

    The group is a wing of the benches, a folder of the tests, all headers, or the file alone.
    """
    if file.suffix == ".hpp":
        return Path("headers")
    if file.parts[0] not in {"benches", "tests"} or ALONE.search(file.as_posix()):
        return file
    return file.parent if file.parts[0] == "tests" else Path(*file.parts[:2])


def by_wings(files: Iterable[Path]) -> list[list[Path]]:
    wings: dict[Path, list[Path]] = defaultdict(list)
    for file in files:
        wings[wing_of(file)].append(file)
    return list(wings.values())


def command_of(file: Path) -> tuple[str, ...]:
    """Returns how to compile a file.

    A header is compiled like a source of its top folder that is no test.
    """
    if file.suffix == ".cpp":
        return compile_commands()[ROOT / file]
    of_folder = (source for source in compiled() if source.parts[0] == file.parts[0])
    return compile_commands()[ROOT / min(source for source in of_folder if not is_left_out(source))]


def together(sources: list[Path]) -> str:
    """Returns one source that replaces these sources."""
    texts = {source: (ROOT / source).read_text() for source in sources}
    programs = [source for source, text in texts.items() if "int main(" in text]
    # Includes come first: inside a program's namespace a header would declare names of the program.
    includes = dict.fromkeys(line for text in texts.values() for line in ANY_INCLUDE.findall(text))
    parts = [
        PROGRAM.format(program=f"of_{source.stem}", source=ROOT / source)
        if len(programs) > 1 and source in programs
        else f'#include "{ROOT / source}"  // NOLINT(bugprone-suspicious-include)\n'
        for source in sources
    ]
    return "".join([*(f"{include}\n" for include in includes), *parts])


def lint(files: list[Path]) -> str:
    """Returns what clang-tidy finds; an empty text if all is well."""
    if len(files) == 1 and files[0].suffix == ".cpp":
        of_source = ["-p", str(BUILD), str(ROOT / files[0])]
    else:
        unit = BUILD / "tidy" / wing_of(files[0]).with_suffix(".cpp")
        unit.parent.mkdir(parents=True, exist_ok=True)
        unit.write_text(together(files))
        commands = dict.fromkeys(map(command_of, files))
        of_source = [NO_NESTING, str(unit), "--", *chain.from_iterable(commands)]
    run = subprocess.run(
        ["clang-tidy", "-quiet", *of_source], cwd=ROOT, check=False, capture_output=True, text=True
    )
    return "" if run.returncode == 0 else run.stdout + run.stderr


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> int:
    parser = command_line.Parser(__doc__.split("\n", 1)[0])
    parser.add_argument("--base", metavar="COMMIT", help="lint only what differs from it")
    options = parser.parse_args(arguments)
    changed = changed_since(options.base) if options.base else RULES
    of = sources()
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
