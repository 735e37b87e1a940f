"""A load in words: read, checked and described. Needs no package.

benches/workloads/load.hpp explains the members; load_rules.json beside it has their limits.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from timerbench.command import ROOT, CommandError

FORM = "timerbench load 1"
PARTS = ["connections", "calls", "periodic", "bursts"]
MEAN_OF_MEDIAN = 3.7678  # of the times until answers come

Part = dict[str, float]
Load = dict[str, Any]


class LoadError(CommandError):
    """A load that is impossible, or a file without a load. The message says what would be right."""


@cache
def rules() -> dict[str, dict[str, dict[str, Any]]]:
    """Returns the limits of each member."""
    file = ROOT / "benches" / "workloads" / "load_rules.json"
    return json.loads(file.read_text())  # type: ignore[no-any-return]


def load_of(parts: dict[str, list[Part]], tick_ms: float | None = None) -> Load:
    """Returns a complete load: checks the parts, and adds what was left out."""
    file: Load = {"form": FORM} | ({} if tick_ms is None else {"tick_ms": tick_ms}) | parts
    return checked(file)


def read_load(path: Path) -> Load:
    try:
        return checked(json.loads(path.read_text()))
    except LoadError as error:
        raise LoadError(f"{path}: {error}") from error
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not JSON"
        raise LoadError(f"{path}: {reason}") from error


def checked(file: object) -> Load:
    if not isinstance(file, dict):
        raise LoadError(f"the file is {json.dumps(file)}, and no object")
    if file.get("form") != FORM:
        raise LoadError(f'form is {json.dumps(file.get("form"))}; right is "{FORM}"')
    if unknown := file.keys() - {"form", *rules()["load"], *PARTS}:
        raise LoadError(f"{min(unknown)} is unknown")
    load: Load = {"form": FORM} | _members("", file, "load")
    for kind in PARTS:
        value = file.get(kind, [])
        if not isinstance(value, list):
            raise LoadError(f"{kind} is {json.dumps(value)}, and no list")
        parts = [_part(f"{kind}[{at}]", one, kind) for at, one in enumerate(value)]
        if parts:
            load[kind] = parts
    _check_together(load)
    return load


def _part(place: str, value: object, kind: str) -> Part:
    if not isinstance(value, dict):
        raise LoadError(f"{place} is {json.dumps(value)}, and no object")
    if unknown := value.keys() - rules()[kind].keys():
        raise LoadError(f"{place}.{min(unknown)} is unknown")
    return _members(f"{place}.", value, kind)


def _members(place: str, values: dict[str, Any], kind: str) -> Part:
    members: Part = {}
    for name, rule in rules()[kind].items():
        if name not in values and "default" not in rule:
            raise LoadError(f"{place}{name} is missing; right is {rule['right']}")
        members[name] = values[name] if name in values else rule["default"]
        _check(place + name, members[name], rule)
    return members


def _check(what: str, value: object, rule: dict[str, Any]) -> None:
    is_right = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and rule["least"] <= value <= rule["most"]
        and not (rule.get("whole") and value != math.floor(value))
    )
    if not is_right:
        raise LoadError(f"{what} is {json.dumps(value)}; right is {rule['right']}")


def _check_together(load: Load) -> None:
    if not any(kind in load for kind in PARTS):
        raise LoadError(
            "it has no connections, calls, periodic timers or bursts; right is one or more"
        )
    rate = operations_a_second(load)
    longest = max((burst["period_s"] for burst in load.get("bursts", [])), default=0)
    for what, value in {
        "pending": mean_pending(load),
        "operations_a_second": rate,
        "ticks_of_the_shortest_delay": shortest_delay_s(load) / (load["tick_ms"] / 1e3),
        "operations_between_bursts": rate * longest,
    }.items():
        _check(what, value, rules()["together"][what])


def operations_a_second(load: Load) -> float:
    """How many timers are set, put off and cancelled in a second."""
    of_connections = sum(
        part["rearms_a_second"] + _closes_a_second(part) for part in load.get("connections", [])
    )
    of_calls = sum(
        part["a_second"] * (1 + part["cancelled_percent"] / 100) for part in load.get("calls", [])
    )
    return float(of_connections + of_calls + _runs_in_periods(load))


def runs_a_second(load: Load) -> float:
    """How many timers come due in a second."""
    of_connections = sum(_closes_a_second(part) for part in load.get("connections", []))
    of_calls = sum(
        part["a_second"] * (1 - part["cancelled_percent"] / 100) for part in load.get("calls", [])
    )
    return float(of_connections + of_calls + _runs_in_periods(load))


def _runs_in_periods(load: Load) -> float:
    parts = [*load.get("periodic", []), *load.get("bursts", [])]
    return float(sum(part["timers"] / part["period_s"] for part in parts))


def _closes_a_second(part: Part) -> float:
    if part["rearms_a_second"] == 0:
        return part["pending"] / part["limit_s"]
    messages = part["rearms_a_second"] / part["pending"] * part["limit_s"]
    return part["rearms_a_second"] / math.expm1(min(messages, 700))


def rearms_a_second(load: Load) -> float:
    return float(sum(part["rearms_a_second"] for part in load.get("connections", [])))


def mean_pending(load: Load) -> float:
    """How many timers are pending at a time."""
    count = sum(part["pending"] for part in load.get("connections", []))
    for part in load.get("calls", []):
        in_time = part["cancelled_percent"] / 100
        median = min(part["answer_ms"] / 1e3, part["limit_s"] / 10)
        answer = min(MEAN_OF_MEDIAN * median, part["limit_s"])
        count += part["a_second"] * ((1 - in_time) * part["limit_s"] + in_time * answer)
    count += sum(part["timers"] for kind in ("periodic", "bursts") for part in load.get(kind, []))
    return float(count)


def shortest_delay_s(load: Load) -> float:
    """Returns the shortest of all limits and periods."""
    delays = [part["limit_s"] for kind in ("connections", "calls") for part in load.get(kind, [])]
    delays += [part["period_s"] for kind in ("periodic", "bursts") for part in load.get(kind, [])]
    return float(min(delays))
