"""How well a case is known, and what one more process of it would contribute.

Processes are the independent units: each of them has one placement of its memory, and one minute of
the machine. Within a process all queues of a case are compared with the best. The logarithms of
these ratios over the processes have a trimmed mean with a 95% interval.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from timerbench import student
from timerbench.moderated import moderated
from timerbench.results import Name, Process
from timerbench.trimmed_mean import trimmed_mean

Figures = dict[Name, float]  # of one process


@dataclass(frozen=True)
class Target:
    """The greatest half-width of an interval, as a share of the ratio."""

    median: float  # for the median queue of a case
    nearly_all: float  # for the share NEARLY_ALL of the queues


NEARLY_ALL = 0.95

# By the number of timers from which a target holds.
TARGETS = {0: Target(0.02, 0.05), 10**6: Target(0.04, 0.10)}


def target_for(n: int | None) -> Target:
    """Returns the target for n. A recording counts as small: it has some thousand timers."""
    return next(target for least, target in reversed(TARGETS.items()) if (n or 0) >= least)


def figures_of(processes: Iterable[Process], twins: Collection[str]) -> list[Figures]:
    """Returns the figures of each process, without twins. A lower bound is not a figure."""
    return [
        {
            name: ns
            for entry in process["benchmarks"]
            if not entry.get("slower_than")
            if (name := Name.parse(entry["run_name"])).queue not in twins
            if (ns := float(entry.get("ns_per_operation", 0)))
        }
        for process in processes
    ]


def half_widths(processes: Sequence[Figures]) -> list[float]:
    """Returns half the interval of the ratio to the best, for each other queue in all processes.

    A queue that is alone has no rival: then the interval of its own figure counts.
    """
    if len(processes) < 2:
        return [math.inf] if processes and processes[0] else []
    names = sorted(set.intersection(*(set(figures) for figures in processes)))
    if not names:
        return []
    logs = np.log([[figures[name] for name in names] for figures in processes])
    if len(names) > 1:
        best = trimmed_mean(logs).mean.argmin()
        logs = np.delete(logs - logs[:, [best]], best, axis=1)
    return np.expm1(moderated(logs).reach).tolist()  # type: ignore[no-any-return]


def need(widths: Sequence[float], target: Target) -> float:
    """Returns the widths of the intervals, relative to the wanted ones.

    Up to 1, no more processes are needed.
    """
    if not widths:
        return 0.0
    if math.inf in widths:
        return math.inf
    median, nearly_all = np.quantile(widths, (0.5, NEARLY_ALL))
    return float(max(median / target.median, nearly_all / target.nearly_all))


def worth(needed: float, processes: int, seconds: float) -> float:
    """Returns how much one more process is expected to lower the need, for each second it takes.

    This assumes that all processes count. In truth, with each sixth process two more are left out,
    and it helps little.
    """
    if processes < 2:
        return math.inf
    shrinks_to = _errors_in_interval(processes + 1) / _errors_in_interval(processes)
    return needed * (1 - shrinks_to) / max(seconds, 1e-3)


def _errors_in_interval(processes: int) -> float:
    """Returns half of Student's interval of a mean, in standard deviations of a single value."""
    return float(student.errors_to_either_side(processes - 1)) / math.sqrt(processes)
