"""Says what on this machine makes figures noisy, and how to change it. It changes nothing."""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from timerbench import command_line
from timerbench.context import CLOCK_SOURCE, CPU, Sample, System, share
from timerbench.measuring.cores import BY_DEFAULT, cores_for

GB = 10**9
FULL_RUN = 6 * GB  # memory that a full run takes at its peak
BUSY_LOAD = 0.5
BUSY_SHARE = 0.02  # of a core: a process that uses more is named
STEAL_SHARE = 0.005
UNTOLD = "cannot be told here"

GOOD_CLOCKS = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page")
ADDRESSES_NOT_RANDOM = 0x0040000  # a flag of personality(2) that setarch -R sets
MAIN_COUNTERS = ("cpu", "cpu_core", "armv*")

Verdict = Literal["right", "noisy", "untold"]


@dataclass(frozen=True)
class Machine:
    """What the checks look at: the system, and samples of it at two moments."""

    system: System
    cores: list[int]  # the cores that measure
    before: Sample
    after: Sample


@dataclass(frozen=True)
class Finding:
    check: str
    found: str | None  # None if the system does not tell it
    right: str
    change: str | None  # a command, or advice where no command helps
    verdict: Verdict


def finding(check: str, found: str | None, right: str, *, noisy: bool, change: str) -> Finding:
    if found is None:
        return Finding(check, None, right, None, "untold")
    return Finding(check, found, right, *((change, "noisy") if noisy else (None, "right")))


def governor(machine: Machine) -> Finding:
    found = machine.system.governor()
    return finding(
        "CPU governor",
        found,
        "performance",
        noisy=found != "performance",
        change=f"echo performance | sudo tee {CPU}/cpu*/cpufreq/scaling_governor",
    )


def turbo(machine: Machine) -> Finding:
    found = machine.system.turbo()
    intel = machine.system.number(f"{CPU}/intel_pstate/no_turbo") is not None
    off = f"echo 1 | sudo tee {CPU}/intel_pstate/no_turbo"
    return finding(
        "turbo",
        None if found is None else "on" if found else "off",
        "off: it follows heat, and other cores",
        noisy=bool(found),
        change=off if intel else f"echo 0 | sudo tee {CPU}/cpufreq/boost",
    )


def siblings(machine: Machine) -> Finding:
    paths = (f"{CPU}/cpu{core}/topology/thread_siblings_list" for core in machine.cores)
    together = [machine.system.cores_in(path) for path in paths]
    known = [cores for cores in together if cores is not None]
    others = sorted(set().union(*known) - {*machine.cores})
    return finding(
        f"siblings of {named(machine.cores)}",
        listed(others) if len(known) == len(together) else None,
        "none: they share its caches",
        noisy=bool(others),
        change=f"echo 0 | sudo tee {' '.join(f'{CPU}/cpu{core}/online' for core in others)}",
    )


def isolation(machine: Machine) -> Finding:
    isolated = machine.system.cores_in(f"{CPU}/isolated")
    tickless = machine.system.cores_in(f"{CPU}/nohz_full")
    found = None
    if isolated is not None:
        of_kernel = "not in this kernel" if tickless is None else listed(sorted(tickless))
        found = f"isolated: {listed(sorted(isolated))}; nohz_full: {of_kernel}"
    cores = {*machine.cores}
    wanted = ",".join(map(str, machine.cores))
    return finding(
        f"nothing else on {named(machine.cores)}",
        found,
        f"isolated and nohz_full: {listed(machine.cores)}",
        noisy=not (isolated and cores <= isolated and (tickless is None or cores <= tickless)),
        change=f"boot with isolcpus={wanted} nohz_full={wanted} rcu_nocbs={wanted} "
        "(/etc/default/grub)",
    )


def load(machine: Machine) -> Finding:
    means = machine.system.load()
    return finding(
        "load",
        f"{means[0]:.2f} over the last minute" if means else None,
        f"below {BUSY_LOAD}",
        noisy=means is not None and means[0] >= BUSY_LOAD,
        change="wait a minute, or end what runs beside",
    )


