"""Made-up programs that offer cases and are never run, for tests of what is planned."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from benches_for_tests import TWINS, names_offered
from results_for_tests import SETTINGS
from timerbench.measuring.group import Group, Process, groups_for
from timerbench.measuring.program import Program
from timerbench.measuring.selection import Selection

DEFAULTS = frozenset(SETTINGS[:1])


def program(bench: str, output: str = "out") -> Program:
    told = {"defaults": DEFAULTS, "twins": frozenset(TWINS)}
    return Program(
        bench, Path(bench), f"hash of {output}", names_offered(bench), Path(output), told
    )


def plan(
    profile: str, bench: str, wanted: str = "", asked: int | None = None, outputs: str = "a"
) -> list[Group]:
    """Of a build for each letter of `outputs`."""
    programs = [program(bench, output) for output in outputs]
    return groups_for(programs, Selection(profile, re.compile(wanted)), asked, "huge")


def groups(profile: str, bench: str) -> set[str]:
    return {group.first_round[0].group for group in plan(profile, bench)}


def processes(
    profile: str, bench: str, wanted: str = "", asked: int | None = None
) -> list[Process]:
    """The fewest that measure it."""
    return [
        replace(process, round=number)
        for group in plan(profile, bench, wanted, asked)
        for process in group.first_round
        for number in range(1, group.effort.least + 1)
    ]
