"""Tests of scripts/timerbench/context.py."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from systems_for_tests import CLOCK, CPU, stat_of, write_system
from timerbench.context import System, machine


def test_a_machine_is_what_its_files_say(tmp_path: Path) -> None:
    assert machine(write_system(tmp_path)) == {
        "cores": 4,
        "memory_bytes": 16_384_000_000,
        "virtualised": False,
        "hypervisor": None,
        "governor": "performance",
        "turbo": False,
        "idle_governor": "menu",
        "transparent_hugepages": "madvise",
        "kernel": "6.1.0-44-amd64",
        "clock_source": "tsc",
        "steal_share_since_boot": 0,
        "load": [0.1, 0.2, 0.3],
    }


def test_none_stands_for_what_the_system_does_not_tell(tmp_path: Path) -> None:
    assert set(machine(System(tmp_path)).values()) == {None}


def test_this_machine_tells_its_cores_and_memory() -> None:
    here = machine()
    assert isinstance(here["cores"], int) and here["cores"] > 0
    assert isinstance(here["memory_bytes"], int) and here["memory_bytes"] > 10**8


@pytest.mark.parametrize(
    ("files", "virtualised", "name"),
    [
        ({}, False, None),
        ({"/proc/cpuinfo": "flags : fpu hypervisor"}, True, None),
        (
            {
                "/proc/cpuinfo": "flags : hypervisor",
                f"{CLOCK}/available_clocksource": "tsc kvm-clock",
            },
            True,
            "KVM",
        ),
        (
            {"/proc/cpuinfo": "flags : hypervisor", "/sys/class/dmi/id/sys_vendor": "QEMU"},
            True,
            "QEMU",
        ),
        ({"/sys/hypervisor/type": "xen"}, True, "xen"),
        ({"/proc/cpuinfo": "Features : fp asimd"}, None, None),
    ],
)
def test_a_hypervisor_shows_itself(
    tmp_path: Path, files: dict[str, str | None], virtualised: bool | None, name: str | None
) -> None:
    system = write_system(tmp_path, files)
    assert (system.virtualised(), system.hypervisor()) == (virtualised, name)


@pytest.mark.parametrize(
    ("files", "turbo"),
    [
        ({}, False),
        ({f"{CPU}/intel_pstate/no_turbo": "0"}, True),
        ({f"{CPU}/intel_pstate/no_turbo": None, f"{CPU}/cpufreq/boost": "1"}, True),
        ({f"{CPU}/intel_pstate/no_turbo": None, f"{CPU}/cpufreq/boost": "0"}, False),
        ({f"{CPU}/intel_pstate/no_turbo": None}, None),
    ],
)
def test_turbo_is_told_by_either_driver(
    tmp_path: Path, files: dict[str, str | None], turbo: bool | None
) -> None:
    assert write_system(tmp_path, files).turbo() is turbo


def test_an_idle_governor_that_nobody_can_change_has_a_file_of_its_own(tmp_path: Path) -> None:
    files = {
        f"{CPU}/cpuidle/current_governor": None,
        f"{CPU}/cpuidle/current_governor_ro": "ladder",
    }
    assert write_system(tmp_path, files).idle_governor() == "ladder"


def test_a_list_of_cores_may_have_spans(tmp_path: Path) -> None:
    assert write_system(tmp_path, {f"{CPU}/online": "0-2,5,8-9"}).online() == {0, 1, 2, 5, 8, 9}


def test_stolen_time_is_a_share_of_all_time_and_guests_do_not_count_twice(tmp_path: Path) -> None:
    system = write_system(tmp_path, {"/proc/stat": "cpu  10 0 20 40 5 0 0 25 10 0"})
    assert machine(system)["steal_share_since_boot"] == 0.25


def test_the_name_of_a_process_may_look_like_anything(tmp_path: Path) -> None:
    name = "a) R (2 3\n4)"
    system = write_system(tmp_path, {"/proc/42/stat": stat_of(42, name, ticks=9, started=6)})
    (process,) = system.sample().processes.values()
    assert (process.name, process.ticks, process.started) == (name, 9, 6)


UNIFIED = "/sys/fs/cgroup/user.slice"
FIRST = {"/proc/self/cgroup": "4:memory:/box\n3:cpu,cpuacct:/box\n1:name=systemd:/box\n"}


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({}, math.inf),
        ({f"{UNIFIED}/cpu.max": "max 100000"}, math.inf),
        ({f"{UNIFIED}/cpu.max": "150000 100000"}, 1.5),
        (
            {
                f"{UNIFIED}/cpu.max": "50000 100000",
                f"{UNIFIED}/session-1.scope/cpu.max": "200000 100000",
            },
            0.5,
        ),
        (
            {
                f"{UNIFIED}/cpu.max": "200000 100000",
                f"{UNIFIED}/session-1.scope/cpu.max": "50000 100000",
            },
            0.5,
        ),
        ({"/sys/fs/cgroup/elsewhere.slice/cpu.max": "50000 100000"}, math.inf),
        (
            {
                **FIRST,
                "/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us": "300000",
                "/sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000",
            },
            3,
        ),
        (
            {
                **FIRST,
                "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            math.inf,
        ),
        ({"/proc/self/cgroup": None}, None),
    ],
)
def test_the_tightest_quota_around_the_process_counts(
    tmp_path: Path, files: dict[str, str | None], quota: float | None
) -> None:
    assert write_system(tmp_path, files).cpu_quota() == quota


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, math.inf),
        ({f"{UNIFIED}/memory.max": "max"}, math.inf),
        ({f"{UNIFIED}/memory.max": "4000000000"}, 4e9),
        ({**FIRST, "/sys/fs/cgroup/memory/box/memory.limit_in_bytes": "2000000000"}, 2e9),
        (
            {**FIRST, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"},
            math.inf,
        ),
        ({"/proc/self/cgroup": None}, None),
    ],
)
def test_a_memory_limit_counts_when_it_is_below_what_is_installed(
    tmp_path: Path, files: dict[str, str | None], limit: float | None
) -> None:
    assert write_system(tmp_path, files).memory_limit() == limit


@pytest.mark.parametrize(
    ("files", "container"),
    [
        ({}, None),
        ({"/.dockerenv": ""}, "Docker"),
        ({"/run/.containerenv": ""}, "Podman"),
        ({"/proc/1/cgroup": "0::/kubepods/pod1"}, "kubepods"),
    ],
)
def test_a_container_shows_itself(
    tmp_path: Path, files: dict[str, str | None], container: str | None
) -> None:
    assert write_system(tmp_path, files).container() == container
