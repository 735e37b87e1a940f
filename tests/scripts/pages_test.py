"""Tests of the Markdown files: each room has one, and the targets of its links exist."""

import re
from pathlib import Path

import pytest

import figures

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
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def text_of(page: Path) -> str:
    return CODE.sub("", (ROOT / page).read_text())


def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub gives to the headings of a page."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in HEADING.findall(text_of(page))
    }


def broken_links(page: Path) -> list[str]:
    broken = []
    for path, anchor in LINK.findall(text_of(page)):
        target = page.parent / path if path else page
        if not (ROOT / target).exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{path}#{anchor}" if anchor else path)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_links_to_what_exists(page: Path) -> None:
    assert broken_links(page) == []


@pytest.mark.parametrize(
    ("link", "broken"),
    [
        ("README.md#the-rooms", []),
        ("#the-rooms", []),
        ("README.md#the-attic", ["README.md#the-attic"]),
        ("impls/attic.hpp", ["impls/attic.hpp"]),
    ],
)
def test_a_link_is_found_and_followed(
    link: str, broken: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages_test.ROOT", tmp_path)
    (tmp_path / "README.md").write_text(f"# Tests\n\n## The rooms\n\n[here]({link})\n")
    assert broken_links(Path("README.md")) == broken


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_a_room_has_a_page(room: Path) -> None:
    assert room / "README.md" in PAGES


def test_every_page_that_says_what_its_figures_are_is_checked() -> None:
    assert {str(page) for page in PAGES if figures.Page((ROOT / page).read_text()).blocks} == set(
        figures.PAGES
    )


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
