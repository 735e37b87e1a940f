"""Every workload by every queue at one n, each row relative to its best queue."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, Population, workload_of
from timerbench.charts import grid
from timerbench.charts.cells import Cell, common_n, sizes, workloads
from timerbench.charts.chart import Chart
from timerbench.charts.sheet import TOP, page, write
from timerbench.charts.style import GREY, WIDTH
from timerbench.headlines import LATE, titles
from timerbench.numerals import duration, short
from timerbench.results import Results
from timerbench.standing import Standing

LEFT = 2.45  # inches; for the names of the workloads, and the times of their best queues
HEAD = 0.32  # inches; above a block, for its name
WANTED_N = 100_000

BLOCKS: dict[Population | None, str] = {
    "timeouts": "Timeouts, nearly always cancelled",
    "schedules": "Schedules, which nearly always expire",
    "events": "Events of simulations",
    None: "Timeouts and schedules alike",
}

Blocks = dict[str, dict[str, grid.Row]]  # by title of block, then by name of row

# Replay has a chart of its own, and memory has no time.
MEASURED = [
    bench
    for bench, about in BENCHES.items()
    if about.subject == "queues" and bench not in ("replay", "memory")
]


def draw(results: Results) -> Canvas | None:
    sizes_of = {
        (bench, workload): sizes(results, bench, workload)
        for bench in MEASURED
        for workload in workloads(results, bench)
    }
    n = common_n(sizes_of.values(), WANTED_N)
    if n is None:
        return None
    blocks: Blocks = {title: {} for title in BLOCKS.values()}
    for (bench, workload), of_workload in sizes_of.items():
        if n in of_workload:
            title = BLOCKS[workload_of(bench, workload).population]
            label = f"{BENCHES[bench].title.lower()}, {workload}"
            blocks[title][label] = grid.row_of(results, bench, f"{workload}/{n}")
    blocks = {title: rows for title, rows in blocks.items() if rows}
    no_break = "\N{NO-BREAK SPACE}"
    without = [
        f"{bench}{no_break}{workload}" for (bench, workload), of in sizes_of.items() if n not in of
    ]
    return draw_blocks(results, n, blocks, without)


def draw_blocks(results: Results, n: int, blocks: Blocks, without: list[str]) -> Canvas:
    rows = [row for of_block in blocks.values() for row in of_block.values()]
    height = grid.NAMES + HEAD * len(blocks) + grid.ROW * (len(rows) + 1)
    overall = grid.overall(blocks.values(), results.queues)
    shows = f"All workloads with {n:,} timers: times as slow as the best queue"
    question = "Which queue suits which life of a timer?"
    canvas = page(
        height + 0.2,
        *titles(finding(results, overall), shows, question),
        "right: what the best takes",
        "above: the colours of families",
        *grid.notes_on(rows),
        f"without this n: {', '.join(without)}" if without else "",
    )
    top = TOP + grid.NAMES
    for position, (title_of_block, of_block) in enumerate(blocks.items()):
        write(canvas, 0.08, top - 0.13, title_of_block, size=8.5, weight="bold")
        axes = grid.draw_grid(canvas, (LEFT, top), results.queues, of_block, ratio_only)
        if position == 0:
            grid.write_names(axes, results)
        for row, of_row in enumerate(of_block.values()):
            write_best(canvas, top + (row + 0.5) * grid.ROW, of_row)
        top += HEAD + grid.ROW * len(of_block)
    write(canvas, 0.08, top - 0.13, "Overall", size=8.5, weight="bold")
    last = {"geometric mean of the blocks": overall}
    grid.draw_grid(canvas, (LEFT, top), results.queues, last, ratio_only)
    grid.draw_scale(canvas, TOP + height + 0.14)
    return canvas


def finding(results: Results, overall: grid.Row) -> str | None:
    """Says which queue is nearest to the best overall. If intervals overlap, it names several."""
    late = results.groups[LATE]
    known = {
        queue: beside.ratio
        for queue, of_queue in zip(results.queues, overall, strict=True)
        if of_queue and queue not in late
        for cell, beside in [of_queue]
        if not cell.is_bound and beside.ratio.processes > 1
    }
    if len(known) < 2:
        return None
    best = min(known.values(), key=lambda ratio: ratio.mean)
    nearest = [queue for queue, ratio in known.items() if ratio.low <= best.high]
    exact = "exact " if len(late) else ""
    if len(nearest) > 1:
        return f"Overall, {' and '.join(nearest)} are level, and ahead of all other {exact}queues"
    times = f"{best.mean:.2f} times what the best of each row takes"
    return f"Overall, {nearest[0]} is ahead of all other {exact}queues: {times}"


def ratio_only(_cell: Cell, beside: Standing) -> str:
    """Writes the ratio. A tie has none: what the interval cannot tell apart is equal."""
    times = beside.ratio.mean
    if beside.is_tie:
        return "" if beside.rival != beside.name.queue else "1"
    return f"{times:.2f}" if 1 < times < 1.095 else short(times, digits=2)


def write_best(canvas: Canvas, top: float, row: grid.Row) -> None:
    """Writes behind the row the time of its best queue.

    It is a bound only if all times are bounds.
    """
    measured = [of_queue for of_queue in row if of_queue]
    if best := min(measured, key=lambda of: (of[0].is_bound, of[1].ratio.mean), default=None):
        text = duration(float(f"{best[0].mean:.3g}"))
        write(canvas, WIDTH - grid.RIGHT + 0.08, top, text, size=7.5, color=GREY)


CHARTS = {"heat_map": Chart(tuple(MEASURED), draw)}
