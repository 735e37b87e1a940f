"""Tests of scripts/bench.sh in a repository of its own, whose cmake makes programs that look like
benches."""

from __future__ import annotations

import compileall
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benches_for_tests import LEGAL_TRACE
from timerbench.results import load

ROOT = Path(__file__).resolve().parents[2]

# Two revisions differ in `version`. A file `hangs` in the folder of a build is a program that does
# not end.
CMAKE = """#!/usr/bin/env bash
echo "$*" >>{log}
[[ $1 == --build ]] || exit 0
mkdir -p build
exec {python} - <<'PROGRAM'
import sys
from pathlib import Path
sys.path[:0] = [{scripts!r}, {tests!r}]
from benches_for_tests import write_benches
version = Path("version").read_text().strip()
write_benches(Path("build/release"), {{"": "hang"}} if "hangs" in version else {{}}, commit=version)
PROGRAM
"""

# Stands in for compare.py, which has its own tests.
COMPARES = """
import sys
from pathlib import Path
print("compares", *(Path(directory).name for directory in sys.argv[1:3]), *sys.argv[3:])
sys.exit(7)
"""


OF_GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{who}_NAME": "Test" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "test@localhost" for who in ("AUTHOR", "COMMITTER")},
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a repository with two commits, `one` and `two`. Each test has a copy of it."""
    here = tmp_path_factory.mktemp("original") / "repository"
    shutil.copytree(
        ROOT / "scripts", here / "scripts", ignore=shutil.ignore_patterns("__pycache__")
    )
    write_script(here / "scripts" / "setup.sh", "#!/bin/sh\n")
    (here / "scripts" / "compare.py").write_text(COMPARES)
    write_script(here / ".venv" / "bin" / "python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (here / "benches" / "queues").mkdir(parents=True)
    (here / "benches" / "queues" / "churn.cpp").touch()
    (here / ".gitignore").write_text("build/\nresults/local/\n.venv/\n__pycache__/\n")
    git(here, "init", "--quiet")
    for version in ("one", "two"):
        (here / "version").write_text(version)
        git(here, "add", "--all")
        git(here, "commit", "--quiet", "--message", version)
        git(here, "tag", version)
    compileall.compile_dir(here / "scripts", quiet=1)  # otherwise Python does so in each copy
    return here


@pytest.fixture
def repository(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "repository"
    shutil.copytree(original, here)
    tools = tmp_path / "bin"
    own = {"log": tmp_path / "cmake.log", "python": sys.executable}
    cmake = CMAKE.format(**own, scripts=str(ROOT / "scripts"), tests=str(ROOT / "tests/scripts"))
    write_script(tools / "cmake", cmake)
    for key, value in {"PATH": f"{tools}:{os.environ['PATH']}", **OF_GIT}.items():
        monkeypatch.setenv(key, value)
    return here


def write_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def git(where: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words],
        cwd=where,
        env=os.environ | OF_GIT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def bench(
    repository: Path, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [repository / "scripts" / "bench.sh", *arguments],
        cwd=cwd or repository,
        capture_output=True,
        text=True,
        check=False,
    )


def targets(repository: Path) -> list[str]:
    """Returns the targets that each build was asked for."""
    log = repository.parent / "cmake.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [line.partition("--target ")[2] for line in lines if "--build" in line]


def is_clean(repository: Path) -> bool:
    """Whether no files of a checked-out revision are left."""
    one_tree = git(repository, "worktree", "list").count("\n") == 1
    return one_tree and not (repository / "build" / "compare" / "source").exists()


FEW = ["--filter", "^churn/rpc/1000$"]


def test_compares_a_revision_side_by_side_with_what_is_here(repository: Path) -> None:
    ended = bench(repository, "--compare", "one", *FEW)
    assert ended.returncode == 7
    # Of other benches there may be figures of former code.
    assert ended.stdout.splitlines()[-1] == (
        "compares before after --filter ^churn/rpc/1000$ --bench=churn"
    )
    output = (
        repository
        / "results"
        / "local"
        / f"compared_with_{git(repository, 'rev-parse', 'one')[:12]}"
    )
    assert f"into {output}/before, and those of what is here into {output}/after" in ended.stdout
    commits = [load(output / side).context["commit"] for side in ("before", "after")]
    assert commits == ["one", "two"]
    assert targets(repository) == ["churn", "churn"]
    assert is_clean(repository)


def test_what_an_earlier_run_left_is_no_obstacle_and_what_is_done_is_not_measured_again(
    repository: Path, tmp_path: Path
) -> None:
    source = repository / "build" / "compare" / "source"
    git(repository, "worktree", "add", "--detach", str(source), "two")
    wanted = ["--compare", "one", *FEW, "--output", str(tmp_path / "out")]
    assert "round 1" in bench(repository, *wanted).stdout
    assert is_clean(repository)
    again = bench(repository, *wanted)
    assert again.returncode == 7
    assert "6 processes were done before" in again.stdout
    assert "round" not in again.stdout


@pytest.mark.parametrize("revision", ["three", "one:version", "HEAD~5"])
def test_what_is_no_commit_is_refused_in_a_line_before_anything_is_done(
    repository: Path, revision: str
) -> None:
    write_script(repository / "scripts" / "setup.sh", "#!/bin/sh\ntouch was_set_up\n")
    ended = bench(repository, "--compare", revision)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"bench.sh: --compare '{revision}' is no commit")
    assert ended.stderr.count("\n") == 1
    assert not (repository / "was_set_up").exists()


def test_a_bench_that_the_revision_lacks_is_named_and_not_compared(repository: Path) -> None:
    wanted = "(?i)^(CHURN/rpc|insert/.*)/1000$"
    ended = bench(repository, "--compare", "one", "--filter", wanted)
    assert ended.returncode == 7
    commit = git(repository, "rev-parse", "one")[:12]
    assert f"bench.sh: 'insert' is not compared, as {commit} lacks it\n" in ended.stdout
    assert ended.stdout.endswith(f"compares before after --filter {wanted} --bench=churn\n")
    assert targets(repository) == ["churn", "churn"]


def test_a_revision_that_lacks_all_benches_is_refused(repository: Path) -> None:
    ended = bench(repository, "--compare", "one", "--filter", "^insert/.*/1000$")
    assert ended.returncode == 2
    assert ended.stderr == (
        "bench.sh: --compare 'one' has none of these benches; choose others by --filter\n"
    )
    assert is_clean(repository)


def test_a_failed_build_leaves_nothing(repository: Path, tmp_path: Path) -> None:
    write_script(tmp_path / "bin" / "cmake", "#!/bin/sh\nexit 3\n")
    assert bench(repository, "--compare", "one", *FEW).returncode == 3
    assert is_clean(repository)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_two_builds_are_measured_leaves_no_tree(repository: Path) -> None:
    (repository / "version").write_text("hangs")
    running = subprocess.Popen(
        [repository / "scripts" / "bench.sh", "--compare", "one", *FEW],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    try:
        while not (repository / "build" / "release" / "hanging").exists():
            assert running.poll() is None
            time.sleep(0.01)
        assert not is_clean(repository)
        os.killpg(running.pid, signal.SIGINT)
        _, message = running.communicate(timeout=30)
    finally:
        running.kill()
    assert running.returncode == 130
    assert "run.py: interrupted; the same command goes on from here\n" in message
    assert is_clean(repository)


def test_a_selection_builds_and_measures_what_it_needs(repository: Path) -> None:
    (repository / "scripts" / "report.py").write_text("")
    ended = bench(repository, *FEW, "--queue", "min_heap")
    assert ended.returncode == 0, ended.stderr
    assert targets(repository) == ["churn"]
    results = load(repository / "results" / "local")
    assert {name.queue for name in results.rounds} <= {"min_heap", "min_heap_twin"}


def test_the_path_of_a_recording_is_the_callers(repository: Path, tmp_path: Path) -> None:
    for name in ("plot.py", "report.py", "summary.py"):
        (repository / "scripts" / name).write_text("")
    shutil.copy(LEGAL_TRACE, tmp_path / "mine.trace")
    ended = bench(repository, "--trace", "mine.trace", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert targets(repository) == ["replay"]
    assert load(repository / "results" / "local").cases("replay") == ["mine@1ms", "mine@1us"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--filter", "("], "run.py: argument --filter: '(' is no regular expression"),
        (["--filter", "nothing"], "run.py: --filter 'nothing' matches no process of --quick"),
        (["--queue", "lazy wheel"], "run.py: argument --queue: 'lazy wheel' is no name of a queue"),
        (["--trace", "gone.trace"], "gone.trace' is no file; give a recording"),
    ],
)
def test_a_bad_selection_is_refused_in_a_line_before_anything_is_built(
    repository: Path, arguments: list[str], message: str
) -> None:
    ended = bench(repository, *arguments)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert targets(repository) == []
