"""How late a thread wakes, and what it costs to wake it, by the way in which it sleeps."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure as Canvas

from charts import bars
from charts.cells import cell_of
from results import Name, Results, optional

PANELS = {
    "ns late, median": "ns_per_operation",
    "p99": "p99_ns",
    "p99.9": "p999_ns",
    "worst": "worst_ns",
    "ns to wake it": "wake_call_ns",
    "until it runs": "woken_after_ns",
}


def draw(results: Results) -> Canvas | None:
    return bars.draw_workloads(results, "sleep", "Sleep, {n:,} times", partial(panels_of, results))


def panels_of(results: Results, names: list[Name]) -> list[bars.Panel]:
    return [
        bars.Panel(title, [cell_of(results, name, optional(counter)) for name in names])
        for title, counter in PANELS.items()
    ]
