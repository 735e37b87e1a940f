"""Tests of scripts/conformance.sh, with a cmake and a ctest that log their calls.

The test foreign_project of CTest uses the real ones.
"""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / ".github" / "actions" / "conformance"


class Calls:
    """A user's project, and the programs that are called to test it."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.log = folder / "log"
        self.commands = folder / "commands"
        self.project.mkdir()
        self.commands.mkdir()
        (self.project / "CMakeLists.txt").touch()
        for command in ("cmake", "ctest"):
            self.will(command, 0)

    def will(self, command: str, status: int) -> None:
        path = self.commands / command
        path.write_text(
            f'#!/bin/sh\necho "{command} $*" >>"{self.log}"\n'
            f'echo "$CMAKE_PREFIX_PATH" >>"{self.log}.prefixes"\nexit {status}\n'
        )
        path.chmod(0o755)

    def run(self, *command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.commands}:{os.environ['PATH']}"
        return subprocess.run(
            command,
            cwd=self.project.parent,
            env=os.environ | {"PATH": path, "SKIP_SYSTEM_PACKAGES": "1"} | variables,
            capture_output=True,
            text=True,
            check=False,
        )

    def test(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(ROOT / "scripts" / "conformance.sh", *arguments)

    def made(self) -> list[str]:
        """Returns the calls, without the options that are the same for all."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [re.sub(r" --parallel \d+", "", line) for line in lines]


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    return Calls(tmp_path)


def test_installs_the_kits_and_then_builds_and_tests_the_project(calls: Calls) -> None:
    ended = calls.test("project", "-DONE=1", "-DTWO=2")
    assert (ended.returncode, ended.stderr) == (0, "")
    build = calls.project / "build" / "timerbench"
    kits, configured, built, tested = calls.made()[1:]
    assert kits == f"cmake --install {build}/kits --prefix {build}/kits/installed"
    assert configured == f"cmake -S project -B {build} -DONE=1 -DTWO=2"
    prefixes = Path(f"{calls.log}.prefixes").read_text().splitlines()
    assert prefixes[2] == f"{build}/kits/installed", "an option of the user would replace another"
    assert built == f"cmake --build {build}"
    assert tested == f"ctest --test-dir {build} --output-on-failure --no-tests=error"


def test_builds_where_it_is_told(calls: Calls) -> None:
    assert calls.test("--build", "elsewhere", "project").returncode == 0
    assert calls.made()[-2] == f"cmake --build {calls.project.parent}/elsewhere"
    assert not (calls.project / "build").exists()


@pytest.mark.parametrize(("command", "last"), [("cmake", "cmake -S"), ("ctest", "ctest")])
def test_fails_when_a_step_fails(calls: Calls, command: str, last: str) -> None:
    calls.will(command, 1)
    assert calls.test("project").returncode == 1
    assert calls.made()[-1].startswith(last)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "it needs the folder of your project"),
        (["nowhere"], "'nowhere' has no CMakeLists.txt"),
        (["--fast", "project"], "unknown argument '--fast'"),
        (["--build"], "--build needs a folder"),
        (["--build", "-DONE=1", "project"], "--build needs a folder"),
    ],
)
def test_refuses_what_it_does_not_understand(
    calls: Calls, arguments: list[str], message: str
) -> None:
    ended = calls.test(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"conformance.sh: {message}\n" in ended.stderr
    assert calls.made() == []


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ("", ""),
        ("-DONE=1  -DTWO=2", " -DONE=1 -DTWO=2"),
        ("-DONE=1\n-DTWO=2\n", " -DONE=1 -DTWO=2"),
    ],
    ids=["none", "two", "lines"],
)
def test_the_action_calls_it_with_its_inputs(calls: Calls, options: str, given: str) -> None:
    text = (ACTION / "action.yml").read_text()
    (step,) = re.findall(r"    - run: \|\n((?: {8}.*\n)+)", text)
    inputs = dict(re.findall(r"^ {8}([A-Z]+): \$\{\{ inputs\.([a-z]+) \}\}$", text, re.M))
    assert inputs == {"PROJECT": "project", "OPTIONS": "options"}
    ended = calls.run(
        *("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", textwrap.dedent(step)),
        GITHUB_ACTION_PATH=str(ACTION),
        PROJECT="project",
        OPTIONS=options,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    build = calls.project / "build" / "timerbench"
    assert calls.made()[2] == f"cmake -S project -B {build}{given}"
