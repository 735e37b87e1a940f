"""Watches the timers of asyncio, in every Python that scripts/record.py asyncio runs.

Then this module loads the sitecustomize that it hides, if there is one.
"""

from __future__ import annotations

import asyncio
import importlib.machinery
import importlib.util
import itertools
import mmap
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

LINE = 64  # bytes: time 19, verb 6, id 16, deadline 19, the separators, and the end
LATEST = 2**63 - 1  # what a trace can hold, in ns
LONGEST = 9e9  # seconds; the delay may be infinite
FULL = "# the file is full: what came later is not recorded (--most)"


class Recording:
    """The lines of this process, in a file that is reserved as a whole and mapped into memory."""

    def __init__(self, folder: str, most: int) -> None:
        self._folder = folder
        self._most = most
        self.begin_anew()

    def begin_anew(self) -> None:
        """Begins a new file, also in a forked child."""
        # A signal handler, or the end of a coroutine, may cancel a timer within a write.
        self._lock = threading.RLock()
        self._memory: mmap.mmap | None = None
        self._written = 0

    def write(self, what: str, serial: int, delay: int | None = None) -> None:
        with self._lock:
            if self._written == self._most:
                return
            memory = self._memory = self._memory or self._reserve()
            if memory is None:
                self._most = 0
                return
            at = self._written * LINE
            self._written += 1
            now = time.monotonic_ns()
            deadline = "" if delay is None else min(now + delay, LATEST)
            line = f"{now:19} {what:6} {serial:16} {deadline:19}"
            if self._written == self._most:
                line = f"{FULL:{LINE - 1}}"
            memory[at : at + LINE] = f"{line}\n".encode("ascii")

    def _make(self) -> int:
        """Makes a file for this process, which may have run another program before."""
        name, program = str(os.getpid()), 1
        while True:
            path = os.path.join(self._folder, f"{name}.lines")
            try:
                return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
            except FileExistsError:
                program += 1
                name = f"{os.getpid()}-{program}"

    def _reserve(self) -> mmap.mmap | None:
        try:
            descriptor = self._make()
            try:
                os.posix_fallocate(descriptor, 0, self._most * LINE)
                return mmap.mmap(descriptor, self._most * LINE)
            finally:
                os.close(descriptor)
        except OSError as error:
            print(f"record.py: process {os.getpid()} is not recorded: {error}", file=sys.stderr)
            return None


def watch(recording: Recording) -> None:
    """Changes the class of all timers: each gets a serial number while it waits."""
    serials: dict[int, int] = {}
    counter = itertools.count()
    handle, loops = asyncio.TimerHandle, asyncio.BaseEventLoop
    make: Callable[..., None] = handle.__init__
    close: Callable[..., None] = loops.close
    cancel, run = handle.cancel, handle._run

    def end(timer: asyncio.TimerHandle, what: str) -> None:
        serial = serials.pop(id(timer), None)
        if serial is not None:
            recording.write(what, serial)

    def recorded_make(self: Any, when: float, *rest: object) -> None:  # noqa: ANN401
        make(self, when, *rest)
        serials[id(self)] = serial = next(counter)
        # The loop may have its own clock. The delay is the same on both clocks.
        seconds = min(when - self._loop.time(), LONGEST)  # the program may wait for ever
        recording.write("set", serial, round(seconds * 1e9))

    def recorded_cancel(self: asyncio.TimerHandle) -> None:
        end(self, "cancel")
        cancel(self)

    def recorded_run(self: asyncio.TimerHandle) -> None:
        end(self, "expire")
        run(self)

    def recorded_close(self: Any) -> None:  # noqa: ANN401
        never_run = list(self._scheduled)
        close(self)
        for timer in never_run:
            end(timer, "cancel")

    for owner, name, recorded in (
        (handle, "__init__", recorded_make),
        (handle, "cancel", recorded_cancel),
        (handle, "_run", recorded_run),
        (loops, "close", recorded_close),
    ):
        setattr(owner, name, recorded)


def load_hidden() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    hidden = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if hidden and hidden.loader:
        hidden.loader.exec_module(importlib.util.module_from_spec(hidden))


if "TIMERBENCH_RECORD_FOLDER" in os.environ:
    of_this_process = Recording(
        os.environ["TIMERBENCH_RECORD_FOLDER"], int(os.environ["TIMERBENCH_RECORD_MOST"])
    )
    os.register_at_fork(after_in_child=of_this_process.begin_anew)
    watch(of_this_process)
load_hidden()
