"""What memory a queue takes, keeps and leaks, side by side."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure as Canvas

from timerbench.benches import workload_of
from timerbench.charts import bars
from timerbench.charts.cells import cells_at, common_n
from timerbench.charts.chart import Chart
from timerbench.headlines import titles_of
from timerbench.results import Entry, Results, optional


def draw(results: Results) -> Canvas | None:
    names = results.names("memory")
    n = common_n(
        [[name.n for name in names if name.queue == queue and name.n] for queue in results.queues]
    )
    if n is None:
        return None

    def residue_a_timer(entry: Entry) -> float | None:
        return float(entry["residue_bytes"]) / n if "residue_bytes" in entry else None

    workload = names[0].workload
    cells = partial(cells_at, results, "memory", f"{workload}/{n}")
    peak = cells(optional("peak_bytes_per_timer"))
    panels = [
        bars.Panel("bytes a timer,\ngrey: at the peak", cells(optional("bytes_per_timer")), peak),
        bars.Panel("bytes a timer held\nwhen all are gone", cells(residue_a_timer)),
        bars.Panel("leak, bytes\nan operation", cells(optional("leak_bytes_per_operation"))),
        bars.Panel("allocations\nan operation", cells(optional("allocations_per_operation"))),
        bars.Panel("bytes of an\nempty queue", cells(optional("bytes_empty"))),
    ]
    block = bars.Block(workload, workload_of("memory", workload).line, panels)
    shown = titles_of(results, "memory", shows=f"Memory with {n:,} timers")
    return bars.draw_blocks(*shown, results, "queues", [block])


CHARTS = {"memory": Chart(("memory",), draw)}
