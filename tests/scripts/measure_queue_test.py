"""Tests of scripts/measure_queue.sh, of the action that runs it, and of what that keeps.

The test foreign_project_measures of CTest builds and measures with the true harness.
"""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest

from results_for_tests import write_results

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "measure_queue.sh"
KEEP = ROOT / "scripts" / "keep_history.sh"
ACTION = ROOT / ".github" / "actions" / "measure"


def run(
    command: list[str | Path], folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "CMakeLists.txt").touch()
    return folder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "it needs the folder of your project"),
        (["nowhere"], "'nowhere' has no CMakeLists.txt"),
        (["project", "other"], "it takes one project, not 'project' and 'other'"),
        (["--fast", "project"], "unknown argument '--fast'; --help says what there is"),
        (["project", "--compare"], "--compare needs a value"),
        (["project", "--queue", "--full"], "--queue needs a value"),
        (["project", "--compare", "HEAD"], "--compare needs a git repository, and '"),
    ],
)
def test_refuses_what_it_cannot_measure(project: Path, arguments: list[str], message: str) -> None:
    ended = run([SCRIPT, *arguments], project.parent)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"measure_queue.sh: {message}")
    assert len(ended.stderr.splitlines()) == 1
    assert [path.name for path in project.iterdir()] == ["CMakeLists.txt"]


def test_refuses_a_commit_that_the_project_does_not_have(project: Path) -> None:
    run(["git", "init", "--quiet"], project)
    ended = run([SCRIPT, "project", "--compare", "gone"], project.parent)
    assert ended.returncode == 2
    assert ended.stderr.startswith("measure_queue.sh: --compare 'gone' is no commit of ")


class Action:
    """The steps of the action, and a command in place of the one that measures."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.text = (ACTION / "action.yml").read_text()
        self.steps = [
            textwrap.dedent(step) for step in re.findall(r"run: \|\n((?: {8}.*\n)+)", self.text)
        ]
        self.command("measure", 'echo "$@"; exit 0')

    def command(self, name: str, body: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def run(self, step: str, **variables: str) -> subprocess.CompletedProcess[str]:
        given = {
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            **dict.fromkeys(("PROJECT", "COMMAND", "BASE", "ARGUMENTS", "OPTIONS"), ""),
        }
        command: list[str | Path] = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step]
        return run(command, self.folder, **(given | variables))

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()


@pytest.fixture
def action(tmp_path: Path) -> Action:
    return Action(tmp_path)


def test_the_action_knows_all_inputs_that_its_steps_use(action: Action) -> None:
    declared = set(re.findall(r"^  ([a-z-]+):\n    description", action.text, re.M))
    used = set(re.findall(r"inputs\.([a-z-]+)", action.text))
    assert used <= declared
    assert declared - used == {"status", "figures"}, "these are outputs"


@pytest.mark.parametrize(
    ("base", "options", "words"),
    [
        ("", "", ""),
        ("abc", "", "--compare abc "),
        ("abc", "-DONE=1 -DTWO=2", "--compare abc "),
    ],
)
def test_the_action_calls_the_command_with_its_inputs(
    action: Action, base: str, options: str, words: str
) -> None:
    measure = action.steps[0]
    ended = action.run(
        measure, COMMAND="measure", BASE=base, OPTIONS=options, ARGUMENTS="--full  --queue my"
    )
    assert ended.returncode == 0
    figures = action.folder / "timerbench"
    rest = f" -- {options}" if options else ""
    assert action.read("measured.txt") == f"{words}--output {figures} --full --queue my{rest}\n"
    assert action.read("output") == f"status=0\nfigures={figures}\n"
    assert "--queue my" in action.read("summary")


@pytest.mark.parametrize(
    ("status", "fails", "ends"), [(0, "false", 0), (1, "false", 1), (2, "false", 0), (2, "true", 1)]
)
def test_the_action_tells_what_was_found_before_it_fails(
    action: Action, status: int, fails: str, ends: int
) -> None:
    action.command("measure", f"echo found; exit {status}")
    measure, comment, _, last = action.steps
    assert action.run(measure, COMMAND="measure").returncode == 0
    assert f"status={status}" in action.read("output")
    action.command("gh", 'echo "$@" >called; cp "$7" body')
    assert (
        action.run(
            comment, STATUS=str(status), PULL_REQUEST="7", GITHUB_REPOSITORY="a/b"
        ).returncode
        == 0
    )
    assert action.read("called").startswith("pr comment 7 --repo a/b --body-file ")
    body = action.read("body")
    verdicts = ["Nothing is slower.", "Something is slower", "The machine could not tell."]
    assert body.startswith(f"**Timerbench: {verdicts[status]}")
    assert "found" in body
    assert action.run(last, STATUS=str(status), FAILS=fails).returncode == ends


def test_keeps_the_last_commits_and_shows_them_side_by_side(tmp_path: Path) -> None:
    figures, history = tmp_path / "figures", tmp_path / "history"
    write_results(figures)
    first = run([KEEP, history, figures, "2"], tmp_path)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("one commit is kept")
    oldest = {path.name for path in history.iterdir()}
    assert run([KEEP, history, figures, "2"], tmp_path).returncode == 0
    third = run([KEEP, history, figures, "2"], tmp_path)
    kept = {path.name for path in history.iterdir()}
    assert len(kept) == 2
    assert not oldest & kept
    assert "churn/min_heap/rpc/1000" in third.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["history"], "it takes HISTORY, FIGURES and MOST, not 1 words"),
        (["history", "nowhere", "2"], "'nowhere' is no directory of results"),
        (["history", "figures", "0"], "'0' is no number of commits"),
    ],
)
def test_keeps_nothing_of_bad_input(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "context.json").touch()
    ended = run([KEEP, *arguments], tmp_path)
    assert (ended.returncode, ended.stderr) == (2, f"keep_history.sh: {message}\n")
    assert not (tmp_path / "history").exists()
