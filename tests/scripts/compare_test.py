"""Tests of scripts/compare.py, on runs whose truth is known, and on small made-up runs."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import compare
from results_for_tests import QUEUES, Simulated, edit, write_bench, write_results, write_times
from timerbench.results import Name, Results, load, write_json
from timerbench.speed import (
    AS_MEASURED,
    BY_ALL,
    BY_FLOOR,
    BY_TWINS,
    in_both,
    pairs,
    why_speeds_differ,
)

ROOT = Path(__file__).resolve().parents[2]
SLOWED = Name("churn", "min_heap", "rpc/1000")
SMALLEST = 0.03


def compared(a: Results, b: Results, smallest: float = SMALLEST) -> list[compare.Comparison]:
    normalised = why_speeds_differ(a, b) is not None
    names = in_both(a, b)
    return compare.compare(a, b, pairs(a, b, names, normalised=normalised), smallest)


def of_runs(a: Simulated, b: Simulated) -> list[compare.Comparison]:
    return compared(a.results(), b.results())


def status(cells: list[compare.Comparison]) -> int:
    return compare.status_of(cells, SMALLEST)


def counts(cells: list[compare.Comparison], *queues: str) -> dict[str, int]:
    """Counts the verdicts on these queues, or on all."""
    return Counter(cell.verdict for cell in cells if not queues or cell.name.queue in queues)


def write_noisy(directory: Path, seed: int, rounds: int = 8, slower: float = 1.0) -> Path:
    """Writes 200 cells of churn. In them SLOWED takes `slower` times as long."""
    random = np.random.default_rng(seed)
    cells = itertools.product(QUEUES, (f"rpc/{1000 + n}" for n in range(20)))
    names = [Name("churn", queue, case) for queue, case in cells]
    noise = random.lognormal(0, 0.01, (len(names), rounds))
    write_times(
        directory,
        {
            name: [(slower if name == SLOWED else 1) * 100 * one for one in of_name]
            for name, of_name in zip(names, noise, strict=True)
        },
    )
    return directory


def verdicts(a: Path, b: Path) -> dict[Name, str]:
    return {cell.name: cell.verdict for cell in compared(load(a), load(b))}


def call(*arguments: Path | str) -> int:
    return compare.main([str(argument) for argument in arguments])


def test_of_many_runs_of_one_build_few_show_any_difference() -> None:
    """False discoveries stay at 5% over all cells, even if very small differences can be shown."""
    with_any = 0
    for seed in range(150):
        a, b = (Simulated(2 * seed + side, cases=6, noise=0.05).results() for side in (0, 1))
        cells = compared(a, b, smallest=0.0)
        with_any += any(cell.verdict in ("worse", "better") for cell in cells)
    assert with_any <= 0.1 * 150  # 5% expected; 10% or more has a chance of 1 in 200


def test_of_what_is_shown_5_of_100_are_false() -> None:
    slower = dict.fromkeys(QUEUES[:3], 1.04)
    false = true = 0
    for seed in range(60):
        a = Simulated(1_000 + seed, cases=6, noise=0.02)
        b = Simulated(2_000 + seed, cases=6, noise=0.02, slower=slower)
        for cell in compared(a.results(), b.results(), smallest=0.0):
            if cell.verdict in ("worse", "better"):
                false, true = (false, true + 1) if cell.name.queue in slower else (false + 1, true)
    assert true > 500
    assert false <= 0.06 * (false + true)


def test_two_quiet_runs_of_one_build_are_the_same() -> None:
    cells = of_runs(Simulated(1), Simulated(2))
    assert status(cells) == 0
    assert counts(cells)["same"] >= 0.95 * len(cells)


def test_noise_leaves_it_untold_and_does_not_make_it_the_same() -> None:
    cells = of_runs(Simulated(1, noise=0.1), Simulated(2, noise=0.1))
    assert status(cells) == 2
    assert counts(cells)["cannot tell"] >= 0.9 * len(cells)


def test_a_slow_down_of_5_percent_is_found_and_nothing_else() -> None:
    cells = of_runs(Simulated(1), Simulated(2, slower={"pairing_heap": 1.05}))
    assert status(cells) == 1
    assert counts(cells, "pairing_heap") == {"worse": 20}
    others = [queue for queue in QUEUES if queue != "pairing_heap"]
    assert counts(cells, *others).keys() <= {"same", "cannot tell"}


def test_what_is_3_times_slower_is_found_by_3_processes() -> None:
    quick = Simulated(1, processes=3, noise=0.05)
    cells = of_runs(quick, replace(quick, seed=2, slower={"lazy_wheel": 3.0}))
    assert status(cells) == 1
    assert counts(cells, "lazy_wheel")["worse"] >= 15
    assert counts(
        of_runs(replace(quick, slower={"lazy_wheel": 3.0}), quick), "lazy_wheel"
    ).keys() <= {
        "better",
        "cannot tell",
    }


def test_what_is_faster_is_no_reason_to_stop() -> None:
    cells = of_runs(Simulated(1), Simulated(2, slower={"pairing_heap": 0.8}))
    assert status(cells) == 0
    assert counts(cells, "pairing_heap") == {"better": 20}


@pytest.mark.parametrize("twins", [True, False])
def test_a_slower_machine_on_another_day_shows_as_nothing(twins: bool) -> None:
    a = Simulated(1, hours=0.05, twins=twins)
    b = Simulated(2, hours=0.05, twins=twins, machine=1.2, day=2)
    cells = of_runs(a, b)
    assert status(cells) == 0
    assert counts(cells)["same"] >= 0.95 * len(cells)
    assert counts(of_runs(a, replace(b, day=1)))["same"] == 0, "because of the day alone"


@pytest.mark.parametrize("queue", ["lazy_wheel", "hierarchical_wheel", "min_heap", "ordered_map"])
@pytest.mark.parametrize("change", [1.05, 3.0])
@pytest.mark.parametrize("twins", [True, False])
def test_a_change_of_one_queue_shows_as_its_own_even_if_others_are_held_against_it(
    queue: str, change: float, twins: bool
) -> None:
    a = Simulated(1, processes=10, hours=0.05, twins=twins)
    b = replace(a, seed=2, machine=0.8, day=2, slower={queue: change})
    cells = of_runs(a, b)
    assert status(cells) == 1
    assert counts(cells, queue)["worse"] >= 19
    others = [one for one in QUEUES if one != queue]
    assert not counts(cells, *others).keys() & {"worse", "better"}
    assert counts(cells, *others)["same"] >= 0.9 * 20 * len(others)


def test_what_was_measured_at_one_time_is_compared_as_it_is() -> None:
    a, b = Simulated(1).results(), Simulated(2).results()
    assert why_speeds_differ(a, b) is None
    found = pairs(a, b, in_both(a, b), normalised=False)
    assert found.taken_off == {AS_MEASURED: len(a.rounds)}
    other = replace(b, context={"cpu": "Another"})
    assert why_speeds_differ(a, other) == "cpu differs: 'A CPU of 2 GHz' and 'Another'"
    later = Simulated(2, day=3).results()
    assert "A was measured from 2026-01-01 00:00 to" in str(why_speeds_differ(a, later))


def test_says_by_what_the_speed_was_taken_off(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    benches = ("churn", "floor", "dispatch", "lateness")
    for side, slower in (("a", 1.0), ("b", 1.2)):
        write_results(tmp_path / side, 4, benches)
        for bench in benches:

            def slow_down(name: Name, entry: dict[str, float], slower: float = slower) -> None:
                if name.bench != "lateness":
                    entry["ns_per_operation"] *= slower

            edit(tmp_path / side, bench, slow_down)
    write_json(tmp_path / "b" / "context.json", {"cores": 64})
    a, b = load(tmp_path / "a"), load(tmp_path / "b")
    found = pairs(a, b, in_both(a, b), normalised=True)
    cells = {cell.name: cell for cell in compare.compare(a, b, found, SMALLEST)}
    for bench in benches:
        of_bench = Counter(cells[name].verdict for name in a.names(bench))
        assert of_bench.keys() <= {"same", "cannot tell"}, bench
        assert of_bench["same"] >= 0.9 * of_bench.total(), bench
    assert call(tmp_path / "a", tmp_path / "b") in (0, 1, 2)
    output = capfd.readouterr().out
    assert "the speed of the machine is taken off, as cores differs: '2' and '64'" in output
    for how in (BY_ALL, BY_FLOOR, AS_MEASURED):
        assert f"  {how}: {found.taken_off[how]} cells\n" in output
    assert BY_TWINS not in output
    of_dispatch = len(a.names("dispatch"))
    assert call(tmp_path / "a", tmp_path / "b", "--filter", "^dispatch/") in (0, 1, 2)
    assert f"  {BY_FLOOR}: {of_dispatch} cells\n" in capfd.readouterr().out


def test_the_committed_two_runs_of_one_build_are_not_called_different(
    capfd: pytest.CaptureFixture[str],
) -> None:
    both = ROOT / "results" / "epyc-2core-vm" / "a_a"
    for more in ([], ["--threshold", "20"]):
        assert call(both / "a", both / "b", *more) in (0, 2)
    assert " 0 are worse and 0 better" in capfd.readouterr().out


def test_gives_the_ratio_of_b_to_a_with_its_interval() -> None:
    cells = of_runs(Simulated(1), Simulated(2, slower={"min_heap": 1.2}))
    cell = next(cell for cell in cells if cell.name == SLOWED)
    assert cell.low is not None
    assert cell.high is not None
    assert cell.p is not None
    assert cell.q is not None
    assert cell.ratio == pytest.approx(1.2, rel=0.02)
    assert 1 < cell.low < 1.2 < cell.high < 1.25
    assert cell.p <= cell.q < 0.001


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
    assert "of 1 cells 0 are worse and 1 better" in capfd.readouterr().out


def test_a_small_difference_is_the_same_however_certain(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_bench(a, {SLOWED: [{"ns_per_operation": 100.0 + n / 10} for n in range(5)]})
    write_bench(b, {SLOWED: [{"ns_per_operation": 102.0 + n / 10} for n in range(5)]})
    assert call(a, b) == 0
    assert "churn/min_heap" not in capfd.readouterr().out
    assert call(a, b, "--smallest", "1%") == 1
    assert "1.02" in capfd.readouterr().out


def test_all_shows_what_does_not_differ_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for directory in (a, b):
        write_bench(directory, {SLOWED: [{"ns_per_operation": 100.0}] * 5})
    assert call(a, b, "--all") == 0
    line = next(line for line in capfd.readouterr().out.splitlines() if str(SLOWED) in line)
    assert line.split()[1:4] == ["100", "100", "1.00"]
    assert line.split()[-1] == "same"


def test_one_process_is_enough_for_what_is_counted_and_for_nothing_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    names = [Name("memory", queue, "uniform/1000") for queue in QUEUES[:2]]
    write_bench(a, {names[0]: [{"bytes_per_timer": 48.0}], names[1]: [{"bytes_per_timer": 64.0}]})
    write_bench(b, {names[0]: [{"bytes_per_timer": 56.0}], names[1]: [{"bytes_per_timer": 64.0}]})
    assert verdicts(a, b) == {names[0]: "worse", names[1]: "same"}
    assert call(a, b) == 1
    assert call(a, a) == 0
    write_bench(a, {SLOWED: [{"ns_per_operation": 10.0}]})
    write_bench(b, {SLOWED: [{"ns_per_operation": 99.0}] * 5})
    assert verdicts(a, b)[SLOWED] == "one process"
    assert call(a, a) == 2
    assert "1 cells have no interval: only one process" in capfd.readouterr().out


def test_says_in_how_many_cells_the_ratios_to_the_best_agree(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for side in "ab":
        write_noisy(tmp_path / side, seed=ord(side))
    call(tmp_path / "a", tmp_path / "b")
    assert " of 180 cells\n" in capfd.readouterr().out.split("best of A's case meet in ")[1]
    a, b = load(tmp_path / "a"), load(tmp_path / "b")
    meet, told = compare.share_that_agrees(a, b, list(a.rounds))
    assert 0.95 * told <= meet <= told == 180
    b = load(tmp_path / "b")
    for name, entries in b.rounds.items():
        for entry in entries.values():
            entry["ns_per_operation"] *= 2 if name.queue in QUEUES[:5] else 1
    assert compare.share_that_agrees(a, b, list(a.rounds))[0] < 0.6 * told


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
    assert "of 1 cells 0 are worse" in output
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
    assert call(a, b) == 1
    assert "B lacks 1 of these cells" in capfd.readouterr().out
    assert call(b, a) == 0
    other_case = {Name("churn", QUEUES[1], "rpc/10"): entries}
    write_bench(a, {Name("churn", QUEUES[0], "rpc/1000"): entries, **other_case})
    assert call(a, b) == 0  # B was asked for less


def test_a_filter_leaves_out_what_does_not_match(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of what was not measured again, there may be figures of former code."""
    a, b = tmp_path / "a", tmp_path / "b"
    former = [Name("rearm", queue, "uniform/1000") for queue in QUEUES[:2]]
    for directory, ns, measured in ((a, 100.0, former), (b, 200.0, former[:1])):
        write_times(directory, {SLOWED: [100.0] * 5})
        write_times(directory, {key: [ns + n for n in range(5)] for key in measured})
    assert call(a, b) == 1
    assert "only in A: rearm/" in capfd.readouterr().out
    assert call(a, b, "--filter", "^churn/rpc/1000$") == 0
    assert "rearm/" not in capfd.readouterr().out
    assert call(a, b, "--bench", "churn") == 0
    assert "rearm/" not in capfd.readouterr().out
    assert call(a, b, "--filter", "^insert/") == 3
    message = f"{a} and {b} have no cell in common for --filter '^insert/'\n"
    assert capfd.readouterr().err.endswith(message)
    assert call(a, b, "--bench", "churn", "--filter", "^rearm/") == 3
    message = f"{a} and {b} have no cell in common for --bench churn --filter '^rearm/'\n"
    assert capfd.readouterr().err.endswith(message)


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
    assert "differ in pages" not in output
    assert f"B: {b}, commit cdef" in output


