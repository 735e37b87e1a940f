"""The cores that measure."""

from __future__ import annotations

import shutil

from timerbench.context import CPU, System

# More of them would share the last cache and memory among more processes.
BY_DEFAULT = 2


def cores_for(most: int, system: System) -> list[int | None]:
    """At most so many, each of which runs one process at a time.

    Of two threads of a core one measures: they share what is measured. The last cores come first,
    as the first one has the interrupts. Where there is no choice the only core is None: nothing is
    pinned there.
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
