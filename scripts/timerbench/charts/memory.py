"""What memory a queue takes, keeps and leaks, side by side."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure as Canvas

from timerbench.charts import bars
from timerbench.charts.cells import cells_at, common_n, notes
from timerbench.charts.chart import Chart
from timerbench.charts.sheet import TOP, page
from timerbench.charts.style import styles_of
from timerbench.headlines import titles_of
from timerbench.results import Entry, Results, optional

HEAD = 0.3  # inches; for the titles of the panels


def draw(results: Results) -> Canvas | None:
    names = results.names("memory")
    n = common_n(
        [[name.n for name in names if name.queue == queue and name.n] for queue in results.queues]
    )
    if n is None:
        return None

    def residue_a_timer(entry: Entry) -> float | None:
        return float(entry["residue_bytes"]) / n if "residue_bytes" in entry else None

    cells = partial(cells_at, results, "memory", f"{names[0].workload}/{n}")
    peak = cells(optional("peak_bytes_per_timer"))
    panels = [
        bars.Panel("bytes a timer,\ngrey: at the peak", cells(optional("bytes_per_timer")), peak),
        bars.Panel("bytes a timer held\nwhen all are gone", cells(residue_a_timer)),
        bars.Panel("leak, bytes\nan operation", cells(optional("leak_bytes_per_operation"))),
        bars.Panel("allocations\nan operation", cells(optional("allocations_per_operation"))),
        bars.Panel("bytes of an\nempty queue", cells(optional("bytes_empty"))),
    ]
    canvas = page(
        HEAD + bars.ROW * len(results.queues),
        *titles_of(results, "memory", shows=f"Memory with {n:,} timers"),
        notes((cell for p in panels for cell in p.cells), with_intervals=True),
    )
    styles = styles_of(results, "queues")
    rows = range(len(styles))
    corner = (bars.left_of(styles, rows), TOP + HEAD)
    bars.draw_row(canvas, corner, styles, panels, rows)
    return canvas


CHARTS = {"memory": Chart(("memory",), draw)}
