"""The Markdown files of the project: what they point to is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page.relative_to(ROOT)
    for folder in (".", "results", "benches/traces", "impls/peers")
    for page in (ROOT / folder).glob("*.md")
)
CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def targets(page: Path) -> list[str]:
    return LINK.findall(CODE.sub("", (ROOT / page).read_text()))


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_links_to_what_exists(page: Path) -> None:
    missing = [link for link in targets(page) if not (ROOT / page.parent / link).exists()]
    assert missing == []


def test_links_are_found() -> None:
    assert "impls/timer_queue.hpp" in targets(Path("README.md"))
