"""Tests of scripts/timerbench/charts/registry.py: it finds the charts in the files of a package."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from timerbench.benches import BENCHES, Bench
from timerbench.charts import memory
from timerbench.charts.registry import all_charts


@pytest.fixture(autouse=True)
def found_anew() -> Iterator[None]:
    all_charts.cache_clear()
    yield
    all_charts.cache_clear()


def test_a_bench_of_queues_without_a_chart_gets_one_over_n(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BENCHES, "novel", Bench("Novel", "Is it new?", "an operation", {}))
    monkeypatch.setitem(BENCHES, "serving", Bench("Serving", "?", "a call", {}, "services"))
    assert all_charts()["novel"].benches == ("novel",)
    assert "serving" not in all_charts()


def test_two_charts_of_one_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "CHARTS", {"floor": memory.CHARTS["memory"]})
    with pytest.raises(ValueError, match=r"have a chart 'floor'"):
        all_charts()


def test_charts_are_in_the_order_of_the_benches() -> None:
    order = list(BENCHES)
    places = [order.index(chart.benches[0]) for chart in all_charts().values()]
    assert places == sorted(places)
