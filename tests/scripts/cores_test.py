"""Tests of scripts/timerbench/measuring/cores.py."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from systems_for_tests import CPU, write_system
from timerbench.measuring.cores import cores_for

GROUP = "/sys/fs/cgroup/user.slice"


@pytest.mark.parametrize(
    ("most", "files", "cores"),
    [
        (1, {}, [3]),
        (2, {}, [3, 2]),
        (9, {}, [3, 2, 1, 0]),
        (2, {"/proc/self/status": "Cpus_allowed_list:\t0-1,3\n"}, [3, 1]),
        (2, {"/proc/self/status": "Cpus_allowed_list:\t2\n"}, [None]),
        (2, {f"{CPU}/cpu3/topology/thread_siblings_list": "2-3"}, [3, 1]),
        (2, {f"{GROUP}/cpu.max": "150000 100000"}, [3]),
        (2, {f"{GROUP}/cpu.max": "50000 100000"}, [3]),
        (2, {"/proc/self/status": None}, [None]),
    ],
)
def test_takes_the_last_that_share_nothing(
    tmp_path: Path, most: int, files: dict[str, str | None], cores: list[int | None]
) -> None:
    assert cores_for(most, write_system(tmp_path, files)) == cores


def test_pins_nothing_without_taskset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert cores_for(2, write_system(tmp_path)) == [None]
