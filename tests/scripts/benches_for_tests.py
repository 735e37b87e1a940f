"""Made-up programs of benches for the tests of run.py."""

from __future__ import annotations

from pathlib import Path

from results_for_tests import (
    CASES,
    GROUPS_OF_SERVICES,
    MEASURED,
    SIZES_OF,
    TRACES,
    WORKLOADS,
)
from timerbench.benches import kind_of, subject_of
from timerbench.results import COUNTING, Name

# A legal recording.
LEGAL_TRACE = Path(__file__).resolve().parents[1] / "benches" / "golden" / "cases.trace"

# A program with the flags of Google Benchmark that run.py uses. It offers the benchmarks `names`.
# If TIMERBENCH_TRACE names a recording, it also offers two queues on that. It writes each run into
# the file `runs`, and its environment into the file `environments`. `faults` says what goes wrong,
# and `spreads` by which share figures vary from run to run. Every test asks every bench for its
# names, and Python starts slowly: so the shell lists the names.
FAKE_BENCH = """#!/bin/sh
added=$(basename "${{TIMERBENCH_TRACE-}}")
added=${{added%%.trace*}}
case "$*" in *--benchmark_list_tests*)
  cat <<'NAMES'
{names}
NAMES
  for tick in ${{added:+1ms 1us}}; do
    echo "replay/ordered_map/$added@$tick/manual_time"
    echo "replay/min_heap/$added@$tick/manual_time"
  done
  exit ;;
--groups)
  echo "defaults: {defaults}"
  echo "twins: {twins}"
  exit ;;
esac
exec python3 -IS - "$0" "$added" "$@" <<'PROGRAM'
import json, os, pathlib, re, signal, sys, time
names = '''
{names}
'''.split()
faults = {faults!r}
spreads = {spreads!r}
here = pathlib.Path(sys.argv[1]).parent
if added := sys.argv[2]:
    queues, ticks = ("ordered_map", "min_heap"), ("1ms", "1us")
    names += [f"replay/{{queue}}/{{added}}@{{tick}}" for queue in queues for tick in ticks]
flags = dict(argument.split("=", 1) for argument in sys.argv[3:] if "=" in argument)
wanted = flags["--benchmark_filter"]
cells = [name for name in names if re.search(wanted, name)]
with open(here / "runs", "a+") as runs:
    runs.seek(0)
    before = runs.read().splitlines().count(wanted)
    print(wanted, file=runs)
with open(here / "environments", "a") as environments:
    variables = ("GLIBC_TUNABLES", "TIMERBENCH_TRACE")
    told = [name + "=" + os.environ[name] for name in variables if name in os.environ]
    print(pathlib.Path(sys.argv[1]).name, *told, file=environments)
entries = []
status = 0
for name in cells:
    entry = dict(name=name, run_name=name, threads=1, iterations=3, real_time=1.0, label="a label")
    spread = next((share for part, share in spreads.items() if part in name), 0)
    entry.update(ns_per_operation=10.0 * (1 + spread * (-1) ** before), worst_expire_ns=100.0)
    fault = next((kind for part, kind in faults.items() if part in name), None)
    if fault == "error":
        entry.update(error_occurred=True, error_message="the digest differs")
    if fault == "hang":
        # As Google Benchmark does, which writes as it goes.
        pathlib.Path(flags["--benchmark_out"]).write_text('{{"context": ')
        (here / "hanging").touch()
        time.sleep(60)
    if fault == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    if fault == "crash":
        status = 3
        print("out of memory", file=sys.stderr)
    if fault != "missing":
        entries.append(entry)
report = dict(context=dict(cpu="A CPU", commit={commit!r}, twins={twins!r}), benchmarks=entries)
pathlib.Path(flags["--benchmark_out"]).write_text(json.dumps(report))
sys.exit(status)
PROGRAM
"""

TWINS = ["min_heap_twin"]

# The offers of the made-up benches. Each has two queues, and a twin of the second one.
OFFERED = {
    bench: [f"{workload}/{10**zeros}" for workload in workloads for zeros in range(3, 8)]
    for bench, workloads in WORKLOADS.items()
    if bench not in SIZES_OF
}
OFFERED |= {bench: CASES[bench] for bench in SIZES_OF}
OFFERED["churn"] = ["rpc/10", "rpc/100", *OFFERED["churn"]]
OFFERED["replay"] = [
    f"{trace}@{tick}" for trace in ("tiny", "nginx-rbtree-ka5", *TRACES) for tick in ("1ms", "1us")
]


def names_offered(bench: str) -> list[Name]:
    measured = MEASURED[subject_of(bench)][:2]
    if kind_of(bench) == "queues" and bench not in COUNTING:
        measured = [*measured, *TWINS]
    return [Name(bench, one, case) for case in OFFERED[bench] for one in measured]


def write_benches(
    build: Path,
    faults: dict[str, str] | None = None,
    commit: str = "one",
    spreads: dict[str, float] | None = None,
) -> None:
    """Puts programs into `build` that look like the benches.

    `faults` maps a part of a cell's name to its fault: error, missing, crash, hang or interrupt.
    `spreads` maps such a part to the spread of its figures. Programs of different commits are
    different binaries.
    """
    build.mkdir(exist_ok=True)
    for bench in OFFERED:
        program = build / bench
        program.write_text(
            FAKE_BENCH.format(
                names="\n".join(f"{name}/manual_time" for name in names_offered(bench)),
                defaults=GROUPS_OF_SERVICES["defaults"],
                twins=" ".join(TWINS),
                faults=faults or {},
                spreads=spreads or {},
                commit=commit,
            )
        )
        program.chmod(0o755)
