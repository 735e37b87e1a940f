"""Tests of scripts/make_site.py: pages as a browser shows them, and links that lead somewhere."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import make_site
from results_for_tests import write_results
from timerbench.command import ROOT
from timerbench.site.pages import page_of


def resolved(target: str, anchor: str) -> str:
    return f"to:{target}" + (f"#{anchor}" if anchor else "")


def body_of(text: str, path: str = "impls/README.md") -> str:
    return page_of(text, path, resolved).body


def test_a_heading_has_the_name_that_github_gives_it() -> None:
    page = page_of("# Timers\n\n## What `insert` costs, and why\n", "a.md", resolved)
    assert page.title == "Timers"
    assert '<h2 id="what-insert-costs-and-why">' in page.body


def test_a_link_is_of_the_place_of_its_page() -> None:
    text = "[a](queues/lazy_wheel.hpp) [b](../README.md#two-commands) [c](#here) [d](https://x.y/z)"
    assert re.findall('href="(.*?)"', body_of(text)) == [
        "to:impls/queues/lazy_wheel.hpp",
        "to:README.md#two-commands",
        "#here",
        "https://x.y/z",
    ]
    assert 'src="to:results/a.svg"' in body_of("![chart](../results/a.svg)")


def test_what_is_a_comment_stays_away() -> None:
    assert body_of("<!-- a\ncomment -->\n\nText\n") == "<p>Text</p>\n"


def test_code_has_its_colours_and_tables_are_tables() -> None:
    assert '<span class="kt">int</span>' in body_of("```cpp\nint n = 1;\n```\n")
    assert "<pre><code>plain &lt;\n" in body_of("```\nplain <\n```\n")
    assert "<td>1</td>" in body_of("| a |\n| --- |\n| 1 |\n")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("results") / "made-up"
    write_results(directory, 1, ["churn"])
    (directory / "lateness.svg").write_text("<svg/>")
    return directory


@pytest.fixture(scope="module")
def site(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("site")
    assert make_site.main([str(results), str(output)]) == 0
    return output


def test_each_page_of_the_project_is_on_the_site(site: Path) -> None:
    pages = [path for path in make_site.tracked_files() if path.endswith(".md")]
    assert len(list(site.rglob("*.html"))) > len(pages)
    assert "<h1" in (site / "index.html").read_text()
    assert "<h1" in (site / "results" / "findings.html").read_text()
    assert (site / "tests" / "MUSEUM.html").is_file()


def test_every_page_leads_to_the_report_and_to_its_raw_data(site: Path) -> None:
    address = "results/made-up/report.html"
    assert f'href="{address}"' in (site / "index.html").read_text()
    assert f'href="../../{address}"' in (site / "impls" / "queues" / "index.html").read_text()
    assert make_site.broken_links(site, [address, "index.html"]) == []
    assert (site / "results" / "made-up" / "churn.json").is_file()
    assert (site / "results" / "made-up" / "lateness.svg").is_file()


def test_finds_links_that_lead_nowhere(site: Path) -> None:
    file = site / "broken.html"
    file.write_text(
        '<a href="nowhere.html">1</a> <a href="index.html#nothing">2</a> <a href="#here">3</a>'
        '<a href="index.html">4</a> <a href="https://x.y">5</a> <img src="no.svg">'
    )
    found = make_site.broken_links(site, ["broken.html"])
    file.unlink()
    links = ["nowhere.html", "index.html#nothing", "#here", "no.svg"]
    assert found == [f"broken.html: {link}" for link in links]


def test_with_an_address_files_stay_in_the_repository(tmp_path: Path) -> None:
    """Pictures are an exception, as the pages show them."""
    site = make_site.Site(tmp_path, make_site.tracked_files(), "https://x.y/blob/main/")
    lazy = "impls/queues/lazy_wheel.hpp"
    assert site._resolve(lazy, "", "results") == f"https://x.y/blob/main/{lazy}"
    assert not (tmp_path / lazy).exists()
    site = make_site.Site(tmp_path, make_site.tracked_files(), None)
    assert site._resolve(lazy, "", "results") == f"../{lazy}"
    assert (tmp_path / lazy).read_bytes() == (ROOT / lazy).read_bytes()


def test_a_link_to_what_the_repository_lacks_is_one_line(
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(make_site, "ROOT", tmp_path)
    for path in make_site.ROOMS.values():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("# A page\n\n[gone](gone.hpp)\n")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    assert make_site.main([str(results), str(tmp_path / "site")]) == 2
    error = capfd.readouterr().err
    assert error.startswith("make_site.py: a page links to '")
    assert len(error.splitlines()) == 1
