"""Draws the charts of a directory of results, as SVG.

Drawing the same results again gives the same bytes.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from timerbench import command_line
from timerbench.charts.registry import all_charts
from timerbench.charts.sheet import our_look, svg_of
from timerbench.results import Results, load


def files_of(results: Results) -> dict[str, bytes]:
    """Returns all charts that the results allow, by the names of their files."""
    files = {}
    for name, chart in all_charts().items():
        with our_look():
            if canvas := chart.draw(results):
                chart.write_foot(canvas, results, chart.benches)
                files[f"{name}.svg"] = svg_of(canvas)
    return files


def draw(directory: Path) -> list[Path]:
    """Draws and writes all charts, or changes nothing if one fails. Returns the files."""
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


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> None:
    parser = command_line.Parser(__doc__.split("\n", 1)[0])
    parser.takes_directory_of_results()
    draw(parser.parse_args(arguments).directory)


if __name__ == "__main__":
    sys.exit(main())
