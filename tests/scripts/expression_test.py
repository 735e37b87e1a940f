"""Tests of scripts/timerbench/expression.py."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from results_for_tests import write_bench
from timerbench import simulated
from timerbench.estimates import figure_of
from timerbench.expression import ExpressionError, Language
from timerbench.results import Name, load
from timerbench.simulated import Cells, Counted

HEAP, LAZY, WHEEL = "min_heap", "priority_queue", "hierarchical_wheel"
NS = {
    HEAP: {1_000: 10.0, 10_000: 20.0, 100_000: 40.0},
    LAZY: {1_000: 16.0, 10_000: 24.0, 100_000: 32.0},
    WHEEL: {1_000: 20.0, 10_000: 20.0, 100_000: 20.0},
}
SLOW = Name("horizon", LAZY, "log_uniform/1000")


@pytest.fixture
def language(tmp_path: Path) -> Language:
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
    write_bench(tmp_path, {Name("expire", HEAP, "uniform/1000"): [{"ns_per_operation": 9.0}]})
    write_bench(tmp_path, {Name("replay", HEAP, "go-nethttp@1ms"): [{"ns_per_operation": 5.0}]})
    services = {"heap_timer": 30.0, "hashed_wheel_timer": 10.0}
    names = {Name("dispatch", one, "within_250ms/1000"): ns for one, ns in services.items()}
    write_bench(tmp_path, {name: [{"ns_per_operation": ns}] for name, ns in names.items()})
    (tmp_path / "soak.jsonl").write_text(
        '{"queue": "min_heap", "operations": 1000}\n'
        '{"queue": "priority_queue", "operations": 1003}\n'
    )
    words = {"both": f"{HEAP}, {LAZY}", "heaps": "heaps - trees"}
    return Language(load(tmp_path), tmp_path, words)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("churn/min_heap/rpc/1000", 10),
        ("churn/min_heap/rpc/1000:worst_expire_ns", 70),
        ("memory/min_heap/uniform/1000", 48),
        ("replay/min_heap/go-nethttp@1ms", 5),
        ("max(churn/*/rpc/1000)", 20),
        ("max(churn/*heap/rpc/*)", 40),
        ("max(churn/{min_heap, priority_queue}/rpc/{1000,10000})", 24),
        ("min(churn/{both}/rpc/100000)", 32),
        ("min(churn/{hierarchical_wheel, both}/rpc/100000)", 20),
        ("count(churn/{heaps}/rpc/1000)", 2),
        ("count(churn/{heaps, hierarchical_wheels}/rpc/1000)", 3),
        ("max(churn/{heaps, hierarchical_wheels - min_heap - hierarchical_wheels}/rpc/1000)", 16),
        ("count({churn,expire}/{heaps - priority_queue}/*/1000)", 2),
        ("max(dispatch/{heaps, hashed_wheels}/within_250ms/1000)", 30),
        ("median(churn/*/rpc/1000)", 16),
        ("count(churn/*/rpc/*)", 9),
        ("count(churn/*/rpc/*:worst_expire_ns)", 6),
        ("max(churn/min_heap/rpc/1000, 12, churn/*_queue/rpc/1000)", 16),
        ("times_best(churn/hierarchical_wheel/rpc/1000)", 2),
        ("max(times_best(churn/{both}/rpc/100000))", 2),
        ("max(times_best(churn/*/rpc/1000:worst_expire_ns))", 2),
        ("times(churn/min_heap/rpc/1000, hierarchical_wheel)", 0.5),
        ("max(times(churn/{both}/rpc/100000, hierarchical_wheel))", 2),
        ("times(churn/hierarchical_wheel/rpc/1000, both)", 2),
        ("times(churn/min_heap/rpc/1000, both)", 1),
        ("times(horizon/min_heap/log_uniform/1000, both)", 1),
        ("times_best(dispatch/heap_timer/within_250ms/1000)", 3),
        ("churn/min_heap/rpc/100000 / churn/min_heap/rpc/1000", 4),
        ("1 - churn/min_heap/rpc/1000 / churn/hierarchical_wheel/rpc/1000", 0.5),
        ("2 * (churn/min_heap/rpc/1000 + 1.5)", 23),
        ("max(churn/*/rpc/100000 / churn/*/rpc/1000)", 4),
        ("min(churn/*/rpc/* / churn/hierarchical_wheel/rpc/*)", 0.5),
        ("min(churn/*_heap/rpc/*:worst_expire_ns / churn/*/rpc/*)", 7),
        ("max(100 - churn/*/rpc/1000)", 90),
        ("rounded(churn/min_heap/rpc/1000 + 2.6, 2)", 13),
        ("max(rounded(churn/*/rpc/* * 1234, 1))", 50_000),
        ("at_least(horizon/priority_queue/log_uniform/1000)", 2e9),
        ("at_least(max(times_best(horizon/*/log_uniform/1000)))", 4e7),
        ("min(soak(operations))", 1000),
    ],
)
def test_has_the_value_that_the_results_give(
    language: Language, expression: str, value: float
) -> None:
    assert language.evaluate(expression) == pytest.approx(value)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("churn/lost/rpc/1000", "there is no cell churn/lost/rpc/1000"),
        ("churn/{both,lost}/rpc/1000", "there is no cell churn/lost/rpc/1000"),
        ("churn/{heaps}/rpc/1000000", "there is no cell churn/min_heap/rpc/1000000"),
        ("churn/{heaps - lost}/rpc/1000", "there is no lost to leave out of {heaps - lost}"),
        ("churn/{lazy_wheels}/rpc/1000", "nothing is left of {lazy_wheels}"),
        ("max(chrun/*/rpc/*)", "there is no cell chrun/*/rpc/*"),
        ("max(churn/*/1000)", "there is no cell churn/*/1000"),
        ("churn/min_heap", "there is no cell churn/min_heap"),
        ("churn/min_heap/rpc/1000/churn/min_heap/rpc/10000", "there is no cell"),
        ("churn/priority_queue/rpc/1000:worst_expire_ns", "no such figure: worst_expire_ns"),
        ("churn/min_heap/rpc/1000:run_name", "could not convert"),
        ("churn/*/rpc/1000", "is 3 figures; take their min or max"),
        ("horizon/priority_queue/log_uniform/1000", "only a lower bound"),
        ("max(horizon/*/log_uniform/1000)", "only a lower bound"),
        ("at_least(1 / horizon/priority_queue/log_uniform/1000)", "only a lower bound"),
        ("times(horizon/min_heap/log_uniform/1000, priority_queue)", "only a lower bound"),
        ("times(churn/min_heap/rpc/1000, lost)", "no process measured"),
        ("max(churn/*/rpc/* / horizon/min_heap/*/*)", "has no partner"),
        ("min({memory,expire}/*/*/* / {memory,expire}/*/*/*)", "no clear partners"),
        ("max(churn/*/rpc/1000 / {horizon,replay,churn}/min_heap/*/1000)", "there is no cell"),
        ("soak(colour)", "gives no colour"),
        ("1 / (churn/min_heap/rpc/1000 - 10)", "division by zero"),
        ("1e308 * 10", "is inf"),
        ("rounded(1, 0)", "not part of the language"),
        ("max()", "not part of the language"),
        ("", "is no expression"),
        ("1 +", "is no expression"),
    ],
)
def test_says_why_there_is_no_value(language: Language, expression: str, why: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(why)):
        language.evaluate(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('touch harm')",
        "open('harm', 'w')",
        "().__class__.__base__.__subclasses__()",
        "[queue for queue in 'ab']",
        "(lambda: 1)()",
        "max(1, key=print)",
        "max(*[1, 2])",
        "2 ** 1000000",
        "1 if True else 2",
        "results",
        "True",
        "'text' * 1000000000",
        "f'{1}'",
        "(x := 1)",
        "-" * 100_000 + "1",
        "(" * 1000 + "1" + ")" * 1000,
    ],
)
def test_evaluates_nothing_but_its_own_language(
    language: Language, expression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExpressionError):
        language.evaluate(expression)
    assert not (tmp_path / "harm").exists()


def crossing(directory: Path, heap: dict[int, list[float]], wheel: float) -> Language:
    """Makes results of a heap with these times in each round, and of a constant wheel."""
    rounds = {Name("churn", HEAP, f"rpc/{n}"): times for n, times in heap.items()}
    rounds |= {Name("churn", WHEEL, f"rpc/{n}"): [wheel] * len(heap[n]) for n in heap}
    write_bench(
        directory,
        {name: [{"ns_per_operation": ns} for ns in times] for name, times in rounds.items()},
    )
    return Language(load(directory), directory, {})


def test_knows_how_well_a_ratio_is_known(tmp_path: Path) -> None:
    language = crossing(tmp_path, {1_000: [40.0, 42.0, 44.0], 10_000: [60.0] * 3}, 20.0)
    ratio = figure_of([2.0, 2.1, 2.2])
    half = ratio.high / ratio.mean - 1
    assert language.evaluate("half_widths(churn/min_heap/rpc/1000)") == pytest.approx(half)
    assert language.evaluate("half_widths(churn/min_heap/rpc/10000)") == 0
    assert language.evaluate("count(half_widths(churn/*/rpc/*))") == 2  # the best has none
    assert language.evaluate("most_of(half_widths(churn/*/rpc/*))") == pytest.approx(0.95 * half)


def test_knows_how_well_the_ratio_to_a_certain_queue_is_known(tmp_path: Path) -> None:
    language = crossing(tmp_path, {1_000: [40.0, 42.0, 44.0]}, 20.0)
    ratio = figure_of([0.5, 20 / 42, 20 / 44])
    of_best = "half_widths(times(churn/hierarchical_wheel/rpc/1000, min_heap))"
    assert language.evaluate(of_best) == pytest.approx(ratio.high / ratio.mean - 1)
    assert language.evaluate("max(half_widths(times(churn/*/rpc/1000, min_heap)))") > 0


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("simulated(churn/min_heap/rpc/1000, instructions)", 232.7),
        ("simulated(churn/min_heap/rpc/1000, mispredicted)", 0.247),
        ("max(simulated(churn/{both}/rpc/1000, instructions))", 300),
        ("count(simulated(churn/*/rpc/*, d1_misses))", 2),
        (f"schemes(schemes/{HEAP}/insert/16, instructions)", 115),
    ],
)
def test_knows_what_was_counted_of_the_same_build(
    language: Language,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    expression: str,
    value: float,
) -> None:
    store(language, tmp_path, monkeypatch)
    assert language.evaluate(expression) == value


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("simulated(churn/min_heap/rpc/1000, colour)", "has no column colour"),
        ("simulated(churn/min_heap/rpc/7, instructions)", "there is no cell churn/min_heap/rpc/7"),
        ("simulated(burst/min_heap/edges/1000, instructions)", "was too slow to be counted"),
        ("max(simulated(*/*/*/1000, instructions))", "was too slow to be counted"),
    ],
)
def test_says_why_nothing_was_counted(
    language: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expression: str, why: str
) -> None:
    store(language, tmp_path, monkeypatch)
    with pytest.raises(ExpressionError, match=re.escape(why)):
        language.evaluate(expression)


def test_a_broken_file_of_counts_is_no_value(
    language: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(language, tmp_path, monkeypatch).write_text("{")
    with pytest.raises(ExpressionError, match=r"simulated\.json is broken"):
        language.evaluate("simulated(churn/min_heap/rpc/1000, instructions)")


def store(language: Language, directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Counts of the build that made the results, and of another one."""
    path = directory / "counts" / "simulated.json"
    path.parent.mkdir()
    cells: Cells = {
        f"churn/{HEAP}/rpc/1000": Counted(232.7, 1.781, 0.516, 0.247),
        f"churn/{LAZY}/rpc/1000": Counted(300, 1, 1, 1),
        f"burst/{HEAP}/edges/1000": None,
    }
    other = {"compiler": "GCC 4", "libc": "glibc 2", "flags": "-O0"}
    key = simulated.key_of(language.results.context, "x86_64")
    simulated.write(path, {key: cells, simulated.key_of(other, "x86_64"): {}})
    monkeypatch.setattr(simulated, "STORED", path)
    schemes = path.with_name("schemes.json")
    simulated.write(schemes, {key: {f"schemes/{HEAP}/insert/16": Counted(115, 0, 0, 0)}})
    monkeypatch.setattr(simulated, "SCHEMES", schemes)
    return path


