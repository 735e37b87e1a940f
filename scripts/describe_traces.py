#!/usr/bin/env python3
"""Says what the timers of recorded traces do, or checks that benches/traces/README.md says it.

There are two tables. One shows how many timers and how many different delays a trace has, and how
its timers end. The other shows the uses of its timers. Without arguments the tables are about all
traces in benches/traces; they stand in the README there between two comments. Without --write the
exit status is 1 if they are out of date; --write updates them. With traces as arguments the command
prints the tables of these.

The uses are the five of Peter et al. (30 seconds is not enough!, EuroSys 2008). When a timer has
ended, its id may be used again, so a trace does not identify a timer beyond its end. So the use of
a timer is told from what happens between its set and its end:

    periodic   expires, and the next operation sets a timer of the same delay, to 1 ms
    watchdog   is put off, and is not seen to expire
    delay      expires, and is neither put off nor periodic
    timeout    is cancelled, and was not put off
    deferred   is put off, and then expires

A program that cannot re-arm cancels a timer and sets another one: its watchdogs show as timeouts.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from timerbench import command_line, traces, whole_file
from timerbench.traces import TRACES, name_of
from timerbench.written_page import Block

TABLES = Block("<!-- tables of describe_traces.py -->", "<!-- end of the tables -->")

MS, US = 1_000_000, 1_000  # the ticks of replay, in ns
USES = ("periodic", "watchdog", "delay", "timeout", "deferred")


@dataclass
class Timer:
    """A pending timer of a trace; times are in ns."""

    delay: int  # when it was set
    deadline: int
    is_put_off: bool = False


class Description:
    """Counts what happens in a trace, operation by operation, beside what its header counts."""

    def __init__(self, header: Mapping[str, str]) -> None:
        self.timers = int(header["count_s"])
        self.expired = int(header["count_f"])
        self.cancelled = int(header["count_c"])
        self.most_pending = int(header["peak_pending"])
        self.put_off = 0  # how many timers; a timer that is put off several times counts once
        self.delays: dict[int, Counter[int]] = {MS: Counter(), US: Counter()}
        self.uses: Counter[str] = Counter()
        self._pending: dict[int, Timer] = {}
        self._has_just_expired: Timer | None = None  # the next operation tells its use

    def add(self, time: int, verb: str, identity: int, deadline: int) -> None:
        if verb == "s":
            self._set(time, identity, deadline)
            return
        self._tell_use(None)
        if verb == "r":
            timer = self._pending[identity]
            timer.is_put_off |= deadline > timer.deadline
            timer.deadline = deadline
        else:
            self._end(self._pending.pop(identity), expired=verb == "f")

    def end(self) -> None:
        """Ends the description. Timers that were put off and are still pending have not expired."""
        self._tell_use(None)
        put_off = sum(timer.is_put_off for timer in self._pending.values())
        self.put_off += put_off
        self.uses["watchdog"] += put_off

    def share(self, timers: int) -> str:
        return f"{100 * timers / self.timers:.1f}"

    def delays_of_most(self, tick: int) -> int:
        """Returns the smallest number of different delays that cover 90% of the timers."""
        sums = accumulate(count for _, count in self.delays[tick].most_common())
        return 1 + sum(10 * count < 9 * self.timers for count in sums)

    def _set(self, time: int, identity: int, deadline: int) -> None:
        timer = Timer(deadline - time, deadline)
        self._tell_use(timer)
        self._pending[identity] = timer
        for tick, delays in self.delays.items():
            delays[_delay_in_ticks(time, deadline, tick)] += 1

    def _end(self, timer: Timer, *, expired: bool) -> None:
        self.put_off += timer.is_put_off
        if timer.is_put_off:
            self.uses["deferred" if expired else "watchdog"] += 1
        elif expired:
            self._has_just_expired = timer
        else:
            self.uses["timeout"] += 1

    def _tell_use(self, following: Timer | None) -> None:
        """Tells the use of the timer that expired in the last operation, if that was an expiry."""
        if timer := self._has_just_expired:
            goes_on = following is not None and _goes_on(timer, following)
            self.uses["periodic" if goes_on else "delay"] += 1
            self._has_just_expired = None


def describe(lines: list[str]) -> Description:
    """Counts what happens in these lines. Raises TraceError if they are not a legal trace."""
    traces.check(lines)
    header, operations = traces.parse(lines)
    described = Description(header)
    for operation in operations:
        time, verb, identity, *deadline = operation.split()
        described.add(int(time), verb, int(identity), int(deadline[0]) if deadline else 0)
    described.end()
    return described


def _goes_on(expired: Timer, new: Timer) -> bool:
    """Whether the new timer is the next period: counted from now, or from the last deadline."""
    periods = (new.delay, new.deadline - expired.deadline)
    return any(abs(period - expired.delay) <= MS for period in periods)


def _delay_in_ticks(time: int, deadline: int, tick: int) -> int:
    """Returns the delay that a queue sees in a replay: deadlines are rounded up, and times down."""
    return max(-(-max(deadline, 0) // tick) - time // tick, 1)


def tables(described: dict[Path, Description]) -> list[str]:
    timers = (
        "trace | timers | most pending | delays at 1 ms | of 90% | delays at 1 µs | of 90% "
        "| put off % | cancelled % | expired %"
    )
    uses_of_timers = " | ".join(("trace", *USES, "not known"))
    of_timers, of_uses = [], []
    for path, d in described.items():
        delays = [f"{len(d.delays[tick])} | {d.delays_of_most(tick)}" for tick in (MS, US)]
        ends = map(d.share, (d.put_off, d.cancelled, d.expired))
        of_timers.append([f"`{name_of(path)}`", d.timers, d.most_pending, *delays, *ends])
        uses = [d.uses[use] for use in USES]
        of_uses.append([f"`{name_of(path)}`", *map(d.share, (*uses, d.timers - sum(uses)))])
    return [*_table(timers, of_timers), *_table(uses_of_timers, of_uses)[1:]]


def _table(head: str, rows: Sequence[Sequence[object]]) -> list[str]:
    rule = "--- | " + " | ".join(["--:"] * head.count("|"))
    lines = [head, rule, *(" | ".join(map(str, row)) for row in rows)]
    return ["", *(f"| {line} |" for line in lines), ""]


@command.ends_in_words()
def main(arguments: list[str] | None = None, folder: Path = TRACES) -> int:
    parser = command_line.Parser(__doc__)
    parser.add_argument(
        "traces",
        metavar="trace",
        nargs="*",
        type=command_line.path,
        help="a .trace, .trace.gz or .trace.zst; all of benches/traces by default",
    )
    parser.add_argument("--write", action="store_true", help="make the README right")
    options = parser.parse_args(arguments)
    if options.traces and options.write:
        parser.error("--write puts in the tables of all traces, and takes none")
    described: dict[Path, Description] = {}
    for path in options.traces or sorted(folder.glob("*.trace*")):
        with command.about(path):
            described[path] = describe(traces.read_lines(path))
    if options.traces:
        print("\n".join(tables(described)[1:-1]))
        return 0
    return compare(folder / "README.md", tables(described), options.write)


def compare(page: Path, lines: list[str], put_in: bool) -> int:
    """Returns 0 if the page has the tables, 1 if it does not."""
    with command.about(page):
        text = page.read_text()
        right = TABLES.put(text, lines)
        if put_in and text != right:
            whole_file.replace(page, right)
    if put_in or text == right:
        return 0
    print(f"describe_traces.py: {page}: the tables are not up to date", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
