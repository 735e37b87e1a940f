"""What single calls take, verb by verb: the median, the p99, the p99.9 and the slowest."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure as Canvas

from timerbench.benches import workload_of
from timerbench.charts import bars
from timerbench.charts.cells import cells_at, common_n, sizes
from timerbench.charts.chart import Chart
from timerbench.headlines import contests_of, headline, titles
from timerbench.numerals import duration
from timerbench.results import Results, optional

# For each verb its bench and its workload.
VERBS = {
    "insert": ("insert", "warm"),
    "cancel": ("cancel", "random"),
    "rearm": ("rearm", "idle"),
    "expire": ("expire", "uniform"),
}
WANTED_N = 100_000

# The titles of the panels, by the words of their counters.
PANELS = {"p50": "p50", "p99": "p99", "p999": "p99.9", "worst": "worst"}


def draw(results: Results) -> Canvas | None:
    """Draws the calls at the n at which most verbs were measured."""
    n = common_n((sizes(results, *case) for case in VERBS.values()), WANTED_N)
    if n is None:
        return None
    blocks = [block_of(results, verb, n) for verb in VERBS]
    shows = f"Single calls with {n:,} timers"
    question = (
        "How long may one call take, less what it takes to read the clock? "
        "0 says that nothing was left."
    )
    shown = titles(finding(results, n), shows, question, "p99.9")
    return bars.draw_blocks(*shown, results, "queues", blocks)


def finding(results: Results, n: int) -> str | None:
    """Says who is unbeaten in the p99.9 of which verbs."""
    contests = [
        replace(contest, workload=verb)
        for verb, (bench, workload) in VERBS.items()
        for contest in contests_of(
            results,
            bench,
            optional(f"p999_{verb}_ns"),
            lambda name, case=f"{workload}/{n}": name.case == case,  # type: ignore[misc]
        )
    ]
    return headline(contests, "expire", results)


def block_of(results: Results, verb: str, n: int) -> bars.Block:
    bench, workload = VERBS[verb]
    panels = [
        bars.Panel(
            title,
            cells_at(results, bench, f"{workload}/{n}", optional(f"{word}_{verb}_ns")),
            write=duration,
            # The slowest calls of two queues may differ by powers of ten.
            logarithmic_from=100 if word == "worst" else None,
        )
        for word, title in PANELS.items()
    ]
    return bars.Block(verb, f"{bench}, {workload}. {workload_of(bench, workload).line}", panels)


CHARTS = {"single_calls": Chart(tuple(bench for bench, _ in VERBS.values()), draw)}
