"""Tells how far two machines agree on which queue is faster.

Both machines timed some pairs of our queues in the same case. Of these pairs, the ones count that
both machines tell apart: the 95% interval of their ratio does not contain 1 on either machine. The
share of them with the same order says what a ranking is worth on another machine. The pairs with
different orders follow, the largest differences first.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import sys

from timerbench import command_line
from timerbench.agreement import told_apart
from timerbench.results import load


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> None:
    parser = command_line.BriefParser(__doc__)
    for name in ("a", "b"):
        parser.takes(name, command_line.path, name.upper(), "a directory of results")
    parser.takes(
        "--most", command_line.positive, "N", "shows so many pairs in another order", default=20
    )
    options = parser.parse_args(arguments)
    apart = told_apart(load(options.a), load(options.b))
    other = sorted((pair for pair in apart if not pair.same_order), key=lambda pair: -pair.at_stake)
    same = len(apart) - len(other)
    print(
        f"{same} of {len(apart)} pairs of queues that both tell apart have the same order on both"
        f" ({same / len(apart):.1%})."
    )
    for pair in other[: options.most]:
        print(f"{pair.name} / {pair.rival}: {pair.on_a.mean:.2f} on A, {pair.on_b.mean:.2f} on B")


if __name__ == "__main__":
    sys.exit(main())
