"""The program of a bench, and what the program offers."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from timerbench.benches import is_in_passes, subject_of
from timerbench.groups import DEFAULTS, FLOORS, ORIGINALS, TWINS
from timerbench.matrix import MOST_TIMERS, PROFILES
from timerbench.measuring import RunError
from timerbench.results import Name

OF_A_TWIN = "_twin"


@dataclass(frozen=True)
class Program:
    """The binary of a bench, what it offers, and the directory that its results go to."""

    name: str
    binary: Path
    sha256: str
    names: list[Name]
    output: Path
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)  # as the program names them

    @cached_property
    def everything(self) -> list[str]:
        """All that it measures, in the order of the catalog, with twins and floors."""
        return list(dict.fromkeys(name.queue for name in self.names))

    @property
    def queues(self) -> list[str]:
        """The queues in the order of the catalog.

        In a bench of services these are services, and so on.
        """
        return [one for one in self.everything if one not in self.twins | self.floors]

    @property
    def twins(self) -> frozenset[str]:
        """Second objects of some queues or services. They tell how far equal objects differ."""
        return self.groups.get(TWINS, frozenset())

    @property
    def floors(self) -> frozenset[str]:
        """What only sleeps, and takes turns with services."""
        return self.groups.get(FLOORS, frozenset())

    def members(self, group: str) -> list[str]:
        """Returns a group and its twins; everything, if the program does not know the group."""
        if group not in self.groups:
            return self.everything
        return [one for one in self.everything if one.removesuffix(OF_A_TWIN) in self.groups[group]]

    def too_slow_for(self, n: int | None) -> frozenset[str]:
        """Returns the queues that are not measured with n timers, unless they are asked for."""
        slow = (group for group, most in MOST_TIMERS.items() if (n or 0) > most)
        return frozenset().union(*(self.groups.get(group, ()) for group in slow))

    @property
    def has_threads(self) -> bool:
        """Whether its threads interact, which they do on all cores."""
        return not is_in_passes(self.name)

    def measured(self, profile: str, only: frozenset[str] = frozenset()) -> list[str]:
        """Returns `only` these, or what the profile wants; with twins and floors."""
        wanted = [one for one in self.queues if one in only] if only else self._wanted_by(profile)
        twins = [one for one in self.twins if one.removesuffix(OF_A_TWIN) in wanted]
        beside = {*twins, *self.floors} if wanted else ()
        return [one for one in self.everything if one in wanted or one in beside]

    def _wanted_by(self, profile: str) -> list[str]:
        settings = PROFILES[profile].settings
        # Originals have settings in every bench.
        has_settings = subject_of(self.name) == "settings" or ORIGINALS in self.groups
        if not has_settings or settings == "all":
            return self.queues
        defaults = [one for one in self.queues if one in self.groups.get(DEFAULTS, ())]
        return self.queues[:1] if settings == "first" else defaults or self.queues


def offered(
    bench: str, build: Path, output: Path, flags: list[str], environment: dict[str, str]
) -> Program:
    """Asks the binary what it offers. Refuses a binary that does not know the flags."""
    binary = binary_in(build, bench)
    names = names_in(binary, flags, environment)
    sha256 = hashlib.sha256(binary.read_bytes()).hexdigest()
    return Program(bench, binary, sha256, names, output, groups_of(binary))


def binary_in(build: Path, name: str) -> Path:
    binary = build / name
    if not binary.is_file():
        raise RunError(f"{binary} is missing; scripts/build.sh builds it")
    return binary


def names_in(
    binary: Path, flags: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> list[Name]:
    """Returns all benchmarks that a binary has with these flags."""
    words = [str(binary), *flags, "--benchmark_list_tests"]
    env = {**os.environ, **(environment or {})}
    try:
        listing = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    except OSError as error:
        raise RunError(f"{binary} does not run: {error.strerror}") from error
    if listing.returncode != 0:
        raise RunError(
            f"{' '.join(words)} failed with status {listing.returncode}: "
            f"{listing.stderr.strip() or listing.stdout.strip()}"
        )
    try:
        return [Name.parse(line) for line in listing.stdout.splitlines()]
    except ValueError as error:
        raise RunError(f"{binary} lists what is no benchmark of ours: {error}") from error


def groups_of(binary: Path) -> dict[str, frozenset[str]]:
    """Returns the groups that a binary names; none, if the binary is too old to name them."""
    told = subprocess.run([binary, "--groups"], capture_output=True, text=True, check=False)
    if told.returncode != 0:
        return {}
    lines = (line.split(": ", 1) for line in told.stdout.splitlines() if ": " in line)
    return {name: frozenset(members.split()) for name, members in lines}
