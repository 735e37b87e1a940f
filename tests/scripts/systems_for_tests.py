"""Made-up roots of systems for the tests of context.py and doctor.py."""

from __future__ import annotations

from pathlib import Path

from timerbench.context import System

CPU = "/sys/devices/system/cpu"
CLOCK = "/sys/devices/system/clocksource/clocksource0"

# Four cores of a real machine without noise; the last two measure.
QUIET = {
    "/proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu tsc avx2\n",
    "/proc/loadavg": "0.10 0.20 0.30 1/90 1234\n",
    "/proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\n"
    "SwapTotal: 2000000 kB\nSwapFree: 2000000 kB\n",
    "/proc/stat": "cpu  100 0 100 3800 0 0 0 0 0 0\ncpu0 25 0 25 950 0 0 0 0 0 0\n",
    "/proc/self/cgroup": "0::/user.slice/session-1.scope\n",
    "/proc/self/status": "Name:\tpython\nCpus_allowed_list:\t0-3\n",
    "/proc/self/personality": "00000000\n",
    "/proc/1/cgroup": "0::/init.scope\n",
    "/proc/sys/kernel/osrelease": "6.1.0-44-amd64\n",
    "/proc/sys/kernel/perf_event_paranoid": "2\n",
    "/proc/sys/kernel/randomize_va_space": "0\n",
    "/sys/bus/event_source/devices/cpu/type": "4\n",
    "/sys/class/power_supply/BAT0/status": "Full\n",
    "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    f"{CLOCK}/available_clocksource": "tsc hpet acpi_pm\n",
    f"{CLOCK}/current_clocksource": "tsc\n",
    f"{CPU}/cpu0/cpufreq/scaling_governor": "performance\n",
    f"{CPU}/cpu3/cpufreq/scaling_governor": "performance\n",
    f"{CPU}/cpu2/topology/thread_siblings_list": "2\n",
    f"{CPU}/cpu3/topology/thread_siblings_list": "3\n",
    f"{CPU}/cpuidle/current_governor": "menu\n",
    f"{CPU}/intel_pstate/no_turbo": "1\n",
    f"{CPU}/isolated": "2-3\n",
    f"{CPU}/nohz_full": "2-3\n",
    f"{CPU}/online": "0-3\n",
}


def write_system(root: Path, files: dict[str, str | None] | None = None) -> System:
    """Makes a quiet machine, except for `files`; None leaves a file out."""
    for path, text in {**QUIET, **(files or {})}.items():
        if text is not None:
            write_file(root, path, text)
    return System(root)


def write_file(root: Path, path: str, text: str) -> None:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def stat_of(number: int, name: str, ticks: int, started: int = 7) -> str:
    """Returns the content of /proc/NUMBER/stat for a process."""
    return f"{number} ({name}) R 1 1 1 0 -1 0 0 0 0 0 {ticks - 1} 1 0 0 20 0 1 0 {started} 0 0\n"
