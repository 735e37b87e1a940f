"""Draws the charts of a directory of results, as SVG and as PNG.

Drawing the same results again gives the same bytes.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure as Canvas

from timerbench import command_line, crossover
from timerbench.benches import BENCHES
from timerbench.charts import (
    beside_best,
    contention,
    counters,
    dispatch,
    floor,
    heat_map,
    horizon,
    lateness,
    lateness_over_time,
    memory,
    over_n,
    replay,
    service_memory,
    ticks,
    who_keeps_up,
    worst_call,
)
from timerbench.charts import crossover as crossover_chart
from timerbench.charts.sheet import footnote
from timerbench.charts.style import STYLE
from timerbench.results import Results, ResultsError, load

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Chart:
    """A chart, and the benches that it shows; it may find nothing in them to draw."""

    benches: tuple[str, ...]
    draw: Callable[[Results], Canvas | None]


CHARTS = {
    "heat_map": Chart(tuple(heat_map.MEASURED), heat_map.draw),
    "beside_best": Chart(tuple(beside_best.MEASURED), beside_best.draw),
    "crossover": Chart(crossover.COMPARED, crossover_chart.draw),
    "worst_call": Chart(tuple(worst_call.PANELS), worst_call.draw),
    "replay": Chart(("replay",), replay.draw),
    "horizon": Chart(("horizon",), horizon.draw),
    "memory": Chart(("memory",), memory.draw),
    "floor": Chart(("floor",), floor.draw),
    "lateness": Chart(("lateness", "sleep"), lateness.draw),
    "lateness_over_n": Chart(("lateness",), lateness.draw_over_n),
    "lateness_over_time": Chart(("lateness",), lateness_over_time.draw),
    "who_keeps_up": Chart(("lateness",), who_keeps_up.draw),
    "ticks": Chart(("ticks",), ticks.draw),
    "contention": Chart(("contention",), partial(contention.draw, n=1_000)),
    "contention_at_a_million": Chart(("contention",), partial(contention.draw, n=1_000_000)),
    "dispatch": Chart(("dispatch",), dispatch.draw),
    "service_memory": Chart(("service_memory",), service_memory.draw),
}
CHARTS |= {bench: Chart((bench,), partial(counters.draw, bench=bench)) for bench in counters.PANELS}
CHARTS |= {
    bench: Chart((bench,), partial(over_n.draw, bench=bench))
    for bench, about in BENCHES.items()
    if about.subject == "queues" and bench not in CHARTS
}


def files_of(results: Results) -> dict[str, bytes]:
    """All charts that the results allow, by the names of their files."""
    files = {}
    for name, chart in CHARTS.items():
        with matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE, "backend": "Agg"}):
            canvas = chart.draw(results)
            if canvas is None:
                continue
            footnote(canvas, results, chart.benches)
            for suffix, metadata in {"svg": {"Date": None}, "png": {"Software": None}}.items():
                file = BytesIO()
                canvas.savefig(file, format=suffix, dpi=200, metadata=metadata)
                files[f"{name}.{suffix}"] = file.getvalue()
            plt.close(canvas)
    return files


def draw(directory: Path) -> list[Path]:
    """Draws and writes all charts, or leaves what was there; returns the files."""
    files = files_of(load(directory))
    parts = {directory / name: directory / f"{name}.part" for name in files}
    try:
        for part, content in zip(parts.values(), files.values(), strict=True):
            part.write_bytes(content)
        for file, part in parts.items():
            part.replace(file)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
    return list(parts)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "directory",
        nargs="?",
        type=command_line.path,
        default=ROOT / "results" / "local",
        help="of results",
    )
    options = parser.parse_args(arguments)
    try:
        draw(options.directory)
    except (ResultsError, OSError) as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
