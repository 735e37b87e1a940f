"""How long a single call of expire takes at worst, over n."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure as Canvas

from timerbench.benches import BENCHES, workload_of
from timerbench.charts.cells import workloads
from timerbench.charts.chart import Chart
from timerbench.charts.lines import LOOKS, Line, Panel, best_of_families, draw_panels, lines_of
from timerbench.headlines import contests_of, headline, titles
from timerbench.numerals import duration
from timerbench.results import Results, optional, worst_expire_ns

# The workload of each bench in which one call may do far more than run the timers that are due. If
# it was not measured, the chart shows the first workload that was.
PANELS = {"expire": "uniform", "burst": "edges", "churn": "rpc"}


def draw(results: Results) -> Canvas | None:
    panels = [panel for bench in PANELS if (panel := panel_of(results, bench))]
    question = "How long does all else wait while the queue runs what is due?"
    shown = titles(finding(results), "The worst single call of expire over n", question)
    return draw_panels(*shown, "a call", panels, duration)


def finding(results: Results) -> str | None:
    contests = [
        replace(contest, workload=f"{bench} {workload}")
        for bench, workload in PANELS.items()
        for contest in contests_of(
            results,
            bench,
            worst_expire_ns,
            lambda name: name.workload == PANELS[name.bench],
        )
    ]
    return headline(contests, "expire", results)


def panel_of(results: Results, bench: str) -> Panel | None:
    lines_of_each = {
        workload: lines
        for workload in workloads(results, bench)
        if (lines := lines_of(results, bench, workload, worst_expire_ns))
    }
    if not lines_of_each:
        return None
    workload = PANELS[bench] if PANELS[bench] in lines_of_each else next(iter(lines_of_each))
    named, behind = best_of_families(results, lines_of_each[workload])
    names = {line.name for line in named}
    _, dotted = LOOKS["p999"]  # with the small markers of the lines that they belong to
    p999 = [
        Line("", {**line.style, **dotted, "markersize": 2.5}, line.cells)
        for line in lines_of(results, bench, workload, optional("p999_expire_ns"))
        if line.whose == "ours" and line.name in names
    ]
    return Panel(
        f"{BENCHES[bench].title}, {workload}",
        workload_of(bench, workload).line,
        named,
        behind,
        p999,
        kind="p999",
    )


CHARTS = {"worst_call": Chart(tuple(PANELS), draw)}
