"""Tests of scripts/history.py, of the ratios in its table, and of its chart."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

import compare
import history
from results_for_tests import QUEUES, write_bench
from timerbench.charts import over_commits
from timerbench.history import beside, cells_of, runs_in
from timerbench.results import Name, load
from timerbench.speed import in_both, pairs

COMMITS = ("aaaaaaa11111", "bbbbbbb22222", "ccccccc33333")
HEAP, WHEEL = "min_heap", "lazy_wheel"

Figures = Mapping[str, Sequence[float]]  # by queue, a figure for each process


def write(
    directory: Path,
    commit: str,
    figures: Figures,
    *,
    cases: Sequence[str] = ("rpc/1000",),
    day: int = 1,
) -> Path:
    """Writes results of churn. A figure below 0 is a bound: the queue is slower than its amount."""
    entries = {
        Name("churn", queue, case): [
            {"ns_per_operation": abs(ns), **({"slower_than": 1.0} if ns < 0 else {})}
            for ns in of_queue
        ]
        for queue, of_queue in figures.items()
        for case in cases
    }
    write_bench(directory, entries)
    file = directory / "churn.json"
    text = file.read_text().replace("0123456789ab", commit)
    file.write_text(text.replace("2026-01-01T", f"2026-01-0{day}T"))
    return directory


def write_three(directory: Path, *of_each: Figures) -> list[Path]:
    return [
        write(directory / commit[0], commit, figures)
        for commit, figures in zip(COMMITS, of_each, strict=True)
    ]


def noisy(ns: float, seed: int) -> list[float]:
    return [float(one) for one in ns * np.random.default_rng(seed).lognormal(0, 0.02, 6)]


def call(*arguments: Path | str) -> int:
    return history.main([str(argument) for argument in arguments])


def result_of(directory: Path, *arguments: Path | str) -> dict[str, Any]:
    assert call(*arguments, "--json", directory / "out.json") == 0
    content: dict[str, Any] = json.loads((directory / "out.json").read_text())
    return content


def rows_of(output: str) -> dict[str, list[str]]:
    """Returns the columns of the table, by the names of cells."""
    rows = (re.split(r"\s{2,}", line.strip()) for line in output.splitlines())
    return {name: columns for name, *columns in rows if name.startswith("churn/")}


def test_ratios_and_intervals_are_those_of_compare(tmp_path: Path) -> None:
    directories = write_three(
        tmp_path,
        {HEAP: noisy(10, 1), WHEEL: noisy(20, 2)},
        {HEAP: noisy(12, 3), WHEEL: noisy(20, 4)},
        {HEAP: noisy(14, 5), WHEEL: noisy(10, 6)},
    )
    result = result_of(tmp_path, *directories)
    first = load(directories[0])
    for place, directory in enumerate(directories[1:]):
        later = load(directory)
        found = pairs(first, later, in_both(first, later), normalised=False)
        for cell in compare.compare(first, later, found, 0.03):
            (of_cell,) = (one for one in result["cells"] if one["name"] == str(cell.name))
            ours = of_cell["ratios"][place]
            assert (ours["mean"], ours["low"], ours["high"]) == (cell.ratio, cell.low, cell.high)
            assert of_cell["figure"] == cell.a


def test_columns_are_commits_in_the_order_given(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    one = [{HEAP: [ns] * 3} for ns in (10.0, 12.0, 8.0)]
    first, second, third = write_three(tmp_path, *one)
    assert call(first, second, third) == 0
    output = capfd.readouterr().out
    assert re.search(r"aaaaaaa +bbbbbbb +ccccccc", output)
    assert f"bbbbbbb: {second}\n" in output
    columns = rows_of(output)["churn/min_heap/rpc/1000"]
    assert columns == ["10.0", "1.20 (1.20 – 1.20)", "0.80 (0.80 – 0.80)"]
    assert call(third, first, second) == 0
    assert re.search(r"ccccccc +aaaaaaa +bbbbbbb", capfd.readouterr().out)


def test_a_number_tells_directories_of_one_commit_apart(tmp_path: Path) -> None:
    commits = ["aaaaaaa11111", "aaaaaaa11111-dirty", "aaaaaaa11111", "aaaaaaa22222"]
    directories = [
        write(tmp_path / str(place), commit, {HEAP: [10.0]}) for place, commit in enumerate(commits)
    ]
    assert [run.name for run in runs_in(directories)] == [
        "aaaaaaa #1",
        "aaaaaaa-dirty",
        "aaaaaaa #2",
        "aaaaaaa #3",
    ]
    for directory in directories:
        file = directory / "churn.json"
        file.write_text(re.sub('"commit": "[^"]*", ', "", file.read_text()))
    assert runs_in(directories[:1])[0].name == "unknown"


def test_what_a_directory_lacks_is_a_gap_and_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    directories = write_three(
        tmp_path,
        {HEAP: [10.0] * 3, WHEEL: [20.0] * 3},
        {HEAP: [10.0] * 3},
        {HEAP: [10.0] * 3, WHEEL: [30.0] * 3, "pairing_heap": [9.0] * 3},
    )
    result = result_of(tmp_path, *directories)
    output = capfd.readouterr().out
    assert rows_of(output)["churn/lazy_wheel/rpc/1000"][1:] == ["–", "1.50 (1.50 – 1.50)"]
    assert "bbbbbbb: 1 of 2 cells have no ratio: not measured\n" in output
    assert "ccccccc: 1 cells are not shown: aaaaaaa lacks them\n" in output
    assert "pairing_heap" not in output
    (of_wheel,) = (cell for cell in result["cells"] if "lazy_wheel" in cell["name"])
    assert of_wheel["ratios"][0] is None
    assert of_wheel["ratios"][1]["mean"] == pytest.approx(1.5)


def test_a_filter_leaves_out_cells_but_not_what_tells_the_speed_of_the_machine(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    figures = {queue: noisy(10, place) for place, queue in enumerate(QUEUES)}
    on_a_slower_machine = {
        queue: [ns * (1.3 if queue == WHEEL else 2.0) for ns in of_queue]
        for queue, of_queue in figures.items()
    }
    first = write(tmp_path / "a", COMMITS[0], figures)
    later = write(tmp_path / "b", COMMITS[1], on_a_slower_machine, day=2)
    (cell,) = result_of(tmp_path, first, later, "--filter", "lazy_wheel")["cells"]
    assert cell["name"] == "churn/lazy_wheel/rpc/1000"
    assert cell["ratios"][0]["mean"] == pytest.approx(1.3 / 2, rel=0.02)
    output = capfd.readouterr().out
    assert "bbbbbbb: the speed of the machine is taken off, as aaaaaaa was measured" in output
    assert "bbbbbbb:   by all queues of the case: 10 cells\n" in output


def test_a_bound_is_told_from_a_ratio(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    directories = write_three(
        tmp_path,
        {HEAP: [10.0] * 3, WHEEL: [-50.0] * 3},
        {HEAP: [-50.0] * 3, WHEEL: [10.0] * 3},
        {HEAP: [10.0], WHEEL: [-50.0] * 3},
    )
    assert call(*directories) == 0
    output = capfd.readouterr().out
    assert rows_of(output) == {
        "churn/min_heap/rpc/1000": ["10.0", "> 5.00", "1.00"],
        "churn/lazy_wheel/rpc/1000": ["> 50.0", "< 0.20", "–"],
    }
    assert "1 of 2 cells have no ratio: too slow to be timed, here and in aaaaaaa" in output


def test_cells_are_in_the_order_of_benches_sizes_and_the_catalog(tmp_path: Path) -> None:
    cases = ["rpc/10000", "rpc/1000", "tcp/100"]
    directory = write(tmp_path, COMMITS[0], {WHEEL: [1.0], HEAP: [1.0]}, cases=cases)
    names = cells_of(load(directory), re.compile("rpc"))
    assert [(name.case, name.queue) for name in names] == [
        (case, queue) for case in ("rpc/1000", "rpc/10000") for queue in (WHEEL, HEAP)
    ]


def drawn(directories: Sequence[Path], wanted: str = "") -> Canvas:
    first, *later = runs_in(directories)
    names = cells_of(first.results, re.compile(wanted))
    all_beside = [beside(first, run) for run in later]
    canvas = over_commits.draw(first, all_beside, over_commits.panels_of(all_beside, names))
    canvas.draw_without_rendering()
    return canvas


def lines_of(canvas: Canvas, kind: str) -> list[Line2D]:
    lines = [line for axes in canvas.axes for line in axes.lines]
    return [line for line in lines if str(line.get_gid()).startswith(kind)]


def test_the_chart_has_a_line_for_each_queue_with_intervals_and_gaps(tmp_path: Path) -> None:
    directories = write_three(
        tmp_path,
        {HEAP: noisy(10, 1), WHEEL: [10.0, 10.0]},
        {HEAP: noisy(20, 1)},
        {HEAP: noisy(5, 1), WHEEL: [-90.0, -90.0]},
    )
    canvas = drawn(directories)
    of_heap, of_wheel = lines_of(canvas, "ratios:churn, rpc/1000")
    assert list(of_heap.get_ydata()) == pytest.approx([1, 2, 0.5])  # type: ignore[arg-type]
    heights = [float(height) for height in np.asarray(of_wheel.get_ydata())]
    assert heights[0] == 1
    assert all(map(math.isnan, heights[1:]))
    intervals = [np.asarray(line.get_ydata()) for line in lines_of(canvas, "interval")]
    assert len(intervals) == 2
    assert all(low < high for low, high in intervals)
    assert [text.get_text() for text in canvas.axes[0].get_xticklabels()] == [
        "aaaaaaa",
        "bbbbbbb",
        "ccccccc",
    ]


def test_a_case_without_any_ratio_has_no_panel(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cases = ["rpc/1000", "rpc/10000", "tcp/1000"]
    first = write(tmp_path / "a", COMMITS[0], {HEAP: [10.0] * 2}, cases=cases)
    later = write(tmp_path / "b", COMMITS[1], {HEAP: [10.0] * 2}, cases=cases[1:])
    canvas = drawn([first, later])
    assert [axes.get_label() for axes in canvas.axes] == ["churn, rpc/10000", "churn, tcp/1000"]
    chart = tmp_path / "out.svg"
    assert call(first, later, "--chart", chart, "--filter", "rpc/1000$") == 3
    (line,) = capfd.readouterr().err.splitlines()
    assert line == "history.py: --chart has nothing to show: of these cells none has a ratio"
    assert not chart.exists()


@pytest.mark.parametrize("change", [1.01, 30.0])
def test_all_panels_have_one_logarithmic_axis_with_1_in_its_middle(
    tmp_path: Path, change: float
) -> None:
    cases = ["rpc/1000", "rpc/10000"]
    first = write(tmp_path / "a", COMMITS[0], {HEAP: [10.0] * 2}, cases=cases)
    later = write(tmp_path / "b", COMMITS[1], {HEAP: [10.0 * change] * 2}, cases=cases)
    canvas = drawn([first, later])
    assert len(canvas.axes) == 2
    assert {axes.get_yscale() for axes in canvas.axes} == {"log"}
    ((low, high),) = {axes.get_ylim() for axes in canvas.axes}
    assert low * high == pytest.approx(1)
    assert high > change
    for axes in canvas.axes:
        (at_1,) = [line for line in axes.lines if line.get_gid() is None]
        assert set(np.asarray(at_1.get_ydata())) == {1}
        assert len([tick for tick in axes.get_yticks() if low < tick < high]) >= 3


def test_no_words_leave_the_fullest_chart(tmp_path: Path) -> None:
    figures: Figures = {f"boost_fibonacci_heap_{number}": [10.0] * 2 for number in range(20)}
    cases = [f"delays_only/{10_000_000 + n}" for n in range(over_commits.MOST_PANELS)]
    commits = [f"abcdef0{n}-dirty" for n in range(8)]
    directories = [
        write(tmp_path / commit, commit, figures, cases=cases, day=1 + n % 2)
        for n, commit in enumerate(commits)
    ]
    canvas = drawn(directories)
    words = [*canvas.legends, *canvas.texts]
    words += [text for axes in canvas.axes for text in axes.get_xticklabels() if text.get_text()]
    extents = [one.get_window_extent() for one in words]
    assert min(extent.x0 for extent in extents) >= 0
    assert max(extent.x1 for extent in extents) <= canvas.bbox.width
    foot = max(text.get_window_extent().y1 for text in canvas.texts if "gap" in text.get_text())
    assert foot < min(text.get_window_extent().y0 for text in canvas.axes[-1].get_xticklabels())
    key = canvas.legends[0].get_window_extent()
    assert key.y0 > max(axes.get_tightbbox().y1 for axes in canvas.axes)  # type: ignore[union-attr]


def test_the_chart_has_the_same_bytes_again(tmp_path: Path) -> None:
    directories = write_three(tmp_path, *[{HEAP: noisy(10, seed)} for seed in (1, 2, 3)])
    for file in ("one.svg", "other.svg"):
        assert call(*directories, "--chart", tmp_path / file) == 0
    content = (tmp_path / "one.svg").read_bytes()
    assert content.startswith(b"<?xml")
    assert content == (tmp_path / "other.svg").read_bytes()


def test_more_panels_than_can_be_read_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cases = [f"rpc/{1000 + n}" for n in range(over_commits.MOST_PANELS + 1)]
    directory = write(tmp_path / "a", COMMITS[0], {HEAP: [10.0] * 2}, cases=cases)
    chart = tmp_path / "out.svg"
    assert call(directory, directory, "--chart", chart) == 3
    assert capfd.readouterr().err == (
        "history.py: --chart shows 12 cases at most, and these are 13; "
        "give a narrower --filter, such as 'rpc/1000$'\n"
    )
    assert not chart.exists()
    assert call(directory, directory) == 0
    assert call(directory, directory, "--chart", chart, "--filter", "rpc/1000$") == 0
    assert chart.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["a"], "the following arguments are required: DIR"),
        (["a", "missing"], "missing holds no results; scripts/run.py makes some"),
        (["a", "other"], "a and other have no cell in common"),
        (["a", "a", "--filter", "("], "'(' is no regular expression: "),
        (
            ["a", "a", "--filter", "fast"],
            "--filter 'fast' matches no cell of a, which has such as churn/min_heap/rpc/1000",
        ),
        (["a", "a", "--chart", "x.png"], "'x.png' is no name of an SVG, such as history.svg"),
        (["a", "a", "--chart", "a/x.svg"], "--chart a/x.svg lies in a; give a file outside of it"),
        (["a", "a", "--json", "a/x.json"], "--json a/x.json lies in a; give a file outside of it"),
        (["a", "a", "--json", "missing/x.json"], "missing/x.json"),
    ],
)
def test_bad_input_is_one_line_and_status_3(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    write(tmp_path / "a", COMMITS[0], {HEAP: [10.0] * 2})
    write(tmp_path / "other", COMMITS[1], {"other": [10.0] * 2})
    monkeypatch.chdir(tmp_path)
    try:
        status: object = call(*arguments)
    except SystemExit as refused:
        status = refused.code
    assert status == 3
    (line,) = capfd.readouterr().err.splitlines()
    assert says in line
    assert not list(tmp_path.rglob("x.*"))
