"""Tests of how charts show cells that were timed in a window, too slow or unstable."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from matplotlib.artist import Artist
from matplotlib.figure import Figure as Canvas
from matplotlib.text import Annotation, Text

from results_for_tests import (
    CASES,
    FLOOR,
    GROUPS,
    MEASURED,
    QUEUES,
    SERVICES,
    SETTINGS,
    WAYS,
    WHEELS,
    WORKLOADS,
    made_up,
    results_of_case,
    write_bench,
    write_results,
    write_times,
)
from timerbench.benches import CONTENTION, subject_of
from timerbench.charts import (
    by_size,
    contention,
    counters,
    families,
    floor,
    heat_map,
    horizon,
    lateness,
    lateness_over_time,
    lines,
    memory,
    over_n,
    trade_offs,
    who_keeps_up,
    worst_call,
)
from timerbench.charts.lines import LOOKS, meanings
from timerbench.charts.sheet import footnote, key, page
from timerbench.charts.style import LIGHT_GREY, styles_of
from timerbench.results import MACHINE, Name, Results, load, ns_per_operation, optional

CHANGES = {
    "window": {"window_share": 0.02},
    "slower_than": {"slower_than": 1.0},
}


@pytest.fixture(autouse=True)
def _all_queues_have_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives all queues lines. There are more of them than charts name, which has its own tests."""
    monkeypatch.setattr(lines, "MOST_LINES", 12)


def results_of(directory: Path, bench: str, marks: dict[Name, str] | None = None) -> Results:
    """Makes results of one bench with these marked cells, and of the floor."""
    for of_bench, queues in ((bench, QUEUES), ("floor", [MACHINE])):
        rounds = {}
        for name in (Name(of_bench, queue, case) for case in CASES[of_bench] for queue in queues):
            entries = [made_up(Name(bench, QUEUES[0], name.case), 1) for _ in range(3)]
            if of_bench == "floor":
                entries = [made_up(name, 1) for _ in range(3)]
            mark = (marks or {}).get(name, "")
            for number, entry in enumerate(entries):
                entry.pop("slower_than", None)
                entry["window_share"] = 1.0
                entry.update(CHANGES.get(mark, {}))
                if mark == "unstable":
                    entry["ns_per_operation"] *= 1 + 0.2 * number
            rounds[name] = entries
        write_bench(directory, rounds)
    return load(directory)


def artists(canvas: Canvas | None, kind: str) -> list[Artist]:
    """Returns the artists with this mark; their ids name their cells."""
    assert canvas
    return canvas.findobj(lambda artist: (artist.get_gid() or "").startswith(f"{kind}:"))


def gids(canvas: Canvas | None, kind: str) -> list[str]:
    return [str(artist.get_gid()).split(":", 1)[1] for artist in artists(canvas, kind)]


def texts_of(canvas: Canvas | None) -> list[str]:
    assert canvas
    return [str(plt.getp(text, "text")) for text in canvas.findobj(is_text)]


def is_text(artist: Artist) -> bool:
    return isinstance(artist, Text)


MARKED = {
    Name("burst", "min_heap", "edges/10000"): "window",
    Name("burst", "lazy_wheel", "edges/100000"): "slower_than",
    Name("burst", "pairing_heap", "one_tick/100000"): "unstable",
}


def test_lines_show_windows_open_bounds_as_triangles_and_instability_hatched(
    tmp_path: Path,
) -> None:
    canvas = over_n.draw(results_of(tmp_path, "burst", MARKED), "burst")
    assert gids(canvas, "window") == ["edges:min_heap:10000"]
    assert gids(canvas, "slower_than") == ["edges:lazy_wheel:100000"]
    assert gids(canvas, "unstable") == ["one_tick:pairing_heap:100000"]
    assert len(gids(canvas, "whole")) == len(CASES["burst"]) * len(QUEUES) - 2
    (window,) = artists(canvas, "window")
    assert plt.getp(window, "markerfacecolor") == "white"
    (slower,) = artists(canvas, "slower_than")
    assert plt.getp(slower, "marker") == "^"
    (unstable,) = artists(canvas, "unstable")
    assert plt.getp(unstable, "hatch")
    assert all(plt.getp(whole, "marker") != "^" for whole in artists(canvas, "whole"))


def test_the_line_of_a_library_is_thin_and_hides_no_other(tmp_path: Path) -> None:
    results = results_of(tmp_path, "burst", MARKED)
    results.groups.members["libraries"] = ["pairing_heap"]
    canvas = over_n.draw(results, "burst")
    assert canvas
    assert "of a library" in texts_of(canvas)
    assert gids(canvas, "unstable") == []
    bands = {band.split(":")[1] for band in gids(canvas, "band")}
    assert bands == set(QUEUES) - {"pairing_heap"}
    panels = [line for axes in canvas.axes for line in axes.lines]
    thin = [line for line in panels if line.get_linestyle() == "--" and line.get_linewidth() < 1]
    assert {line.get_color() for line in thin} == {
        styles_of(results, "queues")["pairing_heap"]["color"]
    }


def many_queues(tmp_path: Path, ns: dict[str, float], families: dict[str, str]) -> Results:
    """Makes so many queues that not all have names. `ns` is the time of each member of a family."""
    names = {Name("burst", queue, f"edges/{n}"): ns[queue] for queue in ns for n in (10, 100)}
    write_times(tmp_path, {name: [figure] * 3 for name, figure in names.items()})
    results = load(tmp_path)
    results.groups.families[:] = families
    for family, members in families.items():
        for position, member in enumerate(members.split()):
            results.groups.places[member] = (family, position)
    return results


