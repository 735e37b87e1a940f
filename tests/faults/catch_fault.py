#!/usr/bin/env python3
"""catch_fault.py FILE PROGRAM: a planted fault, or a model with a bug, must be caught.

FILE is a patch with a fault, or the source of a model of the museum. A patch opens with the faulty
behaviour in a sentence, and names what the build and this script need:

    Queue: MinHeap<Task>                         a queue, under the whole kit for queues,
    Hidden: MinHeap<Task>                        or one that histories do not show to be wrong,
    Staying: MinHeap<Task>                       or its timers that stay, under the same kit,
    Service: HeapTimer<ManualClock>              or a service, under the kit for services,
    RealTime: HeapTimer<SteadyClock>             or one as it is, under the kit for real time,
    Schedules: HeapTimer<StepwiseClock>          or one in every schedule of a few threads,
    Test: tests/services/clock_test.cpp          or other tests
    Header: impls/queues/min_heap.hpp            of the queue or the service
    Caught by: ErasingFromTheMiddleKeepsTheOrder

A model has lines 'Caught by', too, in a comment. Its program has controls beside it, which do not
have the bug. The same tests must pass on them.

In real time a race shows in nearly every run, but on a busy machine many hide. So such a test has
twenty runs to fail in.

PROGRAM is that, built with the fault. Each test named must fail by itself, or crash, and so must
the differential test of a queue. Timers that stay are tested with the queue and with its pool: one
of the two must fail. A test that passes (the fault survives), one that does not exist
and one that does not end are errors, and so is a program that does not run. Exit status: 0 caught,
1 not caught, 2 wrong usage.
"""

import re
import signal
import subprocess
import sys
from pathlib import Path

# The whole kit must catch a planted fault, and so must this test by itself.
DIFFERENTIAL_TEST = "AgreesWithTheModelOnRandomHistories"
SECONDS_TO_CATCH = 120
RUNS_IN_REAL_TIME = 20
CRASHES = {-signal.SIGABRT, -signal.SIGSEGV}

# The suites of the tests that a patch names, by the kind of its program.
SUITES = {
    "Queue": "conformance/faulty.",
    "Hidden": "conformance/faulty.",
    "Staying": "conformance/faulty*.",
    "Service": "service_conformance/faulty.",
    "RealTime": "real_time/faulty.",
    "Schedules": "schedules/faulty.",
    "Test": "",
}

# The suites for models, by their room of the museum.
ROOMS = {
    "queues": "conformance/",
    "services": "service_conformance/",
    "real_time": "real_time/",
}


def sentences_of(file: Path) -> list[str]:
    """The names of the tests that must catch the fault."""
    return re.findall(r"^(?:// )?Caught by: ([\w./]+)$", file.read_text(), flags=re.MULTILINE)


def tests_named_in(patch: Path) -> list[str]:
    """The tests with their suites, as Google Test names them."""
    if patch.suffix == ".cpp":
        return [f"{ROOMS[patch.parent.name]}{patch.stem}.{test}" for test in sentences_of(patch)]
    text = patch.read_text()
    tests = sentences_of(patch)
    kinds = [kind for kind in SUITES if re.search(rf"^{kind}: .", text, flags=re.MULTILINE)]
    if not tests or len(kinds) != 1:
        sys.exit(f"{patch}: wants lines 'Caught by: NameOfATest', and one of {', '.join(SUITES)}")
    if kinds == ["Queue"]:
        tests.append(DIFFERENTIAL_TEST)
    return [SUITES[kinds[0]] + test for test in tests]


def verdict_of_runs(program: str, test: str) -> str | None:
    """None if the test fails in one of its runs; otherwise what is wrong."""
    runs = RUNS_IN_REAL_TIME if test.startswith(ROOMS["real_time"]) else 1
    for _ in range(runs):
        wrong = verdict(program, test)
        if wrong is None:
            return None
    return wrong


#
def verdict(program: str, test: str) -> str | None:
    """None if the test fails, as it should; otherwise what is wrong."""
    command = [program, "--gtest_brief=1", f"--gtest_filter={test}"]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=SECONDS_TO_CATCH
        )
    except subprocess.TimeoutExpired:
        return f"{test} did not end within {SECONDS_TO_CATCH} s"
    if "[  FAILED  ]" in run.stdout or run.returncode in CRASHES:
        return None
    if run.returncode != 0:
        return f"{test} ended with status {run.returncode}: {run.stderr.strip()}"
    if not re.search(r"\b(1 test from 1 test suite|2 tests from 2 test suites) ran", run.stdout):
        return f"{test} is not a test"
    return f"{test} passes: the fault survives it"


def complaints_of_controls(program: str, model: Path) -> list[str]:
    """A complaint for each test of the model that does not pass on its controls."""
    complaints = []
    for sentence in sentences_of(model):
        tests = f"{ROOMS[model.parent.name]}*control.{sentence}"
        command = [program, "--gtest_brief=1", f"--gtest_filter={tests}"]
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=SECONDS_TO_CATCH
        )
        if run.returncode != 0 or not re.search(r"\[  PASSED  \] [1-9]", run.stdout):
            complaints.append(f"{tests} does not pass: it tells nothing of the model")
    return complaints


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    patch, program = Path(sys.argv[1]), sys.argv[2]
    tests = tests_named_in(patch)
    complaints = [complaint for test in tests if (complaint := verdict_of_runs(program, test))]
    if patch.suffix == ".cpp":
        if not tests:
            complaints.append("wants lines 'Caught by: NameOfASentence'")
        complaints += complaints_of_controls(program, patch)
    for complaint in complaints:
        print(f"{patch.name}: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
