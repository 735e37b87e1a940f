"""The corners between which the report interpolates the cost of a load of one's own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from timerbench.results import Results


@dataclass(frozen=True)
class Corner:
    """A workload whose operation is a timer from its insert to its end.

    `spread` says how far its shortest and its longest delay are apart, in decades.
    """

    bench: str
    workload: str
    spread: float


CANCELLED = (
    Corner("churn", "rpc", 0),
    Corner("churn", "rpc_mixed", 2),  # 10 ms to 1 s
    Corner("churn", "rpc_wide", math.log10(60_000)),  # 1 ms to a minute
)
EXPIRED = (
    Corner("constant", "1_delay", 0),
    Corner("churn", "retry", math.log10(8)),  # 2 to 16 s
    Corner("horizon", "log_uniform", math.log10(365 * 86_400e3)),  # 1 ms to a year
)


def corners_of(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Those that were measured; nothing, unless timers of both kinds were."""
    found = {
        "cancelled": [corner for corner in CANCELLED if _sizes(results, corner)],
        "expired": [corner for corner in EXPIRED if _sizes(results, corner)],
    }
    if not all(found.values()):
        return {}
    return {
        end: [
            {"bench": of.bench, "workload": of.workload, "spread": round(of.spread, 3)}
            for of in corners
        ]
        for end, corners in found.items()
    }


def _sizes(results: Results, corner: Corner) -> set[int]:
    return {
        name.n
        for name in results.names(corner.bench)
        if name.workload == corner.workload and name.n is not None
    }
