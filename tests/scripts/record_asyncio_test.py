"""Tests of scripts/record.py asyncio, on programs that run."""

from __future__ import annotations

import errno
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import record
from timerbench import traces
from timerbench.recorders import program as recorders

ROOT = Path(__file__).resolve().parents[2]


class Program:
    """A program of asyncio in its own folder, where its traces go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, body: str, *options: str) -> list[str]:
        script = self.folder / "program.py"
        script.write_text(f"import asyncio, os, signal, sys, threading\n\n{body}\n")
        trace = str(self.folder / "out.trace")
        return ["asyncio", trace, *options, "--", sys.executable, str(script)]

    def record(self, body: str, *options: str, status: int = 0) -> None:
        assert record.main(self.command(body, *options)) == status

    def operations(self, trace: str = "out.trace") -> list[list[str]]:
        lines = traces.read_lines(self.folder / trace)
        traces.check(lines)
        return [line.split() for line in traces.parse(lines)[1]]

    def verbs(self, trace: str = "out.trace") -> str:
        return "".join(operation[1] for operation in self.operations(trace))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def test_sets_cancels_and_expiries_are_recorded_in_their_order(program: Program) -> None:
    program.record("""
async def main():
    loop = asyncio.get_running_loop()
    limit = loop.call_later(60, print)
    await asyncio.sleep(0.001)
    limit.cancel()
    limit.cancel()
    loop.call_at(loop.time() + 3600, print).cancel()
    await asyncio.sleep(0.001)
asyncio.run(main())""")
    operations = program.operations()
    assert [verb + timer for _, verb, timer, *_ in operations] == [
        *("s0", "s1", "f1", "c0"),  # a limit, put off by nothing; a sleep
        *("s0", "c0"),
        *("s0", "f0"),
    ]


def test_a_delay_without_end_does_not_harm_the_program(program: Program) -> None:
    program.record("""
async def main():
    for seconds in (float("inf"), 1e10):
        for_ever = asyncio.create_task(asyncio.sleep(seconds))
        await asyncio.sleep(0.001)
        for_ever.cancel()
asyncio.run(main())""")
    assert program.verbs().count("s") == 4


def test_a_process_without_a_set_does_not_keep_others_from_their_traces(
    program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    program.record("""
async def main():
    loop = asyncio.get_running_loop()
    limit = loop.call_later(60, print)
    if not os.fork():
        limit.cancel()
        os._exit(0)
    os.wait()
asyncio.run(main())""")
    assert "there is no line that sets a timer" in capsys.readouterr().err
    assert len([*program.folder.glob("out-*.trace")]) == 1


def test_a_program_that_its_process_goes_on_with_has_a_trace_of_its_own(program: Program) -> None:
    program.record("""
async def main():
    await asyncio.sleep(0.001)
asyncio.run(main())
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, __file__, "again"])""")
    names = sorted(trace.name for trace in program.folder.glob("out-*.trace"))
    first, second = (re.fullmatch(r"out-(\d+)(-2)?\.trace", name) for name in names)
    assert first
    assert second
    assert {first[2], second[2]} == {None, "-2"}
    assert first[1] == second[1]


def test_a_loop_with_a_clock_of_its_own_is_recorded_by_its_delays(program: Program) -> None:
    program.record("""
class Virtual(asyncio.SelectorEventLoop):
    now = 5.0
    def time(self):
        return self.now
loop = Virtual()
loop.call_later(7, loop.stop)
loop.now = 100.0
loop.run_forever()
loop.close()""")
    (_, verb, _, delay), (_, expires, _) = program.operations()
    assert (verb, delay, expires) == ("s", "7000000000", "f")


def test_what_a_loop_drops_when_it_is_closed_is_cancelled(program: Program) -> None:
    program.record("""
for again in range(3):
    loop = asyncio.new_event_loop()
    loop.call_later(60, print)
    loop.close()""")
    assert program.verbs() == "scscsc"


def test_each_process_has_a_trace_of_its_own(
    program: Program, capfd: pytest.CaptureFixture[str]
) -> None:
    program.record("""
