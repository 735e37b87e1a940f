"""Tests of what all commands in scripts/ have in common: --help, a missing package, Ctrl-C."""

from __future__ import annotations

import ast
import os
import re
import runpy
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benches_for_tests import write_benches
from results_for_tests import write_results

ROOT = Path(__file__).resolve().parents[2]
SHELL = sorted(path.name for path in (ROOT / "scripts").glob("*.sh"))
PYTHON = sorted(path.name for path in (ROOT / "scripts").glob("*.py"))

# The programs that a shell script needs for its messages. With these alone every set-up fails.
HARMLESS = ("bash", "cat", "dirname", "sed")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copies the files of the project that commands look at, without an environment."""
    copy = tmp_path / "project"
    shutil.copytree(
        ROOT / "scripts", copy / "scripts", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "CMakePresets.json", copy)
    return copy


@pytest.fixture
def few_commands(tmp_path: Path) -> dict[str, str]:
    """Returns an environment in which nothing can be installed, and no files are kept."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in HARMLESS:
        (folder / name).symlink_to(str(shutil.which(name)))
    inherited = {key: value for key, value in os.environ.items() if key.startswith(("HOME", "LC_"))}
    return {**inherited, "PATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "1000"}


def state(folder: Path) -> dict[Path, tuple[int, bytes]]:
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def words(text: str) -> str:
    return " ".join(text.split())


def test_there_are_commands() -> None:
    assert {"bench.sh", "build.sh", "format.sh"} < set(SHELL)
    assert {"run.py", "plot.py", "count_tests.py"} < set(PYTHON)


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("name", SHELL)
def test_a_shell_script_says_what_it_does_and_does_nothing_else(
    tree: Path, few_commands: dict[str, str], name: str, flag: str
) -> None:
    before = state(tree)
    ended = subprocess.run(
        [tree / "scripts" / name, flag],
        cwd=tree,
        env=few_commands,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    usage, empty, does = ended.stdout.splitlines()[:3]
    assert usage.startswith(f"Usage: scripts/{name}")
    assert empty == ""
    assert does
    assert state(tree) == before


@pytest.mark.parametrize("name", PYTHON)
def test_a_python_script_says_what_it_does(
    few_commands: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    name: str,
) -> None:
    """It runs in this process, as it takes seconds to import all packages again."""
    script = ROOT / "scripts" / name
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    for key in ("PATH", "COLUMNS"):
        monkeypatch.setenv(key, few_commands[key])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    said = capfd.readouterr()
    assert (ended.value.code, said.err) == (0, "")
    assert said.out.startswith(f"usage: {name}")
    does = ast.get_docstring(ast.parse(script.read_text())) or "a docstring"
    assert words(does.splitlines()[0]) in words(said.out)


def without_packages(script: Path) -> subprocess.CompletedProcess[str]:
    """Runs Python without packages, as on a system where nobody has run scripts/setup.sh."""
    return subprocess.run(
        [sys.executable, "-S", "-B", script, "--help"], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", PYTHON)
def test_a_missing_package_is_one_line_that_names_setup_sh(name: str) -> None:
    ended = without_packages(ROOT / "scripts" / name)
    if ended.returncode == 0:
        assert ended.stdout.startswith("usage: ")  # it needs no package
        return
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(
        rf"{name}: this Python has no module '\w+'; run scripts/setup\.sh, "
        rf"then \.venv/bin/python scripts/{name}\n",
        ended.stderr,
    )


def test_a_module_of_ours_that_is_missing_is_shown_as_the_mistake_that_it_is(tree: Path) -> None:
    (tree / "scripts" / "timerbench" / "whole_file.py").unlink()
    ended = without_packages(tree / "scripts" / "cut_trace.py")
    assert ended.returncode == 70
    assert ended.stderr.startswith("Traceback")
    assert "timerbench.whole_file" in ended.stderr


class Interrupted:
    """A command that a test interrupts when it is at work, and its end."""

    def __init__(self, *words: str | Path, cwd: Path | None = None) -> None:
        self._process = subprocess.Popen(
            words,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def is_running(self) -> bool:
        return self._process.poll() is None

    def interrupt(self, *, alone: bool = False) -> None:
        """Ctrl-C reaches the children, too; kill reaches the command alone."""
        if alone:
            self._process.send_signal(signal.SIGINT)
        else:
            os.killpg(self._process.pid, signal.SIGINT)

    def end(self, *, alone: bool = False) -> tuple[int, str]:
        self.interrupt(alone=alone)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        try:
            _, message = self._process.communicate(timeout=30)
        finally:
            if self.is_running():
                os.killpg(self._process.pid, signal.SIGKILL)
        return self._process.returncode, message


def open_once_it_is_read(fifo: Path, command: Interrupted) -> int:
    while True:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads it yet
            assert command.is_running()
            time.sleep(0.01)


# The file that the command reads when it is interrupted, and its arguments: a command for each way
# to read. A trace must be a regular file. For a packed trace, a zstd made by the test prints the
# unpacked lines.
READS = {
    "compare.py": ("results/churn.json", ["results", "results", "--json", "out.json"]),
    "count_tests.py": ("tests.xml", ["tests.xml"]),
    "cut_trace.py": ("unpacked", ["10", "in.trace.zst", "out.trace"]),
    "describe_traces.py": ("unpacked", ["in.trace.zst"]),
    "record.py": ("mine.txt", ["lines", "mine.txt", "out.trace"]),
    "summary.py": ("results/churn.json", ["results"]),
}


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("name", READS)
def test_ctrl_c_while_a_command_reads_is_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file, arguments = READS[name]
    (tmp_path / "results").mkdir()
    (tmp_path / "in.trace.zst").touch()
    (tmp_path / "zstd").write_text("#!/bin/sh\nexec cat unpacked\n")
    (tmp_path / "zstd").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    os.mkfifo(tmp_path / file)
    before = sorted(tmp_path.rglob("*"))
    command = Interrupted(sys.executable, ROOT / "scripts" / name, *arguments, cwd=tmp_path)
    writing = open_once_it_is_read(tmp_path / file, command)
    command.interrupt()
    os.close(writing)  # a read that began just before the signal would not notice the signal
    assert command.ended() == (130, f"{name}: interrupted\n")
    assert sorted(tmp_path.rglob("*")) == before


class AliveFifo:
    """Tells whether the programs live that opened the FIFO: it is their standard output."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self._reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def wait(self) -> None:
        """Waits until a program has begun."""
        assert self._next() == b"alive\n"

    def is_quiet(self) -> bool:
        """Whether all programs have ended, or end soon."""
        return self._next() == b""

    def _next(self) -> bytes:
        ready, _, _ = select.select([self._reading], [], [], 30)
        return os.read(self._reading, 100) if ready else b"nothing in 30 s"

    def close(self) -> None:
        os.close(self._reading)


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[AliveFifo]:
    fifo = AliveFifo(tmp_path / "alive")
    yield fifo
    fifo.close()


def write_script(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{body}\n")
    path.chmod(0o755)


def write_waiting(path: Path, alive: Path, *, fails: bool) -> None:
    """Writes a program that waits for Ctrl-C. It dies of the signal, or fails because of it.

    It is not a shell script: bash loses a signal that comes while it forks.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"""#!{sys.executable} -S
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.write(os.open({str(alive)!r}, os.O_WRONLY), b"alive\\n")
if {fails}:
    signal.sigwait([signal.SIGINT])
    os._exit(2)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
signal.pause()
""")
    path.chmod(0o755)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("alone", [False, True], ids=["ctrl_c", "kill"])
def test_no_valgrind_outlives_a_simulation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alive: AliveFifo, alone: bool
) -> None:
    write_script(
        tmp_path / "bin" / "valgrind", f"exec >{alive.path} 2>&1\necho alive\nexec sleep 600"
    )
    write_script(
        tmp_path / "simulated",
        "if [[ $1 == --groups ]]; then echo 'families: heap'; exit; fi\n"
        "echo churn/no_queue/rpc/10000/manual_time",
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    command = Interrupted(sys.executable, ROOT / "scripts" / "simulate.py", "--build", tmp_path)
    alive.wait()
    assert command.end(alone=alone) == (130, "simulate.py: interrupted\n")
    assert alive.is_quiet()


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("bench.sh", "bench.sh: interrupted; the same command goes on from here\n"),
        ("test.sh", "test.sh: interrupted\n"),
        ("check.sh", "check.sh: interrupted\n"),
    ],
)
@pytest.mark.parametrize("fails", [False, True], ids=["dies", "fails"])
def test_ctrl_c_ends_a_shell_script_and_what_it_runs(
    tree: Path, alive: AliveFifo, name: str, says: str, fails: bool
) -> None:
    """Some tools die of the signal, and others end with a status of their own."""
    write_waiting(tree / "scripts" / "setup.sh", alive.path, fails=fails)
    command = Interrupted(tree / "scripts" / name)
    alive.wait()
    assert command.end() == (130, says)
    assert alive.is_quiet()


@pytest.mark.usefixtures("interruptible")
def test_check_sh_does_not_go_on_with_the_next_step(tree: Path, alive: AliveFifo) -> None:
    write_script(tree / "scripts" / "setup.sh", "")
    write_waiting(tree / "scripts" / "format.sh", alive.path, fails=True)
    write_script(tree / "scripts" / "build.sh", f"touch {tree}/next_step")
    command = Interrupted(tree / "scripts" / "check.sh", "format", "gcc")
    alive.wait()
    assert command.end() == (130, "check.sh: interrupted\n")
    assert not (tree / "next_step").exists()


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_bench_sh_measures_is_said_once(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_script(tree / "scripts" / "setup.sh", "")
    write_script(tree / "bin" / "cmake", "")
    monkeypatch.setenv("PATH", f"{tree / 'bin'}:{os.environ['PATH']}")
    write_script(tree / ".venv" / "bin" / "python", f'exec {sys.executable} "$@"')
    build = tree / "build" / "release"
    build.parent.mkdir()
    write_benches(build, {"": "hang"})
    command = Interrupted(tree / "scripts" / "bench.sh")
    while not (build / "hanging").exists():
        assert command.is_running()
        time.sleep(0.01)
    status, message = command.end()
    assert status == 130
    said = [line for line in message.splitlines() if "interrupted" in line]
    assert said == ["run.py: interrupted; the same command goes on from here"]
    assert "Traceback" not in message
    assert list((tree / "results" / "local").iterdir()) == []


def test_ctrl_c_while_a_command_writes_leaves_what_was_there(tmp_path: Path) -> None:
    write_results(tmp_path / "results", 1, ["rearm"])
    (tmp_path / "results" / "report.html").write_text("what was there before")
    before = state(tmp_path)
    # The signal comes when the file has all its bytes, and not yet its name.
    interrupts_itself = """
import os, pathlib, runpy, signal, sys
def write_and_interrupt(path, data, write=pathlib.Path.write_bytes):
    write(path, data)
    os.kill(os.getpid(), signal.SIGINT)
pathlib.Path.write_bytes = write_and_interrupt
del sys.argv[0]
sys.path.insert(0, str(pathlib.Path(sys.argv[0]).parent))
runpy.run_path(sys.argv[0], run_name="__main__")
"""
    ended = subprocess.run(
        [sys.executable, "-c", interrupts_itself, ROOT / "scripts" / "report.py", "results"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (130, "report.py: interrupted\n")
    assert state(tmp_path) == before
