"""Counts what an operation takes in two builds of a project's queues, and compares them.

Callgrind counts instructions, so the load of the machine changes nothing: only different code gives
different counts. A cell is worse if it takes at least 2% (--smallest) more instructions. Each build
needs a program `simulated`; tests/foreign_project/measure is an example.

Exit status: 0 no cell is worse, 1 a cell is worse or AFTER lacks it, 2 this cannot be told, 3 the
filter matches nothing that `simulated` offers, 70 a mistake of ours.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import math
import sys

from timerbench import command_line
from timerbench.callgrind import PROGRAM, CountError, count
from timerbench.measuring.program import binary_in, names_in
from timerbench.simulated import Cells, words_of

SMALLEST = 2.0  # percent; the counts of the same code differ by less, wherever it lies in memory

NOTHING_MATCHES = 3

# With these a queue takes a minute. More timers take longer under valgrind, and tell little more.
CASES = r"/10{3,4}$"


def table_of(before: Cells, after: Cells, smallest: float) -> tuple[list[str], bool]:
    """Returns a line for each cell that differs, the worst first, and whether a cell is worse."""
    change: dict[str, float] = {}
    for name, was in before.items():
        now = after.get(name)
        if was and now:
            change[name] = now.instructions / was.instructions - 1
        elif was or name not in after:
            change[name] = math.inf
    differ = sorted((n for n in change if abs(change[n]) >= smallest), key=lambda n: -change[n])
    share = {n: f": {change[n]:+.1%}" if change[n] < math.inf else "" for n in differ}
    lines = [f"{n}: {words_of(before, n)}, now {words_of(after, n)}{share[n]}" for n in differ]
    return lines, any(change[n] > 0 for n in differ)


percent = command_line.number("a percentage above 0", lambda value: 0 < value < 1e6, "%")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = command_line.BriefParser(__doc__)
    for name, text in {"before": "the earlier build", "after": "the later one"}.items():
        parser.takes(name, command_line.path, name.upper(), text)
    parser.takes_filter(
        "what is counted, of names like churn/rpc/1000; 1,000 and 10,000 timers by default",
        default=CASES,
    )
    parser.takes_several("--queue", str, "NAME", "only this queue; several may be given")
    parser.takes("--smallest", percent, "PERCENT", "less apart is the same", default=SMALLEST)
    return parser.parse_args(arguments)


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    programs = [binary_in(build, PROGRAM) for build in (options.before, options.after)]
    offered = [names_in(program) for program in programs]
    names = [
        of
        for of in offered[0]
        if options.filter.search(f"{of.bench}/{of.case}")
        and (not options.queue or of.queue in options.queue)
    ]
    if not names:
        print(
            f"compare_counts.py: '{options.filter.pattern}' matches nothing that {programs[0]} "
            "offers; names are like churn/rpc/1000",
            file=sys.stderr,
        )
        return NOTHING_MATCHES
    cells = []
    for program, of_program in zip(programs, offered, strict=True):
        wanted = [of for of in of_program if of in names]
        if not wanted:
            raise CountError(f"{program} offers nothing of what {programs[0]} does")
        print(f"counting {len(wanted)} cells of {program} under valgrind", flush=True)
        cells.append(count(program, wanted).cells)
    before, after = cells
    lines, worse = table_of(before, after, options.smallest / 100)
    for line in lines:
        print(line)
    print(f"{len(lines)} of {len(before)} cells differ by {options.smallest:g}% or more")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
