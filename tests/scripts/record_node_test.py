"""Tests of scripts/record.py node, on programs that run, where Node is installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import record
from timerbench import traces

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")

SETTINGS = """
const limit = setTimeout(() => { throw new Error('60 s'); }, 60000);
setTimeout(() => {
  limit.refresh();  // put off
  clearTimeout(limit);
  clearTimeout(limit);  // in vain
  const known_by_number = +setTimeout(() => { throw new Error('30 s'); }, 30000);
  clearTimeout(known_by_number);
  setTimeout(() => { throw new Error('20 s'); }, 20000).close();  // which is seen later
}, 1);
"""
INTERVAL = """
let runs = 0;
const periodic = setInterval(() => { if (++runs === 3) clearInterval(periodic); }, 2);
"""
REFRESHED = """
let runs = 0;
const again = setTimeout(() => { if (++runs < 3) again.refresh(); }, 1);
"""
REFRESHED_LATER = """
const ended = setTimeout(() => {}, 1);
const cleared = setTimeout(() => {}, 60000);
clearTimeout(cleared);
cleared.refresh();  // in vain
setTimeout(() => ended.refresh(), 20);
"""
KILLED = """
for (let i = 0; i < 100; ++i) setTimeout(() => {}, 60000);
process.kill(process.pid, 'SIGKILL');
"""
SOCKET = """
const net = require('net');
const server = net.createServer((peer) => peer.end('x')).listen(0, '127.0.0.1', () => {
  const socket = net.connect(server.address().port, '127.0.0.1');
  socket.setTimeout(45000);
  socket.on('close', () => server.close()).resume();
});
"""
THREADS = """
const {Worker} = require('worker_threads');
setTimeout(() => {}, 1);
new Worker('setTimeout(() => {}, 1); setTimeout(() => {}, 1)', {eval: true});
"""


def recorded(folder: Path, program: str, *options: str) -> Path:
    script = folder / "program.js"
    script.write_text(program)
    output = folder / "out.trace"
    assert record.main(["node", str(output), *options, "--", "node", str(script)]) == 0
    return output


def operations(trace: Path) -> list[list[str]]:
    lines = traces.read_lines(trace)
    traces.check(lines)
    return [line.split() for line in traces.parse(lines)[1]]


def verbs(trace: Path) -> str:
    return " ".join(verb + timer for _, verb, timer, *_ in operations(trace))


def delays(trace: Path) -> list[float]:
    return [(int(op[3]) - int(op[0])) / 1e6 for op in operations(trace) if len(op) == 4]


def test_a_timer_is_set_put_off_cancelled_and_expires(tmp_path: Path) -> None:
    trace = recorded(tmp_path, SETTINGS)
    assert verbs(trace) == "s0 s1 f1 r0 c0 s0 c0 s0 c0"
    assert delays(trace) == [60_000, 1, 60_000, 30_000, 20_000]


def test_an_interval_is_set_again_when_its_callback_ends(tmp_path: Path) -> None:
    trace = recorded(tmp_path, INTERVAL)
    assert verbs(trace) == "s0 f0 s0 f0 s0 f0"
    assert delays(trace) == [2, 2, 2]


def test_a_timer_may_be_set_again_in_its_callback(tmp_path: Path) -> None:
    assert verbs(recorded(tmp_path, REFRESHED)) == "s0 f0 s0 f0 s0 f0"


def test_a_timer_that_has_ended_may_be_set_again_and_one_that_was_cleared_may_not(
    tmp_path: Path,
) -> None:
    trace = recorded(tmp_path, REFRESHED_LATER)
    assert verbs(trace) == "s0 s1 c1 s1 f0 f1 s1 f1"
    assert delays(trace) == [1, 60_000, 20, 1]


def test_the_timers_of_sockets_are_recorded(tmp_path: Path) -> None:
    trace = recorded(tmp_path, SOCKET)
    limits = [op for op in operations(trace) if len(op) == 4]
    limit = next(op for op in limits if int(op[3]) - int(op[0]) == 45_000_000_000)
    ends = [verb for _, verb, timer, *_ in operations(trace) if timer == limit[2]]
    assert ends[0] == "s"
    assert ends[-1] == "c"


def test_threads_have_traces_of_their_own(tmp_path: Path) -> None:
    recorded(tmp_path, THREADS)
    assert sorted(verbs(trace) for trace in tmp_path.glob("out-*.trace")) == [
        "s0 f0",
        "s0 s1 f0 f1",
    ]


def test_a_program_that_is_killed_loses_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert verbs(recorded(tmp_path, KILLED)) == " ".join(f"s{i}" for i in range(100))
    assert capfd.readouterr().err == "record.py: 'node' ended with status -9\n"


def test_so_many_lines_are_enough(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert verbs(recorded(tmp_path, KILLED, "--most", "5")) == "s0 s1 s2 s3"
    assert "what came later is not recorded (--most)\n" in capfd.readouterr().out
