"""Compares several runs with the first one: the ratio of each later run to it, in each cell."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from timerbench.benches import subject_of
from timerbench.ratios import ratios
from timerbench.results import Name, Results, ResultsError, load
from timerbench.speed import Pairs, in_both, pairs, why_speeds_differ

Sign = Literal["", "<", ">"]


@dataclass(frozen=True)
class Run:
    """A directory of results, and the name of its commit."""

    name: str
    directory: Path
    results: Results


@dataclass(frozen=True)
class Ratio:
    """A ratio to the first run, with its 95% interval, which a single process does not have.

    If one of the two was too slow to be timed, the ratio is a bound. The sign says which kind of
    bound.
    """

    mean: float
    low: float | None
    high: float | None
    sign: Sign = ""


@dataclass(frozen=True)
class Beside:
    """A later run beside the first one."""

    first: Run
    later: Run
    why: str | None  # why the speeds of their machines differ, if they do
    pairs: Pairs
    ratios: dict[Name, Ratio]

    def gaps(self, names: Iterable[Name]) -> Counter[str]:
        """Counts the reasons why some of these cells of the first run have no ratio."""
        return Counter(self._reason(name) for name in names if name not in self.ratios)

    def _reason(self, name: Name) -> str:
        if name not in self.later.results.rounds:
            return "not measured"
        if name in self.pairs.cells:
            return f"too slow to be timed, here and in {self.first.name}"
        return "0 in a process, which has no ratio"


def beside(first: Run, later: Run) -> Beside:
    """Pairs the cells of both runs.

    All cells take part: all queues of a case tell its speed, even if only some are shown.
    """
    a, b = first.results, later.results
    names = in_both(a, b)
    if not names:
        raise ResultsError(f"{first.directory} and {later.directory} have no cell in common")
    why = why_speeds_differ(a, b, (first.name, later.name))
    found = pairs(a, b, names, normalised=why is not None)
    return Beside(first, later, why, found, _ratios(a, b, found))


def _ratios(a: Results, b: Results, found: Pairs) -> dict[Name, Ratio]:
    """Returns the ratio of each cell. If both figures are bounds, there is none."""
    signs: dict[tuple[bool, bool], Sign] = {(True, False): "<", (False, True): ">"}
    of_cells = {}
    for name, row in zip(found.cells, ratios(found).itertuples(), strict=True):
        bounds = a.is_bound(name), b.is_bound(name)
        if bounds in signs:
            of_cells[name] = Ratio(float(row.ratio), None, None, signs[bounds])
        elif not any(bounds):
            low, high = (None if math.isnan(end) else float(end) for end in (row.low, row.high))
            of_cells[name] = Ratio(float(row.ratio), low, high)
    return of_cells


def runs_in(directories: Sequence[Path]) -> list[Run]:
    """Reads the runs, and names them by their commits. Numbers tell runs of one commit apart."""
    results = [load(directory) for directory in directories]
    commits = [abbreviated(str(of.context.get("commit", "unknown"))) for of in results]
    names = [
        f"{commit} #{commits[: place + 1].count(commit)}" if commits.count(commit) > 1 else commit
        for place, commit in enumerate(commits)
    ]
    return [Run(*run) for run in zip(names, directories, results, strict=True)]


def abbreviated(commit: str) -> str:
    """Shortens the names of commits, also in `0123456-dirty and 89abcde`."""
    return re.sub(r"\b([0-9a-f]{7})[0-9a-f]+\b", r"\1", commit)


def cells_of(results: Results, wanted: re.Pattern[str]) -> list[Name]:
    """Returns the cells whose names match: by bench, workload, n, and the order of the catalog."""
    names = (
        Name(bench, one, case)
        for bench in dict.fromkeys(name.bench for name in results.rounds)
        for case in results.cases(bench)
        for one in results.measured[subject_of(bench)]
    )
    return [name for name in names if name in results.rounds and wanted.search(str(name))]
