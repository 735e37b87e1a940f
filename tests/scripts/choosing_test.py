"""Tests of what choose.py derives from measurements: services, tables, verdicts, pages."""

from __future__ import annotations

import errno
import io
import json
import re
import shutil
import stat
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from benches_for_tests import LEGAL_TRACE
from timerbench.choosing import answer, measuring, verdict
from timerbench.choosing.figures import Row, Spread, Table, table_of_queues, table_of_services
from timerbench.choosing.fitting import fitting
from timerbench.choosing.load import load_of
from timerbench.choosing.measuring import Measured, Measuring, Programs
from timerbench.choosing.shown import cells_of_queue, print_answer
from timerbench.estimates import Figure
from timerbench.measuring import RunError, cores


def queues(rounds: list[dict[str, float]], rate: float = 1e6) -> Measured:
    """Makes measurements from the ns an operation of each queue in each round."""
    return Measured(
        queues=[
            {name: {"ns_per_operation": ns, "worst_insert_ns": 10 * ns} for name, ns in of.items()}
            for of in rounds
        ],
        use={
            name: {"operations_per_second": rate, "bytes": 2e6, "wakes_per_second": 5}
            for of in rounds
            for name in of
        },
        groups={
            "twins": frozenset({"fast_twin"}),
            "libraries": frozenset({"slow"}),
            "late": frozenset({"slow"}),
        },
    )


def ranks(table: Table) -> dict[str, int]:
    return {row.name: row.rank for row in table.rows}


def test_what_cannot_be_told_apart_has_one_rank() -> None:
    rounds = [
        {"fast": 10.0, "near": 10.3, "slow": 20.0},
        {"fast": 10.2, "near": 10.0, "slow": 20.2},
        {"fast": 10.1, "near": 10.2, "slow": 19.9},
    ]
    table = table_of_queues(queues(rounds))
    assert ranks(table) == {"fast": 1, "near": 1, "slow": 3}
    assert [row.name for row in table.best] == ["fast", "near"]


def test_queues_are_compared_within_a_process() -> None:
    """The machine is twice as slow in the second process, and four times in the third."""
    rounds = [{"fast": 10.0 * slow, "other": 10.5 * slow} for slow in (1, 2, 4)]
    assert ranks(table_of_queues(queues(rounds))) == {"fast": 1, "other": 2}


def test_a_difference_as_of_twins_is_none() -> None:
    rounds = [{"fast": 10.0 + x, "fast_twin": 10.6 + x, "other": 10.4 + x} for x in (0, 0.01, 0.02)]
    table = table_of_queues(queues(rounds))
    assert ranks(table) == {"fast": 1, "other": 1}
    assert table.twins_differ_by == pytest.approx(0.06, abs=0.001)


def test_one_process_tells_a_great_difference_only() -> None:
    table = table_of_queues(queues([{"fast": 10.0, "near": 13.0, "slow": 30.0}]))
    assert ranks(table) == {"fast": 1, "near": 1, "slow": 3}


def test_what_was_too_slow_to_be_measured_is_not_known_to_be_faster_than_anything() -> None:
    measured = queues([{"fast": 10.0, "bound": 12.0, "slow": 90.0} for _ in range(3)])
    for of in measured.queues:
        of["bound"]["slower_than"] = 1
    assert ranks(table_of_queues(measured)) == {"fast": 1, "slow": 2, "bound": 2}


def test_a_row_has_the_terms_of_the_user() -> None:
    rounds = [{"fast": 100.0, "slow": 300.0}, {"fast": 102.0, "slow": 310.0}]
    rounds += [{"fast": 98.0, "slow": 290.0}]
    fast = table_of_queues(queues(rounds, rate=1e5)).rows[0]
    assert fast.core_percent.mean == pytest.approx(1, rel=0.01)
    assert fast.core_percent.low < 1 < fast.core_percent.high
    assert fast.memory_mb == exactly(2)
    assert fast.wakes_per_second == exactly(5)
    assert fast.worst_call_ns == Spread(980, 980, 990)


