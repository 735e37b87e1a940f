"""Tests of scripts/plot.py and of what it reads."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

import plot
import results
from results_for_tests import QUEUES, write_results

PLOT = Path(plot.__file__)
CHARTS = ["churn.png", "churn.svg", "replay.png", "replay.svg"]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    write_results(tmp_path / "results")
    return tmp_path / "results"


def edit_manifest(directory: Path, file: str, **facts: str) -> None:
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest[file].update(facts)
    (directory / "manifest.json").write_text(json.dumps(manifest))


def test_draws_each_bench_as_svg_and_as_png(directory: Path) -> None:
    assert sorted(file.name for file in plot.draw(directory)) == CHARTS
    assert not list(directory.rglob("*.part"))


def test_draws_the_same_bytes_again_in_another_process_and_directory(
    directory: Path, tmp_path: Path
) -> None:
    write_results(tmp_path / "elsewhere")
    for where in (directory, tmp_path / "elsewhere"):
        subprocess.run([sys.executable, PLOT, where], check=True)
    for chart in CHARTS:
        assert (directory / chart).read_bytes() == (tmp_path / "elsewhere" / chart).read_bytes()


def test_draws_the_rest_when_a_cell_is_missing(directory: Path) -> None:
    for file in directory.glob("replay/go-nethttp.*.json"):
        report = json.loads(file.read_text())
        report["benchmarks"] = report["benchmarks"][1:]
        file.write_text(json.dumps(report))
    assert len(plot.draw(directory)) == len(CHARTS)


def test_takes_the_median_and_the_extremes_of_the_rounds(directory: Path) -> None:
    name = results.Name("churn", "min_heap", "rpc/1000")
    values = [10.0, 30.0, 20.0]
    for number, value in enumerate(values, 1):
        file = directory / "churn" / f"rpc-1000.{number}.json"
        report = json.loads(file.read_text())
        for cell in report["benchmarks"]:
            cell["ns_per_operation"] = value
        file.write_text(json.dumps(report))
    figure = results.load(directory).figure(name, results.ns_per_operation)
    assert figure == results.Figure(median=20, low=10, high=30)


def test_leaves_out_figures_of_an_older_build(
    directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    newer = {"binary": "another hash", "started": "2026-01-02T00:00:00Z"}
    edit_manifest(directory, "churn/rpc-1000.2.json", **newer)
    cells = results.load(directory)
    assert cells.cases("churn") == ["rpc/1000"]
    assert len(cells.rounds[results.Name("churn", "min_heap", "rpc/1000")]) == 1
    assert len(cells.cases("replay")) == 6
    assert "11 files of an older build are left out" in capfd.readouterr().err


def test_keeps_the_queues_in_the_order_of_the_catalog(directory: Path) -> None:
    assert results.load(directory).queues == QUEUES


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("churn/min_heap/rpc/1000", ("churn", "min_heap", "rpc/1000")),
        ("churn/min_heap/rpc/1000/manual_time", ("churn", "min_heap", "rpc/1000")),
        ("replay/wheel/tiny@1ms/iterations:1/real_time", ("replay", "wheel", "tiny@1ms")),
    ],
)
def test_leaves_out_what_google_benchmark_appends_to_a_name(
    name: str, expected: tuple[str, str, str]
) -> None:
    assert results.Name.parse(name) == results.Name(*expected)


@pytest.mark.parametrize("name", ["", "churn", "churn/min_heap", "churn/min_heap/manual_time"])
def test_refuses_a_name_of_another_form(name: str) -> None:
    with pytest.raises(ValueError, match="bench/queue/case"):
        results.Name.parse(name)


def test_says_that_a_directory_holds_no_results(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert plot.main([str(tmp_path)]) == 2
    assert f"{tmp_path} holds no results" in capfd.readouterr().err


@pytest.mark.parametrize(
    "broken",
    [
        "manifest.json",
        "churn/rpc-1000.1.json",
    ],
)
def test_names_a_file_that_is_broken(
    directory: Path, capfd: pytest.CaptureFixture[str], broken: str
) -> None:
    (directory / broken).write_text('{"benchmarks": [')
    assert plot.main([str(directory)]) == 2
    assert f"{directory / broken} is broken" in capfd.readouterr().err
    assert not list(directory.glob("*.svg"))


def test_names_a_file_that_is_gone(directory: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (directory / "churn" / "rpc-1000.1.json").unlink()
    assert plot.main([str(directory)]) == 2
    assert "rpc-1000.1.json is broken" in capfd.readouterr().err


def test_names_a_cell_without_its_counter(
    directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = directory / "churn" / "rpc-1000.1.json"
    file.write_text(file.read_text().replace("ns_per_operation", "ns"))
    assert plot.main([str(directory)]) == 2
    assert "has no counter 'ns_per_operation'" in capfd.readouterr().err


def test_labels_keep_apart_and_in_order() -> None:
    placed = plot.apart([5.0, 1.0, 1.2, 1.1, 9.0], gap=1.0)
    order = sorted(range(5), key=lambda index: placed[index])
    assert order == [1, 3, 2, 0, 4]
    gaps = [placed[b] - placed[a] for a, b in itertools.pairwise(order)]
    assert min(gaps) > 0.999
    assert placed[4] == 9.0
