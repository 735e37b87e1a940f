"""Tests of scripts/timerbench/groups.py: what programs say of what they measure."""

from __future__ import annotations

from timerbench.groups import floors_in, groups_of, twins_in, without_groups

NEWER = {
    "families": "trees heaps wheels",
    "properties": "quick",
    "heaps": "a b",
    "trees": "c",
    "quick": "a c",
    "cpu": "A CPU",
}
OLDER = {"families": "heaps lists", "heaps": "b d", "lists": "e", "properties": "slow"}


def test_groups_have_their_members_in_order_and_may_have_none() -> None:
    groups = groups_of([NEWER])
    assert groups.families == ["trees", "heaps", "wheels"]
    assert groups["heaps"] == ["a", "b"]
    assert "wheels" in groups and groups["wheels"] == []
    assert "lists" not in groups and groups["lists"] == []
    assert groups["quick"] == ["a", "c"]


def test_a_member_has_the_place_that_the_first_context_gives_it() -> None:
    groups = groups_of([NEWER, OLDER])
    assert groups.families == ["trees", "heaps", "wheels", "lists"]
    assert groups["heaps"] == ["a", "b", "d"]
    assert groups.places["b"] == ("heaps", 1)
    assert groups.places["d"] == ("heaps", 1)
    assert groups.places["e"] == ("lists", 0)
    assert "slow" in groups


def test_originals_have_places_behind_ours_and_are_in_no_group_of_ours() -> None:
    originals = {**OLDER, "heaps": "x y", "originals": "x y e", "defaults": "e x"}
    originals["properties"] = "originals defaults"
    groups = groups_of([NEWER]).beside(groups_of([originals]))
    assert groups.families == ["trees", "heaps", "wheels", "lists"]
    assert (groups.places["x"], groups.places["e"]) == (("heaps", 2), ("lists", 0))
    assert groups.places["b"] == ("heaps", 1)
    assert (groups["heaps"], groups["lists"], groups["defaults"]) == (["a", "b"], [], [])
    assert (groups["originals"], groups["default_originals"]) == (["x", "y", "e"], ["x", "e"])


def test_a_context_without_groups_tells_libraries_at_most() -> None:
    groups = groups_of([{"cpu": "A CPU", "libraries": "x y"}])
    assert groups["libraries"] == ["x", "y"]
    assert (groups.families, groups.places) == ([], {})


def test_the_rest_of_a_context_has_no_groups() -> None:
    assert without_groups({**NEWER, "libraries": "x"}) == {"cpu": "A CPU"}
    assert without_groups({**NEWER, "twins": "a_twin", "floors": "x"}) == {"cpu": "A CPU"}


def test_twins_and_floors_are_in_no_group() -> None:
    context = {**NEWER, "properties": "quick twins floors", "twins": "a_twin", "floors": "x y"}
    groups = groups_of([context])
    assert "quick" in groups
    assert not {"twins", "floors"} & {*groups.members}
    assert twins_in(context) == {"a_twin": "a"}
    assert floors_in(context) == ["x", "y"]
    assert floors_in(NEWER) == []