def test_the_worst_call_of_a_queue_is_the_least_disturbed_one() -> None:
    """All but four of twelve processes were disturbed."""
    rounds = [{"wheel": ns} for ns in (10.0, 11.0, 12.0, 13.0, *[500.0] * 8)]
    (wheel,) = table_of_queues(queues(rounds)).rows
    assert wheel.worst_call_ns is not None
    assert (wheel.worst_call_ns.value, wheel.worst_call_ns.low) == (100, 100)
    assert wheel.worst_call_ns.high < 2_000
    (one,) = table_of_queues(queues(rounds[:1])).rows
    assert one.worst_call_ns == exactly(100)


def test_a_library_and_a_queue_that_may_be_late_are_known() -> None:
    fast, slow = table_of_queues(queues([{"fast": 100.0, "slow": 300.0}])).rows
    assert slow.is_library
    assert not fast.is_library
    assert (fast.may_be_late, slow.may_be_late) == (False, True)


def exactly(value: float) -> Spread:
    return Spread(value, value, value)


def row(name: str, percent: float, *, rank: int = 1, spread: float = 0.01, **more: Any) -> Row:  # noqa: ANN401
    def figure(mean: float) -> Figure:
        return Figure(mean, mean * (1 - spread), mean * (1 + spread), 4)

    known: dict[str, Any] = {
        "memory_mb": exactly(10),
        "p999_call_ns": exactly(1e3),
        "worst_call_ns": exactly(1e4),
        "wakes_per_second": exactly(100),
        "lateness_ns": {},
    } | more
    return Row(name, rank, figure(percent * 100), False, figure(percent), **known)


def table(*rows: Row) -> Table:
    return Table(list(rows), 1e5, 4, 0.012)


FILE = "load.json"


def of_queues(*rows: Row) -> list[str]:
    return verdict.of_queues(table(*rows), FILE, "5 timers pending")


def test_a_verdict_has_three_sentences() -> None:
    sentences = of_queues(row("wheel", 1), row("heap", 2, rank=2))
    assert len(sentences) == 3
    for sentence in sentences[:2]:
        assert re.fullmatch(r"[A-Z0-9][^.]*(\.\d[^.]*)*\.", sentence), sentence
    assert "4 runs of 2 queues" in sentences[1]
    assert "equal queues differed by 1.2%" in sentences[1]
    assert "./scripts/choose.py --load load.json" in sentences[2]
    assert "at 5.00 times the rate wheel would take 5% of a core" in sentences[2]


def test_a_verdict_says_that_all_are_cheap() -> None:
    first = of_queues(row("wheel", 1), row("heap", 2, rank=2))[0]
    assert first.startswith("Any of these queues costs you less than 5% of a core; choose by")


def test_a_verdict_says_how_little_all_take() -> None:
    first = of_queues(row("wheel", 0.02), row("heap", 0.09, rank=2))[0]
    assert first.startswith("Any of these queues costs you less than 0.1% of a core;")
    first = of_queues(row("wheel", 0.02), row("heap", 0.0995, rank=2))[0]
    assert first.startswith("Any of these queues costs you less than 1% of a core;")
    first = of_queues(row("wheel", 0.02), row("heap", 9, rank=2))[0]
    assert first.startswith("Anything but heap costs you less than 5% of a core;")


def test_a_verdict_names_what_is_not_cheap() -> None:
    first = of_queues(row("wheel", 1), row("list", 60, rank=2))[0]
    assert first.startswith("Anything but list costs you less than 5% of a core")


def test_a_verdict_does_not_call_cheap_what_may_not_be() -> None:
    """4.9% is less than 5%, but its interval reaches beyond."""
    unsure = row("heap", 4.9, rank=2, spread=0.1)
    assert of_queues(row("wheel", 1), unsure)[0].startswith("Anything but heap costs")
    sure = row("heap", 4.9, rank=2, spread=0.01)
    assert of_queues(row("wheel", 1), sure)[0].startswith("Any of these queues costs")


def test_a_verdict_of_a_load_that_is_dear_names_the_best() -> None:
    first = of_queues(row("wheel", 30), row("radix", 31), row("heap", 90, rank=3))[0]
    assert first.startswith("wheel and radix cost you least, 30.0% of a core")
    wide = of_queues(row("wheel", 30, spread=0.2), row("heap", 90, rank=2))[0]
    assert wide.startswith("wheel costs you least, 24.0 to 36.0% of a core")


