"""The size of the pages of memory in which queues are measured.

It is chance where the 4 KiB pages of a process lie. With a million timers this makes two processes
of one binary differ by a third. In huge pages, of 2 MiB, they hardly differ. glibc can be told to
ask for huge pages, and the kernel gives them unless an administrator forbade it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from timerbench.context import System

Pages = Literal["huge", "small"]

TUNABLES = "GLIBC_TUNABLES"
ASKS_FOR_HUGE_PAGES = "glibc.malloc.hugetlb=1"


def kernel_gives_huge_pages(system: System) -> bool:
    return system.transparent_hugepages() in ("always", "madvise")


def environment_for(pages: Pages, environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables to set. Other tunables in the environment stay as they are."""
    if pages == "small":
        return {}
    there = environment.get(TUNABLES)
    return {TUNABLES: f"{there}:{ASKS_FOR_HUGE_PAGES}" if there else ASKS_FOR_HUGE_PAGES}
