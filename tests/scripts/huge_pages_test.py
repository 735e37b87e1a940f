"""Tests of scripts/timerbench/measuring/huge_pages.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from systems_for_tests import write_system
from timerbench.measuring.huge_pages import environment_for, kernel_gives_huge_pages


@pytest.mark.parametrize(
    ("enabled", "gives"),
    [
        ("[always] madvise never\n", True),
        ("always [madvise] never\n", True),
        ("always madvise [never]\n", False),
        (None, False),
    ],
)
def test_the_kernel_gives_huge_pages_unless_they_are_forbidden_or_unknown(
    tmp_path: Path, enabled: str | None, gives: bool
) -> None:
    system = write_system(tmp_path, {"/sys/kernel/mm/transparent_hugepage/enabled": enabled})
    assert kernel_gives_huge_pages(system) == gives


def test_glibc_is_told_to_ask_for_them_and_other_tunables_stay() -> None:
    asks = "glibc.malloc.hugetlb=1"
    assert environment_for("huge", {}) == {"GLIBC_TUNABLES": asks}
    there = {"GLIBC_TUNABLES": "glibc.malloc.check=3", "HOME": "/root"}
    assert environment_for("huge", there) == {"GLIBC_TUNABLES": f"glibc.malloc.check=3:{asks}"}
    assert environment_for("small", there) == {}
