"""Tests of scripts/vendor.sh: our copies of others' code are what they published."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path("scripts/timerbench/report/vendored/plotly-basic.min.js")


def vendor(tree: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(tree / "scripts/vendor.sh"), *words]
    environment = {"PATH": path or "/usr/bin:/bin"}
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for file in (Path("scripts/vendor.sh"), KEPT):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def test_what_we_keep_has_its_checksum(tree: Path) -> None:
    assert vendor(tree, "--check").returncode == 0
    with (tree / KEPT).open("a") as file:
        file.write(" ")
    changed = vendor(tree, "--check")
    assert changed.returncode == 1
    assert changed.stderr.startswith(f"vendor.sh: {KEPT} is not plotly.js-basic-dist-min 4")
    assert len(changed.stderr.splitlines()) == 1


def test_what_has_another_checksum_is_not_kept(tree: Path, tmp_path: Path) -> None:
    """A made-up npm fetches other content."""
    before = (tree / KEPT).read_bytes()
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(
        '#!/bin/sh\nset -e\ncd "$4"\nmkdir package\n'
        "echo evil >package/plotly-basic.min.js\ntar czf evil.tgz package\n"
    )
    npm.chmod(0o755)
    refused = vendor(tree, path=f"{npm.parent}:/usr/bin:/bin")
    assert refused.returncode == 1
    assert "has another checksum" in refused.stderr
    assert (tree / KEPT).read_bytes() == before


def test_refuses_what_it_does_not_know(tree: Path) -> None:
    refused = vendor(tree, "--force")
    assert (refused.returncode, refused.stderr) == (
        2,
        "vendor.sh: unknown argument '--force'; it takes --check and --help\n",
    )