def test_of_many_lines_the_best_of_each_family_is_named_and_the_others_are_grey(
    tmp_path: Path,
) -> None:
    families = {"heaps": "h1 h2 h3 h4 h5", "wheels": "w1 w2 w3 w4 w5", "trees": "t1 t2 t3"}
    ns = {queue: 10.0 * number for number, queue in enumerate(" ".join(families.values()).split())}
    ns |= {"h1": 50.0, "h3": 5.0, "w1": 500.0}
    results = many_queues(tmp_path, ns, families)
    results.groups.members["libraries"] = ["t2", "t3"]
    canvas = over_n.draw(results, "burst")
    named = {gid.split(":")[1] for gid in gids(canvas, "whole")}
    assert named == {"h3", "w2", "t1", "t2"}  # t2 is the best library
    behind = {gid.split(":")[1] for gid in gids(canvas, "behind")}
    assert behind == set(ns) - named
    assert {plt.getp(line, "color") for line in artists(canvas, "behind")} == {LIGHT_GREY}
    assert "not the best exact one of its family" in texts_of(canvas)
    assert not {"h1", "w1"} & set(texts_of(canvas))


def test_what_may_be_late_is_named_only_where_nothing_in_its_family_is_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MOST_LINES", 3)
    ns = {"h1": 9.0, "w1": 5.0, "w2": 7.0, "w3": 8.0, "l1": 20.0}
    results = many_queues(tmp_path, ns, {"heaps": "h1", "wheels": "w1 w2 w3", "lists": "l1"})
    results.groups.members["late"] = ["w1", "l1"]
    canvas = over_n.draw(results, "burst")
    assert {gid.split(":")[1] for gid in gids(canvas, "whole")} == {"h1", "w2", "l1"}


def test_each_family_has_a_panel_in_which_all_others_are_grey(tmp_path: Path) -> None:
    results = of_benches(tmp_path, "churn")
    canvas = families.draw(results)
    assert canvas
    panels = {axes.get_label(): axes for axes in canvas.axes}
    assert list(panels) == [family.replace("_", " ") for family in results.groups.families]
    assert {axes.get_ylim() for axes in panels.values()} == {canvas.axes[0].get_ylim()}
    named = [gid.split(":") for gid in gids(canvas, "whole")]
    assert {queue for panel, queue, _ in named if panel == "hashed wheels"} == {
        "hashed_wheel_512",
        "hashed_wheel_4096",
    }
    behind = [gid.split(":") for gid in gids(canvas, "behind")]
    for panel in panels:
        of_panel = {queue for of, queue, _ in named if of == panel}
        grey = {queue for of, queue in behind if of == panel}
        assert of_panel | grey == set(QUEUES)
        assert not of_panel & grey


def test_a_line_that_is_behind_stands_where_its_figures_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MOST_LINES", 1)
    ns = {"h1": 10.0, "h2": 10_000.0}
    canvas = over_n.draw(many_queues(tmp_path, ns, {"heaps": "h1 h2"}), "burst")
    (line,) = artists(canvas, "behind")
    assert set(plt.getp(line, "ydata")) == {10_000.0}


def test_of_many_families_those_that_are_lowest_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MOST_LINES", 2)
    families = {"heaps": "h1 h2", "wheels": "w1", "trees": "t1", "lists": "l1"}
    ns = {"h1": 9.0, "h2": 20.0, "w1": 10.0, "t1": 12.0, "l1": 30.0}
    canvas = over_n.draw(many_queues(tmp_path, ns, families), "burst")
    assert {gid.split(":")[1] for gid in gids(canvas, "whole")} == {"h1", "w1"}


def test_a_bound_is_not_the_best_of_its_family(tmp_path: Path) -> None:
    families = {"heaps": "h1 h2", "wheels": " ".join(f"w{number}" for number in range(12))}
    ns = dict.fromkeys(" ".join(families.values()).split(), 20.0) | {"h1": 10.0}
    results = many_queues(tmp_path, ns, families)
    for n in (10, 100):
        for entry in results.rounds[Name("burst", "h1", f"edges/{n}")].values():
            entry["slower_than"] = 1
    assert "edges:h2:10" in gids(over_n.draw(results, "burst"), "whole")


def test_no_mark_is_shown_or_explained_where_there_is_none(tmp_path: Path) -> None:
    canvas = over_n.draw(results_of(tmp_path, "burst"), "burst")
    assert not [gid for kind in ("window", "slower_than", "unstable") for gid in gids(canvas, kind)]
    assert canvas
    (legend,) = canvas.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a touch of memory"]


def test_the_key_explains_the_marks_that_are_shown(tmp_path: Path) -> None:
    canvas = over_n.draw(results_of(tmp_path, "burst", MARKED), "burst")
    assert canvas
    assert {text.get_text() for text in canvas.legends[0].get_texts()} == {
        "95% interval",
        "a touch of memory",
        "a window was timed",
        "slower than this",
        "wider than ±10%",
    }


@pytest.mark.parametrize("foreign", [{"p999", "lagged"}, {"floor", "lagged", "slower_than"}])
def test_the_fullest_keys_do_not_leave_the_page(foreign: set[str]) -> None:
    canvas = page(1, "Churn", "What does a timer cost?")
    key(canvas, meanings(LOOKS.keys() - foreign))
    assert canvas.legends[0].get_window_extent().x1 < canvas.bbox.width


