"""A timer queue on heapq, which replays the trace on its standard input: replay.py TICK_NS."""

import heapq
import sys


class Timer:
    def __init__(self, line: int) -> None:
        self.line = line
        self.turn = 0  # the timer is not pending


class TimerQueue:
    """To cancel or re-arm leaves an entry behind: one counts if its timer still has its turn."""

    def __init__(self) -> None:
        self.now = self.turns = 0
        self.entries: list[tuple[int, int, Timer]] = []

    def arm(self, timer: Timer, deadline: int) -> None:
        # Of equal deadlines, the one that was set first has the smaller turn, and expires first.
        self.turns = timer.turn = self.turns + 1
        heapq.heappush(self.entries, (max(deadline, self.now + 1), timer.turn, timer))

    def cancel(self, timer: Timer) -> bool:
        was_pending, timer.turn = timer.turn != 0, 0
        return was_pending

    def expire(self, now: int) -> None:
        self.now = max(self.now, now)
        while self.entries and self.entries[0][0] <= self.now:
            deadline, turn, timer = heapq.heappop(self.entries)
            if timer.turn == turn:
                timer.turn = 0
                print("e", timer.line, deadline, self.now)


tick = int(sys.argv[1])
queue = TimerQueue()
timers: dict[str, Timer] = {}  # by id
latest = 0
for line, operation in enumerate(sys.stdin, 1):
    if operation.startswith("#"):
        continue
    time, verb, name, *rest = operation.split()
    deadline = max(0, -(-int(rest[0]) // tick)) if rest else 0  # rounded up
    latest = max(latest, deadline)
    queue.expire(int(time) // tick)  # rounded down
    was_pending = False
    if verb in "rc":
        was_pending = queue.cancel(timers[name])
        print(verb, line, int(was_pending))
    if verb in "sr":
        if not was_pending:
            timers[name] = Timer(line)
        queue.arm(timers[name], deadline)
queue.expire(max(latest, queue.now + 1))
