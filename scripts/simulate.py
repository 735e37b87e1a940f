"""Counts what an operation takes on a simulated machine, and compares it with the stored counts.

Callgrind counts instructions, misses of the caches and mispredicted branches, so the load of the
machine changes nothing. The counts are in results/simulated.json, by compiler, libc and flags.
Without --renew the command counts only some cases: the gate of CI. A cell whose instructions are
more than 2% from the stored ones runs other code. Misses and mispredicted branches are stored and
shown, but do not decide: they depend on the places of code and data in memory.

Exit status: 0 all counts are as stored, 1 something differs, 2 this cannot be told, 70 a mistake
of ours.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from timerbench import simulated
from timerbench.callgrind import PROGRAM, CountError, check_build, count, parser_of
from timerbench.measuring.program import binary_in, groups_of, names_in
from timerbench.results import Name
from timerbench.simulated import STORED, Cells, key_of, words_of

Tolerance = tuple[float, float]

RENEW = ".venv/bin/python scripts/simulate.py --renew"

# How far a figure may be from the stored one: relative, or absolute per operation. The same code
# executes as many instructions wherever it lies in memory, so CI compares only these. Neighbouring
# code and data change the misses of small cases by up to 15%, and the mispredicted branches of some
# by 25%.
TOLERANCES = {"instructions": (0.02, 0.0)}
SHOWN_WHEN_RENEWED = {
    "instructions": (0.001, 0.0),
    "d1_misses": (0.25, 0.2),
    "ll_misses": (0.25, 0.2),
    "mispredicted": (0.25, 0.2),
}

# The queue that does nothing: its counts are the cost of the harness.
NO_QUEUE = "no_queue"
# The harness may cost 2 ns a verb. The program executes 14 to 15 instructions of it a ns without
# valgrind (AMD EPYC of 3.5 GHz).
HARNESS_LIMIT = 28.0

# What CI counts in a minute: each verb and each population. With 100,000 timers within a minute,
# nearly each tick has expiries; with 10,000, most ticks have none.
GATE = {
    "insert/warm/10000",
    "cancel/random/10000",
    "expire/uniform/10000",
    "expire/uniform/100000",
    "churn/rpc/1000",
    "churn/rpc/10000",
    "churn/retry/10000",
    "churn/tcp/1000",
    "rearm/idle/10000",
    "rearm/raft/1000",
    "burst/edges/10000",
    "next_expiry/uniform/10000",
    "horizon/1s_and_6h/1000",
    "staying/rpc_mixed/10000",
}


def differences(before: Cells, now: Cells, tolerances: Mapping[str, Tolerance]) -> list[str]:
    """Returns a line for each figure that differs from its former value by more than is allowed."""
    lines = []
    for name in dict.fromkeys([*before, *now]):
        one, other = before.get(name), now.get(name)
        if one is None or other is None:
            was, now_is = words_of(before, name), words_of(now, name)
            if was != now_is:
                lines.append(f"{name}: {was}, now {now_is}")
            continue
        for column, (share, number) in tolerances.items():
            was, now_is = getattr(one, column), getattr(other, column)
            if abs(now_is - was) > max(share * was, number):
                ratio = f": {now_is / was - 1:+.1%}" if was else ""
                words = column.replace("_", " ")
                lines.append(f"{name}: {words} {was:g}, now {now_is:g}{ratio}")
    return lines


def check_harness(cells: Cells) -> None:
    harness = {name: of for name, of in cells.items() if Name.parse(name).queue == NO_QUEUE and of}
    if not harness:
        raise CountError(f"the harness is not counted: there is no cell of {NO_QUEUE}")
    for name, counted in harness.items():
        if counted.instructions > HARNESS_LIMIT:
            raise CountError(
                f"{name}: the harness takes {counted.instructions:.1f} instructions a verb; "
                f"{HARNESS_LIMIT:g} are 2 ns, and the most that it may take"
            )


def in_gate(name: Name) -> bool:
    return f"{name.bench}/{name.case}" in GATE or name.queue == NO_QUEUE


def compare(key: str, now: Cells, stored: Mapping[str, Cells]) -> int:
    """Compares the counts with the stored ones, only for cases and queues that are counted now."""
    if key not in stored:
        raise CountError(f"nothing is stored for '{key}'; {RENEW} counts it")
    names = [Name.parse(name) for name in now]
    cases, queues = {(of.bench, of.case) for of in names}, {of.queue for of in names}
    before = {
        name: counted
        for name, counted in stored[key].items()
        if (of := Name.parse(name)).queue in queues and (of.bench, of.case) in cases
    }
    different = differences(before, now, TOLERANCES)
    for line in different:
        print(line)
    if before.keys() != now.keys():
        raise CountError(f"other cells are stored; {RENEW} renews them")
    if different:
        print(
            f"{len(different)} figures of {len(now)} cells are too far from what is stored; "
            f"if you meant this change, {RENEW} stores what is counted now"
        )
        return 1
    print(f"all figures of {len(now)} cells are near those that are stored for '{key}'")
    return 0


def renew(key: str, now: Cells, stored: Mapping[str, Cells], path: Path) -> None:
    different = differences(stored.get(key, {}), now, SHOWN_WHEN_RENEWED)
    for line in different:
        print(line)
    simulated.write(path, {**stored, key: now})
    print(f"{path} has {len(now)} cells for '{key}'; {len(different)} figures have changed")


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> int:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--renew",
        action="store_true",
        help="counts all cells, in a quarter of an hour, and stores them for this compiler, libc "
        "and flags",
    )
    options = parser.parse_args(arguments)
    stored = simulated.read(STORED)
    program = binary_in(options.build, PROGRAM)
    # Results of libraries are not compared: their versions differ, and some machines lack them.
    groups = groups_of(program)
    if not groups:
        raise CountError(f"{program} does not say which queues are of libraries")
    libraries = groups.get("libraries", ())
    names = [of for of in names_in(program) if of.queue not in libraries]
    if not options.renew:
        names = [of for of in names if in_gate(of)]
    print(f"counting {len(names)} cells under valgrind", flush=True)
    counts = count(program, names)
    check_build(counts.context)
    check_harness(counts.cells)
    key = key_of(counts.context, platform.machine())
    if options.renew:
        renew(key, counts.cells, stored, STORED)
        return 0
    return compare(key, counts.cells, stored)


if __name__ == "__main__":
    sys.exit(main())
