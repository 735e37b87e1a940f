"""Tests of scripts/tidy.py: it lints what differs, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import tidy
from timerbench.command import CommandError

FILES = {
    "impls/part.hpp": "",
    "impls/queue.hpp": '#include "impls/part.hpp"\n',
    "impls/other.hpp": "#include <vector>\n",
    "benches/a.cpp": '#include "impls/queue.hpp"\n#include "generated.hpp"\n',
    "benches/b.cpp": '#include "impls/part.hpp"\n',
    "tests/a.hpp": "",
    "tests/a_test.cpp": '#include "tests/a.hpp"\n#include "impls/queue.hpp"\n',
    "benches/c.cpp": '#include "impls/queue.hpp"\n#include "impls/other.hpp"\n',
}
RULES = (Path(tidy.__file__).parent.parent / ".clang-tidy").read_text()
SOURCES = [Path(file) for file in FILES if file.endswith(".cpp")]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    return tmp_path


def covering(*changed: str) -> list[str]:
    return [source.name for source in tidy.covering(set(map(Path, changed)), SOURCES)]


def test_includes_are_followed(project: Path) -> None:
    seen = tidy.included(Path("benches/a.cpp"))
    assert seen == {Path("benches/a.cpp"), Path("impls/queue.hpp"), Path("impls/part.hpp")}
    assert (project / "benches/a.cpp").exists()


@pytest.mark.usefixtures("project")
def test_a_source_that_changed_is_linted() -> None:
    assert covering("benches/b.cpp") == ["b.cpp"]


@pytest.mark.usefixtures("project")
def test_a_header_that_changed_is_linted_in_one_source() -> None:
    assert len(covering("impls/part.hpp")) == 1
    assert covering("impls/part.hpp", "impls/other.hpp") == ["c.cpp"]


@pytest.mark.usefixtures("project")
def test_a_header_that_a_changed_source_shows_needs_no_other() -> None:
    assert covering("impls/part.hpp", "benches/b.cpp") == ["b.cpp"]


@pytest.mark.usefixtures("project")
def test_of_a_test_the_headers_are_linted_that_no_other_source_shows() -> None:
    assert covering("tests/a_test.cpp", "impls/queue.hpp") == ["a.cpp"]
    assert covering("tests/a_test.cpp", "tests/a.hpp") == ["a.hpp"]


@pytest.mark.usefixtures("project")
def test_what_no_source_shows_is_left_out() -> None:
    assert covering("README.md", "impls/gone.hpp") == []


def test_the_sources_of_a_kit_are_linted_as_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit = Path("build/debug-clang/kits/a.cpp")
    (project / kit).parent.mkdir(parents=True)
    (project / kit).write_text('#include "benches/a.cpp"\n#include "benches/b.cpp"\n')
    compiled = {*SOURCES, kit, Path("build/debug-clang/faults/precompiled.cpp")}
    monkeypatch.setattr(tidy, "BUILD", project / "build/debug-clang")
    monkeypatch.setattr(tidy, "compiled", lambda: compiled)
    assert tidy.sources() == [Path("benches/c.cpp"), kit, Path("tests/a_test.cpp")]
    assert tidy.covering({Path("benches/b.cpp")}, tidy.sources()) == [kit]


def test_programs_of_a_wing_are_linted_as_one_though_they_name_the_same(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        "namespace timers::benches {{\nnamespace {{ int {name}() {{ return 0; }} }}\n}}\n"
        "int main() {{ return timers::benches::{name}(); }}\n"
    )
    sources = [Path("benches/machine/floor.cpp"), Path("benches/machine/sleep.cpp")]
    (project / "benches/machine").mkdir()
    for source in sources:
        (project / source).write_text("#include <vector>\n" + program.format(name="add_all"))
    flags = ("-std=c++20", "-Wall", "-Werror")
    monkeypatch.setattr(tidy, "BUILD", project / "build")
    monkeypatch.setattr(
        tidy, "compile_commands", lambda: {project / file: flags for file in sources}
    )
    (project / ".clang-tidy").write_text(RULES)
    (project / "build").mkdir()
    assert [tidy.wing_of(source) for source in sources] == [Path("benches/machine")] * 2
    assert tidy.lint(sources) == ""
    (project / sources[1]).write_text(program.format(name="AddAll"))
    assert "sleep.cpp:2:17: error: invalid case style for function 'AddAll'" in tidy.lint(sources)


def test_headers_of_tests_are_linted_as_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".clang-tidy").write_text(RULES)
    headers = [Path("tests/a.hpp"), Path("tests/b.hpp")]
    (project / headers[1]).write_text("#pragma once\ninline int AddAll() { return kSeven; }\n")
    (project / headers[0]).write_text("#pragma once\nconstexpr int kSeven = 7;\n")
    commands = {project / "tests/a_test.cpp": ("-Wrong",), project / "tests/b.cpp": ("-std=c++20",)}
    monkeypatch.setattr(tidy, "BUILD", project / "build")
    monkeypatch.setattr(tidy, "compile_commands", lambda: commands)
    assert tidy.by_wings(headers) == [headers]
    assert "b.hpp:2:12: error: invalid case style for function 'AddAll'" in tidy.lint(headers)
    assert "b.hpp:2:12: error" in tidy.lint(headers[1:])


def test_what_replaces_the_functions_of_a_library_is_linted_alone() -> None:
    a_file, alone, trace = (
        Path("benches/traces") / name for name in ("a_file.cpp", "recorder/libev.cpp", "trace.cpp")
    )
    schedules = Path("tests/services/schedules")
    turns, other = schedules / "turns.cpp", schedules / "intercepted.cpp"
    wings = tidy.by_wings([a_file, alone, trace, turns, other])
    assert wings == [[a_file, trace], [alone], [turns], [other]]


def test_knows_what_differs_from_a_commit(project: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, *words], cwd=project, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    (project / "impls/part.hpp").write_text("// changed\n")
    (project / "impls/other.hpp").unlink()
    assert tidy.changed_since("HEAD") == {Path("impls/part.hpp")}


def test_a_commit_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError, match="--base: 'nowhere' is no commit"):
        tidy.changed_since("nowhere")


def test_compile_commands_that_are_no_json_are_told_in_one_line(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tidy, "BUILD", project)
    (project / "compile_commands.json").write_text("[")
    assert tidy.main([]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"tidy.py: {project / 'compile_commands.json'}: ")
    assert said.count("\n") == 1
