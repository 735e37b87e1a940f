"""Tests of scripts/run.py, over programs that look like benchmarks."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import run
from benches_for_tests import LEGAL_TRACE, TWINS, write_benches
from cut_trace import cut
from results_for_tests import QUEUES
from timerbench.benches import BENCHES
from timerbench.context import System
from timerbench.measuring import cores
from timerbench.measuring.outputs import locked
from timerbench.results import BenchFile, Name, load

RUN = Path(run.__file__)

# Some of the offers of the made-up benches: three cases in two benches.
FEW = "^(replay/go-nethttp@1ms|churn/rpc/10{3,4})$"
CHURN = ["--filter", "^churn/rpc/10{3,4}$"]


@pytest.fixture
def build(tmp_path: Path) -> Path:
    write_benches(tmp_path / "build")
    return tmp_path / "build"


def run_quick(build: Path, *more: str) -> int:
    few = [] if "--filter" in more else ["--filter", FEW]
    return run.main(["--build", str(build), "--output", str(build.parent / "out"), *few, *more])


def runs(build: Path) -> list[str]:
    file = build / "runs"
    return file.read_text().splitlines() if file.exists() else []


def files(directory: Path) -> set[str]:
    return {str(file.relative_to(directory)) for file in directory.rglob("*") if file.is_file()}


def processes(build: Path, bench: str) -> list[tuple[str, int]]:
    """Returns the processes in the file of the bench."""
    file = build.parent / "out" / f"{bench}.json"
    if not file.exists():
        return []
    return [(process["group"], process["round"]) for process in BenchFile.read(file).processes]


def cells(build: Path, bench: str) -> set[str]:
    file = BenchFile.read(build.parent / "out" / f"{bench}.json")
    return {entry["run_name"] for process in file.processes for entry in process["benchmarks"]}


def test_runs_one_process_for_each_bench_case_and_round(build: Path) -> None:
    assert run_quick(build) == 0
    assert files(build.parent / "out") == {"replay.json", "churn.json", "context.json"}
    assert processes(build, "replay") == [("go-nethttp@1ms", number) for number in (1, 2, 3)]
    assert processes(build, "churn") == [
        (group, number) for group in ("rpc/1000", "rpc/10000") for number in (1, 2, 3)
    ]
    assert len(runs(build)) == 9
    assert cells(build, "replay") == {
        f"replay/{queue}/go-nethttp@1ms" for queue in [*QUEUES[:2], *TWINS]
    }


def test_keeps_a_case_apart_from_one_that_begins_alike(build: Path) -> None:
    assert run_quick(build, "--filter", "rpc/1000$") == 0
    assert load(build.parent / "out").cases("churn") == ["rpc/1000"]


def test_keeps_what_was_measured_and_leaves_out_what_tells_nothing(build: Path) -> None:
    assert run_quick(build, "--rounds", "1", "--filter", "^floor/stream/10000$") == 0
    (process,) = BenchFile.read(build.parent / "out" / "floor.json").processes
    assert process["benchmarks"] == [
        {
            "run_name": "floor/machine/stream/10000",
            "iterations": 3,
            "label": "a label",
            "ns_per_operation": 10.0,
            "worst_expire_ns": 100.0,
        }
    ]
    assert len(process["binary"]) == 64
    assert process["pages"] == "huge"
    assert process["arguments"][1] == "--seconds=0.05"
    assert process["seconds"] > 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", process["started"])
    assert len(process["load_before"]) == len(process["load_after"]) == 3


def test_a_label_that_is_no_figure_is_an_error(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = build / "lateness"
    program.write_text(program.read_text().replace('"a label"', "'{\"late\": [[NaN, 1]]}'"))
    assert run_quick(build, "--filter", "^lateness/") == 1
    assert (
        "lateness/uniform/10000 round 1: not our JSON: NaN is no figure" in capfd.readouterr().err
    )
    assert processes(build, "lateness") == []


def test_what_has_threads_is_not_pinned_to_a_core(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = max(os.sched_getaffinity(0))
    monkeypatch.setattr(cores, "cores_for", lambda *_: [core])
    benches = {"churn": core, "floor": core, "contention": None, "dispatch": None, "sleep": None}
    benches |= {"lateness": None}
    wanted = f"^({'|'.join(benches)})/(rpc|stream|schedule_4|within_250ms|1ms|burst)/1000$"
    assert run_quick(build, "--full", "--rounds", "1", "--filter", wanted) == 0
    for bench, expected in benches.items():
        (process,) = BenchFile.read(build.parent / "out" / f"{bench}.json").processes
        assert process["core"] == expected


def test_runs_two_builds_side_by_side_each_into_its_own_directory(
    build: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_benches(tmp_path / "other", {"min_heap/rpc/1000/": "error"}, commit="two")
    both = ["--build", str(build), "--output", str(tmp_path / "a")]
    both += ["--build", str(tmp_path / "other"), "--output", str(tmp_path / "b")]
    assert run.main([*both, "--rounds", "1", *CHURN]) == 1
    assert f"{tmp_path / 'b'}: churn/min_heap/rpc/1000: the digest" in capfd.readouterr().err
    a, b = load(tmp_path / "a"), load(tmp_path / "b")
    assert (a.context["commit"], b.context["commit"]) == ("one", "two")
    assert a.cases("churn") == ["rpc/1000", "rpc/10000"]
    assert b.cases("churn") == ["rpc/10000"]
    assert files(tmp_path / "b") == {"churn.json", "context.json"}


def test_runs_one_build_against_itself(build: Path, tmp_path: Path) -> None:
    twice = [
        word
        for output in ("a", "b")
        for word in ("--build", str(build), "--output", str(tmp_path / output))
    ]
    assert run.main([*twice, "--rounds", "1", "--filter", "^churn/rpc/1000$"]) == 0
    assert len(runs(build)) == 2
    assert set(load(tmp_path / "a").rounds) == set(load(tmp_path / "b").rounds)


@pytest.mark.parametrize(
    ("builds", "outputs", "message"),
    [
        (["x", "y"], [], "2 --build but 1 --output; give one for each"),
        ([], ["x", "y"], "1 --build but 2 --output; give one for each"),
        (["x", "y"], ["z", "./z"], "--output z is given twice; each build needs its own"),
    ],
)
def test_refuses_builds_without_directories_of_their_own(
    capfd: pytest.CaptureFixture[str], builds: list[str], outputs: list[str], message: str
) -> None:
    arguments = [f"--build={build}" for build in builds] + [f"--output={out}" for out in outputs]
    assert run.main(arguments) == 2
    assert message in capfd.readouterr().err


def test_does_not_run_again_what_is_complete(build: Path) -> None:
    assert run_quick(build) == 0
    done = runs(build)
    assert run_quick(build) == 0
    assert runs(build) == done


def test_runs_what_a_longer_run_asks_for_beyond_what_is_complete(build: Path) -> None:
    assert run_quick(build, "--rounds", "1") == 0
    done = len(runs(build))
    assert run_quick(build, "--rounds", "2") == 0
    assert len(runs(build)) == 2 * done
    assert processes(build, "replay") == [("go-nethttp@1ms", 1), ("go-nethttp@1ms", 2)]


def test_replaces_what_another_binary_made(build: Path) -> None:
    assert run_quick(build, "--rounds", "2") == 0
    done = len(runs(build))
    program = build / "churn"
    program.write_text(program.read_text().replace("commit='one'", "commit='two'"))
    assert run_quick(build, "--rounds", "1") == 0
    assert sum("churn" in line for line in runs(build)[done:]) == 2
    assert not any("replay" in line for line in runs(build)[done:])
    assert processes(build, "churn") == [("rpc/1000", 1), ("rpc/10000", 1)]
    file = BenchFile.read(build.parent / "out" / "churn.json")
    assert file.context["commit"] == "two"


def test_replaces_what_other_arguments_made_and_keeps_other_cases(build: Path) -> None:
    assert run_quick(build, "--quick", "--rounds", "2") == 0
    assert run_quick(build, "--full", "--rounds", "1", "--filter", "churn/rpc/1000$") == 0
    assert processes(build, "churn") == [("rpc/1000", 1), ("rpc/10000", 1), ("rpc/10000", 2)]
    results = load(build.parent / "out")
    assert len(results.rounds[Name("churn", "min_heap", "rpc/1000")]) == 1


def test_runs_again_what_was_deleted(build: Path) -> None:
    assert run_quick(build, "--rounds", "1") == 0
    done = len(runs(build))
    (build.parent / "out" / "churn.json").unlink()
    assert run_quick(build, "--rounds", "1") == 0
    assert len(runs(build)) == done + 2


def test_does_not_overwrite_a_file_that_it_cannot_read(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = build.parent / "out" / "churn.json"
    file.parent.mkdir()
    file.write_text("precious")
    assert run_quick(build) == 2
    assert f"{file} is broken" in capfd.readouterr().err
    assert file.read_text() == "precious"
    assert runs(build) == []


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("error", "churn/min_heap/rpc/1000: the digest differs"),
        ("missing", "churn/min_heap/rpc/1000: missing"),
        ("crash", "churn/rpc/1000 round 1: ended with status 3: out of memory"),
        ("hang", "churn/rpc/1000 round 1: not done after 5 s"),
    ],
)
def test_a_failed_cell_makes_the_exit_status_1_and_is_named_and_leaves_no_figures(
    build: Path, capfd: pytest.CaptureFixture[str], fault: str, message: str
) -> None:
    write_benches(build, {"min_heap/rpc/1000/": fault})
    assert run_quick(build, "--rounds", "1", "--timeout", "5") == 1
    told = capfd.readouterr().err
    assert message in told
    assert "run.py: 1 errors" in told
    assert processes(build, "churn") == [("rpc/10000", 1)]
    assert files(build.parent / "out") == {"churn.json", "replay.json", "context.json"}


@pytest.mark.parametrize("fault", ["error", "crash"])
def test_what_failed_has_no_figures_of_an_older_build_either(build: Path, fault: str) -> None:
    assert run_quick(build, "--rounds", "1") == 0
    write_benches(build, {"min_heap/rpc/": fault}, commit="two")
    assert run_quick(build, "--rounds", "1") == 1
    assert processes(build, "churn") == []
    assert processes(build, "replay") == [("go-nethttp@1ms", 1)]


def test_a_process_that_is_interrupted_has_not_failed(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_quick(build, "--rounds", "1") == 0
    before = processes(build, "churn")
    write_benches(build, {"min_heap/rpc/1000/": "interrupt"}, commit="two")
    # A shell lets its background programs ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assert run_quick(build, "--rounds", "1", "--filter", "churn/rpc/1000$") == 130
    assert "run.py: interrupted; the same command goes on from here" in capfd.readouterr().err
    assert processes(build, "churn") == before


def test_what_failed_keeps_what_the_same_binary_did_in_the_same_way(build: Path) -> None:
    assert run_quick(build, "--quick", "--rounds", "2") == 0
    flaky = build.parent / "fails"
    program = build / "churn"
    fails = f'[ -e {flaky} ] && case "$*" in *_out=*) exit 3 ;; esac\n'
    program.write_text(program.read_text().replace("exec python3", fails + "exec python3"))
    assert run_quick(build, "--quick", "--rounds", "1") == 0
    flaky.touch()
    assert run_quick(build, "--quick", "--rounds", "2") == 1
    assert processes(build, "churn") == [("rpc/1000", 1), ("rpc/10000", 1)]
    assert run_quick(build, "--full", "--rounds", "1", "--filter", "churn/rpc/1000$") == 1
    assert processes(build, "churn") == [("rpc/10000", 1)]


NUMBER = "10.0 * (1 + spread * (-1) ** before)"
REPORT = "write_text(json.dumps(report))"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (NUMBER, "float('nan')", "rpc/1000 round 1: not our JSON: NaN is no figure"),
        (NUMBER, "None", "min_heap/rpc/1000: ns_per_operation is None: expected a finite number"),
        (NUMBER, "'7'", "min_heap/rpc/1000: ns_per_operation is '7': expected a finite number"),
        (NUMBER, "True", "min_heap/rpc/1000: ns_per_operation is True: expected a finite number"),
        (REPORT, "write_text('[]')", "rpc/1000 round 1: not our JSON: list indices must be"),
        (REPORT, r"write_bytes(b'\xff')", "rpc/1000 round 1: not our JSON: "),
    ],
)
def test_what_is_no_figure_and_no_report_is_an_error_and_is_not_kept(
    build: Path, capfd: pytest.CaptureFixture[str], right: str, wrong: str, message: str
) -> None:
    program = build / "churn"
    text = program.read_text()
    assert right in text
    program.write_text(text.replace(right, wrong))
    assert run_quick(build, "--rounds", "1", "--filter", "churn/rpc/1000$") == 1
    assert f"churn/{message}" in capfd.readouterr().err
    assert processes(build, "churn") == []


def test_refuses_an_output_that_is_no_directory_before_it_measures(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (build.parent / "out").write_text("a file")
    assert run_quick(build) == 2
    assert f"--output '{build.parent / 'out'}' is no directory" in capfd.readouterr().err
    assert runs(build) == []


def test_a_queue_that_lacks_a_case_is_an_error(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = (build / "churn").read_text()
    (build / "churn").write_text(program.replace("churn/min_heap/rpc/1000/manual_time\n", ""))
    assert run_quick(build, "--rounds", "1") == 1
    assert "churn/min_heap/rpc/1000: missing" in capfd.readouterr().err


def test_a_twin_that_lacks_a_case_is_none(build: Path) -> None:
    program = (build / "churn").read_text()
    (build / "churn").write_text(program.replace("churn/min_heap_twin/rpc/1000/manual_time\n", ""))
    assert run_quick(build, "--rounds", "1") == 0


def test_what_failed_runs_again(build: Path) -> None:
    write_benches(build, {"min_heap/rpc/1000/": "error"})
    assert run_quick(build, "--rounds", "1", "--filter", "churn/rpc/1000$") == 1
    done = len(runs(build))
    assert run_quick(build, "--rounds", "1", "--filter", "churn/rpc/1000$") == 1
    assert len(runs(build)) == done + 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing_half_written(build: Path, how: signal.Signals) -> None:
    write_benches(build, {"min_heap/rpc/1000/": "hang"})
    out = build.parent / "out"
    running = subprocess.Popen(
        [sys.executable, RUN, "--build", build, "--output", out, "--filter", "churn/rpc"],
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    try:
        while not (build / "hanging").exists():
            assert running.poll() is None
            time.sleep(0.01)
        os.killpg(running.pid, how)
        _, message = running.communicate(timeout=30)
    finally:
        running.kill()
    assert running.returncode == 130
    assert "the same command goes on from here" in message
    assert files(out) <= {"churn.json"}
    assert ("rpc/1000", 1) not in processes(build, "churn")


def made_by(build: Path, bench: str, **facts: str) -> None:
    program = build / bench
    told = ", ".join(f"{key}={value!r}" for key, value in facts.items())
    text = program.read_text()
    program.write_text(re.sub(r'context=dict\(cpu="A CPU"[^)]*\)', f"context=dict({told})", text))


@pytest.mark.parametrize("bench", ["churn", "replay"])
def test_refuses_to_add_to_results_of_another_machine_compiler_or_flags(
    build: Path, capfd: pytest.CaptureFixture[str], bench: str
) -> None:
    made_by(build, "churn", cpu="A CPU", flags="-O2", commit="one")
    assert run_quick(build, "--rounds", "1", "--filter", "churn/rpc/1000$") == 0
    churn = build.parent / "out" / "churn.json"
    before = churn.read_text()
    wanted = ["--rounds", "1", "--filter", f"^{bench}/(rpc/1000|go-nethttp@1ms)$"]
    for facts, key in (
        ({"cpu": "Another", "flags": "-O2"}, "cpu"),
        ({"cpu": "A CPU", "flags": "-O3"}, "flags"),
    ):
        made_by(build, "churn", **facts)
        write_benches(build, commit="two")
        made_by(build, bench, **facts, commit="two")
        assert run_quick(build, *wanted) == 2
        message = capfd.readouterr().err
        assert f"{churn} was made with the {key} '" in message
        assert "give another --output" in message
        assert files(build.parent / "out") == {"churn.json", "context.json"}
        assert churn.read_text() == before
    made_by(build, bench, cpu="A CPU", flags="-O2", commit="two")
    write_benches(build, commit="two")
    made_by(build, bench, cpu="A CPU", flags="-O2", commit="two")
    assert run_quick(build, *wanted) == 0


def test_refuses_a_directory_into_which_another_run_writes(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = build.parent / "out"
    out.mkdir()
    with locked(out):
        assert run_quick(build) == 2
    assert f"another run writes into {out}; wait for its end" in capfd.readouterr().err
    assert runs(build) == []
    assert run_quick(build, "--rounds", "1", "--filter", "churn/rpc/1000$") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rounds", "0"], "'0' is not a whole number from 1"),
        (["--rounds", "many"], "'many' is not a whole number from 1"),
        (["--timeout", "99999999999999999999"], "'99999999999999999999' is not a whole number"),
        (["--build", ""], "argument --build: '' is no path"),
        (["--output", ""], "argument --output: '' is no path"),
        (["--filter", "("], "'(' is no regular expression"),
        (["--bench", "chrun"], "argument --bench: 'chrun' is none of replay, churn, "),
        (["--queue", "lazy wheel"], "'lazy wheel' is no name of a queue, such as lazy_wheel"),
        (["--queue", ""], "'' is no name of a queue"),
        (["--trace", ""], "argument --trace: '' is no path"),
        (["--trace", "gone.trace", "--list"], "--trace 'gone.trace' is no file; give a recording"),
        (["--filter", "nothing", "--list"], "--filter 'nothing' matches no process of --quick"),
        (["--minutes", "-1"], "'-1' is not a number of minutes from 0 on"),
        (["--minutes", "nan"], "'nan' is not a number of minutes from 0 on"),
        (["--minutes", "5", "--rounds", "5"], "not allowed with argument"),
        (["--quick", "--full"], "not allowed with argument"),
        (["--fast"], "unrecognized arguments: --fast"),
    ],
)
def test_refuses_bad_arguments_in_one_line_with_status_2(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.setattr(sys, "argv", [str(RUN)])
    try:
        status: object = run.main(arguments)
    except SystemExit as refused:
        status = refused.code
    told = capfd.readouterr()
    assert (status, told.out) == (2, "")
    assert message in told.err
    assert told.err.startswith("run.py: ")
    assert told.err.count("\n") == 1


def test_says_which_binary_does_not_run(build: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (build / "replay").write_text("no program")
    assert run_quick(build) == 2
    assert capfd.readouterr().err == f"run.py: {build}/replay does not run: Exec format error\n"


def test_says_which_binary_is_no_benchmark_of_ours(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (build / "replay").write_text("#!/bin/sh\necho nonsense\n")
    assert run_quick(build) == 2
    assert f"{build}/replay lists what is no benchmark of ours: 'nonsense'" in (
        capfd.readouterr().err
    )


def test_each_line_says_how_far_the_run_is(build: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_quick(build, "--rounds", "1") == 0
    lines = capfd.readouterr().out.splitlines()
    expected = [r"1 of 3, about \d+ s left", r"2 of 3, about \d+ s left", "3 of 3"]
    assert len(lines) == len(expected)
    for line, count in zip(lines, expected, strict=True):
        assert re.fullmatch(rf"[a-z]+/\S+ round 1: \d+\.\d s; {count}", line)


def test_a_noisy_case_is_measured_by_more_processes(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_benches(build, spreads={"min_heap/rpc/1000/": 0.2})
    assert run_quick(build, "--minutes", "0.2") == 0
    counts = Counter(group for group, _ in processes(build, "churn"))
    assert counts["rpc/10000"] == 3
    assert 3 < counts["rpc/1000"] <= 20
    lines = capfd.readouterr().out.splitlines()
    if lines[-1].startswith("queues took "):  # the noise may look like a machine that changes
        lines.pop()
    assert re.search(r"; 1 of at least 9, \d of about \d+ s$", lines[0])
    assert re.search(rf"; {len(lines) - 1} of {len(lines) - 1}$", lines[-2])
    assert lines[-1].startswith("2 of 3 cases of queues are known as well as wanted; with more")


@pytest.mark.parametrize(
    ("early", "told"),
    [
        (1.10, "queues took 9.1% less time late in this run than early in it; "),
        (0.90, "queues took 11.1% more time late in this run than early in it; "),
        (1.01, None),
    ],
)
def test_says_that_the_machine_became_faster_or_slower(
    build: Path, capfd: pytest.CaptureFixture[str], early: float, told: str | None
) -> None:
    assert run_quick(build, *CHURN) == 0
    path = build.parent / "out" / "churn.json"
    file = BenchFile.read(path)
    for process in file.processes:
        process["started"] = f"2026-01-01T0{process['round']}:00:00Z"
        for entry in process["benchmarks"]:
            entry["ns_per_operation"] = 20.0 * (early if process["round"] == 1 else 1)
    file.write(path)
    capfd.readouterr()
    assert run_quick(build, *CHURN) == 0
    last = capfd.readouterr().out.splitlines()[-1]
    assert last.startswith(told or "2 of 2 cases of queues are known")


def test_so_many_rounds_are_measured_whatever_they_show(build: Path) -> None:
    write_benches(build, spreads={"min_heap/rpc/1000/": 0.2})
    assert run_quick(build, "--rounds", "2") == 0
    assert processes(build, "churn") == [(f"rpc/{n}", r) for n in (1000, 10000) for r in (1, 2)]


def environments(build: Path) -> set[str]:
    return set((build / "environments").read_text().splitlines())


def pages_in(build: Path, bench: str) -> set[str | None]:
    """Returns the pages that the processes name, and those that context.json names."""
    file = build.parent / "out" / f"{bench}.json"
    told = {process.get("pages") for process in BenchFile.read(file).processes}
    return told | {json.loads((build.parent / "out" / "context.json").read_text())["pages"]}


def huge_pages_are(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setattr(System, "transparent_hugepages", lambda _: given)
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)


IN_PASSES_AND_NOT = ["--rounds", "1", "--filter", "^(churn/rpc|floor/stream|dispatch/.*)/10000$"]


def test_queues_and_the_floor_are_measured_in_huge_pages(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge_pages_are(monkeypatch, "madvise")
    assert run_quick(build, *IN_PASSES_AND_NOT) == 0
    asks = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"
    assert environments(build) == {f"churn {asks}", f"floor {asks}", "dispatch"}
    assert pages_in(build, "churn") == pages_in(build, "floor") == {"huge"}
    assert pages_in(build, "dispatch") == {None, "huge"}


@pytest.mark.parametrize("asked", [True, False])
def test_small_pages_are_taken_when_asked_for_and_when_there_are_no_others(
    build: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], asked: bool
) -> None:
    huge_pages_are(monkeypatch, "madvise" if asked else "never")
    assert run_quick(build, *IN_PASSES_AND_NOT, *(["--small-pages"] if asked else [])) == 0
    assert environments(build) == {"churn", "floor", "dispatch"}
    assert pages_in(build, "churn") == {"small"}
    said = "the kernel gives no huge pages; queues are measured in small ones"
    assert (said in capfd.readouterr().out) != asked


def test_small_pages_are_refused_where_the_kernel_gives_huge_ones_unasked(
    build: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    huge_pages_are(monkeypatch, "always")
    assert run_quick(build, "--small-pages") == 2
    assert capfd.readouterr().err.startswith("run.py: --small-pages: the kernel 'always' gives")
    assert runs(build) == []


def test_huge_pages_and_small_ones_never_come_into_one_directory(
    build: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    huge_pages_are(monkeypatch, "madvise")
    assert run_quick(build, "--rounds", "1", "--filter", "^churn/rpc/1000$") == 0
    done = runs(build)
    other = ["--rounds", "1", "--filter", "^insert/warm/1000$", "--small-pages"]
    assert run_quick(build, *other) == 2
    assert "churn.json was measured in huge pages, and this is in small pages; give another" in (
        capfd.readouterr().err
    )
    assert runs(build) == done
    assert run_quick(build, "--rounds", "1", "--filter", "^dispatch/", "--small-pages") == 0
    assert run_quick(build, "--rounds", "1", "--filter", "^insert/warm/1000$") == 0


def test_a_queue_is_measured_with_its_twin_and_without_the_others(build: Path) -> None:
    assert run_quick(build, "--rounds", "1", "--queue", "min_heap", "--filter", "rpc/1000$") == 0
    assert cells(build, "churn") == {
        f"churn/{queue}/rpc/1000" for queue in ("min_heap", "min_heap_twin")
    }
    assert runs(build) == ["^churn/(min_heap|min_heap_twin)/rpc/1000(/|$)"]
    assert not (build.parent / "out" / "floor.json").exists()


def test_a_queue_that_nobody_offers_is_refused(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for unknown in ("lazzy_wheel", "min_heap_twin"):
        assert run_quick(build, "--queue", "min_heap", "--queue", unknown) == 2
        assert capfd.readouterr().err == (
            f"run.py: --queue '{unknown}' is offered by no bench; there are ordered_map, min_heap\n"
        )
    assert runs(build) == []


def test_a_queue_of_a_bench_without_queues_matches_nothing(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_quick(build, "--queue", "min_heap", "--filter", "^contention/") == 2
    said = capfd.readouterr().err
    assert said.startswith("run.py: --queue 'min_heap' --filter '^contention/' matches no process")
    assert runs(build) == []


def test_a_look_at_one_queue_does_not_lose_the_figures_of_all(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    one = ["--rounds", "1", "--filter", "rpc/1000$"]
    assert run_quick(build, *one) == 0
    before = (build.parent / "out" / "churn.json").read_text()
    assert run_quick(build, *one, "--queue", "min_heap") == 2
    assert "has figures of more queues for churn/rpc/1000, and they would be lost" in (
        capfd.readouterr().err
    )
    assert (build.parent / "out" / "churn.json").read_text() == before
    another = ["--output", str(build.parent / "another")]
    arguments = ["--build", str(build), *another, *one, "--queue", "min_heap"]
    assert run.main(arguments) == run.main(arguments) == 0


def test_a_twin_that_a_program_brings_along_unasked_is_no_queue_to_be_lost(build: Path) -> None:
    program = build / "churn"
    text = program.read_text().replace("churn/min_heap_twin/rpc/1000/manual_time\n", "", 1)
    unasked = "re.search(wanted, name.replace('_twin', ''))"
    program.write_text(text.replace("re.search(wanted, name)", unasked))
    wanted = ["--filter", "rpc/1000$", "--queue", "min_heap"]
    assert run_quick(build, "--rounds", "1", *wanted) == 0
    assert cells(build, "churn") == {f"churn/{q}/rpc/1000" for q in ("min_heap", *TWINS)}
    assert run_quick(build, "--rounds", "2", *wanted) == 0
    assert processes(build, "churn") == [("rpc/1000", 1), ("rpc/1000", 2)]


def test_a_recording_of_ones_own_is_measured_at_both_ticks(build: Path, tmp_path: Path) -> None:
    recording = tmp_path / "my-server.trace"
    whole = LEGAL_TRACE.read_text()
    recording.write_text(whole)
    asked = ["--rounds", "1", "--trace", str(recording), "--filter", "^replay/"]
    assert run_quick(build, *asked) == 0
    assert load(build.parent / "out").cases("replay") == ["my-server@1ms", "my-server@1us"]
    assert any(f"TIMERBENCH_TRACE={recording}" in told for told in environments(build))
    assert run_quick(build, *asked) == 0
    assert len(runs(build)) == 2
    recording.write_text("\n".join(cut(whole.splitlines(), 8)) + "\n")
    assert run_quick(build, *asked) == 0
    assert len(runs(build)) == 4
    assert processes(build, "replay") == [("my-server@1ms", 1), ("my-server@1us", 1)]


def test_only_programs_that_are_needed_must_be_there(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for program in build.iterdir():
        if program.name != "churn":
            program.unlink()
    assert run_quick(build, "--rounds", "1", "--filter", "rpc/1000$") == 0
    assert run_quick(build, "--rounds", "1", "--filter", "(rpc|stream)/1000$") == 2
    assert f"{build}/floor is missing; scripts/build.sh builds it" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], [*BENCHES]),
        (["--filter", "^churn/"], ["churn"]),
        (["--bench", "churn"], ["churn"]),
        (["--bench", "expire", "--bench", "churn", "--filter", "uniform/1000$"], ["expire"]),
        (["--full", "--filter", "^(churn|sleep)/"], ["churn", "sleep"]),
        (["--queue", "min_heap", "--filter", "uniform/1000$"], ["expire", "memory"]),
    ],
)
def test_names_the_benches_that_a_selection_may_need(
    capfd: pytest.CaptureFixture[str], arguments: list[str], named: list[str]
) -> None:
    assert run.main(["--list", *arguments]) == 0
    assert capfd.readouterr().out.split() == named


def test_a_program_of_another_method_is_refused_before_anything_is_measured(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    old = '#!/bin/sh\ncase $1 in --seconds=*) echo "unknown flag $1" >&2; exit 1 ;; esac\n'
    program = build / "churn"
    program.write_text(program.read_text().replace("#!/bin/sh\n", old))
    assert run_quick(build) == 2
    assert "--benchmark_list_tests failed with status 1: unknown flag --seconds=" in (
        capfd.readouterr().err
    )
    assert runs(build) == []
