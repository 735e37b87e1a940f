"""Counts how many instructions the schemes of Varghese & Lauck take, and stores the counts.

The counts are stored in results/schemes.json by compiler, libc and flags. Counting takes some
minutes, and the load of the machine changes nothing. scripts/plot.py draws the chart.

Exit status: 0 the counts are stored, 2 nothing could be counted.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import platform
import sys

from timerbench import simulated
from timerbench.callgrind import check_build, count, parser_of
from timerbench.measuring.program import binary_in, names_in
from timerbench.simulated import SCHEMES, key_of

PROGRAM = "schemes"


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> None:
    options = parser_of(__doc__).parse_args(arguments)
    stored = simulated.read(SCHEMES)
    program = binary_in(options.build, PROGRAM)
    names = names_in(program)
    print(f"counting {len(names)} cells under valgrind", flush=True)
    counts = count(program, names)
    check_build(counts.context)
    key = key_of(counts.context, platform.machine())
    simulated.write(SCHEMES, {**stored, key: counts.cells})
    print(f"{SCHEMES} has {len(counts.cells)} cells for '{key}'")


if __name__ == "__main__":
    sys.exit(main())
