"""What each bench asks and what its workloads do, for those who read charts and reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

# Timers of timeouts are nearly always cancelled; those of schedules nearly always expire. Events
# are those of a simulation, in which time jumps from one event to the next.
Population = Literal["timeouts", "schedules", "events"]

# What a bench measures. In the name of a benchmark, the measured object is in second place.
Subject = Literal[
    "queues",  # timer queues
    "staying",  # timer queues. Some take part twice: once with timers that stay.
    "services",  # timer services
    "settings",  # timer services, each in the settings that people use
    "wheels",  # timer services with a tick that the user chooses
    "ways",  # ways in which a thread sleeps
    "machine",  # the machine itself
]


@dataclass(frozen=True)
class Workload:
    """A workload: a line that says what its timers do, and the population that they are."""

    line: str
    population: Population | None = None  # None: both, or no timers at all
    operation: str | None = None  # if it differs from the operation of the bench
    group: str | None = None  # of those that take part; None: all take part


@dataclass(frozen=True)
class Bench:
    """A bench, and its workloads in the order in which they are shown."""

    title: str
    question: str
    operation: str  # what `ns_per_operation` is for, with its article
    workloads: dict[str, Workload]
    subject: Subject = "queues"


# The memory in which threads of `contention` allocate. It is fresh as in a program that has just
# started, or aged as in a program that has run for long: then other timers have freed it in random
# order.
Memory = Literal["fresh", "aged"]


class ContentionWorkload(NamedTuple):
    """A workload in which this number of threads make a call at once, in this memory."""

    call: str
    threads: int
    memory: Memory

    def __str__(self) -> str:
        return f"{self.call}_{self.threads}" + ("_aged" if self.memory == "aged" else "")

    @property
    def calls_in_words(self) -> str:
        return f"{self.call} in {self.memory} memory"

    @property
    def threads_in_words(self) -> str:
        return "1 thread" if self.threads == 1 else f"{self.threads} threads"


# The group of services that can put off the deadline of a timer.
REARMING = "rearming"

# Of `contention`: what a thread does, and what counts as an operation.
CALLS = {
    "schedule": ("Timers due at random in one to two hours.", "a schedule"),
    "ascending": ("Each timer is due after all that its thread scheduled.", "a schedule"),
    "descending": ("Each timer is due before all that its thread scheduled.", "a schedule"),
    "cancel": ("Each thread cancels what it scheduled, in random order.", "a cancel"),
    "cancel_other": ("Each thread cancels what another one scheduled.", "a cancel"),
    "schedule_cancel": (
        "Each thread schedules a timer and cancels it.",
        "a schedule and its cancel",
    ),
    "put_off": ("Each thread puts off its own of the n timers.", "a re-arm"),
}

# By their names. The numbers of threads of a call are neighbours, and so are the two kinds of
# memory.
CONTENTION = {
    str(workload): workload
    for workload in (
        ContentionWorkload(call, threads, memory)
        for call in CALLS
        for memory in get_args(Memory)
        for threads in (1, 2, 4, 8)
    )
}

# Of `hold`: the order of the calls.
HOLD = {
    "exponential": "The first is taken, another one set; exponential increments.",
    "short": "The same, with increments 1,000 times as short.",
    "uniform": "Increments uniform between 0 and twice the mean.",
    "biased": "Increments within 10% of the mean.",
    "bimodal": "One increment in ten is ten times as long.",
    "triangular": "Increments up to 1.5 means, the longer the more likely.",
    "pareto": "Increments without a mean: a few are very long.",
    "two_humps": "98% of the increments in 2% of the span.",
    "changing": "Uniform increments, then exponential ones.",
    "markov_50": "Inserts and takes at random; exponential increments.",
    "markov_90": "The same, in runs of 10 in the mean.",
    "markov_99": "The same, in runs of 100 in the mean.",
    "up_down": "n are inserted, then all are taken.",
}

BENCHES = {
    "replay": Bench(
        "Replay",
        "What does a queue cost on what real programs did with their timers?",
        "an insert, re-arm or cancel",
        {
            "go-nethttp": Workload("A net/http server in Go with 3000 connections."),
            "kernel-hrtimer-mixed": Workload("Linux's hrtimers under databases and sleepers."),
            "kernel-wheel-nginx": Workload("Linux's timer wheel under nginx, of a whole machine."),
            "netty-eventloop": Workload("The event loops of a Netty server with 4000 connections."),
            "netty-hashedwheel": Workload(
                "One HashedWheelTimer of Netty, with 1 s for each request.", "timeouts"
            ),
            "nginx-rbtree-ka5": Workload(
                "One worker of nginx, with a keep-alive of 5 s.", "timeouts"
            ),
            "unbound-libevent": Workload("The resolver unbound under 3000 queries a second."),
            "tiny": Workload("The beginning of unbound's recording, for tests."),
        },
    ),
    "churn": Bench(
        "Churn",
        "What does a timer cost from insert to end while about n are pending?",
        "an operation",
        {
            "rpc": Workload(
                "Calls with a timer of 1 s, nearly all cancelled; an operation is a call.",
                "timeouts",
            ),
            "rpc_mixed": Workload(
                "The same calls, with limits uniform from 10 ms to 1 s.", "timeouts"
            ),
            "rpc_wide": Workload(
                "The same calls, with limits log-uniform from 1 ms to a minute.", "timeouts"
            ),
            "tcp": Workload(
                "Connections, three timers pending each; any insert, re-arm or cancel.",
                "timeouts",
            ),
            "retry": Workload(
                "Messages that failed, tried again after 2 to 16 s; an operation is a timer.",
                "schedules",
            ),
            "delays_only": Workload(
                "Heartbeats every 20 s and 60 s; an operation is a timer.", "schedules"
            ),
        },
    ),
    "insert": Bench(
        "Insert",
        "What does an insert cost while n timers come to be pending?",
        "an insert",
        {
            "growing": Workload("Into a fresh queue, whose memory grows too."),
            "warm": Workload("Into a queue that held as many before and kept its memory."),
        },
    ),
    "cancel": Bench(
        "Cancel",
        "What does a cancel cost, by the order in which n timers go?",
        "a cancel",
        {
            "random": Workload("In random order.", "timeouts"),
            "oldest_first": Workload("In the order of the inserts.", "timeouts"),
            "newest_first": Workload("Against the order of the inserts.", "timeouts"),
        },
    ),
    "expire": Bench(
        "Expire",
        "What does it cost to run timers when time moves tick by tick?",
        "an expiry",
        {
            "uniform": Workload("Delays spread evenly over a minute.", "schedules"),
            "uniform_1h": Workload("Delays spread evenly over an hour.", "schedules"),
            "pacing": Workload(
                "Flows that send again after 50 to 500 µs, ticks of 1 µs.", "schedules"
            ),
        },
    ),
    "rearm": Bench(
        "Re-arm",
        "What does it cost to push back one of n pending timers?",
        "a re-arm",
        {
            "idle": Workload("Connections closed after 60 s, with a message a second.", "timeouts"),
            "raft": Workload(
                "Elections after 150 to 300 ms, with a heartbeat every 50 ms.", "timeouts"
            ),
        },
    ),
    "horizon": Bench(
        "Horizon",
        "What do long delays cost, and time in which nothing happens?",
        "a timer",
        {
            "log_uniform": Workload("Delays log-uniform from 1 ms to a year.", "schedules"),
            "1s_and_6h": Workload("Half the delays about 1 s, half about 6 h.", "schedules"),
            "empty_ticks": Workload(
                "Nothing is due for an hour; an operation is a tick.", "schedules", "a tick"
            ),
        },
    ),
    "burst": Bench(
        "Burst",
        "What does an expiry cost when many timers are due, or cascade, at once?",
        "an expiry",
        {
            "one_tick": Workload("All n are due in the same tick.", "schedules"),
            "edges": Workload(
                "Due around the ticks in which all levels of a wheel turn.", "schedules"
            ),
        },
    ),
    "constant": Bench(
        "Constant delays",
        "What does a timer cost when all have one of a few delays?",
        "an insert and its expiry",
        {
            "1_delay": Workload("Each of 1 s.", "schedules"),
            "3_delays": Workload("Of 1, 5 and 30 s.", "schedules"),
            "10_delays": Workload("Of ten delays from 0.1 to 60 s.", "schedules"),
        },
    ),
    "hold": Bench(
        "Hold",
        "What does a queue cost as the event list of a simulation?",
        "an insert and its expiry",
        {name: Workload(line, "events") for name, line in HOLD.items()},
    ),
    "staying": Bench(
        "Timers that stay",
        "What does it save to make a timer once, and to arm and disarm it often?",
        "an operation",
        {
            "arm": Workload("n timers come to be pending.", operation="an arm"),
            "disarm": Workload("n timers are disarmed in random order.", operation="a disarm"),
            "expire": Workload(
                "Delays spread evenly over a minute, tick by tick.", operation="an expiry"
            ),
            "idle": Workload(
                "Connections closed after 60 s, with a message a second.", operation="an arm"
            ),
            "raft": Workload(
                "Elections after 150 to 300 ms, with a heartbeat every 50 ms.", operation="an arm"
            ),
            "rpc": Workload("Calls with a timer of 1 s, nearly all disarmed.", operation="a call"),
            "rpc_mixed": Workload(
                "The same calls, with limits uniform from 10 ms to 1 s.", operation="a call"
            ),
            "tcp": Workload("Connections, three timers pending each; any arm or disarm."),
        },
        "staying",
    ),
    "next_expiry": Bench(
        "Next expiry",
        "What does it cost to ask when the next timer is due?",
        "a query",
        {"uniform": Workload("Asked after every tick, with delays spread evenly over a minute.")},
    ),
    "million": Bench(
        "Million",
        "What do the parts of libuv's benchmark cost: all in, all run, all cancelled?",
        "a timer",
        {
            "init": Workload("All are inserted; deadlines grow by a tick with every 1000 timers."),
            "dispatch": Workload("All expire, tick by tick."),
            "clean_up": Workload("All are cancelled in the order of their inserts."),
        },
    ),
    "memory": Bench(
        "Memory",
        "How much memory does a pending timer take, and what stays when it is gone?",
        "a timer",
        {"uniform": Workload("Delays spread evenly over an hour; nothing is timed.")},
    ),
    "floor": Bench(
        "Floor",
        "What does a touch of memory cost on this machine, whatever the queue?",
        "a touch",
        {
            "dependent": Workload("The last touch tells where the next is, as along a list."),
            "independent": Workload("Where the touches are is known in advance, as by handles."),
            "append": Workload("16 bytes behind the last, as an insert into an array."),
            "stream": Workload("One line behind the other, as in a sweep over all timers."),
        },
        "machine",
    ),
    "contention": Bench(
        "Contention",
        "What does a call take when several threads use a timer service at once?",
        "a call",
        {
            name: Workload(
                f"{line} Memory is {of.memory}.",
                operation=operation,
                group=REARMING if of.call == "put_off" else None,
            )
            for name, of in CONTENTION.items()
            for line, operation in [CALLS[of.call]]
        },
        "services",
    ),
    "dispatch": Bench(
        "Dispatch",
        "What processor time does a timer service take to run what is due?",
        "an expiry, of processor time",
        {"within_250ms": Workload("n timers, due at random within a quarter of a second.")},
        "services",
    ),
    "lateness": Bench(
        "Lateness",
        "How late do tasks start, whether or not the caller is late, too?",
        "a start, from its deadline on",
        {
            "uniform": Workload("n a second, delays spread evenly from 10 ms to 1 s."),
            "exponential": Workload("n a second, delays of 10 ms and more, 100 ms in the mean."),
            "ballast": Workload("10,000 a second, while n timers wait that are due in an hour."),
            "burst": Workload("All n are due at the same instant."),
            "within_3s": Workload("n are due, spread evenly, within the same 3 s."),
        },
        "settings",
    ),
    "ticks": Bench(
        "Ticks",
        "What does a finer tick buy, and what does it cost?",
        "a start, from its deadline on; 99% are earlier",
        {
            tick: Workload(f"A tick of {text}; n timers a second.")
            for tick, text in {
                "100us": "0.1 ms",
                "1ms": "1 ms",
                "10ms": "10 ms",
                "100ms": "100 ms",
            }.items()
        },
        "wheels",
    ),
    "slack": Bench(
        "Slack",
        "What does it cost to wake exactly, and what does it buy?",
        "a start, from its deadline on",
        {
            slack: Workload(f"A slack of {text}; n timers a second.")
            for slack, text in {
                "1ns": "1 ns",
                "10us": "10 µs",
                "50us": "50 µs, which is Linux's default",
                "200us": "200 µs",
                "1ms": "1 ms",
            }.items()
        },
        "services",
    ),
    "idle": Bench(
        "Idle",
        "What does a timer service cost that has nothing to do?",
        "a second, of processor time",
        {
            "no_timer": Workload("No timer is pending, for n seconds."),
            "one_timer_in_an_hour": Workload(
                "One timer is pending, due in an hour, for n seconds."
            ),
        },
        "settings",
    ),
    "slow_task": Bench(
        "Slow tasks",
        "How late are the other tasks when some take long?",
        "a start of the others, from its deadline on",
        {
            "one_of_500ms": Workload("n tasks a second for 2 s, evenly; one of them takes 500 ms."),
            "one_in_1000_of_1ms": Workload("n tasks a second for 2 s; one in 1000 takes 1 ms."),
        },
        "settings",
    ),
    "overload": Bench(
        "Overload",
        "How does a service come back that had more to do than it could?",
        "a recovery, from the last deadline or the end of the stop on",
        {
            "50_percent": Workload("Half of what the service can do, for n seconds."),
            "100_percent": Workload("All that the service can do, for n seconds."),
            "150_percent": Workload("Half as much again as the service can do, for n seconds."),
            "stopped": Workload("The process is stopped for n seconds, and goes on."),
        },
        "settings",
    ),
    "service_memory": Bench(
        "Memory of services",
        "How much memory does a pending timer take, and what stays of cancelled ones?",
        "a timer",
        {
            "pending": Workload("n timers are pending, due in one to two hours."),
            "after_cancel": Workload("n times a timer is scheduled, and cancelled at once."),
        },
        "settings",
    ),
    "sleep": Bench(
        "Sleep",
        "How late does a thread wake, and what does it cost to wake it?",
        "a wake-up, from its deadline on",
        {
            "100us": Workload("Deadlines 0.1 ms ahead."),
            "1ms": Workload("Deadlines 1 ms ahead."),
        },
        "ways",
    ),
}


def subject_of(bench: str) -> Subject:
    """Returns what a bench measures: queues, if the bench is new and not described yet."""
    return BENCHES[bench].subject if bench in BENCHES else "queues"


def kind_of(bench: str) -> Literal["queues", "services"]:
    """Returns in a word what a bench compares."""
    return "queues" if subject_of(bench) in ("queues", "staying") else "services"


def is_in_passes(bench: str) -> bool:
    """Whether a process measures in passes that it times: true of queues and of the floor."""
    return kind_of(bench) == "queues" or subject_of(bench) == "machine"


def workload_of(bench: str, workload: str) -> Workload:
    """Returns the description of a workload.

    All lengths of a tick of a recording share one. A new workload is not described yet.
    """
    return BENCHES[bench].workloads.get(workload.split("@", maxsplit=1)[0], Workload(""))


def operation_of(bench: str, workload: str) -> str:
    return workload_of(bench, workload).operation or BENCHES[bench].operation


def in_order(bench: str, workloads: Iterable[str]) -> list[str]:
    """Returns each workload once: first those that are described here, in this order."""
    found = dict.fromkeys(workloads)
    return sorted(found, key=[*BENCHES[bench].workloads, *found].index)
