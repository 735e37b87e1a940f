#!/usr/bin/env python3
"""check_laws.py WHO [--write] FILE... -- PROGRAM...: asks originals, or ours, what laws are about.

WHO is `originals` or `ours`. PROGRAM reads questions, one a line, and writes a line of answers to
each. A FILE has the questions under the law that they are about, with what the original answers:

    B-K-03 D < current + T runs now
      make kafka tick=10
      schedule a 1                -> a@0
      schedule c 10
      advance                     -> false
        ours                      -> true
        because the reason stands here, on as many lines as it takes

The originals must answer so, and ours too, unless a difference is listed with its reason. With
--write the answers of the originals are put in. Then read what has changed, and why.

The last line counts laws. Exit status: 0 all is as it is written, 1 it is not, 2 wrong usage.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

# No answer takes long. This is for a program that hangs, on a machine that is very busy.
SECONDS_TO_ANSWER = 900

LAW = re.compile(r"(B-[KNQST]-\d\d) (.+)")
QUESTION = re.compile(r"  (\S.*?)(?: +-> (.+))?")
OURS = re.compile(r"    ours(?: +-> (.+))?")
BECAUSE = re.compile(r"    because (.+)")
MORE_OF_IT = re.compile(r"      (\S.*)")


@dataclass
class Question:
    text: str
    original: str
    ours: str | None = None
    because: str = ""

    def expected_of(self, who: str) -> str:
        return self.original if who == "originals" or self.ours is None else self.ours


@dataclass
class Law:
    name: str
    title: str
    questions: list[Question] = field(default_factory=list)


class UnknownLineError(Exception):
    """A file that is not understood."""


def read(file: Path) -> list[Law]:
    """The laws of a file. Raises UnknownLineError."""
    laws: list[Law] = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line:
            continue
        if law := LAW.fullmatch(line):
            laws.append(Law(law[1], law[2]))
            continue
        asked = laws[-1].questions if laws else []
        if laws and (question := QUESTION.fullmatch(line)) and line[2] != " ":
            asked.append(Question(question[1], question[2] or ""))
        elif asked and (ours := OURS.fullmatch(line)):
            asked[-1].ours = ours[1] or ""
        elif asked and asked[-1].ours is not None and (because := BECAUSE.fullmatch(line)):
            asked[-1].because = because[1]
        elif asked and asked[-1].because and (more := MORE_OF_IT.fullmatch(line)):
            asked[-1].because += " " + more[1]
        else:
            raise UnknownLineError(f"{file}:{number}: this is not understood: {line}")
    for law_read in laws:
        for question_read in law_read.questions:
            check(file, law_read, question_read)
    return laws


def check(file: Path, law: Law, question: Question) -> None:
    if question.ours is None:
        return
    place = f"{file}: {law.name}: '{question.text}'"
    if question.ours == question.original:
        raise UnknownLineError(f"{place} lists a difference, and there is none")
    if not question.because:
        raise UnknownLineError(f"{place} lists a difference, and no reason")


def answers(program: list[str], questions: list[Question]) -> list[str]:
    """What the program answers; fewer lines than questions if it ends early, or hangs."""
    asked = "".join(question.text + "\n" for question in questions)
    try:
        ended = subprocess.run(
            program,
            input=asked,
            stdout=subprocess.PIPE,
            text=True,
            timeout=SECONDS_TO_ANSWER,
            check=False,
        )
    except subprocess.TimeoutExpired as hung:
        print(f"{program[0]} did not end in {SECONDS_TO_ANSWER} s", file=sys.stderr)
        return (hung.stdout or b"").decode().splitlines()
    if ended.returncode != 0:
        print(f"{program[0]} ended with status {ended.returncode}", file=sys.stderr)
    return ended.stdout.splitlines()


def holds(file: Path, law: Law, answered: list[str], who: str) -> bool:
    """Whether a law's questions have the answers that they should; says where not."""
    found = True
    for number, question in enumerate(law.questions):
        expected = question.expected_of(who)
        if number == len(answered):
            print(f"{file.name}: {law.name}: '{question.text}' has no answer", file=sys.stderr)
            return False
        if answered[number] != expected:
            found = False
            print(
                f"{file.name}: {law.name}: '{question.text}' should be answered by '{expected}', "
                f"and is by '{answered[number]}'",
                file=sys.stderr,
            )
    return found


def in_lines(laws: list[Law]) -> str:
    def arrow(text: str, answer: str) -> str:
        return f"{text:<30} -> {answer}" if answer else text

    lines: list[str] = []
    for law in laws:
        lines += [""] * bool(lines) + [f"{law.name} {law.title}"]
        for question in law.questions:
            lines.append(arrow(f"  {question.text}", question.original))
            if question.ours is not None:
                lines.append(arrow("    ours", question.ours))
                lines += textwrap.wrap(
                    f"because {question.because}",
                    width=100,
                    initial_indent=" " * 4,
                    subsequent_indent=" " * 6,
                    break_on_hyphens=False,
                )
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    if "--" not in arguments or arguments[0] not in ("originals", "ours"):
        print(__doc__, file=sys.stderr)
        return 2
    who, *rest = arguments[: arguments.index("--")]
    program = arguments[arguments.index("--") + 1 :]
    passed = failed = 0
    for file in [Path(word) for word in rest if word != "--write"]:
        laws = read(file)
        answered = answers(program, [question for law in laws for question in law.questions])
        for law in laws:
            of_law, answered = answered[: len(law.questions)], answered[len(law.questions) :]
            if "--write" in rest:
                for question, answer in zip(law.questions, of_law, strict=False):
                    question.original = answer
            found = holds(file, law, of_law, who)
            passed, failed = passed + found, failed + (not found)
        if "--write" in rest:
            file.write_text(in_lines(laws))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UnknownLineError as error:
        sys.exit(f"check_laws.py: {error}")