def test_a_verdict_names_ties_and_how_many_others() -> None:
    rows = [row(name, 1) for name in ("a", "b", "c", "d", "e")]
    sentences = of_queues(*rows)
    assert "a, b and 3 others cannot be told apart" in sentences[1]
    assert "least time (a, b and 3 others)" in sentences[0]
    alone = of_queues(row("a", 1), row("b", 2, rank=2))
    assert "told apart" not in alone[1]


def test_a_verdict_names_who_is_best_by_other_needs() -> None:
    first = of_queues(
        row("wheel", 1, wakes_per_second=exactly(200), memory_mb=exactly(5)),
        row("heap", 2, rank=2, worst_call_ns=exactly(100)),
        row("library", 3, rank=3, wakes_per_second=None),
    )[0]
    assert "fewest wake-ups (heap)" in first
    assert "least memory (wheel)" in first
    assert "the shortest worst call (heap)" in first


def service(name: str, percent: float, limit: float | None, **more: Any) -> Row:  # noqa: ANN401
    return row(
        name,
        percent,
        limit_per_second=limit and Spread(limit, limit, 1.4 * limit),
        lateness_ns={"p50": exactly(more.pop("late", 1e5))},
        **more,
    )


def test_a_verdict_of_services_names_the_first_to_fall_behind() -> None:
    rows = (
        service("inbox", 1, 2e6, late=5e4),
        service("lock", 2, 4e5, late=1e6, wakes_per_second=exactly(1)),
    )
    first, second, third = verdict.of_services(table(*rows), FILE)
    assert first.startswith("Each of these services takes less than 5% of a core")
    assert "exact starts (inbox)" in first
    assert "fewest wake-ups (lock)" in first
    assert "most room to grow (inbox)" in first
    assert "4 runs of 1.5 s" in second
    assert third.startswith("lock falls behind first, from about 4.00 times this rate;")


def test_a_queue_that_may_be_late_is_called_so() -> None:
    rows = (row("coarse", 1, may_be_late=True), row("wheel", 2, rank=2))
    assert "least time (coarse (may be late))" in of_queues(*rows)[0]
    assert cells_of_queue(rows[0])["queue"] == "coarse (may be late)"
    assert cells_of_queue(rows[1])["queue"] == "wheel"
    assert cells_of_queue(row("uv", 1, is_library=True))["queue"] == "uv (library)"


def test_where_a_limit_was_not_found_nobody_is_called_first() -> None:
    rows = (service("inbox", 1, 1e6), service("lock", 2, None))
    first, _, third = verdict.of_services(table(*rows), FILE)
    assert "room to grow" not in first
    assert third.startswith("How much more they can do was not found for all of them; measure")


def test_limits_that_are_near_are_a_tie() -> None:
    """Limits are known to a factor of 1.4."""
    rows = (service("inbox", 1, 1e6), service("lock", 2, 8e5), service("slow", 3, 1e5))
    first, _, third = verdict.of_services(table(*rows), FILE)
    assert "most room to grow (inbox and lock)" in first
    assert third.startswith("slow falls behind first, from about 1.00 times")
    both = verdict.of_services(table(*rows[:2]), FILE)[2]
    assert both.startswith("All of them keep up with about 8.00 times this rate;")


def test_worst_calls_whose_spreads_meet_are_a_tie() -> None:
    first = of_queues(
        row("wheel", 1, worst_call_ns=Spread(100, 100, 400)),
        row("heap", 2, rank=2, worst_call_ns=Spread(300, 300, 500)),
        row("list", 2, rank=2, worst_call_ns=Spread(900, 900, 990)),
    )[0]
    assert "the shortest worst call (wheel and heap)" in first


def test_a_verdict_of_dear_services_names_the_cheapest() -> None:
    first = verdict.of_services(table(service("inbox", 40, None)), FILE)[0]
    assert first.startswith("inbox costs least, 40.0% of a core")