@pytest.mark.parametrize(("rounds", "name"), [(1, None), (2, "95% interval")])
def test_a_band_is_an_interval_which_one_process_does_not_have(
    tmp_path: Path, rounds: int, name: str | None
) -> None:
    names = [Name("memory", queue, "uniform/1000") for queue in QUEUES]
    names += [Name("memory", queue, "uniform/10000") for queue in QUEUES]
    bytes_of_rounds = [{**made_up(names[0], 1), "bytes_per_timer": 48.0 + n} for n in range(rounds)]
    write_bench(tmp_path, dict.fromkeys(names, bytes_of_rounds))
    canvas = memory.draw(load(tmp_path))
    assert canvas
    lines = [text for text in texts_of(canvas) if "line: " in text]
    assert [f"line: {name}" in text for text in lines] == ([True] if name else [])
    times = [10.0 + number for number in range(rounds)]
    write_times(tmp_path, {Name("burst", "min_heap", f"edges/{n}"): times for n in (10, 100)})
    canvas = over_n.draw(load(tmp_path), "burst")
    assert canvas
    words = [text.get_text() for legend in canvas.legends for text in legend.get_texts()]
    assert [text for text in words if not text.startswith("wider")] == ([name] if name else [])


@pytest.mark.parametrize(
    ("queues", "words"),
    [
        (["min_heap", "libuv"], ""),
        (["libev"], "With libev, each expire makes a system call."),
        (["libev", "libevent"], "With libev and libevent, each expire makes a system call."),
        (["min_heap", "coarse_wheel"], "Timers may run late in coarse_wheel."),
    ],
)
def test_the_foot_tells_of_loops_that_turn_at_each_tick_and_of_queues_that_may_be_late(
    tmp_path: Path, queues: list[str], words: str
) -> None:
    names = [Name("burst", queue, f"edges/{n}") for queue in queues for n in (10, 100)]
    write_times(tmp_path, {name: [10.0] for name in names})
    canvas = page(1, "A chart")
    results = load(tmp_path)
    results.groups.members["turning_loops"] = ["libevent", "libev"]
    results.groups.members["late"] = ["coarse_wheel"]
    footnote(canvas, results, ["burst"])
    told = [text for text in texts_of(canvas) if "system call" in text or "late" in text]
    assert [words in text for text in told] == ([True] if words else [])


def test_one_round_has_no_band(tmp_path: Path) -> None:
    ns = {1_000: [10.0, 11.0, 12.0], 10_000: [10.0, 11.0, 12.0], 100_000: [10.0]}
    write_times(tmp_path, {Name("burst", "min_heap", f"edges/{n}"): of for n, of in ns.items()})
    (band,) = artists(over_n.draw(load(tmp_path), "burst"), "band")
    (outline,) = plt.getp(band, "paths")
    assert {float(n) for n in outline.vertices[:, 0]} == {1_000, 10_000}


def test_a_bound_far_above_all_else_is_drawn_at_the_edge_and_said_in_words(tmp_path: Path) -> None:
    last = Name("burst", "lazy_wheel", "edges/1000000")
    results = results_of(tmp_path, "burst", {last: "slower_than"})
    for entry in results.rounds[last].values():
        entry["ns_per_operation"] = 2e9
    canvas = over_n.draw(results, "burst")
    (slower,) = artists(canvas, "slower_than")
    assert plt.getp(slower, "ydata")[0] < 10_000
    assert "lazy_wheel > 2G" in texts_of(canvas)


def test_the_floor_is_drawn_in_every_panel(tmp_path: Path) -> None:
    canvas = over_n.draw(results_of(tmp_path, "burst"), "burst")
    assert gids(canvas, "floor") == ["one_tick"] * 2 + ["edges"] * 2
    results = results_of(tmp_path, "churn")
    del results.rounds[Name("floor", MACHINE, "dependent/1000000")]
    (dependent, *_) = artists(over_n.draw(results, "churn"), "floor")
    assert list(plt.getp(dependent, "xdata")) == [1_000, 10_000, 100_000]


def test_the_label_of_a_floor_far_above_all_queues_leads_to_its_line(tmp_path: Path) -> None:
    results = results_of(tmp_path, "churn")
    for entry in results.rounds[Name("floor", MACHINE, "dependent/1000000")].values():
        entry["ns_per_operation"] = 1e6
    canvas = over_n.draw(results, "churn")
    assert canvas
    axes = canvas.axes[0]
    to_axes = axes.transData + axes.transAxes.inverted()
    leaders = [line for line in axes.lines if line.get_transform() is axes.transAxes]
    heights = [float(line.get_ydata()[0]) for line in leaders]  # type: ignore[arg-type, index]
    assert max(heights) == pytest.approx(float(to_axes.transform((1e6, 1e6))[1]))


def test_the_floor_has_a_line_for_each_way_of_touching_memory(tmp_path: Path) -> None:
    canvas = floor.draw(results_of(tmp_path, "burst"))
    assert len(gids(canvas, "whole")) == len(CASES["floor"])
    assert "n, cache lines; logarithmic" in texts_of(canvas)
    assert "n, timers; logarithmic" not in texts_of(canvas)


def test_the_worst_call_is_shown_with_its_p999(tmp_path: Path) -> None:
    canvas = worst_call.draw(results_of(tmp_path, "burst", MARKED))
    assert gids(canvas, "window") == ["Burst, edges:min_heap:10000"]
    assert len(gids(canvas, "p999")) == len(QUEUES)


def test_a_cell_without_its_worst_call_is_left_out(tmp_path: Path) -> None:
    results = results_of(tmp_path, "burst")
    for entry in results.rounds[Name("burst", "min_heap", "edges/1000")].values():
        del entry["worst_expire_ns"]
    assert len(gids(worst_call.draw(results), "whole")) == len(QUEUES) * 4 - 1


