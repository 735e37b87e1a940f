"""Measures a load in a build, and answers: python -m timerbench.choosing.answer, for choose.py."""

from __future__ import annotations

from timerbench import command

command.begin(__name__)

import io
import json
import sys
from pathlib import Path

from timerbench import command_line
from timerbench.choosing import verdict
from timerbench.choosing.figures import table_of_queues, table_of_services
from timerbench.choosing.fitting import fitting
from timerbench.choosing.load import mean_pending, read_load
from timerbench.choosing.measuring import Measuring, Programs
from timerbench.choosing.shown import Answer, as_json, as_page, print_answer
from timerbench.choosing.words import in_words, pending_in_words
from timerbench.results import write_json
from timerbench.traces import check_file
from timerbench.whole_file import replace


def answer_for(file: Path, build: Path, services: str) -> Answer:
    load = read_load(file) if file.suffix == ".json" else None
    if load is None:
        check_file(file)
    programs = Programs(build, file)
    measuring = Measuring(programs)
    measuring.queues(mean_pending(load) if load else 0)
    if services != "none":
        known = programs.offered("service_load")
        of_services = programs.groups("service_load")
        measuring.services(known if services == "all" else fitting(known, of_services, load))
    measured = measuring.measured
    queues = table_of_queues(measured)
    of = table_of_services(measured) if measured.services else None
    pending = pending_in_words(load) if load else "the timers of the recording"
    return Answer(
        "this load" if load else f"the recording {file.name}",
        in_words(load) if load else ["as it was recorded, in ticks of 1 ms"],
        queues,
        verdict.of_queues(queues, _from_here(file), pending),
        of,
        verdict.of_services(of, _from_here(file)) if of else [],
        measured.context,
        measured.errors,
    )


def _from_here(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


@command.ends_in_words(name="choose.py")
def main(arguments: list[str] | None = None) -> None:
    parser = command_line.BriefParser(__doc__, prog="choose.py")
    parser.add_argument("file", type=command_line.path)
    parser.add_argument("--build", type=command_line.path, required=True)
    parser.add_argument("--output", type=command_line.path, required=True)
    parser.add_argument("--services", choices=["fitting", "all", "none"], default="fitting")
    options = parser.parse_args(arguments)
    answer = answer_for(options.file, options.build, options.services)
    load = json.loads(options.file.read_text()) if options.file.suffix == ".json" else None
    write_json(options.output / "choice.json", as_json(answer, load))
    replace(options.output / "choice.html", as_page(answer))
    text = io.StringIO()
    print_answer(answer, text)
    replace(options.output / "choice.txt", text.getvalue())
    print(text.getvalue(), end="")
    for kind in ("txt", "json", "html"):
        print(f"{kind:4}  {options.output / f'choice.{kind}'}")


if __name__ == "__main__":
    sys.argv[0] = "choose.py"  # it runs in place of choose.py
    sys.exit(main())
