"""Tests of labels, of styles, and of the n that charts choose."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from results_for_tests import write_bench, write_results
from timerbench.benches import Subject
from timerbench.charts.cells import common_n
from timerbench.charts.line_ends import apart
from timerbench.charts.style import COLOURS, DASHES, style_in_family, style_of, styles_of
from timerbench.groups import Groups
from timerbench.results import Name, load


def test_labels_keep_apart_and_in_order() -> None:
    placed = apart([5.0, 1.0, 1.2, 1.1, 9.0], gap=1.0)
    order = sorted(range(5), key=lambda index: placed[index])
    assert order == [1, 3, 2, 0, 4]
    gaps = [placed[b] - placed[a] for a, b in itertools.pairwise(order)]
    assert min(gaps) > 0.999
    assert placed[4] == 9.0


def test_labels_at_an_edge_move_into_the_panel_and_stay_apart() -> None:
    placed = apart([-2.0, -1.0, 5.0, 9.0, 10.0], gap=1.0, low=0.0, high=9.0)
    assert list(placed) == [0.0, 1.0, 5.0, 8.0, 9.0]


def test_twenty_queues_have_styles_of_their_own() -> None:
    styles = [style_of(position) for position in range(20)]
    looks = {(style["color"], style["marker"], str(style["linestyle"])) for style in styles}
    assert len(looks) == 20
    assert len({(style["color"], str(style["linestyle"])) for style in styles}) == 20
    assert len(set(COLOURS)) == len(COLOURS)


def test_no_queue_has_the_marker_of_a_bound() -> None:
    assert "^" not in {style_of(position)["marker"] for position in range(40)}
    assert "^" not in {style_in_family(0, position)["marker"] for position in range(40)}


def test_a_family_has_one_colour_and_each_member_a_line_and_a_marker_of_its_own() -> None:
    styles = [style_in_family(3, position) for position in range(len(DASHES))]
    assert {style["color"] for style in styles} == {COLOURS[3]}
    assert len({str(style["linestyle"]) for style in styles}) == len(DASHES)
    assert len({style["marker"] for style in styles}) == len(DASHES)


def test_a_name_has_one_style_in_all_charts(tmp_path: Path) -> None:
    write_results(tmp_path, 1, ["churn", "dispatch", "idle", "ticks"])
    results = load(tmp_path)
    subjects: tuple[Subject, ...] = ("queues", "services", "settings", "wheels")
    styles = {subject: styles_of(results, subject) for subject in subjects}
    for name in (one for subject in subjects for one in styles[subject]):
        found = [of[name] for of in styles.values() if name in of]
        assert all(style == found[0] for style in found), name
    assert styles["services"]["heap_timer"]["color"] == styles["queues"]["min_heap"]["color"]


def test_results_that_do_not_tell_families_have_a_style_for_each(tmp_path: Path) -> None:
    write_results(tmp_path, 1, ["rearm"])
    results = replace(load(tmp_path), groups=Groups())
    styles = list(styles_of(results, "queues").values())
    assert styles == [style_of(position) for position in range(len(styles))]
    assert len({style["color"] for style in styles}) == len(styles)


def test_what_is_in_no_family_has_a_colour_that_no_family_has(tmp_path: Path) -> None:
    write_bench(tmp_path, {Name("churn", "novel", "rpc/1000"): [{"ns_per_operation": 1.0}]})
    results = load(tmp_path)
    assert COLOURS.index(styles_of(results, "queues")["novel"]["color"]) == len(
        results.groups.families
    )


def test_the_n_of_a_chart_is_the_wanted_one_if_all_have_it_or_else_the_largest_common() -> None:
    assert common_n([[1, 10, 100], [1, 10, 100]], wanted=10) == 10
    assert common_n([[1, 10, 100], [1, 10]]) == 10
    assert common_n([[1, 10, 100], [1, 10, 100], [1]], wanted=10) == 1
    assert common_n([[1, 10], [1, 10], [100]], wanted=100) == 10
    assert common_n([]) is None
