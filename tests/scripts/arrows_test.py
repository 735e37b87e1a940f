"""The direction of includes: which headers each room of the project may include."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^#include "((?:impls|benches|tests)/[^"]+)"', re.M)

CONTRACTS = {"impls/timer_queue.hpp", "impls/timer_service.hpp", "impls/timer_task.hpp"}
METER = {"tests/conformance/allocations.hpp"}  # counts what operator new hands out
LISTS = {
    "impls/type_list.hpp",
    "impls/listed.hpp",
}  # the parts of a catalog, without its entries

# A room, and the rooms and headers that it may include. A room does not hold the rooms below it.
MAY_INCLUDE: dict[str, set[str]] = {
    "impls/clocks": set(),
    "impls/parts": set(),
    "impls/queues/parts": {"impls/parts", "impls/timer_queue.hpp"},
    "impls/queues": {"impls/parts", "impls/queues/parts", "impls/timer_queue.hpp"},
    "impls/services/parts": {"impls/parts", "impls/clocks", *CONTRACTS},
    "impls/services": {"impls/parts", "impls/clocks", "impls/services/parts", *CONTRACTS},
    "impls/examples": {"impls/clocks", "impls/queues", "impls/services", *CONTRACTS},
    "impls/peers": {"impls/queues/parts", "impls/timer_queue.hpp", *LISTS},
    "benches/traces": set(),
    "benches/traces/recorder": set(),
    "benches/workloads": {"benches/traces", "impls/clocks", "impls/timer_queue.hpp"},
    "benches/harness": {"impls/clocks", *LISTS},
    "benches/harness/machine": {"benches/harness", "benches/workloads", "impls/clocks"},
    "benches/harness/queues": {
        *("benches/harness", "benches/workloads", "benches/traces", "impls/timer_queue.hpp"),
        *LISTS,
        *METER,
    },
    "benches/queues/measured": {
        *("benches/harness", "benches/harness/queues"),
        *("benches/workloads/catalog.hpp", "impls/queues/parts", "impls/timer_queue.hpp"),
        *("impls/catalog.hpp", "impls/peers/catalog.hpp", "impls/peers/intrusive_wheel.hpp"),
        *LISTS,
    },
    "benches/harness/services": {
        *("benches/harness", "benches/harness/machine"),
        *("benches/traces", "benches/workloads/random.hpp"),
        *("impls/clocks", *CONTRACTS, *LISTS),
    },
}
# Programs may include all implementations, but of the harness only that of their wing.
FORBIDDEN_TO_PROGRAMS = {
    "benches/queues": ("benches/harness/services", "benches/services", "benches/machine"),
    "benches/services": ("benches/harness/queues", "benches/queues", "benches/machine"),
    "benches/machine": (
        *("benches/harness/queues", "benches/queues", "benches/services"),
        *("impls/catalog.hpp", "impls/queues", "impls/services"),
    ),
}


def sources(room: str) -> list[Path]:
    return [file for file in (ROOT / room).iterdir() if file.suffix in (".hpp", ".cpp")]


def includes(room: str) -> list[tuple[str, str]]:
    """Returns each file of the room with each header of the project that it includes."""
    return [
        (str(file.relative_to(ROOT)), header)
        for file in sources(room)
        for header in INCLUDE.findall(file.read_text())
    ]


@pytest.mark.parametrize("room", MAY_INCLUDE)
def test_no_arrow_goes_up(room: str) -> None:
    assert sources(room)
    allowed = MAY_INCLUDE[room] | {room}
    wrong = [
        f"{file} includes {header}"
        for file, header in includes(room)
        if header not in allowed and str(Path(header).parent) not in allowed
    ]
    assert wrong == []


@pytest.mark.parametrize("wing", FORBIDDEN_TO_PROGRAMS)
def test_the_wings_know_nothing_of_each_other(wing: str) -> None:
    assert includes(wing)
    wrong = [
        f"{file} includes {header}"
        for file, header in includes(wing)
        if header.startswith(FORBIDDEN_TO_PROGRAMS[wing])
    ]
    assert wrong == []


def test_every_room_of_code_has_its_arrows() -> None:
    rooms = {
        str(file.parent.relative_to(ROOT))
        for wing in ("impls", "benches")
        for file in (ROOT / wing).rglob("*.hpp")
    }
    assert rooms - {"impls"} == MAY_INCLUDE.keys() | {"benches/services"}
