"""How many times as much of a cell B took as A, and how sure that is.

The unit is the process. The ratio is that of the geometric means; its interval is that of Welch's
test on the logarithms, as the two runs need not vary alike.
"""

from __future__ import annotations

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from timerbench import student
from timerbench.speed import Pairs


def ratios(found: Pairs) -> pd.DataFrame:
    """A row for each cell: the ratio with its interval, and the error of its logarithm.

    What a single process measured has no error, and no interval.
    """
    # A row for each cell, and a column for each process.
    a, b = (pd.DataFrame([cell[side] for cell in found.cells.values()]) for side in (0, 1))
    log = b.mean(axis=1) - a.mean(axis=1)
    parts = [side.var(axis=1) / side.count(axis=1) for side in (a, b)]
    # What does not vary at all is taken to vary a little, so that its t is a number.
    squared = (parts[0] + parts[1]).clip(lower=1e-24)
    shares = [
        (part / squared) ** 2 / (side.count(axis=1) - 1)
        for part, side in zip(parts, (a, b), strict=True)
    ]
    degrees = (1 / (shares[0] + shares[1])).clip(upper=1e9)
    error = np.sqrt(squared)
    reach = error * student.errors_to_either_side(degrees)
    ends = {"low": np.exp(log - reach), "high": np.exp(log + reach)}
    return pd.DataFrame({"ratio": np.exp(log), **ends, "error": error, "degrees": degrees})
