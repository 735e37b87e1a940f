"""Tests of how the shell scripts take their arguments."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


def call(script: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPTS / script, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("script", ["setup.sh", "test.sh", "bench.sh", "check.sh"])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_explains_and_does_nothing(tmp_path: Path, script: str, flag: str) -> None:
    ended = call(script, flag, cwd=tmp_path)
    assert ended.returncode == 0
    assert ended.stdout.startswith(f"Usage: scripts/{script}")
    assert ended.stderr == ""


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        ("setup.sh", ["now"], "unknown argument 'now'"),
        ("test.sh", ["now"], "unknown argument 'now'"),
        ("test.sh", ["--preset", "fast"], "there is no preset 'fast'"),
        ("test.sh", ["--preset"], "--preset needs a name"),
        ("bench.sh", ["--fast"], "unknown argument '--fast'"),
        ("bench.sh", ["--output"], "--output needs a directory"),
        ("check.sh", ["format", "taste"], "there is no step 'taste'"),
        ("format.sh", ["--verify"], "not '--verify'"),
    ],
)
def test_bad_arguments_are_refused_by_name(
    tmp_path: Path, script: str, arguments: list[str], message: str
) -> None:
    ended = call(script, *arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stdout == ""


def test_setup_says_nothing_when_nothing_is_missing(tmp_path: Path) -> None:
    ended = call("setup.sh", cwd=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
