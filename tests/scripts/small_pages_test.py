"""Tests of results in small pages next to results in huge ones, and of the chart of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

import plot
from results_for_tests import write_bench
from timerbench.charts.pages import draw
from timerbench.results import SMALL_PAGES, Name, Results, ResultsError, load

HEAP, MAP, WHEEL = "min_heap", "ordered_map", "lazy_wheel"
BIG, SMALLER = "rpc/1000000", "rpc/1000"

# For each cell a figure of each process.
Figures = Mapping[tuple[str, str], Sequence[float]]
IN_HUGE: Figures = {
    (queue, case): [ns, 1.1 * ns, 0.9 * ns]
    for case in (SMALLER, BIG)
    for queue, ns in ((MAP, 100.0), (HEAP, 20.0), (WHEEL, 10.0))
}


def write(directory: Path, figures: Figures, pages: str, bench: str = "churn") -> Path:
    entries = {
        Name(bench, queue, case): [{"ns_per_operation": ns} for ns in of_cell]
        for (queue, case), of_cell in figures.items()
    }
    write_bench(directory, entries, pages=pages)
    return directory


def results_of(
    directory: Path, in_small: Figures, pages: tuple[str, str] = ("huge", "small")
) -> Results:
    write(directory, IN_HUGE, pages[0])
    write(directory / SMALL_PAGES, in_small, pages[1])
    return load(directory)


def drawn(results: Results) -> Canvas:
    canvas = draw(results)
    assert canvas
    canvas.draw_without_rendering()
    return canvas


def lengths(axes: Axes) -> dict[str, float]:
    """Returns the lengths of the bars, by the position of the queue."""
    return {
        str(bar.get_gid()).rpartition(":")[2]: bar.get_width()
        for bar in axes.patches
        if isinstance(bar, Rectangle) and bar.get_gid()
    }


def words_of(canvas: Canvas) -> str:
    return "\n".join(text.get_text() for text in canvas.texts)


def test_results_in_small_pages_are_read_beside_the_others_and_never_mixed_with_them(
    tmp_path: Path,
) -> None:
    results = results_of(tmp_path, {(HEAP, BIG): [30.0, 31.0]})
    assert results.pages == {"huge"}
    assert results.rounds.keys() == {Name("churn", queue, case) for queue, case in IN_HUGE}
    assert len(results.rounds[Name("churn", HEAP, BIG)]) == 3
    assert results.small_pages
    assert results.small_pages.pages == {"small"}
    assert list(results.small_pages.rounds) == [Name("churn", HEAP, BIG)]
    assert load(write(tmp_path / "alone", IN_HUGE, "huge")).small_pages is None


def test_huge_pages_are_not_taken_for_small_ones(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ResultsError, match="small_pages was measured in huge pages"):
        results_of(tmp_path, {(HEAP, BIG): [30.0]}, ("huge", "huge"))
    assert plot.main([str(tmp_path)]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith("measured in huge pages; measure it by scripts/run.py --small-pages")


def test_results_that_do_not_say_so_are_of_small_pages(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / SMALL_PAGES):
        write(directory, {(HEAP, BIG): [30.0]}, "huge")
        file = directory / "churn.json"
        file.write_text(file.read_text().replace(', "pages": "huge"', ""))
    results = load(tmp_path)
    assert results.pages == {"small"}
    assert draw(results) is None


def test_each_case_has_both_with_intervals_on_one_axis(tmp_path: Path) -> None:
    in_small = {cell: [2 * ns for ns in of_cell] for cell, of_cell in IN_HUGE.items()}
    canvas = drawn(results_of(tmp_path, in_small))
    huge, small = canvas.axes
    assert (huge.get_label(), small.get_label()) == ("huge pages", "small pages")
    assert "with 1,000,000 timers" in words_of(canvas)
    assert list(lengths(huge)) == list(lengths(small)) == ["0", "1", "2"]
    for row, length in lengths(huge).items():
        assert lengths(small)[row] == pytest.approx(2 * length)
    assert huge.get_xlim() == small.get_xlim()
    for axes in (huge, small):
        intervals = [line for line in axes.lines if len(np.asarray(line.get_xdata())) == 2]
        assert len(intervals) == 3
    assert "line: 95% interval" in words_of(canvas)


def test_a_queue_has_its_own_row_whatever_was_measured_in_small_pages(tmp_path: Path) -> None:
    in_small = {(WHEEL, BIG): [15.0] * 2, ("gone", BIG): [1.0] * 2, (MAP, BIG): [150.0] * 2}
    huge, small = drawn(results_of(tmp_path, in_small)).axes
    assert list(lengths(huge)) == ["0", "1", "2"]
    assert lengths(small) == pytest.approx({"0": 150.0, "2": 15.0})
    assert [text.get_text() for text in small.texts] == ["150", "–", "15.0"]


def test_the_processes_of_small_pages_are_said(tmp_path: Path) -> None:
    canvas = drawn(results_of(tmp_path, {(HEAP, BIG): [30.0] * 7, (HEAP, SMALLER): [1.0] * 2}))
    assert "They had a run of their own: means of 7 processes." in words_of(canvas)


def test_only_cases_that_both_have_are_shown_with_the_most_timers_of_these(tmp_path: Path) -> None:
    write(tmp_path / SMALL_PAGES, {(HEAP, "growing/1000"): [1.0] * 2}, "small", bench="insert")
    canvas = drawn(
        results_of(tmp_path, {(HEAP, "rpc/10000000"): [1.0] * 2, (HEAP, SMALLER): [1.0] * 2})
    )
    assert "with 1,000 timers" in words_of(canvas)
    assert len(canvas.axes) == 2


@pytest.mark.parametrize("case", ["rpc/10", "novel/1000"])
def test_without_a_case_that_both_have_there_is_no_chart(tmp_path: Path, case: str) -> None:
    assert draw(results_of(tmp_path, {(HEAP, case): [1.0] * 2})) is None


def test_without_huge_pages_beside_the_small_ones_there_is_no_chart(tmp_path: Path) -> None:
    assert draw(results_of(tmp_path, IN_HUGE, ("small", "small"))) is None
    assert draw(load(write(tmp_path / "alone", IN_HUGE, "huge"))) is None