def test_the_heat_map_marks_cells_at_its_n_only_and_a_window_with_a_letter(tmp_path: Path) -> None:
    in_window = Name("burst", "min_heap", "edges/100000")
    canvas = heat_map.draw(results_of(tmp_path, "burst", {**MARKED, in_window: "window"}))
    overall = "geometric mean of the blocks"
    assert gids(canvas, "slower_than") == ["burst, edges:lazy_wheel", f"{overall}:lazy_wheel"]
    assert gids(canvas, "unstable") == ["burst, one_tick:pairing_heap", f"{overall}:pairing_heap"]
    assert gids(canvas, "window") == ["burst, edges:min_heap"]
    texts = texts_of(canvas)
    assert ">1.0" in texts
    assert texts.count("w") == 1
    words = " ".join(" ".join(reversed(texts)).split())  # the last line of the foot comes first
    assert "hatched: 95% interval of the ratio wider" in words
    assert "w: a window was timed" in words


def test_the_heat_map_never_calls_a_bound_the_best(tmp_path: Path) -> None:
    ns = {"min_heap": [1_000.0], "pairing_heap": [1_200.0], "lazy_wheel": [400.0]}
    canvas = heat_map.draw(results_of_case(tmp_path, ns, "lazy_wheel"))
    texts = texts_of(canvas)
    assert {"1", "1.2", ">0.4", "1 µs"} <= set(texts)


def test_the_heat_map_names_every_workload_without_its_n(tmp_path: Path) -> None:
    names = [Name("burst", "min_heap", f"workload_{number}/100000") for number in range(30)]
    names += [Name("churn", "min_heap", f"workload_{number}/1000") for number in range(20)]
    for bench in ("burst", "churn"):
        write_times(tmp_path, {name: [1.0] for name in names if name.bench == bench})
    canvas = heat_map.draw(load(tmp_path))
    assert canvas
    texts = [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts_of(canvas)]
    note = " ".join(reversed([text for text in texts if "churn workload_" in text]))
    assert "without this n: churn workload_0, churn workload_1, churn" in note
    assert note.count("churn workload_") == 20
    foot = max(plt.getp(text, "position")[1] for text in canvas.texts if "churn" in text.get_text())
    scale = min(axes.get_position().y0 for axes in canvas.axes)
    assert foot < scale


def test_bars_write_and_hatch_the_marks(tmp_path: Path) -> None:
    marks = {
        Name("horizon", "min_heap", "log_uniform/1000000"): "window",
        Name("horizon", "lazy_wheel", "log_uniform/1000000"): "slower_than",
        Name("horizon", "pairing_heap", "log_uniform/1000000"): "unstable",
    }
    canvas = horizon.draw(results_of(tmp_path, "horizon", marks))
    assert gids(canvas, "slower_than") == ["ns a timer:9"]
    (unstable,) = artists(canvas, "unstable")
    assert plt.getp(unstable, "hatch")
    texts = texts_of(canvas)
    assert [text for text in texts if text.startswith("> ")] == ["> 308"]
    assert sum(text.endswith(" w") for text in texts) == 2  # the time and the empty calls


def test_memory_shows_a_bar_for_each_queue_and_what_it_holds_at_its_peak(tmp_path: Path) -> None:
    canvas = memory.draw(of_benches(tmp_path, "memory", rounds=1))
    assert len([gid for gid in gids(canvas, "whole") if gid.startswith("bytes a timer, ")]) == 10
    assert gids(canvas, "whole").count("leak, bytes an operation:2") == 1
    texts = texts_of(canvas)
    assert texts.count("24.0") == 2  # a leak, and the residue of that queue


def test_a_figure_that_is_written_as_0_has_no_bar(tmp_path: Path) -> None:
    names = [Name("horizon", queue, "log_uniform/1000000") for queue in QUEUES]
    rounds = {name: [made_up(name, 1)] for name in names}
    for name, entries in rounds.items():
        seen = 3e-6 if name.queue == "min_heap" else 0.0
        entries[0].update({"empty_calls_per_timer": seen, "moves_per_timer": 1.0})
    write_bench(tmp_path, rounds)
    canvas = horizon.draw(load(tmp_path))
    panels = {gid.split(":")[0] for gid in gids(canvas, "whole")}
    assert panels == {"ns a timer", "moves a timer"}


cpu_ns = optional("cpu_ns_per_operation")


def of_benches(directory: Path, *benches: str, rounds: int = 3) -> Results:
    write_results(directory, rounds, benches)
    return load(directory)


def of_calls(directory: Path, n: int, *calls: str) -> Results:
    """Makes results of `contention` with n timers: of these calls, by all numbers of threads."""
    names = [
        Name("contention", one, f"{workload}/{n}")
        for workload, of in CONTENTION.items()
        if of.call in calls
        for one in SERVICES
    ]
    write_bench(directory, {name: [made_up(name, of) for of in (1, 2, 3)] for name in names})
    return load(directory)


def test_contention_shows_each_call_by_threads_its_p99_and_wakes(tmp_path: Path) -> None:
    results = of_calls(tmp_path, 1_000, "schedule", "descending")
    shown = gids(contention.draw(results, n=1_000), "whole")
    of_each = [f"{count} thread{'s' * (count > 1)}" for count in (1, 2, 4, 8)]
    of_each.append("p99 of a call, 4 threads")
    # Each call has both kinds of memory. It wakes a thread only if each timer is a new earliest
    # one.
    titles = [*of_each * 2 * 2, *["wakes in 1,000, 4 threads"] * 2]
    assert sorted(shown) == sorted(f"{title}:{row}" for title in titles for row in range(5))


