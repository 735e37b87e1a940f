"""The corners between which the report interpolates the cost of a user's own load."""

from __future__ import annotations

import math
from typing import Any

from timerbench.charts.cells import sizes
from timerbench.results import Results

# By the way a timer ends: workloads whose operation is a timer from its insert to its end, and the
# distance of its shortest and its longest delay, in powers of ten.
CORNERS: dict[str, dict[tuple[str, str], float]] = {
    "cancelled": {
        ("churn", "rpc"): 0,
        ("churn", "rpc_mixed"): 2,  # 10 ms to 1 s
        ("churn", "rpc_wide"): math.log10(60_000),  # 1 ms to a minute
    },
    "expired": {
        ("constant", "1_delay"): 0,
        ("churn", "retry"): math.log10(8),  # 2 to 16 s
        ("horizon", "log_uniform"): math.log10(365 * 86_400e3),  # 1 ms to a year
    },
}


def corners_of(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Returns the corners that were measured; none, unless timers of both ends were."""
    found = {
        end: [
            {"bench": bench, "workload": workload, "spread": round(spread, 3)}
            for (bench, workload), spread in corners.items()
            if sizes(results, bench, workload)
        ]
        for end, corners in CORNERS.items()
    }
    return found if all(found.values()) else {}
