"""Tests of scripts/timerbench/measuring/program.py and execution.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches_for_tests import write_benches
from timerbench.measuring.execution import kept
from timerbench.measuring.program import Program, groups_of, names_in, offered
from timerbench.results import Name


@pytest.mark.parametrize(
    ("profile", "defaults", "measured"),
    [
        ("smoke", ["b", "c"], ["a"]),
        ("quick", ["b", "c"], ["b", "c"]),
        ("quick", [], ["a", "b", "c"]),
        ("full", ["b", "c"], ["a", "b", "c"]),
    ],
)
def test_of_settings_a_profile_measures_the_first_the_defaults_or_all(
    profile: str, defaults: list[str], measured: list[str]
) -> None:
    names = [Name("idle", setting, "no_timer/1") for setting in "abc"]
    told = {"defaults": frozenset(defaults)}
    assert Program("idle", Path(), "hash", names, Path(), told).measured(profile) == measured


def test_queues_that_were_named_come_with_their_twins_and_in_the_order_of_the_catalog() -> None:
    names = [Name("churn", queue, "rpc/10") for queue in ("b", "a", "c", "a_twin", "b_twin")]
    told = {"twins": frozenset(["a_twin", "b_twin"])}
    program = Program("churn", Path(), "hash", names, Path(), told)
    assert program.measured("quick") == ["b", "a", "c", "a_twin", "b_twin"]
    assert program.measured("quick", frozenset(["c", "a"])) == ["a", "c", "a_twin"]
    assert program.queues == ["b", "a", "c"]


def test_settings_come_with_their_twins_and_with_what_only_sleeps() -> None:
    names = [Name("lateness", one, "burst/10") for one in ("a", "b", "b_twin", "c", "c_twin", "x")]
    told = {"twins": frozenset(["b_twin", "c_twin"]), "floors": frozenset("x")}
    told |= {"defaults": frozenset(["a", "b"])}
    program = Program("lateness", Path(), "hash", names, Path(), told)
    assert program.queues == ["a", "b", "c"]
    assert program.measured("smoke") == ["a", "x"]
    assert program.measured("quick") == ["a", "b", "b_twin", "x"]
    assert program.measured("full") == ["a", "b", "b_twin", "c", "c_twin", "x"]
    assert program.measured("quick", frozenset("c")) == ["c", "c_twin", "x"]
    assert program.measured("quick", frozenset(["of another bench"])) == []


def test_a_binary_says_its_benchmarks_and_which_queues_are_of_libraries(tmp_path: Path) -> None:
    binary = tmp_path / "simulated"
    binary.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = --groups ]; then printf "families: a\\nlibraries: libev libuv\\n"\n'
        "else printf 'churn/a/rpc/10/manual_time\\nchurn/b/rpc/10/manual_time\\n'; fi\n"
    )
    binary.chmod(0o755)
    assert groups_of(binary)["libraries"] == {"libev", "libuv"}
    assert list(map(str, names_in(binary))) == ["churn/a/rpc/10", "churn/b/rpc/10"]


def test_a_program_says_which_settings_are_defaults_and_which_queues_are_twins(
    tmp_path: Path,
) -> None:
    write_benches(tmp_path)
    assert "heap_timer" in offered("idle", tmp_path, tmp_path, [], {}).groups["defaults"]
    churn = offered("churn", tmp_path, tmp_path, [], {})
    assert churn.twins == {"min_heap_twin"}
    assert churn.queues == ["ordered_map", "min_heap"]
    (tmp_path / "idle").write_text('#!/bin/sh\n[ "$1" = --benchmark_list_tests ]\n')
    assert offered("idle", tmp_path, tmp_path, [], {}).groups == {}


def test_a_label_of_json_is_taken_apart_and_another_is_kept() -> None:
    entry = {"run_name": "lateness/heap_timer/burst/1000/manual_time", "p99_ns": 7.0}
    label = '{"lateness":[[100,2],[105,1]],"over_time":[[0,1,null]]}'
    assert kept({**entry, "label": label}) == {
        "run_name": "lateness/heap_timer/burst/1000",
        "p99_ns": 7.0,
        "lateness": [[100, 2], [105, 1]],
        "over_time": [[0, 1, None]],
    }
    assert kept({**entry, "label": "re-arm = cancel + insert"})["label"] == (
        "re-arm = cancel + insert"
    )
