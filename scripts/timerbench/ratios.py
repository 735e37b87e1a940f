"""The ratio of B to A in each cell, and how sure it is.

The unit is the process. The ratio is that of the figures, which are trimmed means of logarithms.
Its interval is that of Yuen's test (1974), which is Welch's test for trimmed means: the two runs
may vary differently.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from timerbench import student
from timerbench.speed import Logs, Pairs
from timerbench.trimmed_mean import TrimmedMean, trimmed_mean


def ratios(found: Pairs) -> pd.DataFrame:
    """Returns a row for each cell: the ratio with its interval, and the error of its logarithm.

    A cell that a single process measured has neither an error nor an interval.
    """
    a, b = (_means(cell[side] for cell in found.cells.values()) for side in (0, 1))
    log = b["mean"] - a["mean"]
    # If nothing varies, a tiny variance is assumed, so that t is a number.
    squared = (a.error**2 + b.error**2).clip(lower=1e-24)
    shares = [(side.error**2 / squared) ** 2 / side.degrees for side in (a, b)]
    degrees = (1 / (shares[0] + shares[1])).clip(upper=1e9)
    error = np.sqrt(squared)
    reach = error * student.errors_to_either_side(degrees)
    ends = {"low": np.exp(log - reach), "high": np.exp(log + reach)}
    return pd.DataFrame({"ratio": np.exp(log), **ends, "error": error, "degrees": degrees})


def _means(cells: Iterable[Logs]) -> pd.DataFrame:
    of_cells = [trimmed_mean(list(of_processes.values())) for of_processes in cells]
    return pd.DataFrame(of_cells, columns=TrimmedMean._fields, dtype=float)
