"""Made-up programs that offer cases and never run, for tests of plans."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from benches_for_tests import TWINS, names_offered
from results_for_tests import SETTINGS
from timerbench.measuring.case import Case, Process, cases_for
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
) -> list[Case]:
    """Returns the cases, with a build for each letter of `outputs`."""
    programs = [program(bench, output) for output in outputs]
    return cases_for(programs, Selection(profile, re.compile(wanted)), asked, "huge")


def cases(profile: str, bench: str) -> set[str]:
    return {case.first_round[0].case for case in plan(profile, bench)}


def processes(
    profile: str, bench: str, wanted: str = "", asked: int | None = None
) -> list[Process]:
    """Returns the fewest processes that measure the cases."""
    return [
        replace(process, round=number)
        for case in plan(profile, bench, wanted, asked)
        for process in case.first_round
        for number in range(1, case.effort.least + 1)
    ]
