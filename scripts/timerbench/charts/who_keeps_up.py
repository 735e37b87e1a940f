"""Which services run ever more timers within the same 3 s, and which fall behind."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from timerbench.benches import workload_of
from timerbench.charts import bars
from timerbench.charts.cells import floor_at, sizes
from timerbench.charts.chart import Chart
from timerbench.charts.counters import cells_at
from timerbench.charts.style import styles_of
from timerbench.headlines import titles_of
from timerbench.numerals import duration
from timerbench.results import Results, optional

WORKLOAD = "within_3s"

# What the blocks show, a panel for each n.
BLOCKS = {
    "Worst": ("max_ns", "How long after its deadline the latest of the n tasks starts."),
    "Median": ("ns_per_operation", "How late half of the tasks are, at least."),
}


def draw(results: Results) -> Canvas | None:
    ns = sizes(results, "lateness", WORKLOAD)
    if not ns:
        return None
    blocks = [
        bars.Block(
            title,
            remark,
            [
                bars.Panel(
                    f"n = {n:,}",
                    cells_at(results, "lateness", f"{WORKLOAD}/{n}", optional(counter)),
                    floor=floor_at(results, "lateness", f"{WORKLOAD}/{n}", optional(counter)),
                    write=duration,
                    logarithmic_from=1e3,
                )
                for n in ns
            ],
        )
        for title, (counter, remark) in BLOCKS.items()
    ]
    title, _ = titles_of(
        results,
        "lateness",
        optional("max_ns"),
        shows="Who keeps up?",
        of="The latest of n tasks",
        selected=lambda name: name.workload == WORKLOAD,
    )
    line = f"Who keeps up? {workload_of('lateness', WORKLOAD).line}"
    return bars.draw_blocks(title, line, styles_of(results, "settings"), blocks)


CHARTS = {"who_keeps_up": Chart(("lateness",), draw)}