def test_a_service_has_its_lateness_and_its_limit() -> None:
    entry = {
        "ns_per_operation": 500.0,
        "operations_per_second": 1e5,
        "bytes": 3e6,
        "p50_late_ns": 1e5,
        "wakes_per_second": 7,
    }
    limits = {"inbox": {"operations_per_second": 2e6, "is_least": 1}}
    measured = Measured(services=[{"inbox": entry}] * 3, limits=limits)
    (inbox,) = table_of_services(measured).rows
    assert inbox.core_percent.mean == pytest.approx(5)
    assert inbox.lateness_ns == {"p50": exactly(1e5)}  # the other quantiles were not known
    assert inbox.limit_per_second == Spread(2e6, 2e6, 2e6 * 2**0.5)
    assert inbox.limit_is_least


def test_the_tail_of_lateness_is_that_of_all_processes_together() -> None:
    """A quantile needs ten starts beyond it. Two processes together have them, one has not."""
    entry = {
        "ns_per_operation": 500.0,
        "operations_per_second": 1e5,
        "late": [[1e5, 593], [1e6, 7]],
    }
    of_one = table_of_services(Measured(services=[{"inbox": entry}])).rows[0]
    assert of_one.lateness_ns == {}
    of_two = table_of_services(Measured(services=[{"inbox": entry}] * 2)).rows[0]
    assert of_two.lateness_ns.keys() == {"p99"}
    assert of_two.lateness_ns["p99"].value == pytest.approx(1e6, rel=0.03)


