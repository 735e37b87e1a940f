"""Where results go: each build has its own directory, which only one run at a time writes to."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from timerbench.command import ROOT
from timerbench.measuring import RunError


def pairs(builds: list[Path], outputs: list[Path]) -> list[tuple[Path, Path]]:
    """Pairs each build with the directory of its results."""
    builds = builds or [ROOT / "build" / "release"]
    outputs = outputs or [ROOT / "results" / "local"]
    if len(builds) != len(outputs):
        raise RunError(f"{len(builds)} --build but {len(outputs)} --output; give one for each")
    for number, output in enumerate(outputs):
        if output.resolve() in (other.resolve() for other in outputs[:number]):
            raise RunError(f"--output {output} is given twice; each build needs its own")
    return list(zip(builds, outputs, strict=True))


@contextmanager
def locked(output: Path) -> Iterator[None]:
    """Keeps other runs out of the directory; the lock ends with this process at the latest."""
    try:
        output.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise RunError(f"--output '{output}' is no directory") from error
    directory = os.open(output, os.O_RDONLY)
    try:
        try:
            fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = "wait for its end, or give another --output"
            raise RunError(f"another run writes into {output}; {message}") from error
        yield
    finally:
        os.close(directory)
