"""Plain lines, which recorders write, and the trace that they make.

A line says what a program did with one of its timers:

    TIME set ID DEADLINE     the timer waits for its deadline, whether it waited before or not
    TIME cancel ID           the timer waits no longer
    TIME expire ID           the deadline has come, and the program was told

Times are whole numbers of ns on one clock, any clock. An id is any word that names the timer while
it waits, such as its address. Fields are separated by spaces or tabs, as many as you like. A line
that begins with # is a remark. Lines of several threads need not be in order: they are sorted by
their times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from timerbench.command import CommandError
from timerbench.traces import FIRST_LINE, follow

WHOLE_NUMBER = re.compile(r"-?[0-9]{1,19}")
MOST = 2**63 - 1
RESERVED = 64  # bytes of a line in a file that was reserved as a whole
FIELDS = {"set": 4, "cancel": 3, "expire": 3}
FORMS = "TIME set ID DEADLINE, TIME cancel ID or TIME expire ID"


class Operation(NamedTuple):
    line: int
    time: int
    what: str
    timer: str
    deadline: int


@dataclass
class Recording:
    """What the plain lines of one program hold."""

    operations: list[Operation] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unfinished: int = 0  # lines that were not complete when the program was killed


def read(path: Path) -> Recording:
    """Reads a file of lines. A recorder reserves the file: bytes of 0 were never written."""
    recording = Recording()
    lines = path.read_bytes().rstrip(b"\0").split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for number, line in enumerate(lines, 1):
        written = line[_unwritten(line) :]
        if b"\0" in written:
            recording.unfinished += 1
        elif written.startswith(b"#"):
            recording.remarks.append(_text(number, written[1:]).strip())
        else:
            recording.operations.append(_operation(number, _text(number, written)))
    return recording


def _unwritten(line: bytes) -> int:
    """Returns how many bytes of 0 before a line are reserved lines that were never written."""
    zeros = len(line) - len(line.lstrip(b"\0"))
    return zeros - zeros % RESERVED


def is_begun(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(1) not in (b"", b"\0")


def to_trace(recording: Recording, origin: dict[str, str]) -> tuple[list[str], dict[str, int]]:
    """Returns the lines of the trace, and how many lines are not in it, by their kinds.

    `origin` has the facts of the header about where the trace comes from.
    """
    conversion = _Conversion()
    for operation in sorted(recording.operations, key=lambda operation: operation.time):
        conversion.add(operation)
    if not conversion.lines:
        raise CommandError("there is no line that sets a timer")
    header = {
        **origin,
        "clock": "ns",
        **follow(conversion.lines, first_line=1).header(),
        "dropped_unknown": conversion.unknown,
    }
    lines = [FIRST_LINE, *(f"# {key}: {value}" for key, value in header.items())]
    left_out = {
        "on timers that were set before the recording began": conversion.unknown,
        "cancels of timers that no longer waited": conversion.in_vain,
        "lines that are not whole: the program was killed, or still runs": recording.unfinished,
    }
    return lines + conversion.lines, left_out


class _Conversion:
    """Follows the timers, and replaces their ids by the small ids of a trace."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.unknown = 0  # operations on timers that the program set before the recording began
        self.in_vain = 0  # cancels of timers that did not wait any more
        self._start = 0
        self._ids: dict[str, int] = {}  # of timers that wait
        self._free: list[int] = []
        self._ended: dict[str, int] = {}  # the line in which each timer ended

    def add(self, operation: Operation) -> None:
        waits = operation.timer in self._ids
        if self.lines and operation.time - self._start > MOST:
            raise CommandError(
                f"line {operation.line}: the time {operation.time} is 2^63 ns or more after the "
                f"first line that sets a timer, which is at {self._start}"
            )
        if operation.what == "set":
            self._set(operation, waits)
        elif waits:
            identity = self._ids.pop(operation.timer)
            self._free.append(identity)
            self._ended[operation.timer] = operation.line
            verb = "c" if operation.what == "cancel" else "f"
            self.lines.append(f"{operation.time - self._start} {verb} {identity}")
        elif operation.timer not in self._ended:
            self.unknown += 1
        elif operation.what == "cancel":
            self.in_vain += 1
        else:
            raise CommandError(
                f"line {operation.line}: timer '{operation.timer}' expires, but does not wait: it "
                f"ended in line {self._ended[operation.timer]}, and was not set again"
            )

    def _set(self, operation: Operation, waits: bool) -> None:
        if not self.lines:
            self._start = operation.time
        if not waits:
            fresh = len(self._ids)
            self._ids[operation.timer] = self._free.pop() if self._free else fresh
        deadline = operation.deadline - self._start
        if not -MOST <= deadline <= MOST:
            raise CommandError(
                f"line {operation.line}: the deadline {operation.deadline} is 2^63 ns or more "
                f"from the first line that sets a timer, which is at {self._start}"
            )
        verb = "r" if waits else "s"
        time = operation.time - self._start
        self.lines.append(f"{time} {verb} {self._ids[operation.timer]} {deadline}")


def _text(number: int, line: bytes) -> str:
    text = line.decode("ascii", errors="backslashreplace").replace("\t", " ")
    if not text.isprintable():
        raise CommandError(f"line {number}: {text!r} holds a byte that cannot be printed")
    return text


def _operation(number: int, text: str) -> Operation:
    fields = text.split()
    what = fields[1] if len(fields) > 1 else ""
    if what not in FIELDS or len(fields) != FIELDS[what]:
        raise CommandError(f"line {number}: '{text.strip()}' is not one of {FORMS}")
    time = _nanoseconds(number, "time", fields[0])
    deadline = _nanoseconds(number, "deadline", fields[3]) if what == "set" else 0
    return Operation(number, time, what, fields[2], deadline)


def _nanoseconds(number: int, what: str, field: str) -> int:
    if not WHOLE_NUMBER.fullmatch(field) or not -MOST <= int(field) <= MOST:
        raise CommandError(
            f"line {number}: the {what} '{field}' is not a whole number of ns from -2^63 + 1 to "
            "2^63 - 1"
        )
    return int(field)