def test_contention_has_the_two_kinds_of_memory_below_each_other_and_says_which(
    tmp_path: Path,
) -> None:
    calls = ("schedule", "cancel")
    results = of_calls(tmp_path, 1_000, *calls)
    novel = Name("contention", SERVICES[0], "novel/1000")
    results.rounds[novel] = {1: {"ns_per_operation": 1.0}}  # a workload that is not described
    canvas = contention.draw(results, n=1_000)
    assert canvas
    titles = [text for text in texts_of(canvas) if text.endswith(" memory")]
    assert titles == [
        f"{call} in {memory} memory" for call in calls for memory in ("fresh", "aged")
    ]
    first = [axes for axes in canvas.axes if axes.get_label() == "1 thread"][:2]
    shown = [max(plt.getp(bar, "width") for bar in axes.patches) for axes in first]
    most = [
        max(
            results.values(Name("contention", one, f"{workload}/1000"), cpu_ns)[0]
            for one in SERVICES
        )
        for workload in ("schedule_1", "schedule_1_aged")
    ]
    assert shown == pytest.approx(most, rel=0.03)
    assert most[1] > 1.9 * most[0]
    assert first[0].get_xlim() == first[1].get_xlim()


def test_a_service_has_rows_only_in_the_blocks_where_it_was_measured(tmp_path: Path) -> None:
    results = of_calls(tmp_path, 1_000, "schedule", "put_off")
    first, second = SERVICES[:2]
    for name in list(results.rounds):
        if name.queue == first and name.workload.startswith("put_off"):
            del results.rounds[name]
    canvas = contention.draw(results, n=1_000)
    assert canvas
    texts = texts_of(canvas)
    assert (texts.count(first), texts.count(second)) == (2, 4)  # each kind of memory is a block
    # The panels of all blocks begin at one place.
    assert (
        len({axes.get_position().x0 for axes in canvas.axes if axes.get_label() == "1 thread"}) == 1
    )


def test_contention_shows_the_numbers_of_threads_that_were_measured_at_its_n(
    tmp_path: Path,
) -> None:
    cases = ("cancel_1/1000", "cancel_4/1000000")
    names = [Name("contention", one, case) for case in cases for one in SERVICES]
    write_bench(tmp_path, {name: [made_up(name, 1)] for name in names})
    results = load(tmp_path)
    shown = gids(contention.draw(results, n=1_000_000), "whole")
    assert {gid.rpartition(":")[0] for gid in shown} == {"4 threads", "p99 of a call, 4 threads"}
    assert contention.draw(results, n=50) is None


def test_dispatch_shows_expiries_by_n(tmp_path: Path) -> None:
    shown = gids(by_size.draw_dispatch(of_benches(tmp_path, "dispatch")), "whole")
    titles = ["n = 1,000", "n = 10,000", "n = 100,000", "n = 1,000,000", "allocations"]
    assert sorted(shown) == sorted(f"{title}:{row}" for title in titles for row in range(5))


def test_contention_shows_intervals_and_the_processor_time_of_all_threads_behind(
    tmp_path: Path,
) -> None:
    results = of_calls(tmp_path, 1_000_000, "schedule")
    canvas = contention.draw(results, n=1_000_000)
    assert canvas
    texts = texts_of(canvas)
    assert any("line: 95% interval" in text for text in texts)
    assert any("with 1,000,000 timers pending" in text for text in texts)
    assert any("Grey: processor time of all threads" in text for text in texts)
    (axes, *_) = canvas.axes
    bars = sorted(plt.getp(bar, "width") for bar in axes.patches)
    assert len(bars) == 2 * len(SERVICES)
    figures = {
        counter: results.figure(Name("contention", SERVICES[0], "schedule_1/1000000"), value)
        for counter, value in (
            ("wall", ns_per_operation),
            ("all", optional("cpu_ns_per_operation")),
        )
    }
    assert {figure.mean for figure in figures.values() if figure} <= set(bars)


def test_sleep_shows_what_only_some_ways_have(tmp_path: Path) -> None:
    shown = gids(counters.draw(of_benches(tmp_path, "sleep", rounds=1), "sleep"), "whole")
    assert shown.count("p99.9:0") == shown.count("worst:0") == len(WORKLOADS["sleep"])
    assert "to wake it:0" not in shown
    assert "to wake it:1" in shown


def test_a_setting_that_was_not_measured_has_no_row_and_the_others_keep_their_colours(
    tmp_path: Path,
) -> None:
    few = [SETTINGS[0], SETTINGS[6]]
    names = [Name("idle", setting, "no_timer/2") for setting in few]
    write_bench(tmp_path, {name: [made_up(name, 1)] for name in names})
    results = load(tmp_path)
    results.measured["settings"][:] = SETTINGS
    canvas = counters.draw(results, "idle")
    assert gids(canvas, "whole") == [
        "processor time a second:6",
        "wake-ups a second:6",
        "switched out, a second:6",
    ]
    assert canvas
    assert [text.get_text() for text in canvas.texts if text.get_text() in SETTINGS] == few


def test_lateness_has_a_line_for_each_setting_above_the_floor(tmp_path: Path) -> None:
    canvas = lateness.draw(of_benches(tmp_path, "lateness", "sleep", rounds=1))
    drawn = ["uniform", "exponential", "ballast", "burst"]
    assert gids(canvas, "curve") == [f"{w}:{s}" for w in drawn for s in SETTINGS]
    assert len(gids(canvas, "floor")) == len(drawn) * len(WAYS)
    assert "uniform, 10,000 timers a second" in texts_of(canvas)
    assert [texts_of(canvas).count(f"sleep: {way}") for way in WAYS] == [len(drawn)] * len(WAYS)
    name = Name("lateness", SETTINGS[0], "burst/10000")
    write_bench(tmp_path / "no_sleep", {name: [made_up(name, 1)]})
    assert not gids(lateness.draw(load(tmp_path / "no_sleep")), "floor")


ON_FLOOR = Name("lateness", FLOOR, "uniform/10000")


def with_floor(directory: Path) -> Results:
    """Makes results of two cases of lateness with all settings. One case has a floor."""
    late = {"p90_ns": 4e3, "p99_ns": 5e3, "p999_ns": 6e3, "max_ns": 9e3}
    cases = [ON_FLOOR, replace(ON_FLOOR, case="burst/10000")]
    rounds = {
        replace(of, queue=one): [made_up(replace(of, queue=one), 1)]
        for of in cases
        for one in SETTINGS
    }
    write_bench(directory, {**rounds, ON_FLOOR: [{"ns_per_operation": 3e3, **late}]})
    return of_benches(directory, "sleep")


