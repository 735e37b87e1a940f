"""The cores that measure."""

from __future__ import annotations

import shutil

from timerbench.context import CPU, System

# With more cores, more processes would share the last cache and the memory.
BY_DEFAULT = 2


def cores_for(most: int, system: System) -> list[int | None]:
    """Returns at most `most` cores; each of them runs one process at a time.

    Of the two threads of a core only one is used: they share the resources that are measured. The
    last cores come first, as the first core handles the interrupts. If there is no choice, the only
    core is None: then nothing is pinned.
    """
    allowed = system.cores_allowed() or set()
    if len(allowed) < 2 or not shutil.which("taskset"):
        return [None]
    quota = system.cpu_quota()
    most = most if quota is None else int(max(1, min(most, quota)))
    chosen: list[int | None] = []
    taken: set[int] = set()
    for core in sorted(allowed, reverse=True):
        if core not in taken and len(chosen) < most:
            chosen.append(core)
            taken |= system.cores_in(f"{CPU}/cpu{core}/topology/thread_siblings_list") or {core}
    return chosen
