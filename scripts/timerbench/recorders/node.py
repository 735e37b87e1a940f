"""Records the timers of JavaScript in Node: setTimeout, setInterval, and those of its sockets.

    scripts/record.py node out.trace.zst -- node server.js

Every Node that the program starts loads a module before anything else. Hooks of Node tell it of
each timer. Node keeps its timers in a list for each delay; libuv, which `record.py preload` can
watch, has only one for all of them. A timer that Node itself clears is seen at the end of the turn
of its loop. Worker threads have traces of their own.

Cost: an operation takes 1.1 to 1.3 us more processor time; the hooks also make every promise
slower. To measure this, a program set and cleared 150,000 timers, and then 50,000, with the
recorder and without. The cost is the time of the additional timers with the recorder, less that
without, in three runs of Node 20 on a virtual machine with 2 cores of an Intel Xeon.
"""

from __future__ import annotations

import os
from pathlib import Path

CAPTURE = "Node's async hooks of Timeout, by scripts/record.py node"
MODULE = Path(__file__).resolve().parent / "inside_node" / "record.cjs"


def environment() -> dict[str, str]:
    others = os.environ.get("NODE_OPTIONS", "")
    return {"NODE_OPTIONS": f'{others} --require "{MODULE}"'.lstrip()}
