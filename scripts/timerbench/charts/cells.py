"""What a chart shows of a cell: its figure, and how far one can trust the figure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from timerbench.benches import in_order, subject_of
from timerbench.charts.marks import WORDS
from timerbench.estimates import INTERVAL, Figure
from timerbench.results import Mark, Name, Results, Value

CEILING = 5  # times the greatest figure that is known


@dataclass(frozen=True)
class Cell(Figure):
    """A figure and its mark."""

    mark: Mark

    @property
    def is_bound(self) -> bool:
        return self.mark == "slower_than"

    def without_interval(self) -> Cell:
        return replace(self, low=self.mean, high=self.mean)


def cell_of(results: Results, name: Name, value: Value) -> Cell | None:
    """Returns the cell. If a queue is slower than its figure, there is no interval."""
    figure = results.figure(name, value)
    if figure is None:
        return None
    cell = Cell(**vars(figure), mark=results.mark(name))
    return cell.without_interval() if cell.is_bound else cell


def floor_at(results: Results, bench: str, case: str, value: Value) -> Cell | None:
    """Returns the cell of what only sleeps, in turns with the services of this case."""
    name = results.floor_of(bench, case)
    return cell_of(results, name, value) if name else None


def cells_of(
    results: Results, bench: str, queue: str, workload: str, value: Value
) -> dict[int, Cell]:
    """Returns all cells of a queue on a workload, by n."""
    return {
        n: cell
        for n in sizes(results, bench, workload)
        if (cell := cell_of(results, Name(bench, queue, f"{workload}/{n}"), value))
    }


def cells_at(results: Results, bench: str, case: str, value: Value) -> list[Cell | None]:
    """Returns the cells of all that are measured, in the order of the catalog."""
    measured = results.measured[subject_of(bench)]
    return [cell_of(results, Name(bench, one, case), value) for one in measured]


def have_intervals(cells: Iterable[Cell | None]) -> bool:
    return any(cell.low < cell.high for cell in cells if cell)


def marks_of(cells: Iterable[Cell]) -> set[str]:
    listed = list(cells)
    return {cell.mark for cell in listed} | {"unstable" for cell in listed if cell.unstable}


def ceiling(cells: Iterable[Cell]) -> float:
    """Returns where high bounds are drawn: any higher, they would press the rest together."""
    known = [cell.mean for cell in cells if not cell.is_bound]
    return CEILING * max(known, default=math.inf)


def workloads(results: Results, bench: str) -> list[str]:
    return in_order(bench, (name.workload for name in results.names(bench)))


def sizes(results: Results, bench: str, workload: str) -> list[int]:
    """Returns all n of a workload that at least one queue has."""
    names = results.names(bench)
    return sorted({name.n for name in names if name.workload == workload and name.n is not None})


def common_n(sizes_of_each: Iterable[Iterable[int]], wanted: int | None = None) -> int | None:
    """Returns the n that most of them have.

    Of several it is the wanted one, or else the largest.
    """
    count = Counter(n for sizes_of_one in sizes_of_each for n in set(sizes_of_one))
    if not count:
        return None
    most = [n for n, times in count.items() if times == max(count.values())]
    return wanted if wanted in most else max(most)


def notes(cells: Iterable[Cell | None], with_intervals: bool = False) -> str:
    """Says what those marks mean that are letters and signs."""
    listed = list(cells)
    marks = marks_of(cell for cell in listed if cell)
    meanings = {
        f"w: {WORDS['window']}": "window" in marks,
        f">: {WORDS['slower_than']}": "slower_than" in marks,
        f"†: {WORDS['lagged']}": "lagged" in marks,
        f"hatched: {INTERVAL} {WORDS['unstable']}": "unstable" in marks,
        f"line: {INTERVAL}": with_intervals and have_intervals(listed),
        "–: no figure": None in listed,
    }
    return ";  ".join(meaning for meaning, shown in meanings.items() if shown)