def processes(machine: Machine) -> Finding:
    """Finds the processes that used a core between the samples.

    A process that started in between counts from its start.
    """
    of_a_core = ticks_of_a_core(machine)
    used = {}
    for number, process in machine.after.processes.items():
        earlier = machine.before.processes.get(number)
        same = earlier is not None and earlier.started == process.started
        ticks = process.ticks - (earlier.ticks if earlier and same else 0)
        if of_a_core is not None and ticks / of_a_core >= BUSY_SHARE and number != os.getpid():
            used[number] = (ticks / of_a_core, process.name)
    busiest = sorted(used.items(), key=lambda item: item[1], reverse=True)[:5]
    names = [f"{name} ({number}) {part:.0%}" for number, (part, name) in busiest]
    return finding(
        "busy processes",
        None if of_a_core is None else ", ".join(names) or "none",
        "none",
        noisy=bool(busiest),
        change=f"end them, if you can spare them: kill {' '.join(str(n) for n, _ in busiest)}",
    )


def ticks_of_a_core(machine: Machine) -> float | None:
    """Returns how many ticks each core had between the two samples."""
    cores = machine.system.online()
    if machine.before.all_ticks is None or machine.after.all_ticks is None or not cores:
        return None
    return (machine.after.all_ticks - machine.before.all_ticks) / len(cores) or None


def steal(machine: Machine) -> Finding:
    before, after = machine.before, machine.after
    stolen = None
    if None not in (before.stolen_ticks, before.all_ticks):
        stolen = share(
            (after.stolen_ticks or 0) - (before.stolen_ticks or 0),
            (after.all_ticks or 0) - (before.all_ticks or 0),
        )
    return finding(
        "stolen time",
        None if stolen is None else f"{stolen:.1%} over a second",
        "0%: the host gives each core in full",
        noisy=stolen is not None and stolen >= STEAL_SHARE,
        change="measure at another time, or on a host of your own",
    )


def hypervisor(machine: Machine) -> Finding:
    virtualised = machine.system.virtualised()
    name = machine.system.hypervisor() or "unnamed"
    return finding(
        "hypervisor",
        None if virtualised is None else name if virtualised else "none",
        "none",
        noisy=bool(virtualised),
        change="measure on a machine of your own, or with more rounds: scripts/run.py --rounds 11",
    )


def transparent_hugepages(machine: Machine) -> Finding:
    found = machine.system.transparent_hugepages()
    return finding(
        "transparent huge pages",
        found,
        "madvise, or never",
        noisy=found == "always",
        change="echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
    )


def swap(machine: Machine) -> Finding:
    total, free = (machine.system.memory(field) for field in ("SwapTotal", "SwapFree"))
    used = None if total is None or free is None else total - free
    return finding(
        "swap in use",
        None if used is None else in_gb(used) if used else "none",
        "none",
        noisy=bool(used),
        change="sudo swapoff --all",
    )


def free_memory(machine: Machine) -> Finding:
    available, limit = machine.system.memory("MemAvailable"), machine.system.memory_limit()
    free = None if available is None else min(available, limit or math.inf)
    return finding(
        "free memory",
        None if free is None else in_gb(free),
        f"{in_gb(FULL_RUN)} for a full run",
        noisy=free is not None and free < FULL_RUN,
        change="end what holds memory, or measure without --full",
    )


def address_randomisation(machine: Machine) -> Finding:
    """ASLR gives each process other addresses for its data, so caches collide in other ways."""
    found = machine.system.number("/proc/sys/kernel/randomize_va_space")
    persona = machine.system.read("/proc/self/personality")
    off_here = bool(persona and int(persona, 16) & ADDRESSES_NOT_RANDOM)
    return finding(
        "random addresses",
        None if found is None else "off for this process" if off_here else "on" if found else "off",
        "off, or enough rounds to even it out",
        noisy=bool(found) and not off_here,
        change="setarch --addr-no-randomize ./scripts/bench.sh",
    )


def hardware_counters(machine: Machine) -> Finding:
    """Hardware counters add no noise. Without them one cannot see where time goes."""
    devices = "/sys/bus/event_source/devices"
    paranoid = machine.system.number("/proc/sys/kernel/perf_event_paranoid")
    unit = any(machine.system.find(f"{devices}/{name}") for name in MAIN_COUNTERS)
    forbidden = paranoid is not None and paranoid > 2
    found = None
    if paranoid is not None and machine.system.at(devices).exists():
        found = f"{'a' if unit else 'no'} unit; perf_event_paranoid {paranoid}"
    allow = "sudo sysctl kernel.perf_event_paranoid=2"
    return finding(
        "hardware counters",
        found,
        "a unit; perf_event_paranoid 2 or less",
        noisy=not unit or forbidden,
        change=allow if unit else "let the hypervisor pass them on (a virtual PMU)",
    )


