"""Tests of scripts/timerbench/measured.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pytest

from results_for_tests import write_bench, write_times
from timerbench import simulated
from timerbench.estimates import figure_of
from timerbench.measured import (
    Beside,
    FigureError,
    Measured,
    Value,
    count,
    digits,
    least,
    median,
    most,
    most_of,
    power_of_ten,
    time,
)
from timerbench.results import Name
from timerbench.simulated import Cells, Counted

HEAP, LAZY, WHEEL = "min_heap", "priority_queue", "hierarchical_wheel"
NS = {
    HEAP: {1_000: 10.0, 10_000: 20.0, 100_000: 40.0},
    LAZY: {1_000: 16.0, 10_000: 24.0, 100_000: 32.0},
    WHEEL: {1_000: 20.0, 10_000: 20.0, 100_000: 20.0},
}
SLOW = Name("horizon", LAZY, "log_uniform/1000")

Take = Callable[[Measured], Value]


@pytest.fixture
def measured(tmp_path: Path) -> Measured:
    cells: dict[Name, dict[str, Any]] = {
        Name("churn", queue, f"rpc/{n}"): {"ns_per_operation": ns, "worst_expire_ns": 7 * ns}
        for queue, of_queue in NS.items()
        for n, ns in of_queue.items()
    }
    for name, entry in cells.items():
        if name.queue == LAZY:
            del entry["worst_expire_ns"]
    write_bench(tmp_path, {name: [entry] * 3 for name, entry in cells.items()})
    write_bench(
        tmp_path,
        {
            Name("horizon", HEAP, "log_uniform/1000"): [{"ns_per_operation": 50.0}],
            SLOW: [{"ns_per_operation": 2e9, "slower_than": 1.0}],
        },
    )
    of_rounds = [{"bytes_per_timer": each} for each in (40.0, 48.0, 57.6)]
    write_bench(tmp_path, {Name("memory", HEAP, "uniform/1000"): of_rounds})
    write_times(tmp_path, {Name("expire", HEAP, "uniform/1000"): [9.0]})
    write_times(tmp_path, {Name("replay", HEAP, "go-nethttp@1ms"): [5.0]})
    services = {"heap_timer": 30.0, "hashed_wheel_timer": 10.0}
    names = {Name("dispatch", one, "within_250ms/1000"): ns for one, ns in services.items()}
    write_times(tmp_path, {name: [ns] for name, ns in names.items()})
    (tmp_path / "soak.jsonl").write_text(
        '{"queue": "min_heap", "operations": 1000}\n'
        '{"queue": "priority_queue", "operations": 1003}\n'
    )
    return Measured(tmp_path, {"both": f"{HEAP}, {LAZY}", "heaps": "heaps - trees"})


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        ("churn/min_heap/rpc/1000", 10),
        ("churn/min_heap/rpc/1000:worst_expire_ns", 70),
        ("memory/min_heap/uniform/1000", 48),
        ("replay/min_heap/go-nethttp@1ms", 5),
        ("churn/*/rpc/1000", 20),
        ("churn/*heap/rpc/*", 40),
        ("churn/{min_heap, priority_queue}/rpc/{1000,10000}", 24),
        ("churn/{both}/rpc/100000", 40),
        ("churn/{hierarchical_wheel, both}/rpc/100000", 40),
        ("churn/{heaps, hierarchical_wheels - min_heap - hierarchical_wheels}/rpc/1000", 16),
        ("dispatch/{heaps, hashed_wheels}/within_250ms/1000", 30),
    ],
)
def test_finds_cells_by_their_names(measured: Measured, cells: str, value: float) -> None:
    assert most(measured.figure(cells)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("cells", "how_many"),
    [
        ("churn/*/rpc/*", 9),
        ("churn/*/rpc/*:worst_expire_ns", 6),
        ("churn/{heaps}/rpc/1000", 2),
        ("churn/{heaps, hierarchical_wheels}/rpc/1000", 3),
        ("{churn,expire}/{heaps - priority_queue}/*/1000", 2),
    ],
)
def test_finds_each_cell_once(measured: Measured, cells: str, how_many: int) -> None:
    assert count(measured.figure(cells)) == how_many


@pytest.mark.parametrize(
    ("take", "value"),
    [
        (lambda m: m.times("churn/min_heap/rpc/1000", WHEEL), 0.5),
        (lambda m: most(m.times("churn/{both}/rpc/100000", WHEEL)), 2),
        (lambda m: m.times("churn/hierarchical_wheel/rpc/1000", "both"), 2),
        (lambda m: m.times("churn/min_heap/rpc/1000", "both"), 1),
        (lambda m: m.times("horizon/min_heap/log_uniform/1000", "both"), 1),
        (lambda m: most(m.times("churn/{both}/rpc/1000", {HEAP: WHEEL, LAZY: HEAP})), 1.6),
        (lambda m: m.at_least.figure(str(SLOW)), 2e9),
        (lambda m: most(m.at_least.times("horizon/*/log_uniform/1000", HEAP)), 4e7),
        (lambda m: least(m.soak("operations")), 1000),
    ],
)
def test_has_the_value_that_the_results_give(measured: Measured, take: Take, value: float) -> None:
    assert take(measured) == pytest.approx(value)


def test_names_all_rivals_that_cannot_be_told_from_the_best(tmp_path: Path) -> None:
    noisy = {
        HEAP: [10.0, 10.4],
        LAZY: [10.6, 10.0],
        WHEEL: [30.0, 30.1],
        "hashed_wheel": [20.0, 20.0],
    }
    write_times(tmp_path, {Name("churn", queue, "rpc/1000"): of for queue, of in noisy.items()})
    words = {"others": f"{HEAP}, {LAZY}, hashed_wheel"}
    (beside,) = Measured(tmp_path, words).beside(f"churn/{WHEEL}/rpc/1000", "others")
    assert (beside.best, beside.is_tie) == ([HEAP, LAZY], False)
    (tie,) = Measured(tmp_path, words).beside(f"churn/{LAZY}/rpc/1000", "others")
    assert (tie.best, tie.is_tie) == ([HEAP, LAZY], True)


def test_names_the_best_rival_of_each_cell(measured: Measured) -> None:
    few, many = measured.beside("churn/hierarchical_wheel/rpc/{1000,100000}", "both")
    assert few == Beside(WHEEL, "churn", "rpc", 1_000, "1,000", 2.0, [HEAP])
    assert (many.size, many.best) == ("100,000", [LAZY])
    assert many.times == pytest.approx(0.625)
    (of_trace,) = measured.beside("replay/min_heap/go-nethttp@1ms", HEAP)
    assert (of_trace.workload, of_trace.n, of_trace.size) == ("go-nethttp", None, "1 ms")


def test_divides_the_cells_of_two_cases_queue_by_queue(measured: Measured) -> None:
    large, small = measured.figure("churn/*/rpc/100000"), measured.figure("churn/*/rpc/1000")
    assert isinstance(large, pd.Series)
    assert dict(large / small) == {HEAP: 4, LAZY: 2, WHEEL: 1}


def test_takes_figures_together() -> None:
    several = pd.Series([10.0, 20.0, 16.0])
    assert (least(several, 12), most(7, several), median(several), count(several, 1)) == (
        10,
        20,
        16,
        4,
    )
    assert most_of(pd.Series(range(101))) == 95


@pytest.mark.parametrize(
    ("take", "why"),
    [
        (lambda m: m.figure("churn/lost/rpc/1000"), "there is no cell churn/lost/rpc/1000"),
        (lambda m: m.figure("churn/{both,lost}/rpc/1000"), "there is no cell churn/lost/rpc/1000"),
        (lambda m: m.figure("churn/{heaps}/rpc/7"), "there is no cell churn/min_heap/rpc/7"),
        (lambda m: m.figure("churn/{heaps - lost}/rpc/1000"), "no lost to leave out of"),
        (lambda m: m.figure("churn/{lazy_wheels}/rpc/1000"), "nothing is left of {lazy_wheels}"),
        (lambda m: m.figure("chrun/*/rpc/*"), "there is no cell chrun/*/rpc/*"),
        (lambda m: m.figure("churn/min_heap"), "there is no cell churn/min_heap"),
        (lambda m: m.figure("churn/priority_queue/rpc/1000:worst_expire_ns"), "no such figure"),
        (lambda m: m.figure("churn/min_heap/rpc/1000:run_name"), "could not convert"),
        (lambda m: m.figure(str(SLOW)), "only a lower bound"),
        (lambda m: m.figure("horizon/*/log_uniform/1000"), "only a lower bound"),
        (lambda m: m.times("horizon/min_heap/log_uniform/1000", LAZY), "only a lower bound"),
        (lambda m: m.times("churn/min_heap/rpc/1000", "lost"), "no process measured"),
        (lambda m: m.times("churn/min_heap/rpc/1000", {LAZY: HEAP}), "min_heap has no rival"),
        (lambda m: m.beside(str(SLOW), HEAP), "only a lower bound"),
        (lambda _: most(pd.Series({HEAP: 1.0, LAZY: 2.0}) / pd.Series({HEAP: 1.0})), "a partner"),
        (lambda _: least(), "or none at all"),
        (lambda m: m.soak("colour"), "gives no colour"),
    ],
)
def test_says_why_there_is_no_figure(measured: Measured, take: Take, why: str) -> None:
    with pytest.raises(FigureError, match=re.escape(why)):
        take(measured)


@pytest.mark.parametrize(
    ("value", "significant", "unit", "text"),
    [
        (14.4, 2, "ns", "14"),
        (9.96, 2, "ns", "10"),
        (3.04, 2, "ns", "3.0"),
        (0.994, 2, "ns", "0.99"),
        (117.5, 2, "ns", "120"),
        (117.5, 3, "ns", "118"),
        (12_345.6, 4, "ns", "12,350"),
        (37_400.0, 2, "µs", "37"),
        (0.0372, 2, "%", "3.7"),
        (0, 3, "ns", "0"),
        (-0.25, 1, "ns", "-0.2"),
    ],
)
def test_writes_significant_digits(value: float, significant: int, unit: str, text: str) -> None:
    assert digits(value, significant, unit) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0.5, "0.50 ns"),
        (994, "990 ns"),
        (996, "1.0 µs"),
        (1_000, "1.0 µs"),
        (3.7e7, "37 ms"),
        (0, "0"),
    ],
)
def test_writes_a_time_in_the_unit_that_fits(ns: float, text: str) -> None:
    assert time(ns, 2) == text


@pytest.mark.parametrize("value", [1_003_000_000.0, 0.995e9])
def test_writes_a_power_of_ten(value: float) -> None:
    assert power_of_ten(value) == "10^9"
    with pytest.raises(FigureError, match="is no power of ten"):
        power_of_ten(1.02 * value)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (pd.Series([1.0, 2.0, 3.0]), "these are 3 figures; take their min or max"),
        (float("inf"), "the figure is inf"),
        (float("nan"), "the figure is nan"),
    ],
)
def test_writes_nothing_but_one_finite_figure(value: Value, why: str) -> None:
    with pytest.raises(FigureError, match=why):
        digits(value, 2)
    with pytest.raises(FigureError, match=why):
        power_of_ten(value)


def crossing(directory: Path, heap: dict[int, list[float]], wheel: float) -> Measured:
    """Makes results of a heap with these times in each round, and of a constant wheel."""
    rounds = {Name("churn", HEAP, f"rpc/{n}"): times for n, times in heap.items()}
    rounds |= {Name("churn", WHEEL, f"rpc/{n}"): [wheel] * len(heap[n]) for n in heap}
    write_times(directory, rounds)
    return Measured(directory, {})


def test_knows_how_well_a_ratio_is_known(tmp_path: Path) -> None:
    measured = crossing(tmp_path, {1_000: [40.0, 42.0, 44.0], 10_000: [60.0] * 3}, 20.0)
    ratio = figure_of([2.0, 2.1, 2.2])
    half = ratio.high / ratio.mean - 1
    assert measured.half_widths("churn/min_heap/rpc/1000") == pytest.approx(half)
    assert measured.half_widths("churn/min_heap/rpc/10000") == 0
    assert count(measured.half_widths("churn/*/rpc/*")) == 2  # the best has none


def test_knows_how_well_the_ratio_to_a_certain_queue_is_known(tmp_path: Path) -> None:
    measured = crossing(tmp_path, {1_000: [40.0, 42.0, 44.0]}, 20.0)
    ratio = figure_of([0.5, 20 / 42, 20 / 44])
    half = measured.half_widths("churn/hierarchical_wheel/rpc/1000", HEAP)
    assert half == pytest.approx(ratio.high / ratio.mean - 1)


def test_one_process_does_not_say_how_well_a_ratio_is_known(tmp_path: Path) -> None:
    measured = crossing(tmp_path, {1_000: [40.0]}, 20.0)
    with pytest.raises(FigureError, match="one process measured churn/min_heap/rpc/1000"):
        measured.half_widths("churn/min_heap/rpc/1000")


def test_knows_how_far_twins_are_apart(tmp_path: Path) -> None:
    figures = {HEAP: [10.0, 10.0], f"{HEAP}_twin": [10.5, 10.5], WHEEL: [20.0, 20.0]}
    write_times(tmp_path, {Name("churn", queue, "rpc/1000"): of for queue, of in figures.items()})
    measured = Measured(tmp_path, {})
    assert most(measured.twins_apart("churn/*/rpc/1000")) == pytest.approx(0.05)
    with pytest.raises(FigureError, match="no such figure"):
        measured.twins_apart("churn/hierarchical_wheel/rpc/1000")


def test_knows_how_far_another_machine_agrees(tmp_path: Path) -> None:
    queues = {"a": 1.0, "b": 2.0, "c": 3.0}
    for machine, swapped in (("here", {}), ("there", {"a": 2.0, "b": 1.0})):
        write_bench(
            tmp_path / machine,
            {
                Name("churn", queue, "rpc/10"): [{"ns_per_operation": ns}, {"ns_per_operation": ns}]
                for queue, ns in {**queues, **swapped}.items()
            },
        )
    here = Measured(tmp_path / "here", {})
    assert here.told_apart("there") == 3
    assert here.same_order("there") == pytest.approx(2 / 3)
    with pytest.raises(FigureError, match=r"there are no results in .*/nowhere"):
        here.same_order("nowhere")


@pytest.fixture
def counts(measured: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Counts of the build that made the results, and of another one."""
    path = tmp_path / "counts" / "simulated.json"
    path.parent.mkdir()
    cells: Cells = {
        f"churn/{HEAP}/rpc/1000": Counted(232.7, 1.781, 0.516, 0.247),
        f"churn/{LAZY}/rpc/1000": Counted(300, 1, 1, 1),
        f"burst/{HEAP}/edges/1000": None,
    }
    other = {"compiler": "GCC 4", "libc": "glibc 2", "flags": "-O0"}
    key = simulated.key_of(measured.results.context, "x86_64")
    simulated.write(path, {key: cells, simulated.key_of(other, "x86_64"): {}})
    monkeypatch.setattr(simulated, "STORED", path)
    schemes = path.with_name("schemes.json")
    simulated.write(schemes, {key: {f"schemes/{HEAP}/insert/16": Counted(115, 0, 0, 0)}})
    monkeypatch.setattr(simulated, "SCHEMES", schemes)
    return path


