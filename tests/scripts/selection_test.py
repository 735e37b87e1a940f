"""Tests of scripts/timerbench/measuring/selection.py: which programs a selection can need."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from benches_for_tests import LEGAL_TRACE, OFFERED
from programs_for_tests import cases
from timerbench.benches import BENCHES, kind_of
from timerbench.measuring import RunError
from timerbench.measuring.selection import Selection
from timerbench.traces import TRACES, name_of


@pytest.mark.parametrize(
    ("wanted", "needed"),
    [
        ("^churn/rpc/1000$", ["churn"]),
        ("rpc", ["churn"]),
        ("^(insert|floor)/", ["insert", "floor"]),
        (r"one_tick/1\d{4}$", ["burst"]),
        ("nginx", ["replay"]),
        ("tiny", []),  # of smoke
        ("/10000000$", []),  # of full
        ("nothing", []),
    ],
)
def test_a_filter_needs_the_benches_that_have_something_of_it(
    wanted: str, needed: list[str]
) -> None:
    assert Selection("quick", re.compile(wanted)).benches() == needed


@pytest.mark.parametrize("profile", ["smoke", "quick", "full"])
def test_what_is_known_without_programs_is_what_these_offer(profile: str) -> None:
    needed = Selection(profile).benches()
    assert needed == [bench for bench in BENCHES if cases(profile, bench)]
    assert len(needed) > 15


@pytest.mark.parametrize("bench", sorted(BENCHES))
def test_every_case_that_is_offered_finds_its_bench(bench: str) -> None:
    for case in cases("full", bench):
        assert bench in Selection("full", re.compile(f"^{bench}/{case}$")).benches()
    assert OFFERED[bench]


def test_queues_need_the_benches_of_queues() -> None:
    needed = Selection("full", queues=frozenset(["lazy_wheel"])).benches()
    assert needed == [bench for bench in BENCHES if kind_of(bench) == "queues"]
    assert "floor" not in needed


def test_a_recording_needs_the_bench_of_recordings(tmp_path: Path) -> None:
    recording = tmp_path / "my-server.trace"
    shutil.copy(LEGAL_TRACE, recording)
    selection = Selection("quick", trace=recording)
    selection.check()
    assert selection.benches() == ["replay"]
    assert selection.added_trace == recording
    cases = selection.cases("replay")
    assert cases
    assert re.fullmatch(cases, "my-server@1ms")
    assert re.fullmatch(cases, "my-server@1us")
    assert not re.fullmatch(cases, "my-server2@1us")
    assert Selection("quick", re.compile("churn"), trace=recording).benches() == []


def test_a_recording_of_the_project_is_found_by_the_program_itself() -> None:
    recording = next(TRACES.glob("tiny.*"))
    selection = Selection("quick", trace=recording)
    selection.check()
    assert selection.added_trace is None
    assert selection.benches() == ["replay"]


def test_names_of_recordings_are_those_of_the_program() -> None:
    assert name_of(Path("a/tiny.trace.gz")) == "tiny"
    assert name_of(Path("my.server.trace")) == "my.server"
    assert name_of(Path("recording")) == "recording"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone.trace", "gone.trace' is no file; give a recording"),
        ("a folder.trace", "a folder.trace' is no file"),
        ("my server.trace", "rename it to letters, digits"),
        ("a@b.trace", "rename it to letters, digits"),
        ("go-nethttp.trace", "has the name of another recording"),
        ("empty.trace", "empty.trace: the file is empty"),
        ("no.recording", "no.recording: a trace is called *.trace"),
    ],
)
def test_a_recording_that_cannot_be_measured_is_refused(
    tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "a folder.trace").mkdir()
    if name not in ("gone.trace", "a folder.trace"):
        (tmp_path / name).touch()
    with pytest.raises(RunError, match=re.escape(message)):
        Selection("quick", trace=tmp_path / name).check()


def test_it_is_shown_as_on_a_command_line(tmp_path: Path) -> None:
    selection = Selection("full", re.compile("rpc"), frozenset(["b", "a"]), tmp_path / "x.trace")
    assert str(selection) == f"--queue 'a' --queue 'b' --trace '{tmp_path}/x.trace' --filter 'rpc'"
    assert str(Selection("full", only=frozenset(["churn"]))) == "--bench 'churn'"
    assert str(Selection("full")) == ""