def clock_source(machine: Machine) -> Finding:
    found = machine.system.clock_source()
    available = machine.system.read(f"{CLOCK_SOURCE}/available_clocksource") or ""
    better = next((clock for clock in GOOD_CLOCKS if clock in available.split()), None)
    change = f"echo {better} | sudo tee {CLOCK_SOURCE}/current_clocksource"
    return finding(
        "clock source",
        found,
        f"{better or GOOD_CLOCKS[0]}: read without a call of the kernel",
        noisy=found not in GOOD_CLOCKS,
        change=change if better else "boot with tsc=reliable, if you trust it (/etc/default/grub)",
    )


def cpu_quota(machine: Machine) -> Finding:
    quota = machine.system.cpu_quota()
    return finding(
        "CPU quota",
        None if quota is None else "none" if math.isinf(quota) else f"{quota:g} cores",
        "none: a process that used it up is halted",
        noisy=quota is not None and not math.isinf(quota),
        change="docker update --cpus 0 CONTAINER; systemctl set-property UNIT CPUQuota=",
    )


def container(machine: Machine) -> Finding:
    system = machine.system
    name = system.container()
    limit, online = system.memory_limit(), system.online()
    allowed = system.cores_allowed()
    limits = []
    if limit is not None and not math.isinf(limit):
        limits.append(f"memory {in_gb(limit)}")
    if online and allowed and allowed < online:
        limits.append(f"cores {listed(sorted(allowed))} of {len(online)}")
    found = ": ".join([name or "none seen", *([", ".join(limits)] if limits else [])])
    return finding(
        "container",
        None if limit is None else found,
        "no limits",
        noisy=bool(limits),
        change="docker update --memory 0 --cpuset-cpus '' CONTAINER, or measure outside of it",
    )


def battery(machine: Machine) -> Finding:
    system = machine.system
    supplies = "/sys/class/power_supply"
    draining = [
        file
        for file in system.find(f"{supplies}/*/status")
        if system.read(file) == "Discharging"
        # The battery of a mouse or a keyboard does not drive the machine.
        and system.read(file.replace("/status", "/scope")) != "Device"
    ]
    return finding(
        "power",
        None if not system.at(supplies).exists() else "battery" if draining else "mains",
        "mains",
        noisy=bool(draining),
        change="plug it in",
    )


CHECKS: list[Callable[[Machine], Finding]] = [
    governor,
    turbo,
    siblings,
    isolation,
    load,
    processes,
    steal,
    hypervisor,
    transparent_hugepages,
    swap,
    free_memory,
    address_randomisation,
    hardware_counters,
    clock_source,
    cpu_quota,
    container,
    battery,
]


def listed(cores: list[int]) -> str:
    return ", ".join(map(str, cores)) or "none"


def named(cores: list[int]) -> str:
    return f"core{'s' if len(cores) > 1 else ''} {listed(cores)}"


def in_gb(size: float) -> str:
    return f"{size / GB:.1f} GB"


def watch(system: System) -> Machine:
    """Looks at the system for a second."""
    before = system.sample()
    time.sleep(1)
    cores = [core or 0 for core in cores_for(BY_DEFAULT, system)]
    return Machine(system, sorted(cores), before, system.sample())


def print_table(findings: list[Finding]) -> None:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("", "check", "what is", "what would be right"):
        table.add_column(heading, overflow="fold")
    marks = {"right": "[green]✓[/]", "noisy": "[bold yellow]![/]", "untold": "[dim]?[/]"}
    for one in findings:
        found = escape(one.found) if one.found else f"[dim]{UNTOLD}[/]"
        table.add_row(marks[one.verdict], one.check, found, escape(one.right))
    console = Console(highlight=False)
    console.print(table)
    # Commands do not stand in the table: it would wrap them, and they could not be copied.
    console.print("To change it:" if any(one.change for one in findings) else "Nothing to change.")
    for one in findings:
        if one.change:
            console.print(f"  {one.check}:", style="bold")
            console.print(f"    {one.change}", markup=False, soft_wrap=True)


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> None:
    parser = command_line.Parser(__doc__)
    parser.add_argument("--json", action="store_true", help="a list of findings, for programs")
    options = parser.parse_args(arguments)
    machine = watch(System())
    findings = [check(machine) for check in CHECKS]
    if options.json:
        print(json.dumps([asdict(one) for one in findings], indent=1))
    else:
        print_table(findings)


if __name__ == "__main__":
    sys.exit(main())
