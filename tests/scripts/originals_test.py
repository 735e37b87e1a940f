"""Tests of how the scripts treat originals: how they find, keep and draw them beside ours."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from matplotlib.figure import Figure as Canvas

import run
from benches_for_tests import write_benches
from results_for_tests import CASES, SETTINGS, made_up, write_bench
from timerbench.charts import counters, lateness, lateness_over_time
from timerbench.charts.style import styles_of
from timerbench.measuring.program import Program
from timerbench.report.cards import figures_of
from timerbench.results import CONTEXT, ORIGINALS, BenchFile, Name, Results, load, write_json

# In the order of their settings in the made-up results of ours.
DEFAULTS = ["java_timer", "netty_wheel"]
MEASURED = ["java_timer", "java_timer_1ns_slack", "netty_wheel"]
GROUPS = {
    "families": "heaps hashed_wheels",
    "properties": "originals defaults",
    "heaps": " ".join(MEASURED[:2]),
    "hashed_wheels": MEASURED[2],
    "originals": " ".join(MEASURED),
    "defaults": " ".join(DEFAULTS),
}
CASE = "uniform/10000"


def write_original(directory: Path, bench: str) -> None:
    rounds = {
        Name(bench, original, case): [made_up(Name(bench, like, case), 1)]
        for original, like in zip(MEASURED, SETTINGS, strict=False)
        for case in CASES[bench]
    }
    write_bench(directory / ORIGINALS, rounds)
    path = directory / ORIGINALS / f"{bench}.json"
    file = BenchFile.read(path)
    file.context = {"cpu": "A CPU of 2 GHz", "java": "A virtual machine", **GROUPS}
    file.write(path)


def write_ours(directory: Path, bench: str) -> None:
    names = [Name(bench, setting, case) for case in CASES[bench] for setting in SETTINGS]
    write_bench(directory, {name: [made_up(name, number) for number in (1, 2)] for name in names})


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes results of two benches, of ours and of originals, which no test changes."""
    directory = tmp_path_factory.mktemp("results")
    for bench in ("lateness", "idle"):
        write_ours(directory, bench)
        write_original(directory, bench)
    write_json(directory / ORIGINALS / CONTEXT, {"cores": 2})
    return directory


@pytest.fixture(scope="module")
def both(directory: Path) -> Results:
    return load(directory)


def texts_of(canvas: Canvas | None) -> list[str]:
    assert canvas
    texts = [*canvas.texts, *(text for legend in canvas.legends for text in legend.get_texts())]
    texts += [text for axes in canvas.axes for text in (*axes.texts, axes.title)]
    return [text.get_text() for text in texts]


def test_originals_stand_behind_ours_and_have_cells_of_the_same_cases(both: Results) -> None:
    assert both.measured["settings"] == [*SETTINGS, *MEASURED]
    assert both.cases("lateness") == sorted(
        CASES["lateness"], key=lambda case: (case.split("/")[0], int(case.split("/")[1]))
    )
    assert Name("idle", "netty_wheel", "no_timer/1") in both.rounds
    assert [both.whose(name) for name in ("java_timer", "heap_timer")] == ["original", "ours"]
    assert both.context["compiler"] == "GCC 12.2.0"


def test_what_is_said_of_a_family_is_said_of_ours_and_an_original_has_its_colour(
    both: Results, directory: Path, tmp_path: Path
) -> None:
    assert not {*both.groups["heaps"], *both.groups["defaults"]} & {*MEASURED}
    assert both.groups["originals"] == MEASURED
    assert both.groups["default_originals"] == DEFAULTS
    styles = styles_of(both, "settings")
    assert styles["java_timer"]["color"] == styles["heap_timer"]["color"]
    assert styles["netty_wheel"]["color"] == styles["hashed_wheel_timer_10ms"]["color"]
    for bench in ("lateness", "idle"):
        shutil.copy(directory / f"{bench}.json", tmp_path)
    alone = styles_of(load(tmp_path), "settings")
    assert {name: styles[name] for name in SETTINGS} == alone


def test_the_line_of_an_original_is_thin_and_dashed_and_only_its_default_has_one(
    both: Results,
) -> None:
    for canvas in (lateness.draw(both), lateness.draw_over_n(both)):
        assert canvas
        dashed = {
            line.get_color()
            for axes in canvas.axes
            for line in axes.lines
            if line.get_linestyle() == "--" and line.get_linewidth() < 1
        }
        assert dashed == {styles_of(both, "settings")[name]["color"] for name in DEFAULTS}
        texts = texts_of(canvas)
        assert "an original" in texts
        assert any(text.startswith("netty_wheel") for text in texts)
        assert not any("1ns_slack" in text for text in texts)


