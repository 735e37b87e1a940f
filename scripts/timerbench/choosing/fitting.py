"""Chooses few services that fit a load, so that only these are measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from timerbench.choosing.load import Load, operations_a_second, rearms_a_second, shortest_delay_s

MOST = 5
MANY_REARMS = 0.1  # of the operations
COARSE_ENOUGH_S = 1.0  # a limit from which coarse ticks, of a tenth of it, are good enough
NOT_PLAIN = ("as_in_originals", "two_threads", "twins")  # groups of settings for comparisons

Groups = Mapping[str, frozenset[str]]


def fitting(settings: Iterable[str], groups: Groups, load: Load | None) -> list[str]:
    """Returns at most five services, of as many kinds as possible, in the order of the catalog.

    A kind is a family together with the place where callers meet the service. Ticks must be short
    compared with the delays. If a load re-arms, services that can re-arm come first. Of a recording
    nothing is known.
    """
    order = [name for name in settings if not any(name in groups.get(of, ()) for of in NOT_PLAIN)]
    if load is None or shortest_delay_s(load) < COARSE_ENOUGH_S:
        order = [name for name in order if name not in groups.get("coarse_ticks", ())]
    wants_rearm = load is None or rearms_a_second(load) > MANY_REARMS * operations_a_second(load)

    def preference(name: str) -> tuple[bool, bool, bool]:
        return (
            wants_rearm and name not in groups.get("rearming", ()),
            name not in groups.get("behind_inboxes", ()),
            name not in groups.get("defaults", ()),
        )

    by_preference = sorted(order, key=preference)
    first_of_kinds = dict.fromkeys(
        {_kind(name, groups): name for name in reversed(by_preference)}.values()
    )
    others = [name for name in by_preference if name not in first_of_kinds]
    chosen = [*sorted(first_of_kinds, key=preference), *others][:MOST]
    return [name for name in order if name in chosen]


def _kind(name: str, groups: Groups) -> tuple[str, bool]:
    families = (
        "trees", "heaps", "linked_heaps", "hashed_wheels", "hierarchical_wheels", "lazy_wheels",
    )  # fmt: skip
    family = next((family for family in families if name in groups.get(family, ())), "")
    return family, name in groups.get("behind_inboxes", ())
