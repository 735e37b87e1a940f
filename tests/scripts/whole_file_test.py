"""Tests of scripts/timerbench/whole_file.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from timerbench.whole_file import replace


@pytest.mark.parametrize("content", ["is now\n", b"is now\n"])
def test_a_file_is_made_and_replaced(tmp_path: Path, content: str | bytes) -> None:
    file = tmp_path / "file"
    for _ in range(2):
        replace(file, content)
        assert file.read_text() == "is now\n"
        assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_and_the_file_behind_it_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/file")
    for text in ("was", "is now"):
        replace(link, text)
        assert link.readlink() == Path("folder/file")
        assert not (folder / "file").is_symlink()
        assert (folder / "file").read_text() == text
        assert [*folder.iterdir()] == [folder / "file"]


def test_a_fifo_is_written_through(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        replace(fifo, "through")
        assert os.read(reading, 100) == b"through"
    finally:
        os.close(reading)
    assert fifo.is_fifo()


@pytest.mark.parametrize("name", ["none/file", "folder", "circle"])
def test_an_error_names_the_file_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OSError, match=f"'{tmp_path / name}'$"):
        replace(tmp_path / name, "text")
    assert sorted(tmp_path.rglob("*")) == before