def test_says_that_two_runs_were_measured_in_other_pages(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for pages in ("huge", "small"):
        write_bench(tmp_path / pages, {SLOWED: [{"ns_per_operation": 100.0}] * 5}, pages=pages)
    assert call(tmp_path / "huge", tmp_path / "small") == 0
    assert "A and B differ in pages: 'huge' and 'small'\n" in capfd.readouterr().out


def test_compares_results_of_every_bench(tmp_path: Path) -> None:
    write_results(tmp_path, rounds=5)
    results = load(tmp_path)
    assert {cell.verdict for cell in compared(results, results)} <= {
        "same",
        "cannot tell",
        "only bounds",
    }


def test_refuses_results_that_have_nothing_in_common(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    entries = [{"ns_per_operation": 100.0}] * 5
    write_bench(tmp_path / "a", {SLOWED: entries})
    write_bench(tmp_path / "b", {Name("churn", "other", "rpc/1000"): entries})
    assert call(tmp_path / "a", tmp_path / "b") == 3
    assert "have no cell in common" in capfd.readouterr().err


def test_leaves_out_what_a_service_does_in_no_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nothing = Name("idle", "heap_timer", "no_timer/10")
    for side in "ab":
        write_bench(tmp_path / side, {SLOWED: [{"ns_per_operation": 10.0}] * 5})
        write_bench(tmp_path / side, {nothing: [{"ns_per_operation": float(side == "b")}] * 5})
    assert call(tmp_path / "a", tmp_path / "b") == 0
    out = capfd.readouterr().out
    assert "1 cells of services are 0 in a process, and are not compared" in out
    assert "of 1 cells 0 are worse" in out


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
    assert refused.value.code == 3
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith(f": argument {flag}: '{value}' is not a percentage of 0 or more")
