"""The families and properties of what was measured, as the programs name them.

A program writes its groups into the context of its results: `families` and `properties` name them,
and each has its members under its name, in the order of the catalog (benches/harness/groups.hpp).
Older results name only the queues of `libraries`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

LIBRARIES = "libraries"
ORIGINALS = "originals"
DEFAULTS = "defaults"
DEFAULT_ORIGINALS = "default_originals"
TWINS = "twins"
FLOORS = "floors"
LISTS = ("families", "properties")

# Measured beside queues and services, but neither a queue nor a service.
APART = (TWINS, FLOORS)


@dataclass(frozen=True)
class Groups:
    """Families and properties, with their members."""

    families: list[str] = field(default_factory=list)  # in the order of the catalog
    members: dict[str, list[str]] = field(default_factory=dict)
    # The family of each member, and its position among the members that one program measures.
    places: dict[str, tuple[str, int]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def __getitem__(self, name: str) -> list[str]:
        """Returns the members of a group; none if the results do not know the group."""
        return self.members.get(name, [])

    def beside(self, originals: Groups) -> Groups:
        """Returns these groups with those of the originals, and of the originals' default settings.

        An original has the colour of its family. But it is in no group of ours: a statement about
        heaps is about heaps that we wrote.
        """
        families = [*self.families, *(f for f in originals.families if f not in self.families)]
        places = {
            name: (family, len(self[family]) + position)
            for name, (family, position) in originals.places.items()
        }
        defaults = [name for name in originals[ORIGINALS] if name in originals[DEFAULTS]]
        added = {ORIGINALS: originals[ORIGINALS], DEFAULT_ORIGINALS: defaults}
        return replace(
            self,
            families=families,
            members={**self.members, **added},
            places={**places, **self.places},
        )


def names_in(context: Mapping[str, object]) -> dict[str, list[str]]:
    """Returns the families and the properties that a context lists, without twins and floors."""
    return {
        key: [name for name in str(context.get(key, "")).split() if name not in APART]
        for key in LISTS
    }


def without_groups(context: Mapping[str, object]) -> dict[str, object]:
    """Returns the context without its groups."""
    groups = {*LISTS, LIBRARIES, *APART}.union(*names_in(context).values())
    return {key: value for key, value in context.items() if key not in groups}


def twins_in(context: Mapping[str, object]) -> dict[str, str]:
    """Returns for each twin the queue or service of which it is a second object."""
    twins = str(context.get(TWINS, "")).split()
    return {twin: twin.removesuffix("_twin") for twin in twins}


def floors_in(context: Mapping[str, object]) -> list[str]:
    """Returns what only sleeps, and takes turns with services: no service is more exact."""
    return str(context.get(FLOORS, "")).split()


def groups_of(contexts: Iterable[Mapping[str, object]]) -> Groups:
    """Joins the groups of several contexts.

    If these differ in a member's place, the first counts.
    """
    groups = Groups()
    for context in contexts:
        listed = names_in(context)
        groups.families.extend(one for one in listed["families"] if one not in groups.families)
        for name in [*listed["families"], *listed["properties"], LIBRARIES]:
            members = str(context.get(name, "")).split()
            known = groups.members.setdefault(name, [])
            known += [member for member in members if member not in known]
            if name in listed["families"]:
                for position, member in enumerate(members):
                    groups.places.setdefault(member, (name, position))
    return groups
