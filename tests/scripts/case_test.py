"""Tests of scripts/timerbench/measuring/case.py: who takes part in a case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from timerbench.benches import REARMING
from timerbench.measuring.case import cases_for
from timerbench.measuring.program import Program
from timerbench.measuring.selection import Selection
from timerbench.results import Name


def taking_part(groups: dict[str, set[str]], queues: frozenset[str] = frozenset()) -> set[str]:
    """Returns who takes part in a workload that re-arms and that has a, b and the twin of b."""
    names = [Name("contention", one, "put_off_2/1000") for one in ("a", "b", "b_twin")]
    names += [Name("contention", one, "schedule_2/1000") for one in ("a", "b", "b_twin", "c")]
    told = {group: frozenset(members) for group, members in groups.items()}
    told["twins"] = frozenset(["b_twin"])
    program = Program("contention", Path(), "hash", names, Path(), told)
    selection = Selection("smoke", re.compile("put_off"), queues)
    cases = cases_for([program], selection, None, "huge")
    return {cell.queue for case in cases for cell in case.first_round[0].cells}


@pytest.mark.parametrize(
    ("rearming", "expected"),
    [
        ({"a", "b"}, {"a", "b", "b_twin"}),
        ({"a", "c"}, {"a", "c"}),  # c is missing then: an error at the run
    ],
)
def test_a_workload_that_rearms_is_for_those_that_can(
    rearming: set[str], expected: set[str]
) -> None:
    assert taking_part({REARMING: rearming}) == expected


def test_a_program_that_does_not_know_the_group_offers_the_workload_to_all() -> None:
    assert taking_part({}) == {"a", "b", "b_twin", "c"}


def test_a_case_in_which_nobody_takes_part_is_none() -> None:
    assert taking_part({REARMING: set()}) == set()
