"""Tests of scripts/summary.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import summary
from results import load
from results_for_tests import QUEUES, write_results


def test_prints_a_line_for_each_queue_and_the_paths(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_results(tmp_path)
    (tmp_path / "churn.svg").touch()
    assert summary.main([str(tmp_path)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.strip().startswith(tuple(QUEUES))] == QUEUES
    assert lines[-2:] == [f"chart   {tmp_path}/churn.svg", f"figures {tmp_path}/*/*.json"]
    assert max(map(len, lines[:-2])) <= 80


def test_replay_is_the_geometric_mean_of_the_ratios_to_the_fastest(tmp_path: Path) -> None:
    write_results(tmp_path)
    for file in tmp_path.glob("replay/*.json"):
        report = json.loads(file.read_text())
        for cell in report["benchmarks"]:
            slow = "min_heap" in cell["run_name"]
            finer = "@1us" in cell["run_name"]
            cell["ns_per_operation"] = (8.0 if finer else 2.0) if slow else 1.0
        file.write_text(json.dumps(report))
    results = load(tmp_path)
    assert summary.replay_ratio(results, "min_heap") == pytest.approx(4)
    assert summary.replay_ratio(results, "ordered_map") == 1


def test_says_that_a_directory_holds_no_results(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert summary.main([str(tmp_path)]) == 2
    assert f"{tmp_path} holds no results" in capfd.readouterr().err
