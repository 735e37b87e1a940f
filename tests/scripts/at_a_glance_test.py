"""Tests of scripts/timerbench/charts/at_a_glance.py: a point for each queue."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

from results_for_tests import write_bench
from timerbench.charts import at_a_glance
from timerbench.results import Name, load


def points_of(
    directory: Path, entries: dict[str, dict[str, float]]
) -> dict[str, tuple[float, float]]:
    """Returns the point of each queue in the chart, by the name of the queue."""
    rounds = {Name("hold", queue, "exponential/100000"): [of] * 3 for queue, of in entries.items()}
    write_bench(directory, rounds)
    canvas = at_a_glance.draw(load(directory))
    if canvas is None:
        return {}
    (axes,) = canvas.axes
    marked = [line for line in axes.lines if ":hold:" in str(line.get_gid())]
    return {str(line.get_gid()).rsplit(":", 1)[1]: place_of(line) for line in marked}


def place_of(line: Line2D) -> tuple[float, float]:
    return plt.getp(line, "xdata")[0], plt.getp(line, "ydata")[0]


def entry(ns: float, worst_ns: float) -> dict[str, float]:
    return {"ns_per_operation": ns, "worst_expire_ns": worst_ns}


def test_a_queue_stands_at_its_mean_and_its_worst_call(tmp_path: Path) -> None:
    queues = {"lazy_wheel": entry(30, 20_000), "min_heap": entry(90, 700)}
    assert points_of(tmp_path, queues) == {"lazy_wheel": (30, 20_000), "min_heap": (90, 700)}


def test_what_was_too_slow_to_be_timed_has_no_point(tmp_path: Path) -> None:
    queues = {"lazy_wheel": entry(30, 20_000), "min_heap": entry(90, 700) | {"slower_than": 1}}
    assert points_of(tmp_path, queues) == {"lazy_wheel": (30, 20_000)}


def test_without_points_there_is_no_chart(tmp_path: Path) -> None:
    assert points_of(tmp_path, {"min_heap": {"ns_per_operation": 90}}) == {}