asyncio.run(asyncio.sleep(0.001))
child = os.fork()
asyncio.run(asyncio.sleep(0.002))
asyncio.run(asyncio.sleep(0.002)) if child == 0 else print(os.getpid(), child, flush=True)
if child: os.waitpid(child, 0)""")
    parent, child = capfd.readouterr().out.splitlines()[0].split()
    assert program.verbs(f"out-{parent}.trace") == "sfsf"
    assert program.verbs(f"out-{child}.trace") == "sfsf"
    assert not (program.folder / "out.trace").exists()


def test_loops_in_threads_are_recorded_together(program: Program) -> None:
    program.record("""
async def main():
    for _ in range(500):
        asyncio.get_running_loop().call_later(60, print).cancel()
    await asyncio.sleep(0)
threads = [threading.Thread(target=asyncio.run, args=(main(),)) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()""")
    verbs = program.verbs()
    assert (verbs.count("s"), verbs.count("c")) == (2000, 2000)


def test_a_program_that_is_killed_loses_nothing(
    program: Program, capfd: pytest.CaptureFixture[str]
) -> None:
    program.record("""
loop = asyncio.new_event_loop()
for _ in range(100): loop.call_later(60, print)
os.kill(os.getpid(), signal.SIGKILL)""")
    assert program.verbs() == 100 * "s"
    assert capfd.readouterr().err == f"record.py: '{sys.executable}' ended with status -9\n"


def test_ctrl_c_ends_the_program_and_keeps_what_it_did(program: Program) -> None:
    """The program sends us SIGINT, and ends only by our SIGTERM."""
    command = program.command("""
loop = asyncio.new_event_loop()
loop.call_later(60, print)
os.kill(os.getppid(), signal.SIGINT)
signal.pause()""")
    ended = subprocess.run(
        [sys.executable, ROOT / "scripts" / "record.py", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert program.verbs() == "s"


def test_a_program_ends_after_its_seconds(program: Program) -> None:
    program.record("asyncio.run(asyncio.sleep(3600))", "--seconds", "1")
    assert program.verbs() == "s"


def test_a_program_that_ignores_sigterm_is_killed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recorders, "SECONDS_TO_END", 0.1)
    words = ["sh", "-c", "trap '' TERM; echo; exec sleep 60"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as running:
        assert running.stdout
        running.stdout.readline()
        recorders._end(running, "sh")
    assert running.returncode == -signal.SIGKILL
    assert capsys.readouterr().err == (
        "record.py: 'sh' still ran 0.1 s after SIGTERM, and is killed\n"
    )


def test_a_full_file_says_so(program: Program, capfd: pytest.CaptureFixture[str]) -> None:
    body = "loop = asyncio.new_event_loop()\nfor _ in range(9): loop.call_later(60, print)"
    program.record(body, "--most", "5")
    assert program.verbs() == "ssss"
    assert "  the file is full: what came later is not recorded (--most)\n" in (
        capfd.readouterr().out
    )


def test_a_program_without_timers_makes_no_trace(
    program: Program, capfd: pytest.CaptureFixture[str]
) -> None:
    program.record("print('done')", status=2)
    assert capfd.readouterr().err == "record.py: no timer was set that this recorder sees\n"
    assert [file.name for file in program.folder.iterdir()] == ["program.py"]


def test_a_recording_that_cannot_become_a_trace_is_kept(
    program: Program, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as full_disk:
        full_disk.setattr(traces, "write_lines", _fail)
        program.record("asyncio.run(asyncio.sleep(0.001))", status=2)
    [kept] = program.folder.glob(".record-*")
    assert capfd.readouterr().err == (
        f"record.py: the plain lines stay in {kept}; `record.py lines` makes a trace of them\n"
        "record.py: No space left on device\n"
    )
    [lines] = kept.iterdir()
    assert record.main(["lines", str(lines), str(program.folder / "out.trace")]) == 0
    assert program.verbs() == "sf"


def _fail(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_program_that_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record.main(["asyncio", str(tmp_path / "out.trace"), "--", "no_such_program"]) == 2
    assert capsys.readouterr().err == (
        "record.py: 'no_such_program' cannot be run: No such file or directory\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_sitecustomize_that_is_hidden_is_loaded_all_the_same(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = program.folder / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text("import builtins\nbuiltins.limit = 42\n")
    monkeypatch.setenv("PYTHONPATH", str(hidden))
    program.record("loop = asyncio.new_event_loop(); loop.call_later(limit, print)")
    assert program.verbs().startswith("s")  # the program may close the loop at its end
