"""Records the timers of Python's asyncio: call_later, call_at, sleep, timeout, wait_for.

    scripts/record.py asyncio out.trace.zst -- python3 server.py

Every Python that the program starts, from 3.8 on, loads a module before anything else. The module
watches the handles of timers: all of these calls use them. asyncio has no re-arm. uvloop is not
seen: it has its own handles, and libuv inside.

Cost: an operation takes 1.9 us more processor time, and the process has a file of 64 MiB (--most).
To measure this, a program made a timer and cancelled it 100,000 times, with the recorder and
without. The cost is the least difference of three runs of Python 3.11 on a virtual machine with 2
cores of an Intel Xeon.
"""

from __future__ import annotations

import os
from pathlib import Path

CAPTURE = "asyncio's TimerHandle, by scripts/record.py asyncio"
INSIDE = Path(__file__).resolve().parent / "inside_python"


def environment() -> dict[str, str]:
    others = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": f"{INSIDE}{os.pathsep}{others}" if others else str(INSIDE)}
