"""Made-up benchmarks and results for the tests of the scripts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from timerbench.benches import BENCHES, CONTENTION, Subject, kind_of, subject_of
from timerbench.groups import Groups
from timerbench.results import (
    MACHINE,
    SMALL_PAGES,
    BenchFile,
    Entry,
    Name,
    Results,
    load,
    write_json,
)

QUEUES = [
    "ordered_map",
    "min_heap",
    "priority_queue",
    "quaternary_heap",
    "pairing_heap",
    "fibonacci_heap",
    "hashed_wheel_512",
    "hashed_wheel_4096",
    "hierarchical_wheel",
    "lazy_wheel",
]
SERVICES = [
    "heap_timer",
    "scheduled_thread_pool",
    "hashed_wheel_timer",
    "hierarchical_wheel_timer",
    "queue_timer_hierarchical_wheel",
]
SETTINGS = [
    "heap_timer",
    "delay_queue_timer",
    "delay_queue_timer_2_threads",
    "scheduled_thread_pool",
    "scheduled_thread_pool_2_threads",
    "hashed_wheel_timer_1ms",
    "hashed_wheel_timer_10ms",
    "hashed_wheel_timer_100ms",
    "hashed_wheel_timer_as_in_netty",
    "hierarchical_wheel_timer",
    "hierarchical_wheel_timer_as_in_kafka",
    "simple_wheel_timer",
    "queue_timer_hierarchical_wheel",
    "queue_timer_min_heap",
]
WHEELS = [
    "hashed_wheel_timer",
    "hierarchical_wheel_timer",
    "simple_wheel_timer",
    "queue_timer_hierarchical_wheel",
]
WAYS = ["clock_nanosleep", "condition_variable", "timerfd", "futex"]
STAYING = [
    "lazy_wheel",
    "min_heap",
    "lazy_wheel_staying",
    "min_heap_staying",
    "intrusive_wheel_staying",
]
# The groups that programs name for queues and services.
_FAMILIES = "trees heaps linked_heaps hashed_wheels hierarchical_wheels lazy_wheels"
GROUPS_OF_QUEUES = {
    "families": _FAMILIES,
    "properties": "libraries turning_loops",
    "trees": "ordered_map",
    "heaps": "min_heap priority_queue quaternary_heap",
    "linked_heaps": "pairing_heap fibonacci_heap",
    "hashed_wheels": "hashed_wheel_512 hashed_wheel_4096",
    "hierarchical_wheels": "hierarchical_wheel",
    "lazy_wheels": "lazy_wheel",
}
GROUPS_OF_STAYING = {
    **GROUPS_OF_QUEUES,
    "heaps": f"{GROUPS_OF_QUEUES['heaps']} min_heap_staying",
    "hierarchical_wheels": "hierarchical_wheel intrusive_wheel_staying",
    "lazy_wheels": "lazy_wheel lazy_wheel_staying",
}
GROUPS_OF_SERVICES = {
    "families": _FAMILIES,
    "properties": "defaults behind_inboxes",
    "heaps": " ".join(one for one in SETTINGS if "heap" in one or "pool" in one or "delay" in one),
    "hashed_wheels": " ".join(
        ["hashed_wheel_timer", *(one for one in SETTINGS if "hashed" in one or "simple" in one)]
    ),
    "hierarchical_wheels": " ".join(one for one in SETTINGS if "hierarchical" in one),
    "defaults": " ".join([*SERVICES, "delay_queue_timer", "hashed_wheel_timer_100ms"]),
    "behind_inboxes": "hashed_wheel_timer queue_timer_hierarchical_wheel queue_timer_min_heap",
}
GROUPS: dict[Subject, dict[str, str]] = {
    "queues": GROUPS_OF_QUEUES,
    "staying": GROUPS_OF_STAYING,
    "services": GROUPS_OF_SERVICES,
    "settings": GROUPS_OF_SERVICES,
    "wheels": GROUPS_OF_SERVICES,
}
TRACES = ["go-nethttp", "kernel-wheel-nginx", "netty-hashedwheel"]
SIZES = [1_000, 10_000, 100_000, 1_000_000]
WORKLOADS = {bench: [*about.workloads] for bench, about in BENCHES.items() if bench != "replay"}
# If sizes are not SIZES: a second of them costs too much, or n does not count timers.
SIZES_OF: dict[str, dict[str, tuple[int, ...]]] = {
    "lateness": {
        "ballast": (1_000, 100_000, 1_000_000, 10_000_000),
        "within_3s": (100_000, 1_000_000, 5_000_000),
    },
    "ticks": dict.fromkeys(WORKLOADS["ticks"], (1_000, 10_000)),
    "slack": dict.fromkeys(WORKLOADS["slack"], (1_000, 10_000)),
    "idle": dict.fromkeys(WORKLOADS["idle"], (1, 2, 10)),
    "slow_task": dict.fromkeys(WORKLOADS["slow_task"], (1_000, 100_000)),
    "service_memory": {},
    "overload": {"stopped": (1, 5), **dict.fromkeys(WORKLOADS["overload"][:3], (1, 10))},
}


def sizes_of(bench: str, workload: str) -> Sequence[int]:
    return SIZES_OF.get(bench, {}).get(workload, SIZES)


CASES = {"replay": [f"{trace}@{tick}" for trace in TRACES for tick in ("1ms", "1us")]} | {
    bench: [f"{workload}/{n}" for workload in workloads for n in sizes_of(bench, workload)]
    for bench, workloads in WORKLOADS.items()
}
CASES["churn"] += ["rpc/10", "rpc/100", "rpc/10000000"]

# A thread that only sleeps, beside services.
FLOOR = "os_floor"

# The case of results_of_case.
CASE = "rpc/1000"

# The special cells of write_results.
SLOWER_THAN = Name("burst", "hashed_wheel_512", "edges/1000000")
IN_A_WINDOW = [Name("horizon", queue, "log_uniform/1000000") for queue in QUEUES[6:8]]
LAGGED = Name("lateness", "queue_timer_min_heap", "uniform/1000000")
UNSTABLE = Name("churn", "pairing_heap", "rpc/100000")

# The times of single calls, as multiples of the mean.
SINGLE_CALLS = {"p50": 0.9, "p99": 5, "p999": 300, "worst": 1000}

MEASURED: dict[Subject, list[str]] = {
    "queues": QUEUES,
    "staying": STAYING,
    "services": SERVICES,
    "settings": SETTINGS,
    "wheels": WHEELS,
    "ways": WAYS,
    "machine": [MACHINE],
}


def write_results(directory: Path, rounds: int = 3, benches: Collection[str] = CASES) -> None:
    """Writes results of every bench, of ten queues, five services …, as run.py would do.

    A test that looks at few benches names them, because all take a second to write.
    """
    for bench in benches:
        measured = MEASURED[subject_of(bench)]
        names = [Name(bench, one, case) for case in CASES[bench] for one in measured]
        write_bench(
            directory,
            {name: [made_up(name, number) for number in range(1, rounds + 1)] for name in names},
        )
    write_json(directory / "context.json", {"cores": 2, "memory_bytes": 2**34})
    if "churn" not in benches:
        return
    in_small_pages = [Name("churn", queue, "rpc/1000000") for queue in QUEUES]
    entries = {name: [made_up(name, n) for n in range(1, rounds + 1)] for name in in_small_pages}
    write_bench(directory / SMALL_PAGES, entries, pages="small")


def write_bench(
    directory: Path, rounds: dict[Name, list[dict[str, Any]]], *, pages: str = "huge"
) -> None:
    """Writes the file of a bench, with these entries of each cell: one for each round."""
    bench = next(iter(rounds)).bench
    queues = list(dict.fromkeys(name.queue for name in rounds))
    context = {
        "cpu": "A CPU of 2 GHz",
        "compiler": "GCC 12.2.0",
        "flags": "-O2 -DNDEBUG",
        "commit": "0123456789ab",
        "build_type": "Release",
        "libc": "glibc 2.36",
        **GROUPS.get(subject_of(bench), {}),
        "twins": " ".join(one for one in queues if one.endswith("_twin")),
        "floors": " ".join(one for one in queues if one == FLOOR),
    }
    processes: dict[tuple[str, int], dict[str, Any]] = {}
    for name, entries in rounds.items():
        group = name.case.split("@")[0]
        for number, entry in enumerate(entries, 1):
            facts = {
                "group": group,
                "round": number,
                "binary": "a hash",
                "arguments": [f"--benchmark_filter={group}"],
                "started": "2026-01-01T00:00:00Z",
                "seconds": 1.5,
                "core": 1,
                **({"pages": pages} if kind_of(bench) == "queues" else {}),
                "load_before": [0.1, 0.1, 0.1],
                "load_after": [0.9, 0.2, 0.1],
                "benchmarks": [],
            }
            process = processes.setdefault((group, number), facts)
            process["benchmarks"].append({"run_name": str(name), "iterations": 5, **entry})
    directory.mkdir(parents=True, exist_ok=True)
    BenchFile(context, queues, list(processes.values())).write(directory / f"{bench}.json")


def write_times(directory: Path, ns: Mapping[Name, Sequence[float]]) -> None:
    """Writes the file of a bench of which only times are known: one for each round."""
    rounds = {name: [{"ns_per_operation": time} for time in of] for name, of in ns.items()}
    write_bench(directory, rounds)


def results_of_case(directory: Path, figures: dict[str, list[float]], *bounds: str) -> Results:
    """Makes results of CASE of churn: a figure for each queue and round.

    Those of `bounds` are bounds.
    """
    rounds = {
        Name("churn", queue, CASE): [
            {"ns_per_operation": ns} | ({"slower_than": 1.0} if queue in bounds else {})
            for ns in of_rounds
        ]
        for queue, of_rounds in figures.items()
    }
    write_bench(directory, rounds)
    return load(directory)


WITH_TWINS = ("min_heap", "hierarchical_wheel", "lazy_wheel")


@dataclass(frozen=True)
class Simulated:
    """A run of churn whose truth is known. Each case has all queues, and twins of three of them."""

    seed: int
    cases: int = 20
    processes: int = 8
    noise: float = 0.01  # of a figure, as the deviation of its logarithm
    hours: float = 0.0  # the same of a process: all its figures share it
    slower: Mapping[str, float] = field(default_factory=dict)  # by queue
    machine: float = 1.0  # how much slower the machine is
    day: int = 1
    twins: bool = True

    def results(self) -> Results:
        random = np.random.default_rng(self.seed)
        rounds: dict[Name, dict[int, Entry]] = {}
        twins: dict[Name, dict[int, Entry]] = {}
        for case in range(self.cases):
            for number in range(1, self.processes + 1):
                hour = self.machine * random.lognormal(0, self.hours)
                for position, queue in enumerate(QUEUES):
                    name = Name("churn", queue, f"rpc/{1_000 + case}")
                    ns = 50 * (1 + position) * hour * self.slower.get(queue, 1.0)
                    both = [rounds, twins] if self.twins and queue in WITH_TWINS else [rounds]
                    for of in both:
                        entry = {"ns_per_operation": ns * random.lognormal(0, self.noise)}
                        of.setdefault(name, {})[number] = entry
        began = datetime(2026, 1, self.day, tzinfo=UTC)
        return Results(
            context={"cpu": "A CPU of 2 GHz"},
            machine={},
            measured={subject: QUEUES if subject == "queues" else [] for subject in MEASURED},
            groups=Groups(),
            rounds=rounds,
            twins=twins,
            floors={},
            began=began,
            ended=began + timedelta(hours=1),
        )


def edit(directory: Path, bench: str, change: Callable[[Name, dict[str, Any]], None]) -> None:
    """Lets `change` alter each entry of a bench in place."""
    path = directory / f"{bench}.json"
    file = BenchFile.read(path)
    for process in file.processes:
        for entry in process["benchmarks"]:
            change(Name.parse(entry["run_name"]), entry)
    file.write(path)


def made_up(name: Name, number: int) -> dict[str, Any]:
    """Returns the counters of a cell in a round, and perhaps histograms."""
    if name.bench == "memory":
        return made_up_memory(QUEUES.index(name.queue), name.n or 0)
    operations = 2.0 * max(name.n or 0, 100_000)
    counters = {"operations": operations, "window_share": 1.0}
    if name.bench == "floor":
        return {"ns_per_operation": made_up_touch(name, number), **counters}
    if subject_of(name.bench) == "services" and name.bench != "slack":
        return made_up_call(name, number)
    if subject_of(name.bench) == "ways":
        return made_up_sleep(name, number)
    if subject_of(name.bench) in ("services", "settings", "wheels"):
        return made_up_in_real_time(name, number)
    position = MEASURED[subject_of(name.bench)].index(name.queue)
    ns = made_up_ns(position, name, number)
    counters |= {
        "ns_per_operation": ns,
        "expiries": operations / 100,
        "expire_calls": 1000.0,
        "most_expiries_per_call": operations / 1000,
    }
    if name.bench != "next_expiry":  # calls of this bench are not timed
        verb = name.bench if name.bench in ("insert", "cancel", "rearm") else "expire"
        counters |= {f"{word}_{verb}_ns": times * ns for word, times in SINGLE_CALLS.items()}
    if name.bench == "horizon":
        counters["empty_calls_per_timer"] = 0.5 + position
        if "wheel" in name.queue:
            counters["moves_per_timer"] = 3.0
    if name in IN_A_WINDOW:
        counters["window_share"] = 0.02
    if name == SLOWER_THAN:
        counters |= {"slower_than": 1.0, "ns_per_operation": 2e9, "operations": 0.0}
    return counters


def made_up_ns(position: int, name: Name, number: int) -> float:
    """Returns a time. Trees and heaps grow with n, wheels hardly; close lines end close together.

    Each workload has its own figures.
    """
    n = name.n or 10_000 * (1 + len(name.case) % 3)
    growth = math.log2(n) * (12 - 1.3 * position) if position < 6 else 20 + 0.8 * math.log2(n)
    coarse = 2.5 if name.case.endswith("@1us") and position == 6 else 1.0
    noise = 0.3 if name == UNSTABLE else 0.01 * (position % 3)
    of_workload = 1 + sum(map(ord, name.workload)) % 97 / 100
    ns = (15 + growth + position) * coarse * of_workload
    return ns * (1 + noise * (-1, 0, 1)[(number - 1) % 3])


def made_up_touch(name: Name, number: int) -> float:
    """Returns the time of a touch: nearly nothing from the cache, a lot from memory."""
    step = {"dependent": 8.0, "independent": 2.0, "append": 0.5, "stream": 0.2}[name.workload]
    return step * math.log10(name.n or 10) * (1 + 0.01 * (number % 3))


def made_up_call(name: Name, number: int) -> dict[str, float]:
    """Returns the figures of a service: longer with more threads, doubled in aged memory."""
    ns = (100.0 + 10 * SERVICES.index(name.queue) + len(name.workload)) * (1 + 0.01 * (number % 3))
    if name.bench != "contention":
        return {"ns_per_operation": 5 * ns, "allocations_per_schedule": 1.0}
    of = CONTENTION[name.workload]
    ns *= of.threads * (2 if of.memory == "aged" else 1)
    wakes = 0.9 if of.call == "descending" else 0.0
    counters = {"ns_per_operation": ns, "cpu_ns_per_operation": 1.5 * ns}
    return {**counters, "p99_ns": 20 * ns, "wakes_per_operation": wakes}


def made_up_in_real_time(name: Name, number: int) -> dict[str, Any]:
    """Returns the lateness of a setting or a wheel: that of its tick, and more with more timers."""
    if name.bench == "idle":
        return made_up_idle(name, number)
    if name.bench == "service_memory":
        position = SETTINGS.index(name.queue)
        left = 64.0 + 8 * position if name.workload == "pending" or position % 4 == 0 else 0.0
        return {"ns_per_operation": 1.0, "bytes_per_timer": left, "bytes_empty": 4096.0}
    tick = next(
        (ns for text, ns in TICKS.items() if f"_{text}" in f"{name.queue}_{name.workload}"),
        TICKS["100us"] if "wheel" in name.queue else 1e3,
    )
    position = MEASURED[subject_of(name.bench)].index(name.queue)
    ns = (6e4 + tick / 2 + 2e3 * position + (name.n or 0) / 40) * (1 + 0.01 * (number % 3))
    counters = {"ns_per_operation": ns, "p50_ns": ns, "p90_ns": 1.8 * ns, "p99_ns": 2 * ns}
    counters |= {"max_ns": 9 * ns, "max_backlog": 10.0 * (name.n or 0)}
    if name.bench in ("ticks", "slack"):
        return {**counters, "ns_per_operation": 2 * ns, "cpu_percent": 5 + 1e6 / tick + position}
    if name.bench == "overload":
        late = name.workload in ("150_percent", "stopped")
        counters["recovery_ns"] = counters["ns_per_operation"] = 5e9 if late else 1e5
        return {**counters, "caught_up_runs": 10.0} if name.workload == "stopped" else counters
    if name.bench == "lateness":
        early = 900.0 if "kafka" in name.queue else 0.0
        over_time: list[list[float | None]] = [
            [50 * at, max(0, 5 * (20 - at) * position), None if at == 7 else ns] for at in range(60)
        ]
        counters |= {"operations": 10_000.0, "early": early, "p999_ns": 3 * ns, "p9999_ns": 4 * ns}
        counters |= {"generator_lagged": float(name == LAGGED)}
        return {**counters, "lateness": made_up_histogram(ns, tick), "over_time": over_time}
    return counters


# Slacks are in here, too.
TICKS = {"100us": 1e5, "1ms": 1e6, "10ms": 1e7, "100ms": 1e8} | {
    "1ns": 1e3,
    "10us": 1e4,
    "50us": 5e4,
    "200us": 2e5,
}


def made_up_histogram(median: float, tick: float) -> list[list[float]]:
    """Makes ten thousand values: as many below the median as above, with a tail."""
    least = max(median - tick / 2, 1e4)
    below = [[round(least + (median - least) * part / 8), 625] for part in range(8)]
    above = [[round(median + (tick / 2 + 1e4) * part / 8), 610] for part in range(8)]
    tail = [[round(above[-1][0] * 1.3**step), 40 // step] for step in range(1, 8)]
    return [[float(edge), float(count)] for edge, count in below + above + tail]


def made_up_idle(name: Name, number: int) -> dict[str, float]:
    """Some services wake at every tick; the others take no time at all."""
    wakes = {"1ms": 1_000.0, "10ms": 100.0, "100ms": 10.0, "netty": 10.0, "simple": 10.0}
    each = next((per for word, per in wakes.items() if word in name.queue), 0.0)
    ns = 5_000.0 * each * (1 + 0.01 * (number % 3))
    return {
        "ns_per_operation": ns,
        "cpu_ms_per_second": ns / 1e6,
        "voluntary_switches_per_second": each,
        "involuntary_switches_per_second": each / 100,
    }


def made_up_sleep(name: Name, number: int) -> dict[str, float]:
    """Makes the figures of a sleep. Nothing can wake a clock_nanosleep."""
    ns = 1_000.0 * (50 + WAYS.index(name.queue)) * (1 + 0.01 * (number % 3))
    counters = {"ns_per_operation": ns}
    counters |= {"p99_ns": 2 * ns, "p999_ns": 3 * ns, "worst_ns": 10 * ns}
    if name.queue != "clock_nanosleep":
        counters |= {"wake_call_ns": ns / 10, "woken_after_ns": ns / 2}
    return counters


def made_up_memory(position: int, n: int) -> dict[str, float]:
    each = 32.0 + 8 * position + 4096 / n
    return {
        "bytes_per_timer": each,
        "peak_bytes_per_timer": 1.5 * each,
        "bytes_empty": 64.0 * (1 + position),
        "residue_bytes": 0.5 * each * n,
        "leak_bytes_per_operation": 24.0 if position == 2 else 0.0,
        "allocations_per_operation": 1.0 if position == 0 else 0.0,
    }
