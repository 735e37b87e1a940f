"""The stored results, and how a process adds its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from timerbench.benches import BENCHES, is_in_passes
from timerbench.measuring import RunError
from timerbench.measuring.case import Process
from timerbench.measuring.program import Program
from timerbench.results import MADE_BY, BenchFile, Name
from timerbench.results import Process as Done


class Store:
    """The files of results, one for each bench, in the directories of the builds."""

    def __init__(self, programs: Iterable[Program]) -> None:
        """Reads the results of all benches in these directories: additions must fit all of them."""
        paths = {program.output / f"{bench}.json" for program in programs for bench in BENCHES}
        self._files = {path: BenchFile.read(path) for path in sorted(paths) if path.exists()}
        self._unwritten: set[Path] = set()  # files of which rounds were dropped

    def rounds(self, process: Process) -> dict[int, Done]:
        """Returns what was kept of the case of a process, by the number of the round."""
        return {
            int(done["round"]): done
            for done in self._of_binary(process)
            if done["group"] == process.case and _is_made_as(process, done)
        }

    def refuse_other_pages(self, process: Process) -> None:
        """Refuses to mix figures in huge pages and in small ones in one directory."""
        if process.pages is None:
            return
        for path, file in self._files_beside(process):
            there = {done.get("pages", "small") for done in file.processes}
            if is_in_passes(path.stem) and there - {process.pages}:
                raise RunError(
                    f"{path} was measured in {' and '.join(sorted(there))} pages, and this is in "
                    f"{process.pages} pages; give another --output, or delete the results that "
                    "are there"
                )

    def refuse_another_machine(self, process: Process, context: dict[str, Any]) -> None:
        """Refuses to mix figures of several machines, compilers or flags in one directory."""
        for path, file in self._files_beside(process):
            for key in MADE_BY:
                there, here = file.context.get(key), context.get(key)
                if key != "commit" and there != here:
                    raise RunError(
                        f"{path} was made with the {key} '{there}', and this is '{here}'; "
                        "give another --output, or delete the results that are there"
                    )

    def refuse_to_lose_queues(self, process: Process) -> None:
        """Refuses a run of some queues if it would replace this binary's results of more."""
        measured = {cell.queue for cell in process.cells} | process.program.twins
        for done in self._of_binary(process):
            there = {Name.parse(entry["run_name"]).queue for entry in done["benchmarks"]}
            if done["group"] == process.case and there - measured:
                raise RunError(
                    f"{self._path(process)} has figures of more queues for "
                    f"{process.of}, and they would be lost; "
                    "give another --output, or delete the results that are there"
                )

    def add(self, process: Process, report: dict[str, Any], facts: dict[str, Any]) -> None:
        """Keeps a report.

        Results of other binaries, or of other arguments of this one, are removed.
        """
        path = self._path(process)
        file = self._files.get(path)
        context = file.context if file and self._of_binary(process) else report["context"]
        others = [
            done
            for done in self._not_older(process)
            if (done["group"], done["round"]) != (process.case, process.round)
        ]
        done = {
            "group": process.case,
            "round": process.round,
            "binary": process.program.sha256,
            "arguments": process.arguments,
            **process.made_in,
            **facts,
            "benchmarks": report["benchmarks"],
        }
        self._files[path] = BenchFile(context, process.program.queues, [*others, done])
        for changed in (*(self._unwritten - {path}), path):
            self._write(changed)

    def drop_older(self, process: Process) -> None:
        """Removes older results after a failure: those of other binaries and of other arguments."""
        path = self._path(process)
        file = self._files.get(path)
        left = self._not_older(process)
        if file is None or len(left) == len(file.processes):
            return
        file.processes = left
        self._write(path)

    def drop_torn_rounds(self, processes: Sequence[Process]) -> None:
        """Drops the rounds of a case that some of these builds lack: a round is of one time.

        The files lose them when a result is added. If the run is refused before, they stay.
        """
        done = [self.rounds(process) for process in processes]
        complete = set.intersection(*(set(rounds) for rounds in done))
        for process, rounds in zip(processes, done, strict=True):
            for number in rounds.keys() - complete:
                self._files[self._path(process)].processes.remove(rounds[number])
                self._unwritten.add(self._path(process))

    def _write(self, path: Path) -> None:
        """Writes a file. Removes it if nothing is left in it."""
        self._unwritten.discard(path)
        if self._files[path].processes:
            self._files[path].write(path)
        else:
            del self._files[path]
            path.unlink(missing_ok=True)

    @staticmethod
    def _path(process: Process) -> Path:
        return process.program.output / f"{process.program.name}.json"

    def _files_beside(self, process: Process) -> list[tuple[Path, BenchFile]]:
        return [(p, file) for p, file in self._files.items() if p.parent == process.program.output]

    def _of_binary(self, process: Process) -> list[Done]:
        file = self._files.get(self._path(process))
        sha256 = process.program.sha256
        return [done for done in (file.processes if file else []) if done["binary"] == sha256]

    def _not_older(self, process: Process) -> list[Done]:
        """Returns what this binary did; of this case only what it did with the same arguments."""
        return [
            done
            for done in self._of_binary(process)
            if done["group"] != process.case or _is_made_as(process, done)
        ]


def _is_made_as(process: Process, done: Done) -> bool:
    made_in = {key: done[key] for key in ("pages", "trace") if key in done}
    return done["arguments"] == process.arguments and made_in == process.made_in
