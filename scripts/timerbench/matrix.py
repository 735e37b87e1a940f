"""What a run measures: the cases of each bench, the number of processes, and their time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from timerbench.benches import is_in_passes, kind_of, subject_of
from timerbench.results import Name


@dataclass(frozen=True)
class Effort:
    """How many processes measure a case, and how long each of them may take."""

    least: int
    seconds: float = 0  # of all passes, at least one pass; with repetition, of a cell
    up_to: int = 0  # processes, if needed and within the budget; 0: only `least`

    @property
    def most(self) -> int:
        return max(self.least, self.up_to)


Efforts = dict[int, Effort]  # by the number of timers from which they hold


@dataclass(frozen=True)
class Profile:
    """How much time and how many processes a run gets."""

    # Queues, and the floor. They share a budget of minutes.
    in_passes: Efforts
    floor: Efforts
    minutes: float
    # Services, also in passes: what calls take, and how late tasks start.
    calls: Efforts
    lateness: Efforts
    # Services in real time; a pass takes long.
    in_real_time: Efforts
    # Services, and ways to sleep, that Google Benchmark repeats.
    by_repetition: Efforts
    settings: Literal["first", "defaults", "all"]  # the settings that take part
    timeout: int  # seconds; a process that takes longer hangs
    services_at_once: int = 1  # with more than one, their threads share the cores


# Processes differ, and three are the fewest that show how much. More than twenty add hardly
# anything: two in six do not count, and an interval shrinks only with the root of the others.
_FEWEST, _MOST = 3, 20

# With more timers, members of these groups would take most of a full run: some need 30 s to fill.
MOST_TIMERS = dict.fromkeys(("libraries", "trees", "lists", "linked_heaps"), 10**5)

# A process of queues takes 0.1 to 0.3 s to make its input and the right answers. Then it makes
# passes. Processes differ more than passes do, so a full run has many short processes. With 100,000
# timers 1 s was too short: twins were within 2% in 81% of the cases, and with 3 s in 99%. With a
# million timers a process takes a minute. Five of them tell as much as six, of which the two
# extremes do not count.
#
# The fewest passes take seconds from 100,000 timers on, and where time is long. So a quick run has
# few cases of that size, none above, and no delays of hours. It spends its minutes first on the
# fewest processes of queues and the floor, and the rest where it is needed.
#
# A pass of calls takes 0.6 s in fresh memory, and 6 s in aged memory. One of lateness takes 6 s
# with the default settings, and 10 s with all. So a quick run spends 95 s on services, and a full
# one a hundred minutes. Of three processes half of the ratios of calls were known to ±41% only.
PROFILES = {
    "smoke": Profile(
        in_passes={0: Effort(1, 0.01)},
        floor={0: Effort(1, 0.01)},
        minutes=0,
        calls={0: Effort(1)},
        lateness={0: Effort(1)},
        in_real_time={0: Effort(1)},
        by_repetition={0: Effort(1, 0.001)},
        settings="first",
        timeout=600,
        services_at_once=4,  # the figures are not used, and the processes mostly wait
    ),
    "quick": Profile(
        in_passes={0: Effort(_FEWEST, 0.2, _MOST)},
        floor={0: Effort(_FEWEST, 0.05)},
        minutes=2.1,
        calls={0: Effort(_FEWEST, 1)},
        lateness={0: Effort(_FEWEST)},
        in_real_time={0: Effort(1)},
        by_repetition={0: Effort(_FEWEST, 0.005)},
        settings="defaults",
        timeout=600,
    ),
    "full": Profile(
        in_passes={
            0: Effort(6, 0.7, _MOST),
            10**5: Effort(6, 3, _MOST),
            10**6: Effort(5, 2, _MOST),
            10**7: Effort(1),
        },
        floor={0: Effort(6, 0.5), 10**7: Effort(2, 0.5)},
        minutes=90,
        calls={0: Effort(10, 1), 10**6: Effort(_FEWEST)},
        lateness={0: Effort(6), 10**6: Effort(1)},
        in_real_time={0: Effort(_FEWEST), 10**6: Effort(1)},
        by_repetition={0: Effort(6, 0.02)},
        settings="all",
        timeout=3600,
    ),
}

# One process is enough for benches of ten seconds in real time, and for bytes, which are counted.
ONCE = {"idle", "overload", "memory"}

# A recording does not state a number of timers. It has about as many steps as an input with this n.
TIMERS_OF_A_RECORDING = 10**5

# In other benches Google Benchmark runs one service after the other.
SERVICES_IN_TURNS = {"contention", "lateness", "ticks", "slack", "slow_task"}

# The cases of a bench that a profile runs, as a regular expression. A case is what follows the
# queue in a benchmark's name: `rpc/1000` in `churn/min_heap/rpc/1000`. Every case runs for every
# queue; which settings run, the profile says. `10{3,5}` is a one with three to five zeros.
_SMALLEST, _FEW, _ALL = r".*/10{3}", r".*/10{4}", r".*/10{3,6}"
_UP_TO_10_000, _UP_TO_100_000 = r".*/10{3,4}", r".*/10{3,5}"
_OF_A_BENCH = {"quick": _FEW, "full": _ALL}

# Benches with other cases. A profile that is not listed leaves the bench out; smoke runs the
# smallest.
_OTHERS = {
    "replay": {
        "smoke": r"tiny@.*",  # the beginning of another trace
        "quick": r"(?!tiny@).*@1ms",
        "full": r"(?!tiny@).*",
    },
    "churn": {
        "quick": rf"rpc/10{{1,3}}|{_FEW}",
        "full": rf"rpc/10{{1,7}}|{_UP_TO_100_000}|(rpc_.*|tcp)/10{{6}}",
    },
    "insert": {"quick": r".*/10{4}|warm/10{3}", "full": _ALL},
    "cancel": {
        "quick": r".*/10{4}|random/10{3,5}",
        "full": rf"{_UP_TO_100_000}|random/10{{6}}",
    },
    "expire": {
        "quick": r"uniform/10{3,5}|pacing/10{4}",
        "full": rf"{_UP_TO_100_000}|uniform.*/10{{6}}",
    },
    "rearm": {"quick": r".*/10{4}|idle/10{3}", "full": _ALL},
    "horizon": {
        "quick": r"empty_ticks/10{4}",
        "full": rf"{_UP_TO_10_000}|(log_uniform|empty_ticks)/10{{5,6}}",
    },
    "burst": {"quick": _FEW, "full": rf"{_UP_TO_10_000}|one_tick/10{{5,6}}"},
    "hold": {"quick": r"exponential/10{4}", "full": r"exponential/10{2,7}|.*/10{3,5}"},
    "constant": {"quick": _FEW, "full": rf"{_UP_TO_10_000}|3_delays/10{{5}}"},
    "staying": {"full": rf"{_UP_TO_100_000}|(rpc|rpc_mixed|arm|disarm|expire|idle)/10{{6}}"},
    "million": {"quick": _FEW, "full": rf"{_UP_TO_10_000}|dispatch/10{{5,6}}"},
    "memory": {"quick": r".*/10{3,5}", "full": _ALL},
    "floor": {"quick": r".*/10{3,6}", "full": r".*/10{3,7}"},
    "contention": {
        "smoke": r"(.*_2|schedule_2_aged)/10{3}",
        "quick": r"(schedule_4|cancel_4|schedule_4_aged)/10{3}",
        "full": r".*/10{3}|.*_[14](_aged)?/10{6}",
    },
    "dispatch": {"quick": _FEW, "full": r".*/10{3,5}"},
    "lateness": {
        "smoke": r"within_3s/10{5}|.*/10{3}",
        "quick": r"uniform/10{4}",
        "full": r"(uniform|burst)/10{3,6}|exponential/(10{3}|10{5})|ballast/(10{3}|10{6,7})"
        r"|within_3s/.*",
    },
    "ticks": {"smoke": r"1ms/10{3}", "full": r".*/10{4}"},
    "slack": {"smoke": r"50us/10{3}", "full": r".*/10{4}"},
    "idle": {"smoke": r".*/1", "quick": r"one_timer_in_an_hour/1", "full": r".*/10"},
    "slow_task": {"quick": r"one_of_500ms/10{3}", "full": r".*"},
    "overload": {"smoke": r"(50_percent|stopped)/1", "full": r".*_percent/10|stopped/5"},
    "service_memory": {"full": _ALL},
    "sleep": {"full": r".*/10{3}|100us/10{4}"},
}


def cases_of(bench: str, profile: str) -> str | None:
    """Returns the cases of a bench; None if the profile leaves the bench out."""
    cases = {"smoke": _SMALLEST} | _OTHERS.get(bench, _OF_A_BENCH)
    return cases.get(profile)


def takes_turns(bench: str) -> bool:
    """Whether all that a process measures takes turns, pass by pass, for a number of seconds."""
    return is_in_passes(bench) or bench in SERVICES_IN_TURNS


def effort_for(profile: str, case: Name) -> Effort:
    """Returns what the profile spends on a case, which is a Name without a queue."""
    efforts = _efforts(PROFILES[profile], case.bench)
    n = max(efforts) if case.bench in ONCE else case.n or TIMERS_OF_A_RECORDING
    return next(effort for least, effort in reversed(efforts.items()) if n >= least)


def _efforts(profile: Profile, bench: str) -> Efforts:
    match bench:
        case "contention":
            return profile.calls
        case "lateness" | "ticks" | "slack":
            return profile.lateness
    if kind_of(bench) == "queues":
        return profile.in_passes
    match subject_of(bench):
        case "machine":
            return profile.floor
        case "settings":
            return profile.in_real_time
        case _:
            return profile.by_repetition
