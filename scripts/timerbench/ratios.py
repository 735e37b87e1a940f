"""The ratio of B to A in each cell, and how sure it is.

The unit is the process. If A and B were measured side by side, their processes of a round ran one
directly after the other, on one core: what disturbs one often disturbs both. Then each round gives
a ratio, and the ratio of the cell is the trimmed mean of their logarithms. Otherwise it is the
ratio of the figures, which are such means. Then its interval is that of Yuen's test (1974), which
is Welch's test for trimmed means: the two runs may vary differently.

All cells of a case tell how much each of them varies, as in `moderated`. But noise has longer tails
than a normal distribution. Of many cells some lie far out by chance, and would be called worse. So
the case counts no more than the cell itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray

from timerbench import student
from timerbench.moderated import moderated
from timerbench.results import Name, by_case
from timerbench.speed import Pairs
from timerbench.trimmed_mean import TrimmedMean, trimmed_mean

Rounds = tuple[int, ...]

# Two pairs have one degree of freedom, and two processes on either side have two.
FEWEST_PAIRS = 3

# If nothing varies, a tiny error is assumed, so that t is a number.
TINY = 1e-12


def ratios(found: Pairs) -> pd.DataFrame:
    """Returns a row for each cell: the ratio with its interval, and the error of its logarithm.

    A cell that a single process measured has neither an error nor an interval.
    """
    rows: dict[Name, NDArray[Any]] = {}
    for of_case in by_case(found.cells).values():
        for rounds, cells in _by_rounds(found, of_case).items():
            a, b = (
                np.array([[found.cells[cell][side][n] for cell in cells] for n in rounds[side]])
                for side in (0, 1)
            )
            is_paired = found.side_by_side and rounds[0] == rounds[1] and len(a) >= FEWEST_PAIRS
            log = _mean(b - a) if is_paired else _difference(_mean(a), _mean(b))
            of_cells = np.stack(np.broadcast_arrays(*log), axis=1)
            rows.update(zip(cells, of_cells, strict=True))
    table = pd.DataFrame([rows[name] for name in found.cells], columns=TrimmedMean._fields)
    error = table.error.clip(lower=TINY)
    reach = error * student.errors_to_either_side(table.degrees)
    ends = {"low": np.exp(table["mean"] - reach), "high": np.exp(table["mean"] + reach)}
    return pd.DataFrame(
        {"ratio": np.exp(table["mean"]), **ends, "error": error, "degrees": table.degrees}
    )


def _by_rounds(found: Pairs, names: Iterable[Name]) -> dict[tuple[Rounds, Rounds], list[Name]]:
    """Groups cells by the rounds that have them in A and in B."""
    groups: dict[tuple[Rounds, Rounds], list[Name]] = defaultdict(list)
    for name in names:
        of_a, of_b = (tuple(sorted(side)) for side in found.cells[name])
        groups[of_a, of_b].append(name)
    return groups


def _mean(logs: NDArray[Any]) -> TrimmedMean:
    """Returns the moderated means. The degrees of freedom are at most twice those of a cell."""
    means = moderated(logs)
    return means._replace(degrees=min(means.degrees, 2 * trimmed_mean(logs).degrees))


def _difference(a: TrimmedMean, b: TrimmedMean) -> TrimmedMean:
    of_a, of_b = (np.maximum(side.error, TINY) ** 2 for side in (a, b))
    total = of_a + of_b
    with np.errstate(divide="ignore"):  # a single process has no degree of freedom, and no error
        inverse = (of_a / total) ** 2 / a.degrees + (of_b / total) ** 2 / b.degrees
    return TrimmedMean(b.mean - a.mean, np.sqrt(total), np.minimum(1 / inverse, 1e9))
