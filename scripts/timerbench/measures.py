"""What the benches measure: the counters that charts and the report show, with their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

Unit = Literal["ns", "bytes", "percent", "number"]


@dataclass(frozen=True)
class Measure:
    """A counter of a cell: its name in a word or two, its unit, and what one of it is for."""

    counter: str
    name: str
    unit: Unit = "ns"
    of: str = ""


_late = partial(Measure, of="late")
_QUANTILES = (
    _late("ns_per_operation", "median"),
    _late("p90_ns", "p90"),
    _late("p99_ns", "p99"),
    _late("p999_ns", "p99.9"),
    _late("max_ns", "worst"),
)
_PROCESSOR = Measure("cpu_percent", "processor", "percent", "of a core")

_OF_BENCH: dict[str, tuple[Measure, ...]] = {
    "horizon": (
        Measure("ns_per_operation", "time"),
        Measure(
            "empty_calls_per_timer", "empty calls", "number", "calls that ran nothing, a timer"
        ),
        Measure("moves_per_timer", "moves", "number", "moves of a pending timer"),
    ),
    "memory": (
        Measure("bytes_per_timer", "bytes", "bytes", "a timer"),
        Measure("peak_bytes_per_timer", "peak", "bytes", "a timer at the peak"),
        Measure("residue_bytes", "kept", "bytes", "held when all timers are gone"),
        Measure("bytes_empty", "empty", "bytes", "of an empty queue"),
        Measure("leak_bytes_per_operation", "leak", "bytes", "lost an operation"),
        Measure("allocations_per_operation", "allocations", "number", "allocations an operation"),
    ),
    "floor": (Measure("ns_per_operation", "time"),),
    "contention": (
        Measure("ns_per_operation", "time"),
        Measure("cpu_ns_per_operation", "processor", "ns", "of processor time of all threads"),
        Measure("p99_ns", "p99 of a call", "ns", "for all calls but 1%"),
        Measure("wakes_per_operation", "wakes", "number", "wake-ups of the service, a call"),
    ),
    "dispatch": (
        Measure("ns_per_operation", "processor"),
        Measure("allocations_per_schedule", "allocations", "number", "allocations a schedule"),
    ),
    "lateness": (
        *_QUANTILES,
        Measure("cpu_ns_per_operation", "processor", "ns", "of processor time a task"),
    ),
    "ticks": (_late("ns_per_operation", "p99"), _late("max_ns", "worst"), _PROCESSOR),
    "slack": (*_QUANTILES, _PROCESSOR),
    "idle": (
        Measure("ns_per_operation", "processor time a second", of="of processor time a second"),
        Measure(
            "voluntary_switches_per_second", "wake-ups a second", "number", "wake-ups a second"
        ),
        Measure(
            "involuntary_switches_per_second",
            "switched out, a second",
            "number",
            "times switched out, a second",
        ),
    ),
    "slow_task": (
        *(quantile for quantile in _QUANTILES if quantile.name != "p99.9"),
        Measure("max_backlog", "most that waited", "number", "tasks that waited at most"),
    ),
    "overload": (
        Measure("recovery_ns", "until none waited", of="until nothing waited"),
        Measure("max_backlog", "most that waited", "number", "tasks that waited at most"),
        _late("p99_ns", "late, p99"),
        _late("max_ns", "worst"),
        Measure("caught_up_runs", "runs made up for", "number", "runs made up for"),
    ),
    "service_memory": (
        Measure("bytes_per_timer", "bytes", "bytes", "a timer"),
        Measure("bytes_empty", "empty", "bytes", "of an empty service"),
    ),
    "sleep": (
        _late("ns_per_operation", "late, median"),
        _late("p99_ns", "p99"),
        _late("p999_ns", "p99.9"),
        _late("worst_ns", "worst"),
        Measure("wake_call_ns", "to wake it", of="for the call that wakes it"),
        Measure("woken_after_ns", "until it runs", of="until it runs"),
    ),
}

# Of queues, single calls are measured, too: of the verb that the bench is about, and of expire. One
# call of expire may do far more than run the timers that are due.
_VERBS = ("insert", "cancel", "rearm")


def measures_of(bench: str) -> Sequence[Measure]:
    """Returns the counters of a bench. The figure itself comes first."""
    if bench in _OF_BENCH:
        return _OF_BENCH[bench]
    verbs = [verb for verb in (*_VERBS, "expire") if verb in (bench, "expire")]
    return [
        Measure("ns_per_operation", "time"),
        *(
            Measure(f"{word}_{verb}_ns", f"{name} {verb}", of=f"for the {name} call of {verb}")
            for verb in verbs
            for word, name in {"worst": "worst", "p999": "p99.9"}.items()
        ),
    ]


def quantiles_of(bench: str) -> list[Measure]:
    """Returns the quantiles of lateness, from the median to the worst; none if a bench has none."""
    late = [measure for measure in measures_of(bench) if measure.of == "late"]
    return late if len(late) > 2 else []
