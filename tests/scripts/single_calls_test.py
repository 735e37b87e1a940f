"""Tests of the chart of single calls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from results_for_tests import QUEUES, SINGLE_CALLS, made_up, write_bench
from timerbench.charts.single_calls import VERBS, draw
from timerbench.results import Name, Results, load, ns_per_operation

Sizes = Mapping[str, tuple[int, ...]]

VERBS_AND_N = dict.fromkeys(VERBS, (1_000, 100_000, 1_000_000))


def results_of(directory: Path, sizes: Sizes = VERBS_AND_N) -> Results:
    """Makes results of three queues, with these n of each verb."""
    for verb, ns in sizes.items():
        bench, workload = VERBS[verb]
        names = [Name(bench, queue, f"{workload}/{n}") for queue in QUEUES[:3] for n in ns]
        write_bench(directory, {name: [made_up(name, n) for n in (1, 2)] for name in names})
    return load(directory)


def drawn(results: Results) -> Canvas:
    canvas = draw(results)
    assert canvas
    return canvas


def bars_of(axes: Axes) -> dict[str, float]:
    """Returns the lengths of the bars, by the position of the queue."""
    return {
        str(bar.get_gid()).rpartition(":")[2]: bar.get_width()
        for bar in axes.patches
        if isinstance(bar, Rectangle) and bar.get_gid()
    }


def words_of(canvas: Canvas) -> list[str]:
    return [text.get_text() for text in canvas.texts]


def test_each_verb_has_its_quantiles_for_each_queue(tmp_path: Path) -> None:
    results = results_of(tmp_path)
    canvas = drawn(results)
    assert [axes.get_label() for axes in canvas.axes] == ["p50", "p99", "p99.9", "worst"] * 4
    assert [word for word in words_of(canvas) if word in VERBS] == list(VERBS)
    for place, (bench, workload) in enumerate(VERBS.values()):
        panels = canvas.axes[4 * place : 4 * place + 3]  # the fourth axis does not begin at 0
        for axes, times in zip(panels, SINGLE_CALLS.values(), strict=False):
            means = [
                results.figure(Name(bench, queue, f"{workload}/100000"), ns_per_operation)
                for queue in QUEUES[:3]
            ]
            expected = [times * mean.mean for mean in means if mean]
            assert list(bars_of(axes).values()) == pytest.approx(expected)


def test_only_the_worst_has_a_logarithmic_axis_which_always_begins_at_100_ns(
    tmp_path: Path,
) -> None:
    results = results_of(tmp_path)
    for factor in (1, 1_000):
        for entries in results.rounds.values():
            for entry in entries.values():
                entry.update({key: factor * entry[key] for key in entry if key.startswith("worst")})
        for axes in drawn(results).axes:
            is_worst = axes.get_label() == "worst"
            assert axes.get_xscale() == ("log" if is_worst else "linear")
            assert axes.get_xlim()[0] == (100 if is_worst else 0)


def test_a_call_that_takes_no_longer_than_reading_the_clock_has_no_bar_and_says_0(
    tmp_path: Path,
) -> None:
    results = results_of(tmp_path)
    for number, entry in results.rounds[Name("insert", QUEUES[0], "warm/100000")].items():
        entry["p50_insert_ns"] = 0.0
        entry["worst_insert_ns"] = 0.0
        entry["p99_insert_ns"] = 3.0 * (number - 1)  # in one process of two
    canvas = drawn(results)
    p50, p99, _, worst = canvas.axes[:4]
    assert set(bars_of(p50)) == set(bars_of(worst)) == {"1", "2"}
    assert p50.texts[0].get_text() == worst.texts[0].get_text() == "0 ns"
    assert bars_of(p99)["0"] == 1.5
    assert any("0 says that nothing was left" in word for word in words_of(canvas))


@pytest.mark.parametrize(
    ("sizes", "n"),
    [
        (VERBS_AND_N, "100,000"),
        (dict.fromkeys(VERBS, (1_000, 10_000)), "10,000"),
        ({**VERBS_AND_N, "insert": (1_000, 1_000_000), "cancel": (1_000_000,)}, "1,000,000"),
    ],
)
def test_it_is_drawn_at_100_000_timers_or_the_largest_n_that_most_verbs_have(
    tmp_path: Path, sizes: Sizes, n: str
) -> None:
    words = words_of(drawn(results_of(tmp_path, sizes)))
    assert any(f"Single calls with {n} timers" in word for word in words)


def test_without_single_calls_there_is_no_chart_and_a_verb_without_them_has_no_block(
    tmp_path: Path,
) -> None:
    results = results_of(tmp_path)
    for name, entries in results.rounds.items():
        if name.bench == "rearm":
            for entry in entries.values():
                for word in SINGLE_CALLS:
                    del entry[f"{word}_rearm_ns"]
    assert len(drawn(results).axes) == 12
    assert "rearm" not in words_of(drawn(results))
    name = Name("insert", "min_heap", "warm/1000")
    write_bench(tmp_path / "old", {name: [{"ns_per_operation": 1.0}]})
    assert draw(load(tmp_path / "old")) is None
