"""Tests of scripts/timerbench/simulated.py: the file that stores counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from timerbench import simulated
from timerbench.simulated import Cells, Counted, SimulatedError, of_build, read, rounded, write

KEY = "GCC 12.2.0, glibc 2.36, x86_64, -O2 -g1 -DNDEBUG"
OTHER_KEY = "GCC 13.2.0, glibc 2.39, x86_64, -O2 -g1 -DNDEBUG"
CONTEXT = {"compiler": "GCC 12.2.0", "libc": "glibc 2.36", "flags": "-O2 -g1 -DNDEBUG"}
CELLS: Cells = {"churn/min_heap/rpc/1000": Counted(232.7, 1.781, 0.516, 0.247), "a/b/c": None}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "simulated.json"
    write(path, {OTHER_KEY: {}, KEY: CELLS})
    assert read(path) == {KEY: CELLS, OTHER_KEY: {}}


def test_a_cell_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "simulated.json"
    write(path, {KEY: CELLS})
    assert '"churn/min_heap/rpc/1000": [232.7,1.781,0.516,0.247],\n"a/b/c": null\n' in (
        path.read_text()
    )


def test_without_a_file_nothing_is_stored(tmp_path: Path) -> None:
    assert read(tmp_path / "simulated.json") == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        "{}",
        '{"caches": {}, "columns": [], "counts": 1}',
        '{"caches": {}, "columns": [], "counts": {"key": {"cell": [1, 2, 3]}}}',
        '{"caches": {}, "columns": [], "counts": {"key": {"cell": [1, 2, 3, "4"]}}}',
        '{"caches": {}, "columns": [], "counts": {"key": {"cell": [1, 2, 3, 1e400]}}}',
    ],
)
def test_a_broken_file_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "simulated.json"
    path.write_text(text)
    with pytest.raises(SimulatedError, match=r"simulated\.json is broken"):
        read(path)


@pytest.mark.parametrize("part", ["caches", "columns"])
def test_counts_of_another_machine_are_an_error(tmp_path: Path, part: str) -> None:
    path = tmp_path / "simulated.json"
    write(path, {KEY: CELLS})
    value = json.loads(path.read_text())
    value[part] = type(value[part])()
    path.write_text(json.dumps(value))
    with pytest.raises(SimulatedError, match="of another simulated machine, or of other counts"):
        read(path)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.56, "1235.0"), (12.3456, "12.35"), (1.23456, "1.235"), (0.00051, "0.001"), (0, "0.0")],
)
def test_figures_have_four_digits_and_three_decimals(value: float, text: str) -> None:
    assert str(rounded(value)) == text


def test_counts_are_found_by_what_built_the_program() -> None:
    stored: dict[str, Cells] = {KEY: CELLS, OTHER_KEY: {"d/e/f": None}}
    assert simulated.key_of(CONTEXT, "x86_64") == KEY
    assert of_build(CONTEXT, stored) == CELLS
    assert of_build({**CONTEXT, "compiler": "GCC 13.2.0", "libc": "glibc 2.39"}, stored) == {
        "d/e/f": None
    }
    assert of_build({**CONTEXT, "flags": "-O3"}, stored) == {}
    assert of_build({}, stored) == {}


def test_counts_of_two_processors_belong_to_no_results() -> None:
    of_arm = simulated.key_of(CONTEXT, "aarch64")
    assert of_build(CONTEXT, {KEY: CELLS, of_arm: CELLS}) == {}
