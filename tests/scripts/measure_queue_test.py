"""Tests of scripts/measure_queue.sh, of the action that runs it, and of the files that it keeps.

The test foreign_project_measures of CTest builds and measures with the real harness.
"""

from __future__ import annotations

import fcntl
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
        (["project", "--output", "/dev/null"], "--output '/dev/null' is no directory"),
        (["project", "--compare", "HEAD"], "--compare needs a git repository, and '"),
    ],
)
def test_refuses_what_it_cannot_measure(project: Path, arguments: list[str], message: str) -> None:
    ended = run([SCRIPT, *arguments], project.parent)
    assert (ended.returncode, ended.stdout) == (3, ""), "2 is noise, which fails nobody"
    assert ended.stderr.startswith(f"measure_queue.sh: {message}")
    assert len(ended.stderr.splitlines()) == 1
    assert [path.name for path in project.iterdir()] == ["CMakeLists.txt"]


def test_refuses_a_commit_that_the_project_does_not_have(project: Path) -> None:
    run(["git", "init", "--quiet"], project)
    ended = run([SCRIPT, "project", "--compare", "gone"], project.parent)
    assert ended.returncode == 3
    assert ended.stderr.startswith("measure_queue.sh: --compare 'gone' is no commit of ")


def write_command(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{body}\n")
    path.chmod(0o755)


# Builds the programs that the file `programs` of a source names.
CMAKE = """echo "cmake $*" >>"$CALLS"
[[ $3 == -S ]] || exit 0
mkdir -p "$6"
for program in $(<"$4/programs"); do install /dev/null "$6/$program"; done"""

PYTHON = """echo "$*" >>"$CALLS"
[[ $2 != --list ]] || printf 'churn\\ninsert\\n'"""


class Calls:
    """The script with a cmake and a Python that log their calls, and a project to measure."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.project = project
        self.work = project / "build" / "timerbench_measure"
        self.log = folder / "calls"
        self.timerbench = folder / "timerbench"
        self.path = f"{self.timerbench / 'bin'}:{os.environ['PATH']}"
        write_command(self.timerbench / "scripts" / "setup.sh", "")
        write_command(self.timerbench / "scripts" / "build.sh", "")
        write_command(self.timerbench / ".venv" / "bin" / "python", PYTHON)
        write_command(self.timerbench / "bin" / "cmake", CMAKE)
        (self.timerbench / "scripts" / SCRIPT.name).write_bytes(SCRIPT.read_bytes())

    def commit(self, programs: str) -> None:
        (self.project / "programs").write_text(programs)
        who = ["-c", "user.name=Test", "-c", "user.email=test@localhost"]
        for words in (["init"], ["add", "--all"], ["commit", "--message", programs]):
            run(["git", *who, *words], self.project)

    def measure(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        script = self.timerbench / "scripts" / SCRIPT.name
        command: list[str | Path] = ["bash", script, self.project, *arguments]
        return run(command, self.project, PATH=self.path, CALLS=str(self.log))

    def made(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def calls(tmp_path: Path, project: Path) -> Calls:
    return Calls(tmp_path, project)


def test_a_program_that_the_base_lacks_is_named_and_not_compared(calls: Calls) -> None:
    calls.commit("churn")
    (calls.project / "programs").write_text("churn insert")
    ended = calls.measure("--compare", "HEAD", "--filter", "(?i)RPC|tcp")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "measure_queue.sh: 'insert' is not compared, as " in ended.stdout
    selected = "--filter (?i)RPC|tcp --bench=churn"
    before, after = (f"{calls.project}/build/measured/{side}" for side in ("before", "after"))
    assert calls.made()[-2:] == [
        f"scripts/run.py --quick {selected} --build {calls.work}/before --output {before} "
        f"--build {calls.work}/after --output {after}",
        f"scripts/compare.py {before} {after} {selected}",
    ]


def test_a_program_of_another_build_is_not_measured(calls: Calls) -> None:
    calls.commit("insert")
    (calls.project / "programs").write_text("churn")
    write_command(calls.work / "before" / "churn", "")
    ended = calls.measure("--compare", "HEAD")
    message = "--compare 'HEAD' has none of the programs churn; give a commit that has one"
    assert (ended.returncode, ended.stderr) == (3, f"measure_queue.sh: {message}\n")


def test_refuses_a_project_that_another_run_measures(calls: Calls) -> None:
    calls.work.mkdir(parents=True)
    with (calls.work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ended = calls.measure()
    message = f"another run measures '{calls.project}'; wait for its end"
    assert (ended.returncode, ended.stderr) == (3, f"measure_queue.sh: {message}\n")
    assert calls.made() == []


def test_a_bad_selection_is_refused_before_anything_is_built(calls: Calls) -> None:
    write_command(calls.timerbench / ".venv" / "bin" / "python", "echo 'run.py: no' >&2; exit 2")
    ended = calls.measure("--filter", "(")
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "run.py: no\n")
    assert calls.made() == []


def test_a_folder_that_cannot_be_made_is_not_called_slower(calls: Calls) -> None:
    (calls.project / "build").touch()
    ended = calls.measure()
    assert ended.returncode == 3, "1 says that something is slower"
    assert calls.made() == []


class Action:
    """The steps of the action, with a made-up command instead of the one that measures."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.measured = folder / "timerbench-queues"
        self.text = (ACTION / "action.yml").read_text()
        self.steps = [
            textwrap.dedent(step) for step in re.findall(r"run: \|\n((?: {8}.*\n)+)", self.text)
        ]
        self.command("measure", 'echo "$@"; exit 0')

    def command(self, name: str, body: str) -> None:
        write_command(self.folder / name, body)

    def run(self, step: str, **variables: str) -> subprocess.CompletedProcess[str]:
        given = {
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "NAME": "queues",
            "FOLDER": str(self.measured),
            "MOST": "10",
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
        ("abc", "-DONE=1\n-DTWO=2\n", "--compare abc "),
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
    figures = action.measured / "figures"
    rest = f" -- {' '.join(options.split())}" if options else ""
    assert (
        action.measured / "measured.txt"
    ).read_text() == f"{words}--output {figures} --full --queue my{rest}\n"
    assert f"status=0\nfolder={action.measured}\nfigures={figures}\n" in action.read("output")
    assert "--queue my" in action.read("summary")


NOISE = "3 of 9 cells of up to 100,000 timers have a verdict; 95% should"


@pytest.mark.parametrize(
    ("status", "says", "fails", "verdict", "ends"),
    [
        (0, "found", "false", "Nothing is slower.", 0),
        (1, "found", "false", "Something is worse, or failed.", 1),
        (2, NOISE, "false", "The machine was too noisy to tell.", 0),
        (2, NOISE, "true", "The machine was too noisy to tell.", 1),
        (2, "refused", "false", "It could not be measured.", 1),
        (3, "refused", "false", "It could not be measured.", 1),
    ],
)
def test_the_action_tells_what_was_found_before_it_fails(  # noqa: PLR0913, PLR0917
    action: Action, status: int, says: str, fails: str, verdict: str, ends: int
) -> None:
    action.command("measure", f"echo '{says}'; exit {status}")
    measure, comment, _, last = action.steps
    assert action.run(measure, COMMAND="measure").returncode == 0
    found = dict(line.split("=", 1) for line in action.read("output").splitlines())
    assert found["verdict"] == verdict
    action.command("gh", 'echo "$@" >>called; [[ $1 != pr ]] || cp "$7" body')
    given = {"PULL_REQUEST": "7", "GITHUB_REPOSITORY": "a/b", "VERDICT": verdict}
    assert action.run(comment, **given).returncode == 0
    assert "pr comment 7 --repo a/b --body-file " in action.read("called")
    body = action.read("body")
    assert f"**Timerbench, queues: {verdict}**" in body
    assert says in body
    assert action.run(last, VERDICT=verdict, FAILS=fails).returncode == ends


def test_the_action_measures_twice_in_a_job_under_two_names(action: Action) -> None:
    measure, comment, *_ = action.steps
    assert action.run(measure, COMMAND="measure").returncode == 0
    again = action.run(measure, COMMAND="measure")
    assert again.returncode == 3
    assert "this job has measured 'queues' before" in again.stdout
    other = action.folder / "timerbench-other"
    assert action.run(measure, COMMAND="measure", NAME="other").returncode == 0
    assert (other / "measured.txt").read_text() == f"--output {other}/figures\n"
    action.command("gh", 'echo "$@" >>called; [[ $1 != pr ]] || cat "$7" >>body')
    given = {"PULL_REQUEST": "7", "GITHUB_REPOSITORY": "a/b", "VERDICT": "Nothing is slower."}
    for name, folder in (("queues", action.measured), ("other", other)):
        assert action.run(comment, NAME=name, FOLDER=str(folder), **given).returncode == 0
    markers = re.findall(r"<!-- (.*) -->", action.read("body"))
    assert markers == ["timerbench measure queues", "timerbench measure other"]


@pytest.mark.parametrize("name", ["", "..", "a/b", "a b", "-x"])
def test_the_action_refuses_a_name_that_is_no_folder(action: Action, name: str) -> None:
    ended = action.run(action.steps[0], COMMAND="measure", NAME=name)
    assert ended.returncode == 3
    assert f"::error::'{name}' is no name of a measurement" in ended.stdout


@pytest.mark.parametrize("most", ["", "ten", "-1", "08"])
def test_the_action_refuses_a_history_that_is_no_number(action: Action, most: str) -> None:
    ended = action.run(action.steps[0], COMMAND="measure", MOST=most)
    assert ended.returncode == 3
    assert f"::error::history: '{most}' is no number of commits" in ended.stdout
    assert not action.measured.exists()


def test_the_key_of_a_history_has_no_comma(action: Action) -> None:
    """A cache refuses one that has."""
    names = {"GITHUB_WORKFLOW": "Build, test", "GITHUB_JOB": "timers"}
    for branch in ("a,b", "main"):
        name = {"NAME": branch[0], "GITHUB_REF_NAME": branch}
        assert action.run(action.steps[0], COMMAND="measure", **names, **name).returncode == 0
    one, other = re.findall(r"^key=([0-9a-f]{32})$", action.read("output"), re.M)
    assert one != other
    keys = re.findall(r"\bkeys?: (.*)", action.text)
    of_branch = "timerbench-history/${{ steps.measure.outputs.key }}@"
    of_commit = of_branch + "${{ github.sha }}"
    assert keys == [of_commit, of_branch, of_commit]


def test_the_action_renews_its_comment_and_no_other(action: Action) -> None:
    action.measured.mkdir()
    (action.measured / "measured.txt").write_text("found")
    action.command("gh", 'echo "$@" >>called; [[ $2 != *comments ]] || echo 42')
    given = {"PULL_REQUEST": "7", "GITHUB_REPOSITORY": "a/b", "VERDICT": "Nothing is slower."}
    assert action.run(action.steps[1], **given).returncode == 0
    assert "--method PATCH repos/a/b/issues/comments/42" in action.read("called")
    assert "pr comment" not in action.read("called")


def test_a_comment_that_cannot_be_written_fails_nobody(action: Action) -> None:
    action.measured.mkdir()
    (action.measured / "measured.txt").write_text("found")
    action.command("gh", "exit 1")
    ended = action.run(
        action.steps[1], PULL_REQUEST="7", GITHUB_REPOSITORY="a/b", VERDICT="Nothing is slower."
    )
    assert ended.returncode == 0
    assert "the comment could not be written" in ended.stderr


def test_keeps_the_last_commits_and_shows_them_side_by_side(tmp_path: Path) -> None:
    figures, history = tmp_path / "figures", tmp_path / "history"
    write_results(figures, benches=["churn"])
    first = run([KEEP, history, figures, "2"], tmp_path)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("one commit is kept")
    oldest = {path.name for path in history.iterdir()}
    assert run([KEEP, history, figures, "2"], tmp_path, GITHUB_SHA="c0ffee" * 7).returncode == 0
    third = run([KEEP, history, figures, "2"], tmp_path)
    kept = {path.name for path in history.iterdir()}
    assert len(kept) == 2
    assert not oldest & kept
    assert "-c0ffeec0ffee; ratios are to this one\n" in third.stdout
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
