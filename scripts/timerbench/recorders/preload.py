"""Records the timers of a program that takes them from libevent 2.1, libev 4 or libuv 1.

    scripts/record.py preload out.trace.zst -- unbound -d -c my.conf

The program must load the library as a shared one: `ldd PROGRAM` shows it. One that is compiled into
the program is not seen. A program with setuid is not seen, either. Each process has its own trace.
Start a server so that it stays in the foreground.

A callback whose last statement is a call of libev or libuv may be compiled to a jump. Then the call
looks like one that the library makes for itself, and is not recorded.

The recorder sees the calls of the program, and each callback. When a callback begins, its timer
expires. The deadline is the time of the call plus the delay; a library counts from the beginning of
its turn, which is a little earlier. libevent's bufferevents are seen only if the recorder can
replace the functions that libevent calls in itself: it can on Debian, but not if the library was
linked with -Bsymbolic-functions.

Cost: an operation takes 0.06 to 0.08 us more processor time, and the process has a file of 64 MiB
(--most). To measure this, a program set and cancelled a timer 200,000 times, with the recorder and
without. The cost is the least difference of five runs on a virtual machine with 2 cores of an Intel
Xeon. It is 700 to 900 instructions, counted by valgrind.
"""

from __future__ import annotations

import os
import re

from timerbench.command import ROOT, CommandError

CAPTURE = "calls of libevent, libev and libuv, by scripts/record.py preload"
LIBRARY = ROOT / "build" / "release" / "libtimers_recorder.so"


def environment() -> dict[str, str]:
    if not LIBRARY.is_file():
        raise CommandError(
            f"{LIBRARY} is missing; scripts/build.sh release timers_recorder makes it"
        )
    if re.search(r"[\s:]", str(LIBRARY)):
        raise CommandError(f"LD_PRELOAD cannot name {LIBRARY}: the path has a space or a colon")
    others = os.environ.get("LD_PRELOAD")
    return {"LD_PRELOAD": f"{LIBRARY}:{others}" if others else str(LIBRARY)}
