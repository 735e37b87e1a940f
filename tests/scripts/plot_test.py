"""Tests of scripts/plot.py: which charts it draws, and that it draws them the same again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import plot
from results_for_tests import (
    CASES,
    MEASURED,
    QUEUES,
    made_up,
    write_bench,
    write_results,
)
from timerbench.benches import BENCHES, subject_of
from timerbench.charts.chart import Chart
from timerbench.charts.registry import all_charts
from timerbench.results import Name, Results, ResultsError, load

PLOT = Path(plot.__file__)


def write_some(directory: Path, bench: str, cases: list[str], queues: list[str]) -> None:
    names = [Name(bench, queue, case) for case in cases for queue in queues]
    write_bench(
        directory, {name: [made_up(name, number) for number in (1, 2, 3)] for name in names}
    )


def drawn_from(benches: list[str]) -> set[str]:
    """Returns the charts whose own subject is one of these benches.

    The chart of pages is left out: it also needs results in small pages.
    """
    return {
        name
        for name, chart in all_charts().items()
        for bench in benches
        if name != "pages"
        and bench in chart.benches
        and subject_of(bench) == subject_of(chart.benches[0])
    }


def names_of(files: list[Path]) -> set[str]:
    assert {file.suffix for file in files} == {".svg"}
    return {file.stem for file in files}


def test_draws_the_same_bytes_again_in_another_process_and_directory(tmp_path: Path) -> None:
    few, whole = ["replay", "churn", "horizon", "memory"], ["lateness", "ticks", "sleep"]
    for where in (tmp_path / "one", tmp_path / "other"):
        for bench in few:
            write_some(where, bench, CASES[bench][:4], QUEUES)
        for bench in whole:
            write_some(where, bench, CASES[bench], MEASURED[subject_of(bench)][:5])
    assert all(file.stat().st_size > 1000 for file in plot.draw(tmp_path / "one"))
    assert not plt.get_fignums()
    subprocess.run([sys.executable, PLOT, tmp_path / "other"], check=True)
    assert not list(tmp_path.rglob("*.part"))
    charts = [file for file in (tmp_path / "other").iterdir() if file.suffix == ".svg"]
    # Another process finds the counts of the repository, which are of another build. And the chart
    # of all queues at a glance needs cases that are not among these.
    assert names_of(charts) == drawn_from(few + whole) - {"three_axes", "schemes", "at_a_glance"}
    for chart in charts:
        assert chart.read_bytes() == (tmp_path / "one" / chart.name).read_bytes()


def cases_of_five_workloads(bench: str) -> list[str]:
    """Returns the cases of the first workloads: with more of them a chart is only larger."""
    names = [Name(bench, "", case) for case in CASES[bench]]
    few = list(dict.fromkeys(name.workload for name in names))[:5]
    return [name.case for name in names if name.workload in few]


@pytest.mark.parametrize("bench", BENCHES)
def test_draws_what_a_single_bench_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bench: str
) -> None:
    monkeypatch.setattr(plot, "svg_of", lambda _canvas: b"")  # it takes as long as all the rest
    write_some(tmp_path, bench, cases_of_five_workloads(bench), MEASURED[subject_of(bench)])
    assert names_of(plot.draw(tmp_path)) == drawn_from([bench])


def test_every_bench_is_in_a_chart() -> None:
    assert {bench for chart in all_charts().values() for bench in chart.benches} == set(BENCHES)


def test_draws_one_size_of_one_queue(tmp_path: Path) -> None:
    for bench in ("churn", "memory"):
        write_some(tmp_path, bench, [CASES[bench][0]], ["priority_queue"])
    drawn = names_of(plot.draw(tmp_path))
    assert {"churn", "memory"} <= drawn <= drawn_from(["churn", "memory"])


def test_draws_twenty_queues_of_which_some_lack_sizes(tmp_path: Path) -> None:
    names = [
        Name("cancel", f"queue_{number}", case) for case in CASES["cancel"] for number in range(20)
    ]
    rounds = {name: [made_up(Name("cancel", QUEUES[0], name.case), 1)] for name in names}
    rounds = {name: entries for name, entries in rounds.items() if hash_of(name) % 3}
    write_bench(tmp_path, rounds)
    assert {"cancel", "heat_map"} <= names_of(plot.draw(tmp_path)) <= drawn_from(["cancel"])


def hash_of(name: Name) -> int:
    return sum(map(ord, str(name)))


def test_draws_a_workload_and_a_trace_that_the_table_of_benches_does_not_know(
    tmp_path: Path,
) -> None:
    write_some(tmp_path, "churn", ["novel/1000", "novel/10000"], QUEUES)
    write_some(tmp_path, "replay", ["a-new-trace@1ms"], QUEUES)
    assert names_of(plot.draw(tmp_path)) == drawn_from(["churn", "replay"]) - {
        "at_a_glance",
        "families",
    }


def test_leaves_the_charts_that_were_there_when_one_cannot_be_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_some(tmp_path, "replay", CASES["replay"], QUEUES)
    (tmp_path / "replay.svg").write_text("old")
    (tmp_path / "replay.svg.part").mkdir()  # a folder where the file is written
    assert plot.main([str(tmp_path)]) == 2
    assert "replay.svg.part" in capfd.readouterr().err
    assert (tmp_path / "replay.svg").read_text() == "old"


def test_writes_no_chart_when_the_last_of_them_fails(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_results: Results) -> None:
        raise ResultsError("there is no multiple of it")

    write_some(tmp_path, "replay", CASES["replay"], QUEUES)
    monkeypatch.setitem(all_charts(), "the_last", Chart(("floor",), fail))
    assert plot.main([str(tmp_path)]) == 2
    assert capfd.readouterr().err == "plot.py: there is no multiple of it\n"
    assert [file.name for file in tmp_path.iterdir()] == ["replay.json"]


@pytest.fixture(scope="module")
def results_with_the_longest_words(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Some cells have few rounds, so that the key has to tell a range from an interval."""
    directory = tmp_path_factory.mktemp("results")
    write_results(directory, rounds=6)
    results = load(directory)
    for bench in CASES:
        first = results.cases(bench)[0]
        for name in results.names(bench):
            if name.case == first:
                del results.rounds[name][6]
    return results


@pytest.mark.parametrize("chart", all_charts())
def test_every_chart_is_drawn_and_no_words_leave_its_page(
    results_with_the_longest_words: Results, chart: str
) -> None:
    canvas = all_charts()[chart].draw(results_with_the_longest_words)
    assert canvas
    canvas.draw_without_rendering()
    words = [*canvas.legends, *canvas.texts, *(text for of in canvas.axes for text in of.texts)]
    extents = [one.get_window_extent() for one in words]
    assert min(extent.x0 for extent in extents) >= 0
    assert max(extent.x1 for extent in extents) <= canvas.bbox.width