def test_one_process_does_not_say_how_well_a_ratio_is_known(tmp_path: Path) -> None:
    language = crossing(tmp_path, {1_000: [40.0]}, 20.0)
    with pytest.raises(ExpressionError, match="one process measured churn/min_heap/rpc/1000"):
        language.evaluate("half_widths(churn/min_heap/rpc/1000)")


def test_knows_how_far_twins_are_apart(tmp_path: Path) -> None:
    figures = {HEAP: [10.0, 10.0], f"{HEAP}_twin": [10.5, 10.5], WHEEL: [20.0, 20.0]}
    write_bench(
        tmp_path,
        {
            Name("churn", queue, "rpc/1000"): [{"ns_per_operation": ns} for ns in of_queue]
            for queue, of_queue in figures.items()
        },
    )
    language = Language(load(tmp_path), tmp_path, {})
    assert language.evaluate("max(twins_apart(churn/*/rpc/1000))") == pytest.approx(0.05)
    with pytest.raises(ExpressionError, match="no such figure"):
        language.evaluate("twins_apart(churn/hierarchical_wheel/rpc/1000)")


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
    language = Language(load(tmp_path / "here"), tmp_path / "here")
    assert language.evaluate("told_apart('there')") == 3
    assert language.evaluate("same_order('there')") == pytest.approx(2 / 3)
    with pytest.raises(ExpressionError, match=r"there are no results in .*/nowhere"):
        language.evaluate("same_order('nowhere')")
