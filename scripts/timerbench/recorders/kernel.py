"""Records the timers of the Linux kernel, of the whole machine, by the kernel's own tracing.

    scripts/record.py kernel out.trace.zst --timers wheel --seconds 20

--timers wheel: struct timer_list, such as those of TCP, in ticks of the kernel. A re-arm that
leaves a timer in its bucket is not seen: the kernel does not report it.
--timers hrtimers: struct hrtimer, such as those of nanosleep, poll and timerfd.

It needs root, and tracefs at /sys/kernel/tracing (mount -t tracefs tracefs /sys/kernel/tracing).
Times are in whole microseconds. The kernel writes into a buffer in memory, which is read at the
end. If the buffer was too small, there is no trace.

Cost: an operation takes the kernel some 80 ns more. A program armed and disarmed a timerfd 200,000
times. An operation took 220 ns of processor time, and 300 ns while it was recorded (least of six
runs on a virtual machine with 2 cores of an Intel Xeon).
"""

from __future__ import annotations

import argparse
import contextlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from timerbench import command_line
from timerbench.command import CommandError

CAPTURE = "the kernel's tracepoints of timers by tracefs, by scripts/record.py kernel"
TRACEFS = Path("/sys/kernel/tracing")
EVENTS = {
    "wheel": ("timer_start", "timer_cancel", "timer_expire_entry"),
    "hrtimers": ("hrtimer_start", "hrtimer_cancel", "hrtimer_expire_entry"),
}
EVENT = re.compile(r"\[(\d+)\] \S+ +(\d+)\.(\d{6}): (hr)?timer_(start|cancel|expire_entry): (.*)")
TIMER = re.compile(r"timer=([0-9a-fx]+)")
JIFFIES = re.compile(r" expires=(\d+) \[timeout=(-?\d+)\]")
RUNS_AT = re.compile(r" now=(\d+)")
SOFT_EXPIRY = re.compile(r" softexpires=(-?\d+)")