def test_the_floor_of_lateness_is_of_the_same_case_or_else_the_bench_sleep(tmp_path: Path) -> None:
    canvas = lateness.draw(with_floor(tmp_path))
    (own, *ways) = artists(canvas, "floor")
    assert own.get_gid() == f"floor:{ON_FLOOR.bench}//{ON_FLOOR.case}"
    assert list(plt.getp(own, "ydata")) == [3e3, 4e3, 5e3]  # they end where the curves end
    assert len(ways) == len(WAYS)
    assert {way.get_gid() for way in ways} == {"floor:lateness//burst/10000"}
    assert texts_of(canvas).count("a thread that only sleeps") == 1
    assert gids(canvas, "curve") == [f"{w}:{s}" for w in ("uniform", "burst") for s in SETTINGS]


def test_what_only_sleeps_is_no_setting(tmp_path: Path) -> None:
    results = with_floor(tmp_path)
    assert FLOOR not in styles_of(results, "settings")
    over_n, over_time = lateness.draw_over_n(results), lateness_over_time.draw(results)
    assert len(artists(over_n, "only_sleeps")) == 1
    for canvas in (over_n, over_time):
        assert FLOOR not in "".join(texts_of(canvas))
    assert "a thread that only sleeps" in texts_of(over_n)


def test_bars_of_lateness_have_the_floor_as_a_line(tmp_path: Path) -> None:
    name = Name("slow_task", FLOOR, "one_of_500ms/1000")
    rounds = {replace(name, queue=one): [made_up(replace(name, queue=one), 1)] for one in SETTINGS}
    write_bench(tmp_path, {**rounds, name: [{"ns_per_operation": 3e3, "p99_ns": 5e3}]})
    canvas = counters.draw(load(tmp_path), "slow_task")
    lines = artists(canvas, "floor")
    assert [(line.get_gid(), plt.getp(line, "xdata")[0]) for line in lines] == [
        ("floor:median", 3e3),
        ("floor:p99", 5e3),
    ]
    assert any("dotted: a thread that only sleeps" in text for text in texts_of(canvas))
    assert len(gids(canvas, "whole")) == 5 * len(SETTINGS)
    write_bench(tmp_path, rounds)
    canvas = counters.draw(load(tmp_path), "slow_task")
    assert not artists(canvas, "floor")
    assert not any("only sleeps" in text for text in texts_of(canvas))


def test_who_keeps_up_has_the_floor_of_each_n(tmp_path: Path) -> None:
    name = Name("lateness", FLOOR, "within_3s/100000")
    setting = replace(name, queue=SETTINGS[0])
    write_bench(tmp_path, {setting: [made_up(setting, 1)], name: [{"ns_per_operation": 4e3}]})
    canvas = who_keeps_up.draw(load(tmp_path))
    assert [plt.getp(line, "xdata")[0] for line in artists(canvas, "floor")] == [4e3]
    assert gids(canvas, "whole") == [f"n = 100,000:{SETTINGS[0]}"]


def test_who_keeps_up_reaches_from_the_median_to_the_latest(tmp_path: Path) -> None:
    early, late = (Name("lateness", one, "within_3s/100000") for one in SETTINGS[:2])
    figures = {early: (0.0, 2e6), late: (5e4, 3e9)}
    write_bench(
        tmp_path,
        {
            name: [{"ns_per_operation": median, "max_ns": worst}]
            for name, (median, worst) in figures.items()
        },
    )
    canvas = who_keeps_up.draw(load(tmp_path))
    bars = artists(canvas, "whole")
    starts = [plt.getp(bar, "x") for bar in bars]
    ends = [plt.getp(bar, "x") + plt.getp(bar, "width") for bar in bars]
    assert starts == [who_keeps_up.LEAST, 5e4]
    assert ends == pytest.approx([2e6, 3e9])
    assert canvas
    assert {"2 ms", "3 s"} <= set(texts_of(canvas))
    (axes,) = canvas.axes
    assert axes.get_xscale() == "log"
    assert "logarithmic" in axes.get_xlabel()


def test_a_line_of_lateness_ends_where_too_few_tasks_are_later(tmp_path: Path) -> None:
    entry = {"ns_per_operation": 1e6, "lateness": [[1e6, 989], [1e8, 11]]}
    write_bench(tmp_path, {Name("lateness", "heap_timer", "burst/1000"): [entry]})
    (line,) = artists(lateness.draw(load(tmp_path)), "curve")
    shares = [1 - 10 ** -float(place) for place in plt.getp(line, "xdata")]
    assert max(shares) == pytest.approx(0.99)
    assert plt.getp(line, "ydata")[-1] == pytest.approx(1e8, rel=0.03)


def test_lateness_says_what_was_early_and_where_the_caller_fell_behind(tmp_path: Path) -> None:
    name = Name("lateness", "hierarchical_wheel_timer_as_in_kafka", "burst/10000")
    entry = {**made_up(name, 1), "generator_lagged": 1.0, "early": 2_500.0}
    write_bench(tmp_path, {name: [entry]})
    results = load(tmp_path)
    canvas = lateness.draw(results)
    texts = texts_of(canvas)
    assert "hierarchical_wheel_timer_as_in_kafka, 25% early, †" in texts
    assert "the caller fell behind" in texts
    assert gids(lateness.draw_over_n(results), "lagged") == [f"burst:{name.queue}:10000"]
    canvas = lateness_over_time.draw(results)
    assert f"{name.queue} †" in texts_of(canvas)


