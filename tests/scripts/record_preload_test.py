"""Tests of scripts/record.py preload, on programs that run on libevent, libuv and libev."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import record
from timerbench import traces
from timerbench.recorders import preload

SOURCES = Path(__file__).resolve().parent / "recorded"
LIBRARIES = {"libevent": "libevent-2.1.so.7", "libuv": "libuv.so.1", "libev": "libev.so.4"}

pytestmark = pytest.mark.skipif(
    not preload.LIBRARY.exists(), reason=f"{preload.LIBRARY} is not built"
)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Makes a program for each library.

    It is linked with the library, and needs no headers of it.
    """
    folder = tmp_path_factory.mktemp("programs")
    compilers = [
        subprocess.Popen(
            [
                *("c++", "-std=c++20", str(SOURCES / f"on_{name}.cpp"), f"-l:{library}"),
                *("-pthread", "-o", str(folder / name)),
            ]
        )
        for name, library in LIBRARIES.items()
    ]
    assert [compiler.wait() for compiler in compilers] == [0, 0, 0]
    return {name: folder / name for name in LIBRARIES}


KILLED = "record.py: '{}' ended with status -9\n"

Recorded = Callable[[str, str], str]


@pytest.fixture
def recorded(
    programs: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> Recorded:
    """Returns a function that runs a program, and returns its verbs and timers: "s0 s1 f1 c0".

    The program reports what is wrong, and record.py how the program ended.
    """

    def of(library: str, deed: str) -> str:
        output = tmp_path / "out.trace"
        assert record.main(["preload", str(output), "--", str(programs[library]), deed]) == 0
        said = capfd.readouterr().err
        assert said == (KILLED.format(programs[library]) if deed == "killed" else "")
        return operations(output)

    return of


def operations(trace: Path) -> str:
    lines = traces.read_lines(trace)
    traces.check(lines)
    fields = [line.split() for line in traces.parse(lines)[1]]
    return " ".join(verb + timer for _, verb, timer, *_ in fields)


def delays(trace: Path) -> list[float]:
    """Returns in ms the delays of timers that are set or re-armed.

    libev computes in floating point.
    """
    fields = [line.split() for line in traces.parse(traces.read_lines(trace))[1]]
    exact = [int(deadline[0]) - int(time) for time, _, _, *deadline in fields if deadline]
    return [round(delay / 1e6, 3) for delay in exact]


MINUTE = 60_000


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_timer_is_set_put_off_cancelled_and_expires(
    recorded: Recorded, library: str, tmp_path: Path
) -> None:
    """It is also cancelled in vain, and when it is freed, closed, or its loop destroyed."""
    ends = {"libevent": "s0 c0", "libuv": "s0 c0", "libev": "s0 c0 s0 c0"}
    assert recorded(library, "timers") == f"s0 s1 f1 r0 c0 {ends[library]}"
    minutes = [MINUTE] * (len(ends[library].split()) // 2)
    assert delays(tmp_path / "out.trace") == [MINUTE, 1, MINUTE, *minutes]


def test_what_repeats_expires_and_is_set_again(recorded: Recorded, tmp_path: Path) -> None:
    assert recorded("libevent", "persistent") == "s0 f0 s0 f0 s0 f0 s0 c0"
    assert delays(tmp_path / "out.trace") == [1, 1, 1, 1]
    assert recorded("libuv", "repeating") == "s0 f0 s0 f0 s0 r0 f0 s0 c0"
    assert delays(tmp_path / "out.trace") == [1, 2, 2, 2, 2]
    assert recorded("libev", "repeating") == "s0 f0 s0 f0 s0 f0 s0 c0"
    assert max(delays(tmp_path / "out.trace")) <= 2


def test_input_puts_off_the_timer_of_a_persistent_event_and_ends_that_of_another(
    recorded: Recorded, tmp_path: Path
) -> None:
    assert recorded("libevent", "input") == "s0 r0 r0 c0 s0 c0 s0 c0"
    assert delays(tmp_path / "out.trace") == [MINUTE] * 5


def test_a_timer_without_an_event_expires(recorded: Recorded) -> None:
    assert recorded("libevent", "once") == "s0 f0"


def test_timers_end_with_their_base(recorded: Recorded) -> None:
    assert sorted(recorded("libevent", "base_freed").split()) == [
        "c0",
        "c1",
        "c2",
        "s0",
        "s1",
        "s2",
    ]


def test_a_program_sees_its_own_callbacks_and_arguments(recorded: Recorded) -> None:
    assert recorded("libevent", "asked") == "s0 f0 s0 c0"


def test_programs_of_libevent_1_are_recorded(recorded: Recorded) -> None:
    assert recorded("libevent", "of_old") == "s0 f0 s0 f0"


def test_a_timer_that_is_due_is_stopped_by_another(recorded: Recorded) -> None:
    assert recorded("libuv", "together") == "s0 s1 f0 c1"


def test_periodics_on_the_wall_clock_are_timers(recorded: Recorded, tmp_path: Path) -> None:
    assert recorded("libev", "wall_clock") == "s0 f0 s0 f0 s0 c0 s0 c0"
    *short, hour = delays(tmp_path / "out.trace")
    assert max(short) <= 10
    assert hour == 3_600_000


def test_a_callback_that_no_deadline_made_is_no_expiry(recorded: Recorded) -> None:
    assert recorded("libev", "odd") == "s0 c0 s0 c0 s0 f0"


def test_threads_record_together(recorded: Recorded) -> None:
    verbs = recorded("libevent", "threads")
    assert (verbs.count("s"), verbs.count("c")) == (4_000, 4_000)


def test_children_that_are_forked_while_threads_record_have_traces_of_their_own(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    output = str(tmp_path / "out.trace")
    program = [str(programs["libevent"]), "forks"]
    assert record.main(["preload", output, "--most", "10000", "--", *program]) == 0
    counts = [operations(trace).count("s") for trace in tmp_path.glob("out-*.trace")]
    assert sorted(counts) == [10, 10, 10, 10, 10, 4_000]


def test_a_program_that_its_process_goes_on_with_has_a_trace_of_its_own(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    program = [str(programs["libevent"]), "executes"]
    assert record.main(["preload", str(tmp_path / "out.trace"), "--", *program]) == 0
    first, second = sorted(tmp_path.glob("out-*.trace"), key=lambda trace: len(trace.name))
    assert operations(first) == "s0 c0 s0 c0 s0 c0"
    assert operations(second) == "s0 c0 s0 c0"
    assert second.name == first.name.replace(".trace", "-2.trace")


def test_a_program_that_closes_all_files_and_is_killed_loses_nothing(recorded: Recorded) -> None:
    assert recorded("libevent", "killed") == " ".join(["s0 c0"] * 100)


def test_timers_that_end_after_main_are_recorded(recorded: Recorded) -> None:
    assert recorded("libevent", "at_exit") == "s0 c0"


def test_a_full_file_says_so(
    programs: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "out.trace")
    program = str(programs["libevent"])
    assert record.main(["preload", output, "--most", "64", "--", program, "100"]) == 0
    assert operations(tmp_path / "out.trace") == " ".join([*(["s0 c0"] * 31), "s0"])
    assert "  the file is full: what came later is not recorded (--most)\n" in (
        capfd.readouterr().out
    )


def test_a_process_without_room_for_its_file_runs_unrecorded(
    programs: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A thousand million lines take 64 GB: more than the limit of the shell."""
    record_so = ["preload", str(tmp_path / "out.trace"), "--most", "1000000000", "--"]
    limited = ["sh", "-c", f"ulimit -f 1000; {programs['libevent']} timers && echo went well"]
    assert record.main([*record_so, *limited]) == 2
    said = capfd.readouterr()
    assert said.out == "went well\n"
    assert "is not recorded: File too large" in said.err


def test_a_program_that_others_wrote_is_recorded(tmp_path: Path) -> None:
    """The libuv in CTest sets the time limits of its tests."""
    (tmp_path / "CTestTestfile.cmake").write_text(
        "add_test(a true)\nset_tests_properties(a PROPERTIES TIMEOUT 30)\n"
    )
    output = tmp_path / "out.trace"
    ctest = ["ctest", "--test-dir", str(tmp_path)]
    assert record.main(["preload", str(output), "--", *ctest]) == 0
    assert operations(output) == "s0 c0"
    assert delays(output) == [30_000]


def test_says_how_to_build_what_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(preload, "LIBRARY", tmp_path / "none.so")
    assert record.main(["preload", str(tmp_path / "out.trace"), "--", "true"]) == 2
    assert capsys.readouterr().err == (
        f"record.py: {tmp_path / 'none.so'} is missing; "
        "scripts/build.sh release timers_recorder makes it\n"
    )
