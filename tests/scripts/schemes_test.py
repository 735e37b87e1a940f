"""Tests of scripts/schemes.py, and of the chart of the counts that it stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes

import schemes
from results_for_tests import write_bench
from timerbench import simulated
from timerbench.callgrind import CountError, Counts
from timerbench.charts.schemes import PANELS, draw
from timerbench.results import Name, Results, load
from timerbench.simulated import Cells, Counted

KEY = "GCC 12.2.0, glibc 2.36, x86_64, -O2 -DNDEBUG"
OTHER_KEY = "GCC 13.2.0, glibc 2.39, x86_64, -O2 -DNDEBUG"
CONTEXT = {
    "compiler": "GCC 12.2.0",
    "libc": "glibc 2.36",
    "flags": "-O2 -DNDEBUG",
    "build_type": "RelWithDebInfo",
}
STORED = Path(__file__).resolve().parents[2] / "results" / "schemes.json"
TABLES = {"hashed_wheel_256": 256, "hashed_wheel_16384": 16_384}


def of(instructions: float) -> Counted:
    return Counted(instructions, 0, 0, 0)


def as_on_a_vax(sizes: Iterable[int] = (16, 65_536)) -> Cells:
    """Returns the counts of a program on that VAX, with 100 for the harness and 25 for a proof."""
    cells: Cells = {"schemes/no_queue/proof/1000": of(25)}
    for panel in PANELS:
        for n in sizes:
            cells[f"schemes/no_queue/{panel.case}/{n}"] = of(100)
            proofs = 25 * n / 1_000 if panel.case == "tick" else 0
            for queue, table in TABLES.items():
                counted = 100 + proofs + panel.law(n, table)
                cells[f"schemes/{queue}/{panel.case}/{n}"] = of(counted)
    return cells


@pytest.fixture
def results(tmp_path: Path) -> Results:
    write_bench(tmp_path, {Name("insert", "min_heap", "warm/1000"): [{"ns_per_operation": 1.0}]})
    return load(tmp_path)


def store(path: Path, cells: Mapping[str, Counted | None], patch: pytest.MonkeyPatch) -> None:
    simulated.write(path / "schemes.json", {KEY: cells})
    patch.setattr(simulated, "SCHEMES", path / "schemes.json")


def heights(axes: Axes, kind: str) -> dict[str, list[float]]:
    """Returns the heights of each line of this kind, by its queue or table."""
    return {
        str(line.get_gid()).rsplit(":", 1)[1]: list(plt.getp(line, "ydata"))
        for line in axes.lines
        if str(line.get_gid()).startswith(f"{kind}:")
    }


def test_what_the_vax_counted_lies_on_its_laws(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, as_on_a_vax(), monkeypatch)
    canvas = draw(results)
    assert canvas
    assert len(canvas.axes) == len(PANELS)
    for axes in canvas.axes:
        drawn, laws = heights(axes, "line"), heights(axes, "law")
        assert drawn.keys() == TABLES.keys()
        for queue, table in TABLES.items():
            assert drawn[queue] == pytest.approx(laws[str(table)])
    empty, tick, insert, cancel = (heights(axes, "law")["256"] for axes in canvas.axes)
    assert empty == [4 + 6 * 16 / 256, 4 + 6 * 256]
    assert tick == pytest.approx([4 + 0.375 + 0.144, 4 + 1_536 + 589.824])
    assert (insert, cancel) == ([13, 13], [7, 7])


def test_a_table_larger_than_the_delays_passes_no_timer_twice(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, as_on_a_vax(), monkeypatch)
    canvas = draw(results)
    assert canvas
    assert heights(canvas.axes[1], "law")["16384"] == pytest.approx([4.24, 4 + 15 * 65.536])


def test_a_cell_that_nobody_counted_has_no_point(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = as_on_a_vax()
    cells["schemes/hashed_wheel_256/insert/65536"] = None
    store(tmp_path, cells, monkeypatch)
    canvas = draw(results)
    assert canvas
    assert heights(canvas.axes[2], "line")["hashed_wheel_256"] == [13]


@pytest.mark.parametrize("missing", ["no_queue", "hashed_wheel"])
def test_there_is_no_chart_of_what_was_not_counted(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    cells = {name: of_cell for name, of_cell in as_on_a_vax().items() if missing not in name}
    store(tmp_path, cells, monkeypatch)
    assert draw(results) is None


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "schemes.json"
    monkeypatch.setattr(schemes, "SCHEMES", path)
    return path


def call(monkeypatch: pytest.MonkeyPatch, cells: Cells, **context: str) -> int:
    """Runs the command, with a program that counts these cells."""

    def count(_program: Path, names: Iterable[Name]) -> Counts:
        return Counts({**CONTEXT, **context}, {str(name): cells[str(name)] for name in names})

    monkeypatch.setattr(schemes, "binary_in", lambda _build, name: Path(name))
    monkeypatch.setattr(schemes, "names_in", lambda _: [Name.parse(name) for name in cells])
    monkeypatch.setattr(schemes, "count", count)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    return schemes.main([])


def test_stores_all_cells_beside_those_of_other_programs(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    other: Cells = {"schemes/min_heap/insert/16": of(1)}
    simulated.write(stored, {OTHER_KEY: other, KEY: other})
    cells = as_on_a_vax([16])
    assert call(monkeypatch, cells) == 0
    assert simulated.read(stored) == {OTHER_KEY: other, KEY: cells}
    output = capfd.readouterr().out
    assert output.startswith(f"counting {len(cells)} cells under valgrind\n")
    assert output.endswith(f"has {len(cells)} cells for '{KEY}'\n")


def test_counts_only_what_the_release_preset_builds(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, as_on_a_vax([16]), build_type="Debug") == 2
    assert "only a build of the preset release is counted" in capfd.readouterr().err
    assert not stored.exists()


def test_says_in_one_line_that_the_program_is_missing(
    stored: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert schemes.main(["--build", str(tmp_path)]) == 2
    error = capfd.readouterr().err
    assert error == f"schemes.py: {tmp_path}/schemes is missing; scripts/build.sh builds it\n"
    assert not stored.exists()


def test_a_failure_leaves_what_was_stored(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_program: Path, _names: Iterable[Name]) -> Counts:
        raise CountError("a queue was wrong")

    simulated.write(stored, {KEY: as_on_a_vax([16])})
    before = stored.read_bytes()
    monkeypatch.setattr(schemes, "binary_in", lambda _build, name: Path(name))
    monkeypatch.setattr(schemes, "names_in", lambda _: [])
    monkeypatch.setattr(schemes, "count", fail)
    assert schemes.main([]) == 2
    assert stored.read_bytes() == before


def test_what_is_stored_has_each_case_with_what_the_harness_takes() -> None:
    for cells in simulated.read(STORED).values():
        cases = {Name.parse(name).case for name in cells}
        assert {f"schemes/no_queue/{case}" for case in cases} <= cells.keys()
        assert None not in cells.values()
        assert {Name.parse(name).workload for name in cells} >= {panel.case for panel in PANELS}
