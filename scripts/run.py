"""Runs the benchmarks: one process for each bench, case and round, in random order.

First a few processes measure each case. Then, while the budget of minutes lasts, more processes go
to those cases of queues whose figures are least known. A process that the same binary has finished
with the same arguments does not run again. So an interrupted run goes on where it stopped. Several
builds are measured side by side: what the machine does to one, it does to the others. If one of
them lacks its process of a round, all of them run it again.
"""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import argparse
import asyncio
import os
import re
import sys
from contextlib import ExitStack
from pathlib import Path

from timerbench import command_line, context
from timerbench.benches import BENCHES
from timerbench.matrix import PROFILES, effort_for
from timerbench.measuring import RunError, cores
from timerbench.measuring.case import (
    Case,
    cases_for,
    environment_of,
    flags,
    recording,
    unknown_queues,
)
from timerbench.measuring.drift import NOTABLE as NOTABLE_DRIFT
from timerbench.measuring.execution import Ran, keep
from timerbench.measuring.huge_pages import Pages, kernel_gives_huge_pages
from timerbench.measuring.lanes import Lanes, run_all
from timerbench.measuring.outputs import locked, pairs
from timerbench.measuring.program import Program, offered
from timerbench.measuring.selection import Selection
from timerbench.measuring.store import Store
from timerbench.measuring.turns import Turns
from timerbench.progress import Progress
from timerbench.results import CONTEXT, ORIGINALS, Name, write_json

minutes = command_line.number(
    "a number of minutes from 0 on", lambda value: 0 <= value <= command_line.MOST
)


def name_of_queue(text: str) -> str:
    if not re.fullmatch(r"\w+", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"'{text}' is no name of a queue, such as lazy_wheel")
    return text


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = command_line.BriefParser(__doc__.split("\n", 1)[0])
    profile = parser.add_mutually_exclusive_group()
    for name, text in {
        "quick": "minutes (the default)",
        "full": "every size, and longer",
        "smoke": "each benchmark once, at its smallest: only to see that none fails",
    }.items():
        profile.add_argument(
            f"--{name}", dest="profile", action="store_const", const=name, help=text
        )
    for name, text in {
        "build": "where the benches are; build/release by default; several are run side by side",
        "output": "where results go; results/local by default; one for each build",
    }.items():
        parser.takes_several(f"--{name}", command_line.path, "DIR", text)
    how_often = parser.add_mutually_exclusive_group()
    how_often.add_argument(
        "--minutes",
        type=minutes,
        metavar="M",
        help="for queues, in each build, if the fewest processes do not take longer; "
        + ", ".join(f"--{name}: {of.minutes:g}" for name, of in PROFILES.items() if of.minutes),
    )
    how_often.add_argument(
        "--rounds",
        type=command_line.positive,
        metavar="N",
        help="so many processes for each case, whatever they show",
    )
    parser.takes(
        "--timeout",
        command_line.positive,
        "SECONDS",
        "for a process; the profile says it otherwise",
    )
    parser.takes(
        "--cores",
        command_line.positive,
        "N",
        "measures queues on so many at once, if there are so many",
        default=cores.BY_DEFAULT,
    )
    parser.add_argument(
        "--small-pages",
        action="store_true",
        help="does not ask for huge pages, in which queues are measured otherwise",
    )
    parser.takes_filter("only what matches, of names like churn/rpc/1000")
    parser.takes_benches()
    parser.takes_several("--queue", name_of_queue, "NAME", "only this queue; several may be given")
    parser.takes(
        "--trace",
        command_line.path,
        "FILE",
        "only this recording, in the form of benches/traces/FORMAT.md",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="names the benches, or those that what is asked for may need",
    )
    return parser.parse_args(arguments)


def selection_of(options: argparse.Namespace) -> Selection:
    profile = options.profile or "quick"
    queues, only = frozenset(options.queue), frozenset(options.bench)
    return Selection(profile, options.filter, queues, options.trace, only)


def matches_nothing(selection: Selection) -> RunError:
    return RunError(
        f"{selection} matches no process of --{selection.profile}; "
        "names are like churn/rpc/1000, and --full has the most"
    )


def listed(options: argparse.Namespace) -> list[str]:
    selection = selection_of(options)
    selection.check()
    if not options.profile and not str(selection):
        return list(BENCHES)
    if not (benches := selection.benches()):
        raise matches_nothing(selection)
    return benches


def pages_of(options: argparse.Namespace) -> Pages:
    system = context.System()
    if options.small_pages:
        if system.transparent_hugepages() == "always":
            raise RunError(
                "--small-pages: the kernel 'always' gives huge pages; right is: "
                "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"
            )
        return "small"
    if kernel_gives_huge_pages(system):
        return "huge"
    print("run.py: the kernel gives no huge pages; queues are measured in small ones")
    return "small"


