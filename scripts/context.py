"""The machine and its state, as far as Google Benchmark does not tell them itself."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def _cpuinfo(field: str) -> str | None:
    found = re.search(rf"^{field}\s*:\s*(.*)$", _read("/proc/cpuinfo") or "", re.MULTILINE)
    return found[1] if found else None


def machine() -> dict[str, object]:
    """None stands for what this system does not tell."""
    thp = re.search(r"\[(\w+)\]", _read("/sys/kernel/mm/transparent_hugepage/enabled") or "")
    return {
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "virtualised": "hypervisor" in (_cpuinfo("flags") or "").split(),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "transparent_hugepages": thp[1] if thp else None,
        "kernel": platform.release(),
    }
