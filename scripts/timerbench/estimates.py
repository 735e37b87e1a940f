"""The mean of a figure over several processes, and how sure the mean is.

The unit is the process: repeated measurements in one process share its pages and its minute.
Cells that the same processes measured vary alike, so together they tell the spread of each better.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from timerbench.moderated import Shared, moderated, shared_by
from timerbench.trimmed_mean import trimmed, trimmed_mean

INTERVAL = "95% interval"

# A figure with a wider interval is not known.
NARROW = 0.10

Cell = TypeVar("Cell", bound=Hashable)


@dataclass(frozen=True)
class Figure:
    """A trimmed mean over processes with its 95% interval, which a single process does not have."""

    mean: float
    low: float
    high: float
    processes: int

    @property
    def reach(self) -> float:
        """The distance from the mean to the further end of the interval."""
        return max(self.high - self.mean, self.mean - self.low)

    @property
    def unstable(self) -> bool:
        """Whether the interval is wider than ±10%.

        A single process has no interval, and is not unstable.
        """
        return self.reach > NARROW * abs(self.mean)

    @property
    def may_be_1(self) -> bool:
        """Whether a ratio leaves open which of the two is greater."""
        return self.low <= 1 <= self.high


def figure_of(values: Sequence[float]) -> Figure:
    """Returns the trimmed mean of the logarithms, and its interval.

    0 has no logarithm. If a value is 0 or less, it is the trimmed mean of the values themselves.
    """
    if min(values) == max(values):
        return Figure(values[0], values[0], values[0], len(values))
    if min(values) > 0:
        found = trimmed_mean(np.log(values))
        return _of_logarithms(found.mean, found.reach, len(values))
    found = trimmed_mean(values)
    mean, reach = float(found.mean), float(found.reach)
    return Figure(mean, mean - reach, mean + reach, len(values))


def mean_of(values: Sequence[float]) -> float:
    """Returns the mean of figure_of(values). It is much faster, as it needs no interval."""
    if min(values) <= 0 or min(values) == max(values):
        return trimmed(values)
    return math.exp(trimmed([math.log(value) for value in values]))


def figures_of_case(of_cells: Mapping[Cell, Sequence[float]]) -> dict[Cell, Figure]:
    """Returns the figure of each cell of a case, with an interval by the moderated variance.

    Only cells with the same number of processes are compared in how they vary.
    """
    figures = {}
    for processes, vary in _by_processes(of_cells):
        found = moderated(np.log([of_cells[cell] for cell in vary]).T)
        for cell, mean, reach in zip(vary, found.mean, found.reach, strict=True):
            figures[cell] = _of_logarithms(mean, reach, processes)
    return {cell: figures.get(cell) or figure_of(values) for cell, values in of_cells.items()}


def shared_of_case(of_cells: Mapping[Cell, Sequence[float]]) -> dict[int, Shared]:
    """Returns what cells with the same number of processes share, by this number."""
    return {
        processes: shared
        for processes, vary in _by_processes(of_cells)
        if (shared := shared_by(np.log([of_cells[cell] for cell in vary]).T))
    }


def _by_processes(of_cells: Mapping[Cell, Sequence[float]]) -> Iterator[tuple[int, list[Cell]]]:
    """Yields cells that vary, by their number of processes. A single process tells no spread."""
    for processes in sorted({len(values) for values in of_cells.values()} - {1}):
        vary = [
            cell
            for cell, values in of_cells.items()
            if len(values) == processes and 0 < min(values) < max(values)
        ]
        if vary:
            yield processes, vary


def _of_logarithms(mean: float, reach: float, processes: int) -> Figure:
    low, middle, high = (
        # The interval of two values that are far apart may be too large for a float.
        math.exp(min(number, 700))
        for number in (mean - reach, mean, mean + reach)
    )
    return Figure(middle, low, high, processes)


def geometric_mean(figures: Sequence[Figure]) -> Figure:
    """Returns the mean of independent figures. Their relative errors add up in squares."""
    count = len(figures)
    mean = statistics.fmean(math.log(figure.mean) for figure in figures)
    reach = math.hypot(*(math.log(figure.high / figure.mean) for figure in figures)) / count
    processes = min(figure.processes for figure in figures)
    return Figure(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach), processes)