def programs_for(selection: Selection, both: list[tuple[Path, Path]]) -> list[Program]:
    """Returns the programs of the benches, and of the originals that stand beside a build.

    Originals are like another build whose results go to a folder of their own: in each round they
    run right before or after ours. If several builds are compared, the originals are left out.
    """
    selection.check()
    environment = environment_of(recording(selection.added_trace))
    programs = []
    for bench in selection.benches():
        beside = [(build / ORIGINALS, output / ORIGINALS) for build, output in both]
        has_originals = len(both) == 1 and (beside[0][0] / bench).is_file()
        seconds = effort_for(selection.profile, Name(bench, "", "")).seconds
        for build, output in [*both, *(beside if has_originals else [])]:
            programs.append(offered(bench, build, output, flags(bench, seconds), environment))
    if not programs:
        raise matches_nothing(selection)
    if unknown := unknown_queues(programs, selection.queues):
        raise RunError(unknown)
    return programs


def measure(options: argparse.Namespace) -> int:
    selection = selection_of(options)
    both = pairs(options.build, options.output)
    programs = programs_for(selection, both)
    pages = pages_of(options)
    cases = cases_for(programs, selection, options.rounds, pages)
    if not cases:
        raise matches_nothing(selection)
    with ExitStack() as locks:
        for _, output in both:
            locks.enter_context(locked(output))
        for program in programs:
            program.output.mkdir(exist_ok=True)
        store = Store(programs)
        for process in (process for case in cases for process in case.first_round):
            store.refuse_other_pages(process)
            if selection.queues:
                store.refuse_to_lose_queues(process)
        return measure_all(cases, store, selection.profile, pages, options)


def measure_all(
    cases: list[Case], store: Store, profile: str, pages: Pages, options: argparse.Namespace
) -> int:
    load_before = os.getloadavg()
    if load_before[0] > 0.5:
        print(
            f"run.py: other work (load {load_before[0]:.1f}) makes figures noisy", file=sys.stderr
        )
    of_profile = PROFILES[profile]
    budget = 60 * (of_profile.minutes if options.minutes is None else options.minutes)
    pinned = cores.cores_for(options.cores, context.System())
    lanes = Lanes(pinned, of_profile.services_at_once)
    timeout = options.timeout or of_profile.timeout
    errors = run_processes(cases, store, budget, lanes, timeout)
    machine = {
        **context.machine(),
        "profile": profile,
        "pages": pages,
        "load_before": load_before,
        "load_after": os.getloadavg(),
    }
    for output in {process.program.output for case in cases for process in case.first_round}:
        write_json(output / CONTEXT, machine)
    for error in errors:
        print(f"run.py: {error}", file=sys.stderr)
    if errors:
        print(f"run.py: {len(errors)} errors; what failed has no figures", file=sys.stderr)
    return 1 if errors else 0


def run_processes(
    cases: list[Case], store: Store, budget: float, lanes: Lanes, timeout: float
) -> list[str]:
    """Runs the processes that are still missing, and shows the progress."""
    turns = Turns(cases, store, budget, len(lanes.cores))
    before = sum(len(store.rounds(p)) for case in cases for p in case.first_round)
    if before:
        print(f"{before} processes were done before")
    side_by_side = len({p.program.output for case in cases for p in case.first_round}) > 1
    errors: list[str] = []
    with Progress(turns.left()) as progress:

        def finish(ran: Ran) -> None:
            process = ran.process
            wrong = keep(ran, store)
            if wrong:
                turns.failed(process, ran.seconds)
            turns.ended(process)
            whose = f"{process.program.output}: " if side_by_side else ""
            errors.extend(whose + error for error in wrong)
            outcome = "FAILED" if wrong else f"{ran.seconds:.1f} s"
            progress.finish_step(f"{whose}{process.title}: {outcome}", turns.left())

        asyncio.run(run_all(turns, lanes, timeout, finish))
    if needs := turns.needs():
        known = sum(need <= 1 for need in needs.values())
        rest = "; with more --minutes it goes on from here" if known < len(needs) else ""
        print(f"{known} of {len(needs)} cases of queues are known as well as wanted{rest}")
    if (changed := turns.drift()) and abs(changed) > NOTABLE_DRIFT:
        print(
            f"queues took {abs(changed):.1%} {'more' if changed > 0 else 'less'} time late in this "
            "run than early in it; their ratios may differ in another hour"
        )
    return errors


@command.ends_in_words()
def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    try:
        if options.list:
            print("\n".join(listed(options)))
            return 0
        return measure(options)
    except KeyboardInterrupt:
        print("run.py: interrupted; the same command goes on from here", file=sys.stderr)
        return command.INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
