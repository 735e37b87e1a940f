"""What is true of what was measured: families and properties, as the programs say them.

A program writes its groups into the context of its results: `families` and `properties` name them,
and each has its members under its name, in the order of the catalog (benches/harness/groups.hpp).
Results that are older say no more than which queues are those of `libraries`.
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

# What is measured beside queues and services, and is none.
APART = (TWINS, FLOORS)


@dataclass(frozen=True)
class Groups:
    """Families and properties, with their members."""

    families: list[str] = field(default_factory=list)  # in the order of the catalog
    members: dict[str, list[str]] = field(default_factory=dict)
    # Of each member its family, and its position among those that one program measures.
    places: dict[str, tuple[str, int]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def __getitem__(self, name: str) -> list[str]:
        """Nobody, if the results do not know the group."""
        return self.members.get(name, [])

    def beside(self, originals: Groups) -> Groups:
        """These, and the groups of the originals, and of those that one gets without asking.

        An original has the colour of its family. But it is in no group of ours: what is said of
        heaps is said of those that we wrote.
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
    """What a context lists: the families, and the properties. Twins and floors are apart."""
    return {
        key: [name for name in str(context.get(key, "")).split() if name not in APART]
        for key in LISTS
    }


def without_groups(context: Mapping[str, object]) -> dict[str, object]:
    """The rest of a context."""
    listed = names_in(context)
    groups = {*LISTS, LIBRARIES, *APART, *(name for names in listed.values() for name in names)}
    return {key: value for key, value in context.items() if key not in groups}


def twins_in(context: Mapping[str, object]) -> dict[str, str]:
    """Second objects of a queue or a service, by their own names; each is called after it."""
    twins = str(context.get(TWINS, "")).split()
    return {twin: twin.removesuffix("_twin") for twin in twins}


def floors_in(context: Mapping[str, object]) -> list[str]:
    """What only sleeps, where services have turns with it: no service is more exact."""
    return str(context.get(FLOORS, "")).split()


def groups_of(contexts: Iterable[Mapping[str, object]]) -> Groups:
    """Of all these together. Where they differ in a member's place, the first is right."""
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