def test_bars_mark_a_cell_whose_caller_fell_behind(tmp_path: Path) -> None:
    name = Name("lateness", "heap_timer", "within_3s/100000")
    write_bench(tmp_path, {name: [{**made_up(name, 1), "generator_lagged": 1.0}]})
    canvas = who_keeps_up.draw(load(tmp_path))
    assert gids(canvas, "lagged") == [f"n = 100,000:{name.queue}"]
    texts = texts_of(canvas)
    assert sum(text.endswith(" †") for text in texts) == 1
    assert any("†: the caller fell behind" in text for text in texts)


def test_lateness_over_time_has_a_panel_for_each_setting_and_gaps_where_nothing_started(
    tmp_path: Path,
) -> None:
    canvas = lateness_over_time.draw(of_benches(tmp_path, "lateness", rounds=1))
    assert gids(canvas, "late") == SETTINGS
    (line, *_) = artists(canvas, "late")
    heights = [float(height) for height in plt.getp(line, "ydata")]
    assert [at for at, height in enumerate(heights) if math.isnan(height)] == [7]
    assert any("within_3s, n = 5,000,000" in text for text in texts_of(canvas))


@pytest.mark.parametrize("varied", trade_offs.VARIED)
def test_trade_offs_stand_by_what_they_cost_and_how_late_they_are(
    tmp_path: Path, varied: trade_offs.Varied
) -> None:
    bench, subjects = varied.bench, MEASURED[subject_of(varied.bench)]
    results = of_benches(tmp_path, bench)
    canvas = trade_offs.draw(results, varied)
    values = WORKLOADS[bench]
    assert gids(canvas, "whole") == [f"{one}:{value}" for one in subjects for value in values]
    (point, *_) = artists(canvas, "whole")
    name = Name(bench, subjects[0], f"{values[0]}/10000")
    cost = results.figure(name, optional("cpu_percent"))
    late = results.figure(name, ns_per_operation)
    assert cost
    assert late
    assert (plt.getp(point, "xdata")[0], plt.getp(point, "ydata")[0]) == (cost.mean, late.mean)


TICKS, SLACK = trade_offs.VARIED


def beside_floors(
    tmp_path: Path, bench: str, services: list[str], floors: dict[str, float]
) -> Results:
    """Makes results of these services over values, with a floor of this lateness at each value."""
    rounds = {
        (name := Name(bench, one, f"{value}/10000")): [
            {"ns_per_operation": floor} if one == FLOOR else made_up(name, 1)
        ]
        for value, floor in floors.items()
        for one in [*services, FLOOR]
    }
    write_bench(tmp_path, rounds)
    return load(tmp_path)


def test_ticks_have_the_floor_of_each_from_the_least_cost_to_the_most(tmp_path: Path) -> None:
    ns = {"1ms": 4e3, "10ms": 5e3}
    results = beside_floors(tmp_path, "ticks", WHEELS, ns)
    canvas = trade_offs.draw(results, TICKS)
    lines = artists(canvas, "floor")
    assert {line.get_gid(): plt.getp(line, "ydata")[0] for line in lines} == {
        f"floor:{tick}": floor for tick, floor in ns.items()
    }
    costs = [
        results.values(Name("ticks", one, "1ms/10000"), optional("cpu_percent"))[0]
        for one in WHEELS
    ]
    assert list(plt.getp(lines[0], "xdata")) == [min(costs), max(costs)]
    assert texts_of(canvas).count("a thread that only sleeps") == 1


def slack_of(tmp_path: Path, us: dict[str, list[float]]) -> Results:
    """Makes results of a service without ticks and one with coarse ticks, over slacks."""
    write_bench(
        tmp_path,
        {
            Name("slack", one, f"{slack}/10000"): [
                {"ns_per_operation": 1e3 * late, "cpu_percent": 1e3 / late} for late in of_rounds
            ]
            for slack, of_rounds in us.items()
            for one in ("heap_timer", "simple_wheel_timer")
        },
    )
    return load(tmp_path)


def test_slack_moves_no_service_that_waits_for_coarse_ticks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = {"properties": "coarse_ticks", "coarse_ticks": "simple_wheel_timer"}
    monkeypatch.setitem(GROUPS, "services", groups)
    results = slack_of(tmp_path, {"1ns": [30], "1ms": [600]})
    canvas = trade_offs.draw(results, SLACK)
    assert gids(canvas, "whole") == ["heap_timer:1ns", "heap_timer:1ms"]


def test_a_trade_off_is_told_where_the_intervals_show_it(tmp_path: Path) -> None:
    shown = trade_offs.draw(slack_of(tmp_path, {"1ns": [30, 31], "1ms": [600, 620]}), SLACK)
    told = "The finest slack makes tasks up to 20 times less late, for up to 20 times the"
    assert any(text.startswith(told) for text in texts_of(shown))
    wide = trade_offs.draw(slack_of(tmp_path, {"1ns": [30, 31], "1ms": [60, 6000]}), SLACK)
    assert not any("less late" in text for text in texts_of(wide))


def test_a_slack_is_written_beside_what_only_sleeps(tmp_path: Path) -> None:
    floors = {"1ns": 30e3, "1ms": 600e3}
    canvas = trade_offs.draw(beside_floors(tmp_path, "slack", ["heap_timer"], floors), SLACK)
    assert canvas
    (axes,) = canvas.axes
    words = [text for text in axes.findobj(Annotation) if text.get_text().startswith("a slack")]
    assert [text.xy[1] for text in words] == list(floors.values())


