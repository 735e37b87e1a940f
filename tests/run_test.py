"""Tests of scripts/run.py, over programs that look like benchmarks."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import run
from results import Name
from results_for_tests import write_benches

RUN = Path(run.__file__)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    write_benches(tmp_path / "build")
    return tmp_path / "build"


def run_quick(build: Path, *more: str) -> int:
    return run.main(["--build", str(build), "--output", str(build.parent / "out"), *more])


def runs(build: Path) -> list[str]:
    file = build / "runs"
    return file.read_text().splitlines() if file.exists() else []


def files(build: Path) -> set[str]:
    out = build.parent / "out"
    return {str(file.relative_to(out)) for file in out.rglob("*") if file.is_file()}


def test_runs_one_process_for_each_bench_case_and_round(build: Path) -> None:
    assert run_quick(build) == 0
    assert files(build) == {"manifest.json", "context.json"} | {
        f"{process}.{number}.json"
        for process in ("replay/go-nethttp", "churn/rpc-1000", "churn/rpc-10000")
        for number in (1, 2, 3)
    }
    report = json.loads((build.parent / "out" / "replay" / "go-nethttp.1.json").read_text())
    assert {cell["run_name"] for cell in report["benchmarks"]} == {
        f"replay/{queue}/go-nethttp@{tick}/manual_time"
        for queue in ("ordered_map", "min_heap")
        for tick in ("1ms", "1us")
    }


def test_keeps_a_case_apart_from_one_that_begins_alike(build: Path) -> None:
    assert run_quick(build, "--filter", "rpc/1000$") == 0
    report = json.loads((build.parent / "out" / "churn" / "rpc-1000.1.json").read_text())
    assert {cell["run_name"] for cell in report["benchmarks"]} == {
        "churn/ordered_map/rpc/1000/manual_time",
        "churn/min_heap/rpc/1000/manual_time",
    }


def test_shuffles_each_round_in_a_way_of_its_own_and_always_the_same(build: Path) -> None:
    bench = run.offered("churn", build)
    many = run.Bench(
        "churn",
        bench.binary,
        bench.sha256,
        [Name("churn", "min_heap", f"{workload}/1000") for workload in "abcdefghij"],
    )
    order = [process.title for process in run.plan([many], "quick", 2, re.compile(""))]
    again = [process.title for process in run.plan([many], "quick", 2, re.compile(""))]
    assert order == again
    first, second = ([title.split()[0] for title in half] for half in (order[:10], order[10:]))
    assert first != second
    assert sorted(first) == sorted(second) != first


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


def test_runs_again_what_another_binary_made(build: Path) -> None:
    assert run_quick(build, "--rounds", "1") == 0
    done = len(runs(build))
    with (build / "churn").open("a") as program:
        program.write("# built anew\n")
    assert run_quick(build, "--rounds", "1") == 0
    assert sum("churn" in line for line in runs(build)[done:]) == 2
    assert not any("replay" in line for line in runs(build)[done:])


def test_runs_again_what_other_arguments_made(build: Path) -> None:
    assert run_quick(build, "--smoke", "--filter", "churn") == 0
    assert run_quick(build, "--quick", "--rounds", "1", "--filter", "rpc/1000$") == 0
    assert len(runs(build)) == 2


def test_runs_again_what_was_deleted(build: Path) -> None:
    assert run_quick(build, "--rounds", "1") == 0
    done = len(runs(build))
    (build.parent / "out" / "churn" / "rpc-1000.1.json").unlink()
    assert run_quick(build, "--rounds", "1") == 0
    assert len(runs(build)) == done + 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("error", "churn/min_heap/rpc/1000: the digest differs"),
        ("missing", "churn/min_heap/rpc/1000: missing"),
        ("crash", "churn/rpc/1000 round 1: ended with status 3: out of memory"),
        ("hang", "churn/rpc/1000 round 1: not done after 1 s"),
    ],
)
def test_a_failed_cell_makes_the_exit_status_1_and_is_named_and_leaves_no_figures(
    build: Path, capfd: pytest.CaptureFixture[str], fault: str, message: str
) -> None:
    write_benches(build, {"min_heap/rpc/1000/": fault})
    assert run_quick(build, "--rounds", "1", "--timeout", "1") == 1
    assert message in capfd.readouterr().err
    assert "churn/rpc-1000.1.json" not in files(build)
    assert "churn/rpc-10000.1.json" in files(build)
    assert not [file for file in files(build) if file.endswith(".part")]


def test_a_queue_that_lacks_a_case_is_an_error(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = (build / "churn").read_text()
    (build / "churn").write_text(program.replace("'churn/min_heap/rpc/1000/manual_time', ", ""))
    assert run_quick(build, "--rounds", "1") == 1
    assert "churn/min_heap/rpc/1000: missing" in capfd.readouterr().err


def test_what_failed_runs_again(build: Path) -> None:
    write_benches(build, {"min_heap/rpc/1000/": "error"})
    assert run_quick(build, "--rounds", "1", "--filter", "churn") == 1
    done = len(runs(build))
    assert run_quick(build, "--rounds", "1", "--filter", "churn") == 1
    assert len(runs(build)) == done + 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing_half_written(build: Path, how: signal.Signals) -> None:
    write_benches(build, {"min_heap/rpc/1000/": "hang"})
    out = build.parent / "out"
    running = subprocess.Popen(
        [sys.executable, RUN, "--build", build, "--output", out, "--filter", "churn"],
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
    assert not [file for file in files(build) if file.endswith(".part")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rounds", "0"], "'0' is not a whole number above 0"),
        (["--rounds", "many"], "'many' is not a whole number above 0"),
        (["--filter", "("], "'(' is no regular expression"),
        (["--quick", "--full"], "not allowed with argument"),
        (["--fast"], "unrecognized arguments: --fast"),
    ],
)
def test_refuses_bad_arguments_with_status_2(
    capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        run.main(arguments)
    assert refused.value.code == 2
    assert message in capfd.readouterr().err


def test_refuses_a_filter_that_matches_nothing(
    build: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_quick(build, "--filter", "nothing") == 2
    assert "--filter 'nothing' matches no process" in capfd.readouterr().err
    assert runs(build) == []


def test_says_which_binary_is_missing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_quick(tmp_path / "build") == 2
    assert f"{tmp_path}/build/replay is missing" in capfd.readouterr().err
