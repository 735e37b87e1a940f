"""Tests of scripts/timerbench/benches.py: it describes each bench that exists."""

from __future__ import annotations

import re
from pathlib import Path

from timerbench.benches import BENCHES, Workload, in_order, workload_of

ROOT = Path(__file__).resolve().parents[2]


def test_describes_every_bench_that_is_built() -> None:
    programs = {
        file.stem
        for wing in ("queues", "services", "machine")
        for file in ROOT.glob(f"benches/{wing}/*.cpp")
    }
    of_own_loads = {"load", "load_use", "service_load"}  # choose.py describes what it measures
    others = {"schemes", "simulated", "timers_replay"}
    assert programs - of_own_loads - others == set(BENCHES)


def test_describes_every_workload_in_the_code() -> None:
    in_code = re.findall(
        r'Workload\{"(\w+)"', (ROOT / "benches" / "workloads" / "catalog.hpp").read_text()
    )
    assert len(in_code) > 20
    described = {workload for bench in BENCHES.values() for workload in bench.workloads}
    assert set(in_code) <= described


def test_describes_every_trace() -> None:
    traces = {file.name.split(".")[0] for file in (ROOT / "benches" / "traces").glob("*.trace.*")}
    assert traces == set(BENCHES["replay"].workloads)


def test_a_line_fits_above_a_panel() -> None:
    lines = [w.line for bench in BENCHES.values() for w in bench.workloads.values()]
    assert max(map(len, lines)) <= 75
    assert all(line.endswith(".") for line in lines)


def test_a_workload_that_is_not_described_comes_last_and_says_nothing() -> None:
    assert workload_of("churn", "novel") == Workload("")
    assert in_order("churn", ["novel", "retry", "rpc", "novel"]) == ["rpc", "retry", "novel"]
