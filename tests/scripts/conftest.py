"""Fixtures for all tests of the scripts: made-up counts, closing of canvases, Ctrl-C, and FIFOs."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from results_for_tests import CASES, QUEUES
from timerbench import simulated
from timerbench.charts.heat_map import MEASURED
from timerbench.charts.schemes import PANELS
from timerbench.results import Name
from timerbench.simulated import Cells, Counted

CONTEXT = {"compiler": "GCC 12.2.0", "libc": "glibc 2.36", "flags": "-O2 -DNDEBUG"}


@pytest.fixture(scope="session")
def made_up_counts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes counts of the queues and cases of results_for_tests.py; one is too slow."""
    names = [
        Name(bench, queue, case) for bench in MEASURED for case in CASES[bench] for queue in QUEUES
    ]
    cells: Cells = {
        str(name): Counted(50.0 + 9 * place, 2.0 + 0.1 * place, 0.25, 0.01 * place)
        for place, name in enumerate(names)
    }
    cells[str(names[-1])] = None
    path = tmp_path_factory.mktemp("counts") / "simulated.json"
    simulated.write(path, {simulated.key_of(CONTEXT, "x86_64"): cells})
    return path


@pytest.fixture(scope="session")
def made_up_schemes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes counts of a list, a wheel and two tables, with 16 and with 4,096 timers."""
    queues = ["no_queue", "ordered_list", "lazy_wheel", "hashed_wheel_256", "hashed_wheel_16384"]
    cells: Cells = {
        f"schemes/{queue}/{panel.case}/{n}": Counted(40.0 + 9 * place + n / 16 * place, 0, 0, 0)
        for place, queue in enumerate(queues)
        for panel in PANELS
        for n in (16, 4_096)
    }
    cells["schemes/no_queue/proof/1000"] = Counted(25, 0, 0, 0)
    path = tmp_path_factory.mktemp("schemes") / "schemes.json"
    simulated.write(path, {simulated.key_of(CONTEXT, "x86_64"): cells})
    return path


@pytest.fixture(autouse=True)
def _counts_of_made_up_results(
    monkeypatch: pytest.MonkeyPatch, made_up_counts: Path, made_up_schemes: Path
) -> None:
    monkeypatch.setattr(simulated, "STORED", made_up_counts)
    monkeypatch.setattr(simulated, "SCHEMES", made_up_schemes)


@pytest.fixture(autouse=True)
def _no_canvas_is_left() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """If a test runs in the background, it may ignore Ctrl-C, and so would its children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def make_fifo() -> Iterator[Callable[[Path], None]]:
    """Makes a FIFO whose writer comes and goes. A test that opens it to read fails, but ends."""
    writers = []

    def make(path: Path) -> None:
        os.mkfifo(path)
        writers.append(subprocess.Popen(["sh", "-c", 'exec >"$0"', path]))

    yield make
    for writer in writers:
        writer.kill()
        writer.wait()