@pytest.mark.parametrize("varied", trade_offs.VARIED)
def test_what_is_written_beside_trade_offs_stays_in_the_axes(
    tmp_path: Path, varied: trade_offs.Varied
) -> None:
    canvas = trade_offs.draw(of_benches(tmp_path, varied.bench), varied)
    assert canvas
    (axes,) = canvas.axes
    beginning = f"a {varied.noun} of"
    words = [text for text in axes.findobj(Text) if text.get_text().startswith(beginning)]
    assert len(words) == len(WORKLOADS[varied.bench])
    assert min(text.get_window_extent().x0 for text in words) > axes.bbox.x0


@pytest.mark.parametrize(
    "bench", ["replay", "memory", "floor", "contention", "lateness", "ticks", "sleep"]
)
def test_the_heat_map_leaves_out_what_has_no_n_or_no_queue(tmp_path: Path, bench: str) -> None:
    assert heat_map.draw(of_benches(tmp_path, bench, rounds=1)) is None


def test_a_tie_looks_like_the_best_and_says_no_number(tmp_path: Path) -> None:
    ns = {
        "min_heap": [10.0, 10.0, 10.0],
        "lazy_wheel": [10.4, 10.0, 10.6],
        "pairing_heap": [10.4, 10.5, 10.6],
    }
    canvas = heat_map.draw(results_of_case(tmp_path, ns))
    colours = {
        gid.split(":")[-1]: plt.getp(box, "facecolor")
        for gid, box in zip(gids(canvas, "whole"), artists(canvas, "whole"), strict=True)
    }
    assert colours["lazy_wheel"] == colours["min_heap"] != colours["pairing_heap"]
    assert canvas
    bold = [text.get_text() for text in canvas.findobj(Text) if text.get_fontweight() == "bold"]
    assert {"1", "="} <= set(bold)
    texts = texts_of(canvas)
    assert "1.05" in texts
    assert any("=: a tie with the best" in text for text in texts)
    assert not gids(canvas, "unstable")


def test_only_a_wide_interval_of_the_ratio_is_hatched(tmp_path: Path) -> None:
    hours = [1.0, 2.0, 3.0]  # factors that ratios do not show
    ns = {
        "min_heap": [10.0 * hour for hour in hours],
        "lazy_wheel": [20.0 * hour for hour in hours],
        "pairing_heap": [20.0, 50.0, 60.0],
    }
    canvas = heat_map.draw(results_of_case(tmp_path, ns))
    overall = "geometric mean of the blocks"
    assert gids(canvas, "unstable") == ["churn, rpc:pairing_heap", f"{overall}:pairing_heap"]


def limits_and_words(canvas: Canvas | None) -> list[tuple[str, float, str]]:
    """Returns for each panel the scale, where it begins, and its label."""
    assert canvas
    return [(of.get_xscale(), of.get_xlim()[0], of.get_xlabel()) for of in canvas.axes]


@pytest.mark.parametrize("most", [2e3, 1e10])
def test_no_axis_of_bars_changes_with_the_figures(tmp_path: Path, most: float) -> None:
    for bench, workload in (("idle", "no_timer/2"), ("overload", "stopped/1")):
        figures = dict(zip(SETTINGS[:2], (1.5e3, most), strict=True))
        entries = {
            Name(bench, setting, workload): [{"ns_per_operation": ns, "recovery_ns": ns}]
            for setting, ns in figures.items()
        }
        write_bench(tmp_path, entries)
    results = load(tmp_path)
    assert limits_and_words(counters.draw(results, "idle")) == [("linear", 0, "")]
    (axes,) = limits_and_words(counters.draw(results, "overload"))
    assert axes == ("log", 1e3, "logarithmic, from 1 µs")


def test_what_is_next_to_nothing_beside_another_looks_like_nothing(tmp_path: Path) -> None:
    figures = dict(zip(SETTINGS[:2], (15.0, 6e5), strict=True))
    names = {Name("idle", setting, "no_timer/2"): ns for setting, ns in figures.items()}
    write_times(tmp_path, {name: [ns] for name, ns in names.items()})
    small, large = artists(counters.draw(load(tmp_path), "idle"), "whole")
    assert plt.getp(small, "width") < plt.getp(large, "width") / 10_000


def test_an_interval_that_is_far_longer_than_the_bars_is_cut_with_an_arrow(tmp_path: Path) -> None:
    names = [Name("idle", setting, "no_timer/2") for setting in SETTINGS[:2]]
    figures = [[10.0, 10.0], [1.0, 20.0]]
    write_times(tmp_path, dict(zip(names, figures, strict=True)))
    canvas = counters.draw(load(tmp_path), "idle")
    assert canvas
    (axes,) = canvas.axes
    assert axes.get_xlim()[1] < 30
    assert [line.get_marker() for line in axes.lines].count(">") == 1


def test_the_foot_of_a_chart_of_services_says_how_far_equal_services_differ(tmp_path: Path) -> None:
    name = Name("lateness", "heap_timer", "burst/1000")
    twin = replace(name, queue="heap_timer_twin")
    write_times(tmp_path, {name: [10.0], twin: [11.0]})
    canvas = page(1, "A chart")
    footnote(canvas, load(tmp_path), ["lateness", "sleep"])
    assert "Equal services differ by up to 10.0% here." in texts_of(canvas)[-1]


def test_the_foot_says_how_far_equal_queues_differ_where_there_are_twins(tmp_path: Path) -> None:
    results = results_of_case(tmp_path, {"min_heap": [10.0, 12.0], "lazy_wheel": [5.0, 6.0]})

    def foot() -> str:
        canvas = page(1, "A chart")
        footnote(canvas, results, ["churn"])
        return texts_of(canvas)[-1]

    assert "qual queues" not in foot()
    twin = {1: {"ns_per_operation": 10.14}, 2: {"ns_per_operation": 12.168}}
    results.twins[Name("churn", "min_heap", "rpc/1000")] = twin
    assert "Equal queues differ by up to 1.4% here." in foot()
