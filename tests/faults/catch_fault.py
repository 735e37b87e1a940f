#!/usr/bin/env python3
"""catch_fault.py PATCH PROGRAM: a planted fault must be caught.

PATCH opens with the faulty behaviour in a sentence, and names what the build and this script need:

    Queue: MinHeap<Task>                         a queue, under the whole kit for queues,
    Staying: MinHeap<Task>                       or its timers that stay, under the same kit,
    Service: HeapTimer<ManualClock>              or a service, under the kit for services,
    Test: tests/services/clock_test.cpp          or other tests
    Header: impls/queues/min_heap.hpp            of the queue or the service
    Caught by: ErasingFromTheMiddleKeepsTheOrder

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

# The kit kills what is planted, and so does this test alone.
DIFFERENTIAL_TEST = "AgreesWithTheModelOnRandomHistories"
SECONDS_TO_CATCH = 120
CRASHES = {-signal.SIGABRT, -signal.SIGSEGV}

# Where the tests are that a patch names, by what it says is built.
SUITES = {
    "Queue": "conformance/faulty.",
    "Staying": "conformance/faulty*.",
    "Service": "service_conformance/faulty.",
    "Test": "",
}


def tests_named_in(patch: Path) -> list[str]:
    """With their suites, as Google Test names them."""
    text = patch.read_text()
    tests = re.findall(r"^Caught by: ([\w./]+)$", text, flags=re.MULTILINE)
    kinds = [kind for kind in SUITES if re.search(rf"^{kind}: .", text, flags=re.MULTILINE)]
    if not tests or len(kinds) != 1:
        sys.exit(f"{patch}: wants lines 'Caught by: NameOfATest', and one of {', '.join(SUITES)}")
    if kinds == ["Queue"]:
        tests.append(DIFFERENTIAL_TEST)
    return [SUITES[kinds[0]] + test for test in tests]


#
def verdict(program: str, test: str) -> str | None:
    """None when the test fails, as it should; else what is wrong."""
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


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    patch, program = Path(sys.argv[1]), sys.argv[2]
    complaints = [
        complaint
        for test in tests_named_in(patch)
        if (complaint := verdict(program, test)) is not None
    ]
    for complaint in complaints:
        print(f"{patch.name}: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
