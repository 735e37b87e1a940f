"""Tests of the chart of the costs of an operation on a simulated machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.colors import to_rgba

from results_for_tests import QUEUES, write_bench
from timerbench import simulated
from timerbench.charts.three_axes import draw
from timerbench.results import Name, Results, load
from timerbench.simulated import Cells, Counted

KEY = "GCC 12.2.0, glibc 2.36, x86_64, -O2 -DNDEBUG"


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Makes results of two queues and two workloads of churn."""
    names = [
        Name("churn", queue, case) for queue in QUEUES[:2] for case in ("rpc/1000", "tcp/1000")
    ]
    write_bench(tmp_path, {name: [{"ns_per_operation": 1.0}] for name in names})
    return load(tmp_path)


def store(
    path: Path, cells: Mapping[str, Counted | None], monkeypatch: pytest.MonkeyPatch, key: str = KEY
) -> None:
    simulated.write(path / "simulated.json", {key: cells})
    monkeypatch.setattr(simulated, "STORED", path / "simulated.json")


def boxes(results: Results) -> dict[str, tuple[float, float, float, float]]:
    """Returns the colour of each coloured cell."""
    canvas = draw(results)
    assert canvas
    patches = [patch for axes in canvas.axes for patch in axes.patches]
    return {
        str(patch.get_gid()): to_rgba(patch.get_facecolor()) for patch in patches if patch.get_gid()
    }


def test_each_axis_has_a_cell_for_each_count(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = Counted(100, 1, 0, 0.1), Counted(200, 1, 0, 0.1)
    cells = {"churn/ordered_map/rpc/1000": many, "churn/min_heap/rpc/1000": few}
    store(tmp_path, cells, monkeypatch)
    colours = boxes(results)
    columns = ("instructions", "d1_misses", "mispredicted")
    assert list(colours) == [
        f"{column}:churn, rpc:{queue}" for column in columns for queue in QUEUES[:2]
    ]
    darkness = {gid: -sum(colour[:3]) for gid, colour in colours.items()}
    of_map, of_heap, *equal = darkness.values()
    assert of_map > of_heap
    assert equal[0] == equal[1] and equal[2] == equal[3]


def test_what_is_too_slow_has_a_dash_and_no_colour(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells: Cells = {
        "churn/ordered_map/rpc/1000": Counted(100, 1, 0, 0),
        "churn/min_heap/rpc/1000": None,
    }
    store(tmp_path, cells, monkeypatch)
    assert {gid.rsplit(":", 1)[1] for gid in boxes(results)} == {"ordered_map"}
    canvas = draw(results)
    assert canvas
    words = [text.get_text() for axes in canvas.axes for text in axes.texts]
    assert words.count("–") == 3
    assert any("too slow to be counted" in text.get_text() for text in canvas.texts)


def test_counts_beyond_a_scale_have_the_colour_of_its_end(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing, much = Counted(0, 0, 0, 0), Counted(1e6, 1e6, 0, 1e6)
    cells = {"churn/ordered_map/rpc/1000": much, "churn/min_heap/rpc/1000": nothing}
    store(tmp_path, cells, monkeypatch)
    assert len(boxes(results)) == 6
    assert len(set(boxes(results).values())) == 2


def test_it_shows_what_most_cases_have_up_to_100_000_timers(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = Counted(100, 1, 0, 0)
    sizes = {"rpc": (1_000, 100_000), "tcp": (1_000, 100_000, 1_000_000)}
    cells = {f"churn/min_heap/{name}/{n}": of for name, all_n in sizes.items() for n in all_n}
    store(tmp_path, cells, monkeypatch)
    canvas = draw(results)
    assert canvas
    assert any("with 100,000 timers" in text.get_text() for text in canvas.texts)


def test_without_counts_of_its_build_there_is_no_chart(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells: Cells = {"churn/min_heap/rpc/1000": Counted(100, 1, 0, 0)}
    store(tmp_path, cells, monkeypatch)
    canvas = draw(results)
    assert canvas
    assert draw(replace(results, context={**results.context, "flags": "-O3"})) is None
    (tmp_path / "simulated.json").unlink()
    assert draw(results) is None


def test_counts_of_benches_and_queues_that_were_not_measured_are_not_shown(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, {"insert/min_heap/warm/1000": Counted(100, 1, 0, 0)}, monkeypatch)
    assert draw(results) is None
    store(tmp_path, {"churn/novel/rpc/1000": Counted(100, 1, 0, 0)}, monkeypatch)
    assert draw(results) is None
