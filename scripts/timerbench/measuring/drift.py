"""How much faster or slower the machine became during a run.

A virtual machine may need hours after its start until its memory is fast, and its neighbours come
and go. Then ratios change, too: a queue that waits for memory gains more than one that computes. A
run in which queues became faster has probably other ratios than the next run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from timerbench.measuring.sampling import Figures, figures_of, target_for
from timerbench.results import Process

# Less is no cause for a warning: the usual ratio is known no better.
NOTABLE = target_for(None).median


class Timed(NamedTuple):
    """A process of a case: when it started, and the figures of its queues."""

    started: datetime
    figures: Figures


def timed(processes: Iterable[Process], twins: Collection[str]) -> list[Timed]:
    return [
        Timed(datetime.fromisoformat(process["started"]), *figures_of([process], twins))
        for process in processes
    ]


def drift(cases: Iterable[Sequence[Timed]]) -> float | None:
    """Returns by what share queues took longer in the last third of a run than in the first third.

    Only processes of the same case are compared. A pair of them tells the median change of their
    queues, and the run has the median of all pairs. It is None if no case ran in both thirds.
    """
    cases = list(cases)
    starts = [process.started for case in cases for process in case]
    if not starts:
        return None
    third = (max(starts) - min(starts)) / 3
    first_ends, last_begins = min(starts) + third, max(starts) - third
    changes = [
        np.median([np.log(late.figures[name] / early.figures[name]) for name in both])
        for case in cases
        for early in case
        for late in case
        if early.started < first_ends and late.started > last_begins
        if (both := early.figures.keys() & late.figures.keys())
    ]
    return float(np.expm1(np.median(changes))) if changes else None
