"""Tests of scripts/compare.py, on made-up rounds with 5% of noise from a fixed seed."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import compare
from results_for_tests import QUEUES, edit, write_bench, write_results
from timerbench.results import Name, load, write_json

SLOWED = Name("churn", "min_heap", "rpc/1000")


def write_noisy(directory: Path, seed: int, rounds: int = 8, slower: float = 1.0) -> Path:
    """200 cells of churn, of which SLOWED takes `slower` times as long."""
    random = np.random.default_rng(seed)
    cells = itertools.product(QUEUES, (f"rpc/{1000 + n}" for n in range(20)))
    names = [Name("churn", queue, case) for queue, case in cells]
    write_bench(
        directory,
        {
            name: [
                {
                    "ns_per_operation": (slower if name == SLOWED else 1)
                    * 100
                    * random.lognormal(0, 0.05)
                }
                for _ in range(rounds)
            ]
            for name in names
        },
    )
    return directory


def verdicts(a: Path, b: Path) -> dict[Name, str]:
    cells = compare.compare(load(a), load(b), smallest=0.03)
    return {cell.name: cell.verdict for cell in cells}


def call(*arguments: Path | str) -> int:
    return compare.main([str(argument) for argument in arguments])


def test_shows_a_planted_slow_down_and_what_is_as_fast_as_before(tmp_path: Path) -> None:
    a = write_noisy(tmp_path / "a", seed=1)
    b = write_noisy(tmp_path / "b", seed=2, slower=1.2)
    of_cells = verdicts(a, b)
    assert of_cells.pop(SLOWED) == "worse"
    assert sum(verdict == "same" for verdict in of_cells.values()) >= 0.95 * len(of_cells)
    assert verdicts(b, a)[SLOWED] == "better"


def test_gives_the_ratio_of_b_to_a_with_its_interval(tmp_path: Path) -> None:
    a = write_noisy(tmp_path / "a", seed=1)
    b = write_noisy(tmp_path / "b", seed=2, slower=1.2)
    cells = compare.compare(load(a), load(b), smallest=0.03)
    cell = next(cell for cell in cells if cell.name == SLOWED)
    assert cell.ratio == pytest.approx(1.2, rel=0.05)
    assert 1 < cell.low < cell.ratio < cell.high
    assert cell.low < 1.2 < cell.high
    assert cell.p < 0.001


def test_the_status_says_whether_something_is_slower(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_bench(a, {SLOWED: [{"ns_per_operation": 100.0 + n} for n in range(5)]})
    write_bench(b, {SLOWED: [{"ns_per_operation": 110.0 + n} for n in range(5)]})
    assert call(a, b) == 1
    assert "churn/min_heap/rpc/1000" in capfd.readouterr().out
    assert call(a, b, "--threshold", "12") == 0
    assert call(b, a) == 0
    assert "1 of 1 cells tested: 0 worse, 1 better, 0 ~" in capfd.readouterr().out


def test_a_small_difference_is_not_shown_however_certain(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_bench(a, {SLOWED: [{"ns_per_operation": 100.0 + n / 10} for n in range(5)]})
    write_bench(b, {SLOWED: [{"ns_per_operation": 102.0 + n / 10} for n in range(5)]})
    assert call(a, b) == 0
    assert "churn/min_heap" not in capfd.readouterr().out
    assert call(a, b, "--smallest", "1%", "--threshold", "1%") == 1
    assert "1.02" in capfd.readouterr().out


def test_the_ratio_is_not_that_of_a_fast_and_a_slow_state_of_the_machine(tmp_path: Path) -> None:
    fast, slow = [100, 101, 102, 103, 104], [140, 141, 142, 143]
    a = [float(ns) for ns in fast + slow]
    b = [1.12 * ns for ns in fast[:4] + slow + [144.0]]
    for side, values in {"a": a, "b": b}.items():
        write_bench(tmp_path / side, {SLOWED: [{"ns_per_operation": ns} for ns in values]})
    (cell,) = compare.compare(load(tmp_path / "a"), load(tmp_path / "b"), smallest=0.03)
    assert cell.b / cell.a > 1.5, "the medians are in different states"
    assert cell.ratio == pytest.approx(1.12, rel=0.03)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([100, 101, 102, 103], [102.5, 110, 111, 112]),
        ([100, 106, 108, 111, 139], [113, 114, 134, 135, 138, 141, 142]),
    ],
    ids=["by the test", "by the interval"],
)
def test_what_only_one_of_test_and_interval_shows_is_not_shown(
    tmp_path: Path, a: list[float], b: list[float], request: pytest.FixtureRequest
) -> None:
    for side, values in {"a": a, "b": b}.items():
        write_bench(tmp_path / side, {SLOWED: [{"ns_per_operation": ns} for ns in values]})
    (cell,) = compare.compare(load(tmp_path / "a"), load(tmp_path / "b"), smallest=0.03)
    assert cell.ratio > 1.05
    assert cell.verdict == "same"
    kept_back_by_the_test = request.node.callspec.id == "by the test"
    assert (cell.p >= 0.05) == kept_back_by_the_test
    assert (cell.low <= 1) == (not kept_back_by_the_test)


def test_all_shows_what_does_not_differ_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for directory in (a, b):
        write_bench(directory, {SLOWED: [{"ns_per_operation": 100.0}] * 5})
    assert call(a, b, "--all") == 0
    line = next(line for line in capfd.readouterr().out.splitlines() if str(SLOWED) in line)
    assert line.split()[1:4] == ["100", "100", "~"]


def test_compares_memory_by_the_bytes_of_a_timer(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    name = Name("memory", "min_heap", "uniform/1000")
    write_bench(a, {name: [{"bytes_per_timer": 48.0}] * 5})
    write_bench(b, {name: [{"bytes_per_timer": 56.0}] * 5})
    assert verdicts(a, b) == {name: "worse"}


def test_one_round_is_enough_for_what_is_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    names = [Name("memory", queue, "uniform/1000") for queue in QUEUES[:2]]
    write_bench(a, {names[0]: [{"bytes_per_timer": 48.0}], names[1]: [{"bytes_per_timer": 64.0}]})
    write_bench(b, {names[0]: [{"bytes_per_timer": 56.0}], names[1]: [{"bytes_per_timer": 64.0}]})
    assert verdicts(a, b) == {names[0]: "worse", names[1]: "same"}
    assert call(a, b) == 1
    assert "too few rounds" not in capfd.readouterr().out
    assert call(a, a, "--expect-same") == 3  # nothing was timed


def test_names_cells_that_only_one_side_has(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cells = [Name("churn", queue, "rpc/1000") for queue in ("min_heap", "lazy_wheel", "list")]
    entries = [{"ns_per_operation": 100.0}] * 5
    write_bench(tmp_path / "a", dict.fromkeys(cells, entries))
    write_bench(tmp_path / "b", {cells[0]: entries, Name("churn", "min_heap", "rpc/10"): entries})
    assert call(tmp_path / "a", tmp_path / "b", "--json", tmp_path / "out.json") == 1
    output = capfd.readouterr().out
    assert "only in A: churn/{lazy_wheel,list}/rpc/1000\n" in output
    assert "only in B: churn/min_heap/rpc/10\n" in output
    assert "1 of 1 cells tested" in output
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["only_in_b"] == ["churn/min_heap/rpc/10"]
    assert [(cell["name"], cell["verdict"]) for cell in result["cells"]] == [
        ("churn/min_heap/rpc/1000", "same")
    ]


def test_a_queue_that_b_lacks_in_a_case_that_it_ran_makes_the_status_1(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    entries = [{"ns_per_operation": 100.0}] * 5
    a, b = tmp_path / "a", tmp_path / "b"
    write_bench(a, {Name("churn", queue, "rpc/1000"): entries for queue in QUEUES[:2]})
    write_bench(b, {Name("churn", QUEUES[0], "rpc/1000"): entries})
    for more in ([], ["--expect-same"]):
        assert call(a, b, *more) == 1
        assert "B lacks 1 of these cells" in capfd.readouterr().out
    assert call(b, a) == 0
    other_case = {Name("churn", QUEUES[1], "rpc/10"): entries}
    write_bench(a, {Name("churn", QUEUES[0], "rpc/1000"): entries, **other_case})
    assert call(a, b) == 0  # B was asked for less


def test_refuses_to_write_among_the_results(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for directory in (a, b):
        write_bench(directory, {SLOWED: [{"ns_per_operation": 100.0}] * 5})
    before = (b / "churn.json").read_text()
    (tmp_path / "link").symlink_to(b)
    for file in (a / "out.json", tmp_path / "link" / "churn.json"):
        assert call(a, b, "--json", file) == 3
        assert f"--json {file} lies in {tmp_path}" in capfd.readouterr().err
    assert not (a / "out.json").exists()
    assert (b / "churn.json").read_text() == before


@pytest.mark.parametrize(
    ("rounds", "testable"), [((3, 3), False), ((3, 4), False), ((4, 4), True), ((3, 5), True)]
)
def test_too_few_rounds_show_nothing_and_are_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], rounds: tuple[int, int], testable: bool
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_bench(a, {SLOWED: [{"ns_per_operation": 100.0 + n} for n in range(rounds[0])]})
    write_bench(b, {SLOWED: [{"ns_per_operation": 200.0 + n} for n in range(rounds[1])]})
    assert call(a, b) == (1 if testable else 0)
    told = "nothing can be shown at 5%; 4 in A and 4 in B are enough"
    said = f"too few rounds in 1 of 1 cells: {told}" in capfd.readouterr().out
    assert said == (not testable)


@pytest.mark.parametrize(
    ("bounds", "ns", "verdict"),
    [
        ("b", (100, 5000), "worse"),
        ("b", (5000, 100), "only bounds"),
        ("a", (5000, 100), "better"),
        ("a", (100, 5000), "only bounds"),
        ("ab", (100, 5000), "only bounds"),
    ],
)
def test_a_bound_shows_only_what_follows_from_it(
    tmp_path: Path, bounds: str, ns: tuple[float, float], verdict: str
) -> None:
    for side, of_side in zip("ab", ns, strict=True):
        mark = {"slower_than": 1.0} if side in bounds else {}
        entries = [{"ns_per_operation": of_side + n, **mark} for n in range(5)]
        write_bench(tmp_path / side, {SLOWED: entries})
    assert verdicts(tmp_path / "a", tmp_path / "b") == {SLOWED: verdict}


def test_says_in_what_machine_compiler_and_flags_differ(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for directory in (a, b):
        write_bench(directory, {SLOWED: [{"ns_per_operation": 100.0}] * 5})
    file = b / "churn.json"
    file.write_text(file.read_text().replace("-O2", "-O3").replace("0123456789ab", "cdef"))
    write_json(a / "context.json", {"kernel": "6.1"})
    write_json(b / "context.json", {"kernel": "6.2"})
    assert call(a, b) == 0
    output = capfd.readouterr().out
    assert "A and B differ in flags: '-O2 -DNDEBUG' and '-O3 -DNDEBUG'\n" in output
    assert "A and B differ in kernel: '6.1' and '6.2'\n" in output
    assert "differ in c" not in output
    assert f"B: {b}, commit cdef" in output


def test_two_runs_of_one_build_are_expected_to_be_the_same(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a = write_noisy(tmp_path / "a", seed=1)
    b = write_noisy(tmp_path / "b", seed=2)
    assert call(a, b, "--expect-same") == 0
    assert "of 200 cells are ~; 95% are expected at least" in capfd.readouterr().out
    edit(
        b, "churn", lambda _, entry: entry.update(ns_per_operation=1.3 * entry["ns_per_operation"])
    )
    assert call(a, b, "--expect-same") == 1
    assert call(b, a, "--expect-same") == 1


def test_nothing_is_known_to_be_the_same_by_too_few_rounds(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for side in "ab":
        write_noisy(tmp_path / side, seed=1, rounds=3)
    assert call(tmp_path / "a", tmp_path / "b", "--expect-same") == 3
    assert "no cell could be tested" in capfd.readouterr().err


def test_says_the_same_of_the_same_results_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a = write_noisy(tmp_path / "a", seed=1)
    b = write_noisy(tmp_path / "b", seed=2, slower=1.2)
    call(a, b, "--all")
    once = capfd.readouterr().out
    call(a, b, "--all")
    assert capfd.readouterr().out == once


def test_compares_results_of_every_bench(tmp_path: Path) -> None:
    for side in "ab":
        write_results(tmp_path / side, rounds=5)
    assert call(tmp_path / "a", tmp_path / "b", "--expect-same") == 0


def test_refuses_directories_that_hold_no_results(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a = write_noisy(tmp_path / "a", seed=1)
    (tmp_path / "empty").mkdir()
    for bad in (tmp_path / "empty", tmp_path / "missing"):
        assert call(a, bad) == 3
        assert f"compare.py: {bad} holds no results" in capfd.readouterr().err


def test_refuses_results_that_have_nothing_in_common(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    entries = [{"ns_per_operation": 100.0}] * 5
    write_bench(tmp_path / "a", {SLOWED: entries})
    write_bench(tmp_path / "b", {Name("churn", "other", "rpc/1000"): entries})
    assert call(tmp_path / "a", tmp_path / "b") == 3
    assert "have no cell in common" in capfd.readouterr().err


def test_refuses_a_figure_that_cannot_be(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for side in "ab":
        write_bench(tmp_path / side, {SLOWED: [{"ns_per_operation": 0.0}] * 5})
    assert call(tmp_path / "a", tmp_path / "b") == 3
    assert "ns_per_operation is 0.0: expected a time above 0" in capfd.readouterr().err


def test_leaves_out_what_a_service_does_in_no_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nothing = Name("idle", "heap_timer", "no_timer/10")
    for side in "ab":
        write_bench(tmp_path / side, {SLOWED: [{"ns_per_operation": 10.0}] * 5})
        write_bench(tmp_path / side, {nothing: [{"ns_per_operation": float(side == "b")}] * 5})
    assert call(tmp_path / "a", tmp_path / "b") == 0
    out = capfd.readouterr().out
    assert "1 cells of services are 0 in a round, and are not compared" in out
    assert "1 of 1 cells tested" in out


def test_refuses_a_file_that_cannot_be_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a = tmp_path / "a"
    write_bench(a, {SLOWED: [{"ns_per_operation": 100.0}] * 5})
    file = tmp_path / "missing" / "out.json"
    assert call(a, a, "--json", file) == 3
    assert str(file.parent) in capfd.readouterr().err


@pytest.mark.parametrize("flag", ["--threshold", "--smallest"])
@pytest.mark.parametrize("value", ["-1", "much", "nan", "inf"])
def test_refuses_what_is_no_percentage(
    capfd: pytest.CaptureFixture[str], flag: str, value: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        compare.main(["a", "b", f"{flag}={value}"])
    assert refused.value.code == 2
    assert f"'{value}' is not a percentage of 0 or more" in capfd.readouterr().err