def test_an_original_has_a_panel_over_time_and_a_bar_for_each_of_its_settings(
    both: Results,
) -> None:
    over_time = texts_of(lateness_over_time.draw(both))
    assert [text for text in over_time if "java_timer" in text] == ["java_timer"]
    bars = texts_of(counters.draw(both, "idle"))
    assert {*MEASURED} <= {*bars}


def test_the_report_knows_which_cells_are_of_originals(both: Results) -> None:
    """Its page treats their ratios to ours as `Results.ratio` does."""
    names = [Name("lateness", name, CASE) for name in ("netty_wheel", SETTINGS[0])]
    assert [figures_of(both, name).get("whose") for name in names] == ["original", None]


def test_no_chart_speaks_of_originals_where_there_are_none(tmp_path: Path) -> None:
    write_ours(tmp_path, "lateness")
    results = load(tmp_path)
    assert "an original" not in texts_of(lateness.draw(results))
    assert "an original" not in texts_of(lateness.draw_over_n(results))


@pytest.mark.parametrize(
    ("profile", "measured"), [("smoke", DEFAULTS[:1]), ("quick", DEFAULTS), ("full", MEASURED)]
)
def test_originals_have_settings_in_every_bench(profile: str, measured: list[str]) -> None:
    names = [Name("contention", one, "schedule_4/1000") for one in MEASURED]
    told = {"originals": frozenset(MEASURED), "defaults": frozenset(DEFAULTS)}
    program = Program("contention", Path(), "hash", names, Path(), told)
    assert program.measured(profile) == measured


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Makes a build with originals of two benches."""
    write_benches(tmp_path / "build")
    write_benches(tmp_path / "all")
    (tmp_path / "build" / ORIGINALS).mkdir()
    for bench in ("contention", "dispatch"):
        (tmp_path / "all" / bench).rename(tmp_path / "build" / ORIGINALS / bench)
    return tmp_path / "build"


def test_originals_that_are_found_are_measured_beside_ours_round_by_round(
    build: Path, tmp_path: Path
) -> None:
    words = ["--build", str(build), "--output", str(tmp_path / "out")]
    wanted = "^(contention/schedule_4|dispatch/within_250ms|lateness/uniform)/1000$"
    assert run.main([*words, "--full", "--rounds", "2", "--filter", wanted]) == 0
    ours, theirs = tmp_path / "out", tmp_path / "out" / ORIGINALS
    assert {file.name for file in ours.glob("*.json")} == {
        *("contention.json", "dispatch.json", "lateness.json", "context.json")
    }
    assert {file.name for file in theirs.iterdir()} == {
        *("contention.json", "dispatch.json", "context.json")
    }
    for bench in ("contention", "dispatch"):
        both = [BenchFile.read(of / f"{bench}.json").processes for of in (ours, theirs)]
        rounds = [[process["round"] for process in of] for of in both]
        assert rounds == [[1, 2], [1, 2]]
        first, second = ([of[number]["started"] for of in both] for number in (0, 1))
        assert max(first) <= min(second)


def test_where_builds_are_compared_there_are_no_originals(build: Path, tmp_path: Path) -> None:
    words = [
        word
        for output in ("a", "b")
        for word in ("--build", str(build), "--output", str(tmp_path / output))
    ]
    wanted = "^dispatch/within_250ms/1000$"
    assert run.main([*words, "--full", "--rounds", "1", "--filter", wanted]) == 0
    assert not (tmp_path / "a" / ORIGINALS).exists()
    assert not (tmp_path / "b" / ORIGINALS).exists()


def test_originals_that_fail_leave_the_results_of_ours(
    build: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fails = tmp_path / "fails"
    write_benches(fails, {"within_250ms": "error"})
    (fails / "dispatch").rename(build / ORIGINALS / "dispatch")
    words = ["--build", str(build), "--output", str(tmp_path / "out"), "--rounds", "1", "--full"]
    assert run.main([*words, "--filter", "^dispatch/within_250ms/1000$"]) == 1
    assert f"{tmp_path / 'out' / ORIGINALS}: dispatch/" in capfd.readouterr().err
    results = load(tmp_path / "out")
    assert results.cases("dispatch") == ["within_250ms/1000"]
    assert results.groups["originals"] == []
