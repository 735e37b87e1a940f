"""Recorded traces by queues, each row relative to its fastest queue."""

from __future__ import annotations

import re

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES
from timerbench.charts import grid
from timerbench.charts.chart import Chart
from timerbench.charts.sheet import TOP, page
from timerbench.headlines import titles_of
from timerbench.numerals import short
from timerbench.results import Results

LEFT = 1.95  # inches; for the names of the traces


def title_of(case: str) -> str:
    """`go-nethttp@1us` becomes `go-nethttp, 1 µs`."""
    return re.sub(r"@(\d+)", r",  \1 ", case).replace(" us", " µs")


def draw(results: Results) -> Canvas | None:
    rows = {
        title_of(case): grid.row_of(results, "replay", case) for case in results.cases("replay")
    }
    if not rows:
        return None
    bottom = TOP + grid.NAMES + grid.ROW * len(rows)
    canvas = page(
        bottom - TOP + 0.2,
        *titles_of(results, "replay", shows=f"Replay: ns {BENCHES['replay'].operation}"),
        *grid.notes_on(rows.values()),
    )
    axes = grid.draw_grid(
        canvas,
        (LEFT, TOP + grid.NAMES),
        results.queues,
        rows,
        lambda cell, _: short(cell.mean),
    )
    grid.write_names(axes, results)
    grid.draw_scale(canvas, bottom + 0.14)
    return canvas


CHARTS = {"replay": Chart(("replay",), draw)}
