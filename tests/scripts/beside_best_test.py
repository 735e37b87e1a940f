"""Tests of scripts/timerbench/charts/beside_best.py, on figures whose ratios are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text

from results_for_tests import CASE, QUEUES, results_of_case, write_times
from timerbench.charts.beside_best import beside_best, draw, in_words
from timerbench.results import Name, load

OURS = "lazy_wheel"


@pytest.mark.parametrize(
    ("ours", "said"), [([11.2, 11.3, 11.1], True), ([11.2, 12.5, 9.8], False), ([8.0] * 3, False)]
)
def test_says_behind_whom_it_surely_is(tmp_path: Path, ours: list[float], said: bool) -> None:
    canvas = draw(results_of_case(tmp_path, {"heap": [10.0] * 3, OURS: ours}))
    assert canvas
    texts = [text.get_text() for text in canvas.findobj(Text)]
    assert [text for text in texts if " × heap" in text] == ["1.12 × heap, n = 1,000"] * said
    assert "churn, rpc" in texts


def test_ours_is_not_left_out_where_it_was_too_slow_to_be_timed(tmp_path: Path) -> None:
    results = results_of_case(tmp_path, {"heap": [10.0], OURS: [31.0]}, OURS)
    beside = beside_best(results, Name("churn", OURS, CASE))
    assert beside
    assert in_words(beside) == "> 3.10 × heap, n = 1,000"


def test_each_case_has_its_dot_at_its_ratio_and_an_interval_if_of_several_rounds(
    tmp_path: Path,
) -> None:
    names = [Name("churn", queue, f"rpc/{n}") for n in (1000, 10_000) for queue in ("heap", OURS)]
    figures = [[10.0, 10, 10], [5.0, 5.5, 5 / 1.1], [10.0], [20.0]]
    write_times(tmp_path, dict(zip(names, figures, strict=True)))
    canvas = draw(load(tmp_path))
    assert canvas
    lines = canvas.axes[0].get_lines()
    dots = {str(line.get_gid()): float(np.asarray(line.get_xdata())[0]) for line in lines}
    assert dots[f"churn/{OURS}/rpc/1000"] == pytest.approx(0.5)
    assert dots[f"churn/{OURS}/rpc/10000"] == pytest.approx(2)
    ends = [
        np.asarray(line.get_xdata()) for line in lines if not str(line.get_gid()).startswith("c")
    ]
    (interval,) = [list(of_line) for of_line in ends if of_line[0] != of_line[-1]]
    assert interval == pytest.approx([0.5 / 1.1**2.484, 0.5 * 1.1**2.484], rel=1e-3)


def test_the_longest_words_do_not_leave_the_page(tmp_path: Path) -> None:
    name = "boost_fibonacci_heap"
    assert len(name) >= max(map(len, QUEUES))
    case = "edges/10000000"
    figures = {Name("burst", name, case): 1.0, Name("burst", OURS, case): 1234.0}
    write_times(tmp_path, {name: [ns] * 2 for name, ns in figures.items()})
    canvas = draw(load(tmp_path))
    assert canvas
    words = [text for text in canvas.findobj(Text) if "×" in text.get_text()]
    assert max(text.get_window_extent().x1 for text in words) < canvas.bbox.width


def test_the_key_does_not_leave_the_page(tmp_path: Path) -> None:
    cases = [("churn", f"rpc/{10**digits}") for digits in range(1, 8)] + [("replay", "tiny@1ms")]
    for bench in ("churn", "replay"):
        of_bench = [case for of, case in cases if of == bench]
        names = [Name(bench, queue, case) for case in of_bench for queue in (OURS, "heap")]
        write_times(tmp_path, dict.fromkeys(names, [1.0] * 5))
    canvas = draw(load(tmp_path))
    assert canvas
    (legend,) = canvas.legends
    assert len(legend.get_texts()) == len(cases) + 1
    assert legend.get_window_extent().x1 < canvas.bbox.width
