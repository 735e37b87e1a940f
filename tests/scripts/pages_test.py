"""Tests of the Markdown files: each room has one. The site's test follows their links."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WINGS = ("impls", "benches", "tests", "scripts")
PAGES = sorted(
    page.relative_to(ROOT)
    for pages in (ROOT.glob("*.md"), *((ROOT / top).rglob("*.md") for top in (*WINGS, "results")))
    for page in pages
)
ROOMS = sorted(
    room.relative_to(ROOT)
    for wing in WINGS
    for room in (ROOT / wing, *(ROOT / wing).iterdir())
    if room.is_dir() and room.name[0] not in "._"
)
CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def text_of(page: Path) -> str:
    return CODE.sub("", (ROOT / page).read_text())


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_a_room_has_a_page(room: Path) -> None:
    assert room / "README.md" in PAGES


def test_every_picture_is_on_a_page() -> None:
    """A picture that no page shows is not kept. Anyone can draw it again."""
    pictures = {picture.resolve() for picture in (ROOT / "results").glob("*-vm/*.svg")}
    shown = {
        (ROOT / page.parent / path).resolve()
        for page in PAGES
        for path, _ in LINK.findall(text_of(page))
        if path.endswith(".svg")
    }
    assert pictures
    assert pictures - shown == set()
