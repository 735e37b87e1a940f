"""The part of a profile that was asked for, and the programs that it may need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from timerbench.benches import BENCHES, kind_of
from timerbench.command import CommandError
from timerbench.matrix import cases_of
from timerbench.measuring import RunError
from timerbench.traces import TRACES, check_file, name_of

# The numbers that a case may end with. If one of them makes a case match, the program is asked what
# it really offers.
_SIZES = [digit * 10**zeros for zeros in range(8) for digit in (1, 2, 5)]


@dataclass(frozen=True)
class Selection:
    """The cases of a profile with matching names, for some queues or all; or of a recording.

    Names are such as `churn/rpc/1000` and `replay/tiny@1ms`. Perhaps only some benches count.
    """

    profile: str
    filter: re.Pattern[str] = re.compile("")
    queues: frozenset[str] = frozenset()  # empty: all
    trace: Path | None = None
    only: frozenset[str] = frozenset()  # benches; empty: all

    def wants(self, bench: str, case: str) -> bool:
        return self.filter.search(f"{bench}/{case}") is not None

    def cases(self, bench: str) -> str | None:
        """The cases of a bench, as a regular expression; None if it is left out."""
        if self.only and bench not in self.only:
            return None
        if self.queues and kind_of(bench) != "queues":
            return None
        if self.trace is None:
            return cases_of(bench, self.profile)
        return re.escape(name_of(self.trace)) + "@.*" if bench == "replay" else None

    def benches(self) -> list[str]:
        """Returns the benches that may have selected cases, without asking their programs."""
        return [bench for bench in BENCHES if any(self._described(bench))]

    def _described(self, bench: str) -> Iterator[str]:
        """Yields the selected cases of the bench, among all that may exist."""
        wanted = self.cases(bench)
        if wanted is None:
            return
        if bench == "replay":
            traces = [self.trace] if self.trace else sorted(TRACES.glob("*.trace*"))
            cases = [f"{name_of(trace)}@{tick}" for trace in traces for tick in ("1ms", "1us")]
        else:
            cases = [f"{workload}/{n}" for workload in BENCHES[bench].workloads for n in _SIZES]
        for case in cases:
            if re.fullmatch(wanted, case) and self.wants(bench, case):
                yield case

    @property
    def added_trace(self) -> Path | None:
        """The recording, if the program does not find it by itself."""
        if self.trace is None or self.trace.resolve().parent == TRACES:
            return None
        return self.trace.resolve()

    def check(self) -> None:
        """Checks that the recording is there and legal, and that its name suits a benchmark."""
        if self.trace is not None and not self.trace.is_file():
            raise RunError(f"--trace '{self.trace}' is no file; give a recording")
        if self.trace is None or self.added_trace is None:
            return
        name = name_of(self.trace)
        if not re.fullmatch(r"[\w.+-]+", name, re.ASCII):
            raise RunError(
                f"--trace '{self.trace}' has a name that cannot be one of a benchmark; "
                "rename it to letters, digits, '.', '_', '+' and '-'"
            )
        if name in {name_of(trace) for trace in TRACES.glob("*.trace*")}:
            raise RunError(
                f"--trace '{self.trace}' has the name of another recording, in {TRACES}; rename it"
            )
        try:
            check_file(self.trace)
        except CommandError as error:
            raise RunError(f"--trace {error}") from error

    def __str__(self) -> str:
        """Writes the selection as options of a command line."""
        words = [f"--bench '{bench}'" for bench in sorted(self.only)]
        words += [f"--queue '{queue}'" for queue in sorted(self.queues)]
        words += [f"--trace '{self.trace}'"] if self.trace else []
        words += [f"--filter '{self.filter.pattern}'"] if self.filter.pattern else []
        return " ".join(words)
