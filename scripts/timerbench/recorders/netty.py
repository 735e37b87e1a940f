"""Records the timers of Netty 4: tasks of its event loops, and timeouts of HashedWheelTimer.

    scripts/record.py netty out.trace.zst -- java -jar server.jar

Every JVM that the program starts loads an agent, which weaves calls into the classes of tasks and
of timeouts. Wheels and event loops are two traces, out-PID-wheel and out-PID-loops. Netty has no
re-arm. Its own tasks are recorded, too: GlobalEventExecutor has one.

Before the first run: scripts/setup.sh --originals, then scripts/build.sh release timers_agent.

Cost: an operation takes 0.3 to 0.7 us more processor time, and each kind of timers has a file of 64
MiB (--most). To measure this, a program made and cancelled 500,000 timeouts, and then 100,000, with
the agent and without. The cost is the time of the additional timeouts with the agent, less that
without, in three runs of Java 17 on a virtual machine with 2 cores of an Intel Xeon.
"""

from __future__ import annotations

import os

from timerbench.command import ROOT, CommandError

CAPTURE = "calls woven into Netty's classes, by scripts/record.py netty"
AGENT = ROOT / "build" / "release" / "timers_agent.jar"


def environment() -> dict[str, str]:
    if not AGENT.is_file():
        raise CommandError(
            f"{AGENT} is missing; scripts/setup.sh --originals, and then scripts/build.sh release "
            "timers_agent, make it"
        )
    others = os.environ.get("JAVA_TOOL_OPTIONS", "")
    return {"JAVA_TOOL_OPTIONS": f"{others} -javaagent:{AGENT}".lstrip()}