def test_what_was_near_the_best_once_is_measured_again(
    build: Path, load_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count took nine times as long for `list`, but its first round was fast."""
    monkeypatch.setattr(measuring, "MOST_ROUNDS", 3)
    monkeypatch.setattr(cores, "cores_for", lambda *_: [None])
    names = [f"load/{queue}/own" for queue in QUEUES]
    write(build, "load", names, "LIST_NS = 20.0")
    Measuring(Programs(build, load_file)).queues(5_000, seconds=1e6)
    assert all("load/list/own" in line for line in runs(build, "load"))


SETTINGS = [
    *("heap", "heap_2_threads", "ring_1ms", "ring_100ms", "ring_as_in_netty"),
    *("wheel", "simple_100ms", "queue_wheel", "queue_heap", "queue_lazy"),
]
GROUPS = {
    "defaults": frozenset(SETTINGS) - {"heap_2_threads", "ring_1ms", "ring_as_in_netty"},
    "two_threads": frozenset({"heap_2_threads"}),
    "as_in_originals": frozenset({"ring_as_in_netty"}),
    "coarse_ticks": frozenset({"ring_100ms", "ring_as_in_netty", "simple_100ms"}),
    "behind_inboxes": frozenset(
        {"ring_1ms", "ring_100ms", "ring_as_in_netty", "queue_wheel", "queue_heap", "queue_lazy"}
    ),
    "rearming": frozenset(SETTINGS) - {"heap", "heap_2_threads", "simple_100ms"},
    "heaps": frozenset({"heap", "heap_2_threads", "queue_heap"}),
    "hashed_wheels": frozenset({"ring_1ms", "ring_100ms", "ring_as_in_netty", "simple_100ms"}),
    "hierarchical_wheels": frozenset({"wheel", "queue_wheel"}),
    "lazy_wheels": frozenset({"queue_lazy"}),
}


def test_services_that_fit_are_few_and_of_many_kinds() -> None:
    load = load_of({"calls": [{"a_second": 1_000, "limit_s": 5, "cancelled_percent": 99}]})
    chosen = fitting(SETTINGS, GROUPS, load)
    assert len(chosen) == 5
    assert {"ring_100ms", "queue_wheel", "queue_heap", "queue_lazy"} < set(chosen)
    assert not {"heap_2_threads", "ring_as_in_netty", "ring_1ms"} & set(chosen)


def test_coarse_ticks_do_not_fit_short_limits() -> None:
    load = load_of({"calls": [{"a_second": 1_000, "limit_s": 0.2, "cancelled_percent": 99}]})
    chosen = fitting(SETTINGS, GROUPS, load)
    assert not GROUPS["coarse_ticks"] & set(chosen)
    assert "ring_1ms" in chosen


def test_services_that_rearm_come_first_where_a_load_does() -> None:
    part: dict[str, float] = {"pending": 1_000, "rearms_a_second": 1_000, "limit_s": 60}
    chosen = fitting(SETTINGS, GROUPS, load_of({"connections": [part]}))
    assert set(chosen) <= GROUPS["rearming"]
    assert len(chosen) == 5


# A program with the flags that choose.py uses. It offers the queues below.
FAKE = """#!/usr/bin/python3
import json, re, sys
names = {names!r}
flags = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
if "--groups" in sys.argv:
    print("twins: wheel_twin")
    print("lists: list")
    print("defaults: inbox lock")
    sys.exit()
wanted = [n for n in names if re.search(flags["--benchmark_filter"], n)]
with open({runs!r}, "a") as file:
    print(*wanted, file=file)
if "--benchmark_list_tests" in sys.argv:
    print("\\n".join(wanted))
    sys.exit()
{fault}
figures = dict(
    ns_per_operation=10.0, share=1.0, pilot_seconds=1.0, operations_per_second=1e5, bytes=1e6,
    wakes_per_second=3.0, p50_late_ns=1e5, p999_insert_ns=50.0, worst_insert_ns=100.0,
)
entries = []
for name in wanted:
    entry = dict(run_name=name, **figures)
    if "/list/" in name:
        entry.update(ns_per_operation=globals().get("LIST_NS", 1e3), pilot_seconds=9.0)
    if "/broken/" in name:
        entry.update(error_occurred=True, error_message="the digest differs")
    entries.append(entry)
report = dict(context=dict(cpu="a processor", commit="abc"), benchmarks=entries)
open(flags["--benchmark_out"], "w").write(json.dumps(report))
open(sys.argv[0] + ".over", "w").close()
"""
# Stands in place of a fault. It counts until a round is over, and a moment longer. In this moment
# another round would begin if it did not wait.
OUTLASTS_A_ROUND = """
import pathlib, time
rounds = pathlib.Path(sys.argv[0]).with_name("load.runs")
over = pathlib.Path(sys.argv[0]).with_name("load.over")
while not over.exists():
    time.sleep(0.01)
end = time.monotonic() + 0.5
while time.monotonic() < end and len(rounds.read_text().splitlines()) < 2:
    time.sleep(0.01)
"""
QUEUES = ["wheel", "heap", "list", "broken", "wheel_twin"]


@pytest.fixture
def build(tmp_path: Path) -> Path:
    folder = tmp_path / "build"
    folder.mkdir()
    write(folder, "load", [f"load/{queue}/own" for queue in QUEUES])
    write(folder, "load_use", [f"load_use/{queue}/own" for queue in QUEUES[:-1]])
    of_services = [f"service_{what}/{name}/own" for what in ("load", "limit") for name in
                   ("inbox", "lock")]  # fmt: skip
    write(folder, "service_load", of_services)
    return folder


def write(build: Path, program: str, names: list[str], fault: str = "") -> None:
    file = build / program
    file.write_text(FAKE.format(names=names, runs=str(build / f"{program}.runs"), fault=fault))
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def runs(build: Path, program: str) -> list[str]:
    return (build / f"{program}.runs").read_text().splitlines()


@pytest.fixture
def load_file(tmp_path: Path) -> Path:
    load = load_of({"calls": [{"a_second": 1_000, "limit_s": 5, "cancelled_percent": 99}]})
    file = tmp_path / "load.json"
    file.write_text(json.dumps(load))
    return file


def test_measures_all_once_and_then_what_is_fast(
    build: Path, load_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "MOST_ROUNDS", 6)
    monkeypatch.setattr(cores, "cores_for", lambda *_: [None, None])
    write(build, "load_use", [f"load_use/{queue}/own" for queue in QUEUES[:-1]], OUTLASTS_A_ROUND)
    process = Measuring(Programs(build, load_file))
    process.queues(5_000, seconds=1e6)
    rounds = runs(build, "load")
    assert len(rounds) == 6
    assert sum("load/list/own" in line for line in rounds) == 1
    assert all("load/wheel/own" in line and "load/wheel_twin/own" in line for line in rounds)
    assert len(runs(build, "load_use")) == 1
    assert process.measured.errors.count("broken: the digest differs") >= 1


def test_measures_one_round_at_least(build: Path, load_file: Path) -> None:
    process = Measuring(Programs(build, load_file))
    process.queues(5_000, seconds=0)
    assert 1 <= len(runs(build, "load")) <= 2
    assert process.measured.queues


def test_what_is_slow_to_be_filled_is_left_out_with_very_many_timers(
    build: Path, load_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "MOST_ROUNDS", 2)
    process = Measuring(Programs(build, load_file))
    process.queues(500_000, seconds=1e6)
    assert set(process.measured.use) == {"wheel", "heap"}
    assert all(set(of) == {"wheel", "heap", "wheel_twin"} for of in process.measured.queues)
    assert "lists: with more than 300,000 timers they take too long" in process.measured.errors


def test_a_load_that_cannot_be_measured_is_an_error(build: Path, load_file: Path) -> None:
    write(build, "load", [], "sys.exit('no such load')")
    with pytest.raises(RunError, match="no such load"):
        Measuring(Programs(build, load_file)).queues(5_000, seconds=0)


def test_an_error_of_the_system_while_queues_are_measured_is_itself(
    build: Path, load_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def report_of(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(measuring, "report_of", report_of)
    with pytest.raises(OSError, match="No space left on device"):
        Measuring(Programs(build, load_file)).queues(5_000)


def test_services_without_time_for_their_limits_say_so(
    build: Path, load_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "SECONDS_IN_ALL", 0)
    process = Measuring(Programs(build, load_file))
    process.services(["inbox", "lock"])
    assert len(process.measured.services) == measuring.ROUNDS_OF_SERVICES
    assert process.measured.limits == {}
    assert "inbox: no time was left to find its limit" in process.measured.errors


class Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_answer_is_a_text_a_file_of_json_and_a_page(
    build: Path,
    load_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(measuring, "MOST_ROUNDS", 4)
    output = tmp_path / "out"
    output.mkdir()
    words = [str(load_file), "--build", str(build), "--output", str(output)]
    assert answer.main(words) == 0
    said = capsys.readouterr().out
    text = (output / "choice.txt").read_text()
    assert said.startswith(text)
    assert str(output / "choice.html") in said
    assert "1.00k calls a second" in text or "1,000 calls a second" in text
    assert "not measured: broken: the digest differs" in text
    kept = json.loads((output / "choice.json").read_text())
    assert {of["name"] for of in kept["queues"]["rows"]} == {"wheel", "heap", "list"}
    assert {of["name"] for of in kept["services"]["rows"]} == {"inbox", "lock"}
    assert kept["load"] == json.loads(load_file.read_text())
    assert kept["queues"]["rows"][0]["ns"]["processes"] == 4
    page = Words()
    page.feed((output / "choice.html").read_text())
    assert page.open == []
    for sentence in kept["queues_verdict"] + kept["services_verdict"]:
        assert sentence in page.text
    for name in ("wheel", "list", "inbox"):
        assert name in page.text


def test_a_recording_is_answered_for_too(build: Path, tmp_path: Path) -> None:
    trace = tmp_path / "mine.trace"
    shutil.copy(LEGAL_TRACE, trace)
    given = answer.answer_for(trace, build, "none")
    assert given.of == "the recording mine.trace"
    assert given.services is None
    text = io.StringIO()
    print_answer(given, text)
    said = " ".join(text.getvalue().split())
    assert "the timers of the recording" in said
    assert f"./scripts/choose.py --trace {trace}" in said


def test_what_all_queues_say_of_a_bad_recording_is_said_once(build: Path, load_file: Path) -> None:
    for program in ("load", "load_use"):
        write(build, program, [f"{program}/broken/own"])
    with pytest.raises(RunError, match=r"^the digest differs$"):
        Measuring(Programs(build, load_file)).queues(5_000)


def test_a_program_that_fails_to_say_what_it_offers_is_one_line(
    build: Path, load_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = build / "service_load"
    program.write_text("#!/bin/sh\necho 'no such load' >&2\nexit 1\n")
    assert answer.main([str(load_file), "--build", str(build), "--output", str(tmp_path)]) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "failed" in line)
    assert line.startswith(f"choose.py: {program} ") and line.endswith("status 1: no such load")


def test_a_load_that_fails_is_one_line(
    build: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(tmp_path / "gone.json"), "--build", str(build), "--output", str(tmp_path)]
    assert answer.main(words) == 2
    assert capsys.readouterr().err == (
        f"choose.py: {tmp_path / 'gone.json'}: No such file or directory\n"
    )
