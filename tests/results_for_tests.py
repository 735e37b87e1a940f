"""Made-up benchmarks and results for the tests of the scripts."""

from __future__ import annotations

import json
import math
from pathlib import Path

QUEUES = [
    "ordered_map",
    "min_heap",
    "priority_queue",
    "quaternary_heap",
    "pairing_heap",
    "fibonacci_heap",
    "hashed_wheel_512",
    "hashed_wheel_4096",
    "hierarchical_wheel",
    "lazy_wheel",
]
TRACES = ["go-nethttp", "kernel-wheel-nginx", "netty-hashedwheel"]

# A program with the flags of Google Benchmark that run.py uses. It offers LISTED, and writes down
# each run in the file `runs`; what NAMES_OF_FAULTS holds goes wrong.
FAKE_BENCH = """#!/usr/bin/env python3
import json, pathlib, re, sys, time
here = pathlib.Path(__file__).parent
names = {names!r}
faults = {faults!r}
flags = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
if "--benchmark_list_tests" in sys.argv:
    print("\\n".join(names))
    sys.exit()
cells = [name for name in names if re.search(flags["--benchmark_filter"], name)]
with open(here / "runs", "a") as runs:
    print(flags["--benchmark_filter"], file=runs)
entries = []
status = 0
for name in cells:
    entry = dict(run_name=name, ns_per_operation=10.0, worst_expire_ns=100.0)
    fault = next((kind for part, kind in faults.items() if part in name), None)
    if fault == "error":
        entry.update(error_occurred=True, error_message="the digest differs")
    if fault == "hang":
        (here / "hanging").touch()
        time.sleep(60)
    if fault == "crash":
        status = 3
        print("out of memory", file=sys.stderr)
    if fault != "missing":
        entries.append(entry)
report = dict(context=dict(cpu="A CPU"), benchmarks=entries)
pathlib.Path(flags["--benchmark_out"]).write_text(json.dumps(report))
sys.exit(status)
"""


def write_benches(build: Path, faults: dict[str, str] | None = None) -> None:
    """Puts programs into `build` that look like replay and churn, with two queues each.

    `faults` maps a part of a cell's name to what goes wrong there: error, missing, crash or hang.
    """
    cases = {
        "replay": ["tiny@1ms", "go-nethttp@1ms", "go-nethttp@1us"],
        "churn": ["rpc/1000", "rpc/10000", "rpc/10000000"],
    }
    build.mkdir(exist_ok=True)
    for bench, of_bench in cases.items():
        names = [f"{bench}/{queue}/{case}/manual_time" for case in of_bench for queue in QUEUES[:2]]
        program = build / bench
        program.write_text(FAKE_BENCH.format(names=names, faults=faults or {}))
        program.chmod(0o755)


def write_results(directory: Path) -> None:
    """Results of ten queues and three rounds, as run.py would leave them."""
    times = {f"replay/{trace}": [f"{trace}@1ms", f"{trace}@1us"] for trace in TRACES}
    times |= {f"churn/rpc-{n}": [f"rpc/{n}"] for n in (1_000, 10_000, 100_000, 1_000_000)}
    manifest = {}
    for process, cases in times.items():
        for number in (1, 2, 3):
            entries = [
                {
                    "run_name": f"{process.split('/')[0]}/{queue}/{case}/manual_time",
                    "ns_per_operation": made_up_ns(position, case, number),
                    "worst_expire_ns": 1000.0 * (position + 1),
                }
                for case in cases
                for position, queue in enumerate(QUEUES)
            ]
            file = directory / f"{process}.{number}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            context = {"cpu": "A CPU of 2 GHz", "compiler": "GCC 12.2.0", "flags": "-O2 -DNDEBUG"}
            file.write_text(json.dumps({"context": context, "benchmarks": entries}))
            manifest[f"{process}.{number}.json"] = {
                "binary": "a hash",
                "queues": QUEUES,
                "started": "2026-01-01T00:00:00Z",
            }
    (directory / "manifest.json").write_text(json.dumps(manifest))


def made_up_ns(position: int, case: str, number: int) -> float:
    """Trees and heaps grow with n, wheels hardly; close ones end close together."""
    n = int(case.split("/")[1]) if "/" in case else 10_000 * (1 + len(case) % 3)
    growth = math.log2(n) * (12 - 1.3 * position) if position < 6 else 20 + 0.8 * math.log2(n)
    coarse = 2.5 if case.endswith("@1us") and position == 6 else 1.0
    return (15 + growth + position) * coarse * (1 + 0.04 * (number - 2) * (position % 3))