TICKS = [1_000_000_000 // hertz for hertz in (100, 250, 300, 1000)]
ONE_CALL = 3_000  # ns, between the two halves of one mod_timer; two calls are 10 us and more apart


def add_arguments(parser: command_line.Parser) -> None:
    parser.add_argument("--timers", choices=EVENTS, required=True)
    parser.add_argument("--seconds", type=command_line.positive, required=True)
    parser.add_argument(
        "--buffer",
        type=command_line.positive,
        default=64,
        help="MB of memory for each processor; a second of 10,000 operations takes about 0.5",
    )


def record(options: argparse.Namespace, folder: Path) -> None:
    text = _trace(options.timers, options.seconds, options.buffer)
    wall = time.time_ns() - time.monotonic_ns()
    lines = wheel_lines(text) if options.timers == "wheel" else hrtimer_lines(text, wall)
    (folder / "0.lines").write_text("".join(f"{line}\n" for line in lines))


def _trace(timers: str, seconds: int, megabytes: int) -> list[str]:
    """Returns the lines that the kernel wrote in this number of seconds."""
    if not (TRACEFS / "instances").is_dir():
        raise CommandError(
            f"there is no tracefs at {TRACEFS}; as root: mount -t tracefs tracefs {TRACEFS}"
        )
    instance = TRACEFS / "instances" / "timerbench"
    try:
        instance.mkdir()
    except FileExistsError:
        raise CommandError(
            f"{instance} exists: another recording runs; or one was killed, then rmdir it"
        ) from None
    try:
        settings = {
            "tracing_on": "0",
            "trace_clock": "mono",
            "options/overwrite": "0",
            "buffer_size_kb": str(1024 * megabytes),
            **{f"events/timer/{event}/enable": "1" for event in EVENTS[timers]},
        }
        for file, value in settings.items():
            (instance / file).write_text(value)
        (instance / "tracing_on").write_text("1")
        with contextlib.suppress(KeyboardInterrupt):  # what was recorded so far is wanted
            time.sleep(seconds)
        (instance / "tracing_on").write_text("0")
        _refuse_losses(instance)
        return (instance / "trace").read_text(errors="replace").splitlines()
    finally:
        instance.rmdir()


def _refuse_losses(instance: Path) -> None:
    for stats in instance.glob("per_cpu/cpu*/stats"):
        for loss in ("overrun", "commit overrun", "dropped events"):
            found = re.search(rf"^{loss}: ([1-9]\d*)$", stats.read_text(), re.M)
            if found:
                raise CommandError(
                    f"the kernel's buffer was too small: {found[1]} operations are lost on "
                    f"{stats.parent.name}; give a larger --buffer, or fewer --seconds"
                )


@dataclass
class _Event:
    processor: str
    time: int
    what: str
    timer: str
    details: str


def _events(text: Iterable[str]) -> Iterator[_Event]:
    for line in text:
        found = EVENT.search(line)
        timer = found and TIMER.search(found[6])
        if found and timer:
            moment = int(found[2]) * 1_000_000_000 + int(found[3]) * 1_000
            yield _Event(found[1], moment, found[5], timer[1], found[6])


def wheel_lines(text: Iterable[str]) -> list[str]:
    """Returns plain lines for the kernel's events of struct timer_list."""
    events = list(_events(text))
    tick, zero = _ticks(events)

    def deadline(event: _Event) -> int:
        jiffies = JIFFIES.search(event.details)
        assert jiffies
        return zero + int(jiffies[1]) * tick

    return [_line(event, deadline) for event in _told_apart(events)]


def hrtimer_lines(text: Iterable[str], wall: int) -> list[str]:
    """Returns plain lines for the kernel's events of struct hrtimer.

    A timer may use the wall clock, which is ahead of the monotonic clock by `wall` ns.
    """

    def deadline(event: _Event) -> int:
        expires = SOFT_EXPIRY.search(event.details)
        assert expires
        at = int(expires[1])
        return at - wall if abs(at - wall - event.time) < abs(at - event.time) else at

    return [_line(event, deadline) for event in _told_apart(list(_events(text)))]


def _line(event: _Event, deadline: Callable[[_Event], int]) -> str:
    if event.what == "start":
        return f"{event.time} set {event.timer} {deadline(event)}"
    return f"{event.time} {event.what.removesuffix('_entry')} {event.timer}"


def _told_apart(events: list[_Event]) -> Iterator[_Event]:
    """Returns the events, without cancels that are the first half of another operation.

    The kernel also reports a cancel when it takes a timer out to run it or to set it again. The
    next event of the timer, and its processor, tell which case it is.
    """
    kept: list[_Event] = []
    following: dict[str, _Event] = {}  # the next event of each timer
    for event in reversed(events):
        next_one = following.get(event.timer)
        if event.what != "cancel" or not next_one or not _are_one_call(event, next_one):
            kept.append(event)
        following[event.timer] = event
    return reversed(kept)


def _are_one_call(cancel: _Event, following: _Event) -> bool:
    """Whether both events are of one call.

    Newer kernels say of a hrtimer whether it was armed.
    """
    if following.processor != cancel.processor:
        return False
    if following.what == "expire_entry":
        return True
    if "was_armed=" in following.details:
        return "was_armed=1" in following.details
    return following.what == "start" and following.time - cancel.time <= ONE_CALL


def _ticks(events: list[_Event]) -> tuple[int, int]:
    """Returns how long a tick of the kernel is, and when tick 0 was, in ns."""
    seen = []
    for event in events:
        if jiffies := JIFFIES.search(event.details):
            seen.append((event.time, int(jiffies[1]) - int(jiffies[2])))
        elif runs_at := RUNS_AT.search(event.details):
            seen.append((event.time, int(runs_at[1])))
    if not seen or seen[0][1] == seen[-1][1]:
        raise CommandError("too little was recorded to tell the length of the kernel's tick")
    (first, first_tick), (last, last_tick) = seen[0], seen[-1]
    measured = (last - first) / (last_tick - first_tick)
    tick = min(TICKS, key=lambda tick: abs(tick - measured))
    return tick, min(time - jiffies * tick for time, jiffies in seen)
