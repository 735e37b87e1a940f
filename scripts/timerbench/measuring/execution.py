"""Runs one process, and looks at what it says."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from timerbench.measuring.case import Process
from timerbench.measuring.store import Store
from timerbench.results import Entry, Name, parse_json

# What Google Benchmark says of every entry and nobody needs. Its times are of a whole repetition:
# ns_per_operation is made of them.
_LEFT_OUT = {
    "name",
    "family_index",
    "per_family_instance_index",
    "run_type",
    "repetitions",
    "repetition_index",
    "threads",
    "real_time",
    "cpu_time",
    "time_unit",
}


def execute(process: Process, store: Store, core: int | None, timeout: float) -> list[str]:
    """Runs one process and keeps its figures if nothing is wrong; returns what is wrong."""
    with tempfile.TemporaryDirectory(prefix="timerbench-") as directory:
        file = Path(directory) / "report.json"
        words = [str(process.program.binary), *process.arguments, f"--benchmark_out={file}"]
        if core is not None:
            words = ["taskset", "--cpu-list", str(core), *words]
        load_before = os.getloadavg()
        started = time.time()
        try:
            ended = subprocess.run(
                words,
                env=os.environ | process.environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            store.drop_older(process)
            return [f"{process.title}: not done after {timeout:g} s"]
        facts = {
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
            "seconds": round(time.time() - started, 3),
            "core": core,
            "load_before": load_before,
            "load_after": os.getloadavg(),
        }
        try:
            report = parse_json(file.read_text())
            store.refuse_another_machine(process, report["context"])
            errors = list(errors_in(report, process.cells))
            report["benchmarks"] = [kept(entry) for entry in report["benchmarks"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            errors = [f"{process.title}: not our JSON: {error}"]
    if ended.returncode != 0:
        how = f"ended with status {ended.returncode}"
        errors.append(f"{process.title}: {how}: {ended.stderr.strip() or 'no message'}")
    if errors:
        store.drop_older(process)
    else:
        store.add(process, report, facts)
    return errors


def errors_in(report: dict[str, Any], cells: frozenset[Name]) -> Iterator[str]:
    """What is wrong with the JSON of a process."""
    seen = set()
    for entry in report["benchmarks"]:
        name = Name.parse(entry["run_name"])
        seen.add(name)
        ns = entry.get("ns_per_operation", 0)
        if entry.get("error_occurred"):
            yield f"{name}: {entry.get('error_message', 'failed without a message')}"
        elif type(ns) not in (int, float) or not math.isfinite(ns):
            yield f"{name}: ns_per_operation is {ns!r}, and no number"
    for name in sorted(cells - seen):
        yield f"{name}: missing"


def kept(entry: dict[str, Any]) -> Entry:
    """The entry without what tells nothing; of a label that is an object of JSON, its members.

    Such are histograms: Google Benchmark has no place for more than a number or a text.
    """
    counters = {key: value for key, value in entry.items() if key not in _LEFT_OUT}
    counters["run_name"] = str(Name.parse(entry["run_name"]))
    if str(counters.get("label", "")).startswith("{"):
        counters |= parse_json(counters.pop("label"))
    return counters


def a_core() -> int | None:
    """The core that measures: the last one, if there is a choice; the first has the interrupts."""
    cores = os.sched_getaffinity(0)
    return max(cores) if len(cores) > 1 and shutil.which("taskset") else None
