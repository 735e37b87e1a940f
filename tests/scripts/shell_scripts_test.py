"""Tests of how the shell scripts take their arguments."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def call(
    script: str, *arguments: str, cwd: Path, path: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Calls a script. Commands in the folder `path` come before others."""
    environment = (
        os.environ if path is None else os.environ | {"PATH": f"{path}:{os.environ['PATH']}"}
    )
    return subprocess.run(
        [SCRIPTS / script, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        ("setup.sh", ["now"], "unknown argument 'now'"),
        ("setup.sh", ["--peers", "now"], "unknown argument 'now'"),
        ("setup.sh", ["--original"], "unknown argument '--original'"),
        ("test.sh", ["now"], "unknown argument 'now'"),
        ("test.sh", ["--preset", "fast"], "there is no preset 'fast'"),
        ("test.sh", ["--preset"], "--preset needs a name"),
        ("bench.sh", ["--fast"], "unknown argument '--fast'"),
        ("bench.sh", ["--output"], "--output needs a directory"),
        ("bench.sh", ["--output", ""], "--output needs a directory"),
        ("bench.sh", ["--output", "--full"], "--output needs a directory"),
        ("bench.sh", ["--output", __file__], f"--output '{__file__}' is no directory"),
        ("bench.sh", ["--quick", "--full"], "--quick and --full exclude each other"),
        ("bench.sh", ["--queue"], "--queue needs a value"),
        ("bench.sh", ["--filter", "--full"], "--filter needs a value"),
        ("bench.sh", ["--trace", ""], "--trace needs a file"),
        ("bench.sh", ["--compare"], "--compare needs a revision"),
        ("site.sh", ["--source", "main"], "--source 'main' is no address"),
        ("build.sh", ["fast"], "there is no preset 'fast'"),
        ("build.sh", [""], "there is no preset ''"),
        ("build.sh", ["--clean"], "there is no preset '--clean'"),
        ("build.sh", ["release release-clang"], "there is no preset 'release release-clang'"),
        ("check.sh", ["format", "taste"], "there is no step 'taste'"),
        ("check.sh", ["format shell"], "there is no step 'format shell'"),
        ("format.sh", ["--verify"], "unknown argument '--verify'"),
        ("format.sh", ["--check", "impls"], "unknown argument 'impls'"),
    ],
)
def test_bad_arguments_are_refused_by_name(
    tmp_path: Path, script: str, arguments: list[str], message: str
) -> None:
    ended = call(script, *arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stdout == ""


def test_build_knows_the_presets_of_cmake(tmp_path: Path) -> None:
    listed = subprocess.run(
        ["cmake", "--list-presets=build"],
        cwd=SCRIPTS.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    presets = " ".join(re.findall(r'"(.+)"', listed))
    assert f"Presets: {presets}\n" in call("build.sh", "--help", cwd=tmp_path).stdout


def test_setup_says_nothing_when_nothing_is_missing(tmp_path: Path) -> None:
    ended = call("setup.sh", cwd=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "installed"), [([], False), (["--peers"], True)], ids=["without", "with"]
)
def test_setup_installs_the_libraries_beside_ours_when_asked(
    tmp_path: Path, arguments: list[str], installed: bool
) -> None:
    peers = ["libace-dev", "libev-dev", "libevent-dev", "libuv1-dev"]
    commands = {
        "dpkg-query": f"""for name in "$@"; do
            case "$name" in {"|".join(peers)}) ;; *) echo "installed $name" ;; esac
        done""",
        "apt-get": f'echo "$*" >>{tmp_path}/apt-get.log',
        "sudo": 'exec "$@"',
    }
    for name, body in commands.items():
        command = tmp_path / name
        command.write_text(f"#!/usr/bin/env bash\n{body}\n")
        command.chmod(0o755)
    ended = call("setup.sh", *arguments, cwd=tmp_path, path=tmp_path)
    assert ended.returncode == 0
    log = tmp_path / "apt-get.log"
    asked = log.read_text().splitlines() if log.exists() else []
    wanted = [f"install -y -q --no-install-recommends {' '.join(peers)}"]
    assert asked[1:] == (wanted if installed else [])


class Originals:
    """A project without jars, and a Maven that fetches one with this content."""

    def __init__(self, folder: Path, content: str) -> None:
        self.folder = folder
        for name in ("scripts", "benches/originals", "bin"):
            (folder / name).mkdir(parents=True)
        shutil.copy(SCRIPTS / "setup.sh", folder / "scripts")
        right = hashlib.sha256(b"a jar").hexdigest()
        (folder / "benches/originals/jars.sha256").write_text(f"{right}  a.jar\n")
        self.log = folder / "log"
        fetch = f"mkdir -p build/originals\nprintf '%s' '{content}' >build/originals/a.jar"
        commands = {
            "dpkg-query": """for name in "$@"; do
                case "$name" in maven) ;; *) echo "installed $name" ;; esac
            done""",
            "apt-get": f'echo "apt-get $*" >>{self.log}',
            "sudo": 'exec "$@"',
            "mvn": f'echo "mvn $*" >>{self.log}\n{fetch}',
            "go": "",
        }
        for name, body in commands.items():
            command = folder / "bin" / name
            command.write_text(f"#!/usr/bin/env bash\n{body}\n")
            command.chmod(0o755)

    def set_up(self) -> subprocess.CompletedProcess[str]:
        """Sets up a profile that needs no Python."""
        return subprocess.run(
            [self.folder / "scripts" / "setup.sh", "clang", "--originals"],
            env=os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self, command: str) -> list[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if line.startswith(f"{command} ")]


def test_setup_fetches_the_originals_when_asked_and_only_once(tmp_path: Path) -> None:
    project = Originals(tmp_path / "project", "a jar")
    ended = project.set_up()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert project.calls("apt-get")[1].endswith("--no-install-recommends maven")
    (fetched,) = project.calls("mvn")
    assert "--strict-checksums --file benches/originals/pom.xml" in fetched
    assert project.set_up().returncode == 0
    assert project.calls("mvn") == [fetched]
    (tmp_path / "project/build/originals/a.jar").write_text("half a j")
    assert project.set_up().returncode == 0
    assert len(project.calls("mvn")) == 2


def test_setup_refuses_originals_that_are_not_those_of_the_repository(tmp_path: Path) -> None:
    ended = Originals(tmp_path / "project", "another jar").set_up()
    assert ended.returncode == 1
    assert "what Maven fetched is not what benches/originals/jars.sha256 says" in ended.stderr
    assert not (tmp_path / "project/build/originals").exists()


ON_DEBIAN_12 = "VERSION_CODENAME=bookworm\n" in Path("/etc/os-release").read_text()


@pytest.mark.skipif(not ON_DEBIAN_12, reason="it refuses to, but on Debian 12")
def test_setup_fetches_libraries_of_other_machines_when_asked_and_only_once(
    tmp_path: Path,
) -> None:
    """Apt is called as on the other machine, and its packages are unpacked there."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "setup.sh", tmp_path / "scripts")
    log = tmp_path / "log"
    commands = {
        "apt-get": f"""echo "$*" >>{log}
            if [[ $* == *" download "* ]]; then touch a.deb; fi""",
        "dpkg-deb": 'mkdir "$3/usr"',
    }
    for name, body in commands.items():
        command = tmp_path / name
        command.write_text(f"#!/usr/bin/env bash\n{body}\n")
        command.chmod(0o755)

    def set_up() -> None:
        subprocess.run(
            [tmp_path / "scripts" / "setup.sh", "test", "--other-machines"],
            env=os.environ
            | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SKIP_SYSTEM_PACKAGES": "1"},
            check=True,
        )

    set_up()
    asked = log.read_text().splitlines()
    of_machine = ["APT::Architecture=arm64"] * 2 + ["APT::Architecture=s390x"] * 2
    assert [line.split()[2] for line in asked] == of_machine
    assert [line.endswith(" update") for line in asked] == [True, False, True, False]
    roots = tmp_path / "build" / "sysroots"
    assert {path.name for path in roots.iterdir()} == {"aarch64", "s390x"}
    assert all((path / "usr").is_dir() for path in roots.iterdir())
    set_up()
    assert log.read_text().splitlines() == asked
