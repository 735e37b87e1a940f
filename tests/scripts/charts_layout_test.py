"""Labels, styles and the n that charts choose."""

from __future__ import annotations

import itertools

from timerbench.charts.cells import common_n
from timerbench.charts.line_ends import apart, within
from timerbench.charts.style import COLOURS, style_of


def test_labels_keep_apart_and_in_order() -> None:
    placed = apart([5.0, 1.0, 1.2, 1.1, 9.0], gap=1.0)
    order = sorted(range(5), key=lambda index: placed[index])
    assert order == [1, 3, 2, 0, 4]
    gaps = [placed[b] - placed[a] for a, b in itertools.pairwise(order)]
    assert min(gaps) > 0.999
    assert placed[4] == 9.0


def test_labels_at_an_edge_move_into_the_panel_and_stay_apart() -> None:
    placed = within([-2.0, -1.0, 5.0, 9.0, 10.0], low=0.0, high=9.0, gap=1.0)
    assert placed == [0.0, 1.0, 5.0, 8.0, 9.0]


def test_twenty_queues_have_styles_of_their_own() -> None:
    styles = [style_of(position) for position in range(20)]
    looks = {(style["color"], style["marker"], str(style["linestyle"])) for style in styles}
    assert len(looks) == 20
    assert len({(style["color"], str(style["linestyle"])) for style in styles}) == 20
    assert len(set(COLOURS)) == len(COLOURS)


def test_no_queue_has_the_marker_of_a_bound() -> None:
    assert "^" not in {style_of(position)["marker"] for position in range(40)}


def test_the_n_of_a_chart_is_the_wanted_one_if_all_have_it_or_else_the_largest_common() -> None:
    assert common_n([[1, 10, 100], [1, 10, 100]], wanted=10) == 10
    assert common_n([[1, 10, 100], [1, 10]]) == 10
    assert common_n([[1, 10, 100], [1, 10, 100], [1]], wanted=10) == 1
    assert common_n([[1, 10], [1, 10], [100]], wanted=100) == 10
    assert common_n([]) is None
