"""Tests of scripts/release.sh: the archive of a release is small, and CMake fetches it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(fetches LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(timerbench URL {archive} URL_HASH SHA256={sha256})
FetchContent_MakeAvailable(timerbench)
add_executable(fetches main.cpp)
target_link_libraries(fetches PRIVATE timerbench::timers)
add_executable(kits EXCLUDE_FROM_ALL main.cpp)
target_link_libraries(kits PRIVATE timerbench::conformance timerbench::service_conformance)
"""
MAIN = """
#include "impls/queues/lazy_wheel.hpp"
int main() {
  timers::LazyWheel<int> queue;
  queue.insert(10, 1);
  return queue.expire(10, [](timers::Tick, int) {}) == 1 ? 0 : 1;
}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Makes a repository with one commit of the files here."""
    here = tmp_path / "here"
    here.mkdir()
    files = ["CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"]
    for file in files:
        shutil.copy(ROOT / file, here)
    for folder in ("impls", "tests/conformance", "scripts"):
        shutil.copytree(ROOT / folder, here / folder, ignore=shutil.ignore_patterns("__pycache__"))
    git(here, "init", "--quiet")
    git(here, "add", ".")
    git(here, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message=all")
    return here


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)


def release(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(tree / "scripts/release.sh"), *words]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_cmake_fetches_the_archive(tree: Path, tmp_path: Path) -> None:
    made = release(tree)
    told = re.fullmatch(r"(\S+\.tar\.gz): (\d+) bytes, SHA256=(\w{64})\n", made.stdout)
    assert told, made
    assert int(told[2]) < 5_000_000
    assert release(tree, "HEAD").stdout == made.stdout
    user = tmp_path / "user"
    user.mkdir()
    (user / "CMakeLists.txt").write_text(PROJECT.format(archive=tree / told[1], sha256=told[3]))
    (user / "main.cpp").write_text(MAIN)
    for words in (["-S", ".", "-B", "build"], ["--build", "build"]):
        subprocess.run(["cmake", *words], cwd=user, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([user / "build/fetches"], check=True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "'nowhere' is no commit of this repository"),
        (["HEAD", "HEAD"], "it takes one commit, not 2"),
    ],
)
def test_refuses_nonsense(tree: Path, words: list[str], message: str) -> None:
    refused = release(tree, *words)
    assert (refused.returncode, refused.stderr) == (2, f"release.sh: {message}\n")
    assert not (tree / "build").exists()


def test_all_name_one_version() -> None:
    version = re.search(r"^project\(timerbench VERSION ([\d.]+)", text_of("CMakeLists.txt"), re.M)
    assert version
    assert f"\nversion: {version[1]}\n" in text_of("CITATION.cff")
    assert f"\n## {version[1]}" in text_of("CHANGELOG.md")


def text_of(file: str) -> str:
    return (ROOT / file).read_text()
