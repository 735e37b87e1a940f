"""Runs one process, and checks its report."""

from __future__ import annotations

import os
import tempfile
import time
from asyncio.subprocess import DEVNULL
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timerbench.measuring.case import Process
from timerbench.measuring.children import said_by
from timerbench.measuring.store import Store
from timerbench.results import Entry, Name, parse_json
from timerbench.schema import faults_of

# Fields of an entry by Google Benchmark that nobody needs. Its times are of a whole repetition:
# ns_per_operation is computed from them.
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


@dataclass(frozen=True)
class Ran:
    """What a process left when it had ended."""

    process: Process
    facts: dict[str, Any]
    report: bytes | None  # None: there is none, or it may be half written
    error: str | None  # what went wrong with the process itself

    @property
    def seconds(self) -> float:
        return float(self.facts["seconds"])


async def run(process: Process, core: int | None, timeout: float) -> Ran:
    """Runs a process, pinned to a core if one is given.

    If this is cancelled, the process is killed.
    """
    words = [str(process.program.binary), *process.arguments]
    return Ran(process, *await report_of(words, process.environment, core, timeout))


async def report_of(
    words: list[str], environment: dict[str, str], core: int | None, timeout: float
) -> tuple[dict[str, Any], bytes | None, str | None]:
    """Returns the facts about a run of a bench, its report, and its error."""
    with tempfile.TemporaryDirectory(prefix="timerbench-") as directory:
        file = Path(directory) / "report.json"
        words = [*words, f"--benchmark_out={file}"]
        if core is not None:
            words = ["taskset", "--cpu-list", str(core), *words]
        load_before = os.getloadavg()
        started, began = time.gmtime(), time.monotonic()
        try:
            # The process may print its figures, too. To read them would disturb it.
            status, _, message = await said_by(
                words, env=os.environ | environment, timeout=timeout, stdout=DEVNULL
            )
            error = f"ended with status {status}: {message or 'no message'}" if status else None
            report = file.read_bytes() if file.is_file() else None
        except TimeoutError:
            error, report = f"not done after {timeout:g} s", None
        facts = {
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", started),
            "seconds": round(time.monotonic() - began, 3),
            "core": core,
            "load_before": load_before,
            "load_after": os.getloadavg(),
        }
        return facts, report, error


def keep(ran: Ran, store: Store) -> list[str]:
    """Keeps the figures if there are no errors. Returns the errors."""
    process = ran.process
    errors = [f"{process.title}: {ran.error}"] if ran.error else []
    if not ran.error or ran.report:
        try:
            report = parse_json(ran.report or b"")
            store.refuse_another_machine(process, report["context"])
            errors = [*errors_in(report, process.cells), *errors]
            report["benchmarks"] = [kept(entry) for entry in report["benchmarks"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            errors = [f"{process.title}: not our JSON: {error}", *errors]
    if errors:
        store.drop_older(process)
    else:
        store.add(process, report, ran.facts)
    return errors


def errors_in(report: dict[str, Any], cells: frozenset[Name]) -> Iterator[str]:
    """Yields the errors in the JSON of a process."""
    seen = set()
    for entry in report["benchmarks"]:
        name = Name.parse(entry["run_name"])
        seen.add(name)
        if entry.get("error_occurred"):
            yield f"{name}: {entry.get('error_message', 'failed without a message')}"
        else:
            for counter, value, message in faults_of(kept(entry)):
                yield f"{name}: {counter} is {value!r}: {message}"
    for name in sorted(cells - seen):
        yield f"{name}: missing"


def kept(entry: dict[str, Any]) -> Entry:
    """Returns the entry without useless fields. A label that is a JSON object becomes its members.

    Histograms are such labels: Google Benchmark has no other place for more than a number or a
    text.
    """
    counters = {key: value for key, value in entry.items() if key not in _LEFT_OUT}
    counters["run_name"] = str(Name.parse(entry["run_name"]))
    if str(counters.get("label", "")).startswith("{"):
        counters |= parse_json(counters.pop("label"))
    return counters
