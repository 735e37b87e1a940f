"""Tests of scripts/doctor.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import doctor
from doctor import CHECKS, Finding, Machine
from systems_for_tests import CLOCK, CPU, stat_of, write_file, write_system
from timerbench.context import System

CORES = [2, 3]
BEFORE = "cpu  100 0 100 3800 0 0 0 0 0 0"
A_SECOND_LATER = "cpu  200 0 100 4100 0 0 0 0 0 0"  # 100 ticks for each of the four cores


def watched(
    root: Path,
    files: dict[str, str | None] | None = None,
    later: dict[str, str] | None = None,
) -> Machine:
    """Makes a quiet machine, except for `files`, and in the second sample for `later`."""
    system = write_system(root, files)
    before = system.sample()
    for path, text in {"/proc/stat": A_SECOND_LATER, **(later or {})}.items():
        write_file(root, path, text)
    return Machine(system, CORES, before, system.sample())


def findings(machine: Machine) -> dict[str, Finding]:
    return {one.check: one for one in (check(machine) for check in CHECKS)}


def test_finds_nothing_to_change_on_a_quiet_machine(tmp_path: Path) -> None:
    found = findings(watched(tmp_path)).values()
    assert [one for one in found if one.verdict != "right" or one.change] == []
    assert len(found) == len(CHECKS)


def test_says_what_cannot_be_told(tmp_path: Path) -> None:
    nothing = System(tmp_path)
    machine = Machine(nothing, CORES, nothing.sample(), nothing.sample())
    found = findings(machine).values()
    assert {(one.found, one.change, one.verdict) for one in found} == {(None, None, "untold")}


VIRTUAL = {
    "/proc/cpuinfo": "flags : hypervisor",
    f"{CLOCK}/available_clocksource": "tsc kvm-clock",
}
AMD = {f"{CPU}/intel_pstate/no_turbo": None, f"{CPU}/cpufreq/boost": "1"}
LITTLE_FREE = "MemTotal: 16000000 kB\nMemAvailable: 5000000 kB\n"
SWAPPED = "SwapTotal: 2000000 kB\nSwapFree: 1000000 kB\n"
GOVERNORS = f"{CPU}/cpu*/cpufreq/scaling_governor"
GROUP = "/sys/fs/cgroup/user.slice"


@pytest.mark.parametrize(
    ("check", "files", "found", "change"),
    [
        (
            "CPU governor",
            {f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"},
            "performance, powersave",
            f"echo performance | sudo tee {GOVERNORS}",
        ),
        (
            "turbo",
            {f"{CPU}/intel_pstate/no_turbo": "0"},
            "on",
            f"echo 1 | sudo tee {CPU}/intel_pstate/no_turbo",
        ),
        ("turbo", AMD, "on", f"echo 0 | sudo tee {CPU}/cpufreq/boost"),
        (
            "siblings of cores 2, 3",
            {f"{CPU}/cpu3/topology/thread_siblings_list": "1,3"},
            "1",
            f"echo 0 | sudo tee {CPU}/cpu1/online",
        ),
        (
            "nothing else on cores 2, 3",
            {f"{CPU}/isolated": ""},
            "isolated: none; nohz_full: 2, 3",
            "isolcpus=2,3 nohz_full=2,3",
        ),
        (
            "nothing else on cores 2, 3",
            {f"{CPU}/nohz_full": "(null)"},
            "isolated: 2, 3; nohz_full: none",
            "nohz_full=2,3",
        ),
        ("load", {"/proc/loadavg": "1.50 0 0 1/90 7"}, "1.50 over the last minute", "wait"),
        ("hypervisor", VIRTUAL, "KVM", "a machine of your own"),
        (
            "transparent huge pages",
            {"/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never"},
            "always",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        ),
        ("swap in use", {"/proc/meminfo": SWAPPED}, "1.0 GB", "sudo swapoff --all"),
        ("free memory", {"/proc/meminfo": LITTLE_FREE}, "5.1 GB", "without --full"),
        ("free memory", {f"{GROUP}/memory.max": "4000000000"}, "4.0 GB", "without --full"),
        (
            "random addresses",
            {"/proc/sys/kernel/randomize_va_space": "2"},
            "on",
            "setarch --addr-no-randomize ./scripts/bench.sh",
        ),
        (
            "hardware counters",
            {"/proc/sys/kernel/perf_event_paranoid": "3"},
            "a unit; perf_event_paranoid 3",
            "sudo sysctl kernel.perf_event_paranoid=2",
        ),
        (
            "hardware counters",
            {
                "/sys/bus/event_source/devices/cpu/type": None,
                "/sys/bus/event_source/devices/software/type": "1",
            },
            "no unit; perf_event_paranoid 2",
            "hypervisor",
        ),
        (
            "clock source",
            {f"{CLOCK}/current_clocksource": "hpet"},
            "hpet",
            f"echo tsc | sudo tee {CLOCK}/current_clocksource",
        ),
        (
            "clock source",
            {f"{CLOCK}/current_clocksource": "hpet", f"{CLOCK}/available_clocksource": "hpet"},
            "hpet",
            "boot with tsc=reliable",
        ),
        ("CPU quota", {f"{GROUP}/cpu.max": "150000 100000"}, "1.5 cores", "docker update --cpus 0"),
        (
            "container",
            {"/.dockerenv": "", "/proc/self/status": "Cpus_allowed_list: 2-3"},
            "Docker: cores 2, 3 of 4",
            "docker update",
        ),
        (
            "container",
            {"/.dockerenv": "", f"{GROUP}/memory.max": "4000000000"},
            "Docker: memory 4.0 GB",
            "docker update",
        ),
        ("power", {"/sys/class/power_supply/BAT0/status": "Discharging"}, "battery", "plug it in"),
    ],
)
def test_says_what_is_noisy_and_how_to_change_it(
    tmp_path: Path, check: str, files: dict[str, str | None], found: str, change: str
) -> None:
    of_check = findings(watched(tmp_path, files))[check]
    assert (of_check.verdict, of_check.found) == ("noisy", found)
    assert of_check.change is not None and change in of_check.change


@pytest.mark.parametrize(
    ("check", "files", "found"),
    [
        (
            "random addresses",
            {
                "/proc/sys/kernel/randomize_va_space": "2",
                "/proc/self/personality": "00040000",
            },
            "off for this process",
        ),
        (
            "nothing else on cores 2, 3",
            {f"{CPU}/nohz_full": None},
            "isolated: 2, 3; nohz_full: not in this",
        ),
        ("container", {"/.dockerenv": ""}, "Docker"),
        (
            "power",
            {
                "/sys/class/power_supply/mouse/status": "Discharging",
                "/sys/class/power_supply/mouse/scope": "Device",
            },
            "mains",
        ),
    ],
)
def test_lets_pass_what_makes_no_noise(
    tmp_path: Path, check: str, files: dict[str, str | None], found: str
) -> None:
    of_check = findings(watched(tmp_path, files))[check]
    assert of_check.verdict == "right"
    assert of_check.found is not None and of_check.found.startswith(found)


def test_time_is_stolen_when_the_host_took_some_within_the_second(tmp_path: Path) -> None:
    stole_before = {"/proc/stat": "cpu  100 0 100 3800 0 0 0 400 0 0"}
    later = {"/proc/stat": "cpu  200 0 100 4080 0 0 0 420 0 0"}
    stolen = findings(watched(tmp_path, dict(stole_before), later))["stolen time"]
    assert (stolen.verdict, stolen.found) == ("noisy", "5.0% over a second")


def test_time_that_was_stolen_earlier_does_not_count(tmp_path: Path) -> None:
    stole_before = {"/proc/stat": "cpu  100 0 100 3800 0 0 0 400 0 0"}
    later = {"/proc/stat": "cpu  200 0 100 4100 0 0 0 400 0 0"}
    assert findings(watched(tmp_path, dict(stole_before), later))["stolen time"].verdict == "right"


def test_names_the_processes_that_use_a_core_now(tmp_path: Path) -> None:
    machine = watched(
        tmp_path,
        {
            "/proc/10/stat": stat_of(10, "worked earlier", ticks=5000),
            "/proc/11/stat": stat_of(11, "compiler", ticks=40),
            "/proc/12/stat": stat_of(12, "gone and its id used again", ticks=9000),
        },
        {
            "/proc/11/stat": stat_of(11, "compiler", ticks=90),
            "/proc/12/stat": stat_of(12, "young", ticks=30, started=8),
            "/proc/13/stat": stat_of(13, "idle", ticks=1, started=8),
        },
    )
    busy = findings(machine)["busy processes"]
    assert (busy.verdict, busy.found) == ("noisy", "compiler (11) 50%, young (12) 30%")
    assert busy.change is not None and busy.change.endswith("kill 11 12")


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)


@pytest.mark.usefixtures("_impatient")
def test_prints_each_finding_of_this_machine_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert len(printed) == len(CHECKS)
    for one in printed:
        assert set(one) == {"check", "found", "right", "change", "verdict"}
        assert (one["verdict"] == "noisy") == (one["change"] is not None)


@pytest.mark.usefixtures("_impatient")
def test_prints_a_table_and_ends_well_whatever_it_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = watched(tmp_path, {f"{CPU}/intel_pstate/no_turbo": "0", "/proc/loadavg": None})
    monkeypatch.setattr(doctor, "watch", lambda _: machine)
    assert doctor.main([]) == 0
    printed = capsys.readouterr().out
    assert "cannot be told here" in printed
    assert f"    echo 1 | sudo tee {CPU}/intel_pstate/no_turbo\n" in printed


@pytest.mark.usefixtures("_impatient")
def test_a_command_is_printed_in_one_line_however_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = watched(tmp_path, {f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"})
    monkeypatch.setattr(doctor, "watch", lambda _: machine)
    monkeypatch.setenv("COLUMNS", "60")
    doctor.main([])
    assert f"    echo performance | sudo tee {GOVERNORS}\n" in capsys.readouterr().out
