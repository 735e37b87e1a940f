"""What a run measures: of each bench which cases, how often and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from timerbench.benches import subject_of
from timerbench.results import Name


@dataclass(frozen=True)
class Effort:
    """How often and how long a cell is measured."""

    rounds: int
    min_time: float = 0  # seconds; a cell repeats its operation until it is reached


Efforts = dict[int, Effort]  # by the number of timers from which they hold


@dataclass(frozen=True)
class Profile:
    """What is spent on a run."""

    efforts: Efforts
    # Services that live in real time take it, however little they do.
    in_real_time: Efforts
    settings: Literal["first", "defaults", "all"]  # of them, those that take part
    timeout: int  # seconds; a process that takes longer hangs


# From a million timers on, once is long enough.
PROFILES = {
    "smoke": Profile({0: Effort(1, 0.001)}, {0: Effort(1)}, settings="first", timeout=600),
    "quick": Profile(
        {0: Effort(3, 0.005), 10**6: Effort(1, 0.001)},
        {0: Effort(1)},
        settings="defaults",
        timeout=600,
    ),
    "full": Profile(
        {0: Effort(5, 0.02), 10**6: Effort(1, 0.001)},
        {0: Effort(4), 10**6: Effort(1)},
        settings="all",
        timeout=3600,
    ),
}

# And so it is of what takes ten seconds.
ONCE = {"idle", "overload"}

# Of what a bench offers, the cases that a profile runs, as a regular expression. A case is what
# follows the queue in a benchmark's name: `rpc/1000` in `churn/min_heap/rpc/1000`. Every case runs
# for every queue; of settings, a profile has its own. `10{3,5}` is a one with three to five zeros.
_SMALLEST, _FEW, _ALL = r".*/10{3}", r".*/10{4}", r".*/10{3,6}"
_OF_A_BENCH = {"smoke": _SMALLEST, "quick": _FEW, "full": _ALL}

# Where a bench has others. A profile that is not named leaves it out.
_OTHERS = {
    "replay": {
        "smoke": r"tiny@.*",  # the beginning of another trace
        "quick": r"(go-nethttp|nginx-rbtree-ka5)@.*",
        "full": r"(?!tiny@).*",
    },
    "churn": {
        "smoke": _SMALLEST,
        "quick": rf"rpc/10{{1,6}}|{_FEW}",
        "full": rf"rpc/10{{1,7}}|{_ALL}",
    },
    "insert": {"smoke": _SMALLEST, "quick": r".*/10{3,5}", "full": _ALL},
    "cancel": {"smoke": _SMALLEST, "quick": r".*/10{3,5}", "full": rf"random/10{{7}}|{_ALL}"},
    "expire": {
        "smoke": _SMALLEST,
        "quick": r"uniform/10{3,5}|pacing/10{4}",
        "full": rf"uniform/10{{7}}|{_ALL}",
    },
    "rearm": {
        "smoke": _SMALLEST,
        "quick": r"idle/10{3,5}|raft/10{3,4}",
        "full": rf"idle/10{{7}}|{_ALL}",
    },
    "horizon": {"smoke": _SMALLEST, "quick": r"1s_and_6h/10{3}|empty_ticks/10{4}", "full": _ALL},
    "burst": {"smoke": _SMALLEST, "quick": r"one_tick/10{3,5}|edges/10{3,4}", "full": _ALL},
    "memory": {"smoke": _SMALLEST, "quick": r".*/10{3,5}", "full": _ALL},
    "floor": {"smoke": _SMALLEST, "quick": r".*/10{3,6}", "full": r".*/10{3,7}"},
    "contention": {
        "smoke": r".*_2/10{3}",
        "quick": r"(schedule|descending|cancel)_4/10{3}",
        "full": r".*/10{3}|.*_[14]/10{6}",
    },
    "dispatch": {"smoke": _SMALLEST, "quick": _FEW, "full": r".*/10{3,5}"},
    "lateness": {
        "smoke": r"within_3s/10{5}|.*/10{3}",
        "quick": r"uniform/10{4}",
        "full": r"(uniform|burst)/10{3,6}|exponential/(10{3}|10{5})|ballast/(10{3}|10{6,7})"
        r"|within_3s/.*",
    },
    "ticks": {"smoke": r"1ms/10{3}", "full": r".*/10{4}"},
    "idle": {"smoke": r".*/1", "quick": r"one_timer_in_an_hour/2", "full": r".*/10"},
    "slow_task": {"smoke": _SMALLEST, "quick": r"one_of_500ms/10{3}", "full": r".*"},
    "overload": {"smoke": r"(50_percent|stopped)/1", "full": r".*_percent/10|stopped/5"},
    "service_memory": {"smoke": _SMALLEST, "quick": r".*/10{5}", "full": _ALL},
    "sleep": {"smoke": _SMALLEST, "full": r".*/10{3}|100us/10{4}"},
}


def cases_of(bench: str, profile: str) -> str | None:
    """None if the profile leaves the bench out."""
    return _OTHERS.get(bench, _OF_A_BENCH).get(profile)


def effort_for(profile: str, case: Name) -> Effort:
    """What the profile spends on a case: a Name without a queue."""
    of_profile = PROFILES[profile]
    is_in_real_time = subject_of(case.bench) in ("settings", "wheels")
    efforts = of_profile.in_real_time if is_in_real_time else of_profile.efforts
    n = max(efforts) if case.bench in ONCE else case.n or 0
    return next(effort for least, effort in reversed(efforts.items()) if n >= least)
