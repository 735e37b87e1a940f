"""The machine and its state, as far as /proc and /sys tell them. A value is None if they do not.

doctor.py judges what is read here; every directory of results keeps `machine()`.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

CPU = "/sys/devices/system/cpu"
CLOCK_SOURCE = "/sys/devices/system/clocksource/clocksource0"


@dataclass(frozen=True)
class Process:
    name: str
    ticks: int  # of CPU time so far, in user and kernel mode
    started: int  # tells a process from a later one with the same id


@dataclass(frozen=True)
class Sample:
    """The CPU time that was used until a moment."""

    time: float
    all_ticks: int | None
    stolen_ticks: int | None
    processes: dict[int, Process]


@dataclass(frozen=True)
class System:
    """Reads the system whose root directory is given; a test gives one of its own."""

    root: Path = Path("/")

    def read(self, path: str) -> str | None:
        try:
            return self.at(path).read_text(errors="replace").strip()
        except OSError:
            return None

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def find(self, pattern: str) -> list[str]:
        """Returns the paths that match, as the system itself names them."""
        return sorted(f"/{p.relative_to(self.root)}" for p in self.root.glob(pattern.lstrip("/")))

    def number(self, path: str) -> int | None:
        text = self.read(path)
        return int(text) if text and re.fullmatch(r"-?\d+", text) else None

    def search(self, pattern: str, path: str) -> str | None:
        """Returns the group of a pattern that a file contains; ^ and $ are the ends of a line."""
        match = re.search(pattern, self.read(path) or "", re.MULTILINE)
        return match[1] if match else None

    def online(self) -> set[int] | None:
        return self.cores_in(f"{CPU}/online")

    def cores_in(self, path: str) -> set[int] | None:
        text = self.read(path)
        return None if text is None else cores_named(text)

    def cores_allowed(self) -> set[int] | None:
        """Returns the cores that this process may run on."""
        cores = self.search(r"^Cpus_allowed_list:\s*(.*)$", "/proc/self/status")
        return None if cores is None else cores_named(cores)

    def memory(self, field: str) -> int | None:
        """Returns a field of /proc/meminfo in bytes."""
        kilobytes = self.search(rf"^{field}:\s*(\d+) kB$", "/proc/meminfo")
        return int(kilobytes) * 1024 if kilobytes else None

    def virtualised(self) -> bool | None:
        if self.read("/sys/hypervisor/type"):
            return True
        flags = self.search(r"^flags\s*:(.*)$", "/proc/cpuinfo")
        return None if flags is None else "hypervisor" in flags.split()

    def hypervisor(self) -> str | None:
        """Returns the name of the hypervisor, if this is a virtual machine that tells it."""
        if not self.virtualised():
            return None
        clocks = (self.read(f"{CLOCK_SOURCE}/available_clocksource") or "").split()
        return (
            self.read("/sys/hypervisor/type")
            or self.read("/sys/class/dmi/id/sys_vendor")
            or next(
                (name for clock, name in CLOCKS_OF_HYPERVISORS.items() if clock in clocks), None
            )
        )

    def governor(self) -> str | None:
        """Returns the governor of all cores: one name, or several."""
        files = self.find(f"{CPU}/cpu[0-9]*/cpufreq/scaling_governor")
        return ", ".join(sorted({text for file in files if (text := self.read(file))})) or None

    def turbo(self) -> bool | None:
        """Whether cores may run above their nominal frequency."""
        if (off := self.number(f"{CPU}/intel_pstate/no_turbo")) is not None:
            return off == 0
        boost = self.number(f"{CPU}/cpufreq/boost")
        return None if boost is None else boost != 0

    def transparent_hugepages(self) -> str | None:
        return self.search(r"\[(\w+)\]", "/sys/kernel/mm/transparent_hugepage/enabled")

    def idle_governor(self) -> str | None:
        """Returns who decides how deep a core sleeps, and so how long the core takes to wake."""
        names = (self.read(f"{CPU}/cpuidle/current_governor{end}") for end in ("", "_ro"))
        return next(filter(None, names), None)

    def clock_source(self) -> str | None:
        return self.read(f"{CLOCK_SOURCE}/current_clocksource")

    def load(self) -> list[float] | None:
        """The mean number of tasks that ran or waited, over 1, 5 and 15 minutes."""
        text = self.read("/proc/loadavg")
        return [float(word) for word in text.split()[:3]] if text else None

    def sample(self) -> Sample:
        times = self.search(r"^cpu +(.*)$", "/proc/stat") or ""
        # The first eight do not overlap. The time of guests comes after them, and is part of user
        # time.
        ticks = [int(word) for word in times.split()[:8]]
        stolen = ticks[7] if len(ticks) == 8 else None
        return Sample(time.monotonic(), sum(ticks) or None, stolen, dict(self._processes()))

    def _processes(self) -> Iterator[tuple[int, Process]]:
        for path in self.find("/proc/[0-9]*/stat"):
            # A process chooses its name, which may hold spaces and parentheses.
            found = re.fullmatch(r"(\d+) \((.*)\) (.*)", self.read(path) or "", re.DOTALL)
            if found:
                fields = found[3].split()
                yield (
                    int(found[1]),
                    Process(found[2], int(fields[11]) + int(fields[12]), int(fields[19])),
                )

    def cpu_quota(self) -> float | None:
        """Returns how many cores' time the control groups allow; infinite without a limit."""
        if self.read("/proc/self/cgroup") is None:
            return None
        quotas = [math.inf]
        for directory in self._control_groups("cpu"):
            text = self.read(f"{directory}/cpu.max") or " ".join(
                self.read(f"{directory}/cpu.cfs_{part}_us") or "" for part in ("quota", "period")
            )
            if found := re.fullmatch(r"(\d+) (\d+)", text):
                quotas.append(int(found[1]) / int(found[2]))
        return min(quotas)

    def memory_limit(self) -> float | None:
        """Returns the memory that the control groups allow, in bytes; infinite without a limit."""
        if self.read("/proc/self/cgroup") is None:
            return None
        limits = [
            self.number(f"{directory}/{file}")
            for directory in self._control_groups("memory")
            for file in ("memory.max", "memory.limit_in_bytes")
        ]
        # The first version of control groups has a huge number if there is no limit.
        installed = self.memory("MemTotal") or math.inf
        return min((limit for limit in limits if limit and limit < installed), default=math.inf)

    def _control_groups(self, controller: str) -> Iterator[str]:
        """Yields the directories of this process's group and of its parents, in both versions."""
        for line in (self.read("/proc/self/cgroup") or "").splitlines():
            _, controllers, group = line.split(":", 2)
            if not controllers:
                mount = "/sys/fs/cgroup"
            elif controller in controllers.split(","):
                mount = f"/sys/fs/cgroup/{controller}"
            else:
                continue
            path = PurePosixPath(group)
            for inner in (path, *path.parents):
                yield f"{mount}{inner}".rstrip("/")

    def container(self) -> str | None:
        """Returns the container that this process runs in, if one can be noticed."""
        if self.at("/.dockerenv").exists():
            return "Docker"
        if self.at("/run/.containerenv").exists():
            return "Podman"
        return self.search(r"(docker|kubepods|lxc|libpod)", "/proc/1/cgroup")


CLOCKS_OF_HYPERVISORS = {
    "kvm-clock": "KVM",
    "xen": "Xen",
    "hyperv_clocksource_tsc_page": "Hyper-V",
}


def cores_named(text: str) -> set[int]:
    """Reads a list of cores such as `0-3,8`."""
    spans = re.findall(r"(\d+)(?:-(\d+))?", text)
    return {core for low, high in spans for core in range(int(low), int(high or low) + 1)}


def share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def machine(system: System = System()) -> dict[str, object]:
    """Returns the facts about the machine that every result keeps."""
    online = system.online()
    now = system.sample()
    return {
        "cores": len(online) if online else None,
        "memory_bytes": system.memory("MemTotal"),
        "virtualised": system.virtualised(),
        "hypervisor": system.hypervisor(),
        "governor": system.governor(),
        "turbo": system.turbo(),
        "idle_governor": system.idle_governor(),
        "transparent_hugepages": system.transparent_hugepages(),
        "kernel": system.read("/proc/sys/kernel/osrelease"),
        "clock_source": system.clock_source(),
        "steal_share_since_boot": share(now.stolen_ticks, now.all_ticks),
        "load": system.load(),
    }