@pytest.mark.usefixtures("counts")
def test_knows_what_was_counted_of_the_same_build(measured: Measured) -> None:
    assert measured.simulated("churn/min_heap/rpc/1000", "instructions") == 232.7
    assert measured.simulated("churn/min_heap/rpc/1000", "mispredicted") == 0.247
    assert most(measured.simulated("churn/{both}/rpc/1000", "instructions")) == 300
    assert count(measured.simulated("churn/*/rpc/*", "d1_misses")) == 2
    assert measured.schemes(f"schemes/{HEAP}/insert/16", "instructions") == 115


@pytest.mark.usefixtures("counts")
@pytest.mark.parametrize(
    ("cells", "column", "why"),
    [
        ("churn/min_heap/rpc/1000", "colour", "has no column colour"),
        ("churn/min_heap/rpc/7", "instructions", "there is no cell churn/min_heap/rpc/7"),
        ("burst/min_heap/edges/1000", "instructions", "was too slow to be counted"),
        ("*/*/*/1000", "instructions", "was too slow to be counted"),
    ],
)
def test_says_why_nothing_was_counted(
    measured: Measured, cells: str, column: str, why: str
) -> None:
    with pytest.raises(FigureError, match=re.escape(why)):
        measured.simulated(cells, column)


def test_a_broken_file_of_counts_is_no_value(measured: Measured, counts: Path) -> None:
    counts.write_text("{")
    with pytest.raises(FigureError, match=r"simulated\.json is broken"):
        measured.simulated("churn/min_heap/rpc/1000", "instructions")
