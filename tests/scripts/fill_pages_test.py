"""Tests of scripts/fill_pages.py, and of our pages."""

from __future__ import annotations

from pathlib import Path

import pytest

import fill_pages
from results_for_tests import write_bench
from timerbench import simulated
from timerbench.results import Name

ROOT = Path(__file__).resolve().parents[2]

TEMPLATE = """# Costs

{% set here = measured("machine") %}
A call costs {{ here.figure("churn/min_heap/rpc/1000") | digits(2) }} ns in a heap, and
{{ min(here.figure("churn/{wheels}/rpc/1000")) | digits(3) }} ns in the best wheel.
"""
PAGE = """<!-- scripts/fill_pages.py makes this page from results/pages/costs.md.jinja. -->

# Costs

A call costs 20 ns in a heap, and 12.5 ns in the best wheel.
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the results of a machine, and a template."""
    ns = {"min_heap": 20.3, "hashed_wheel": 14.4, "hierarchical_wheel": 12.51}
    write_bench(
        tmp_path / "results" / "machine",
        {Name("churn", queue, "rpc/1000"): [{"ns_per_operation": of}] for queue, of in ns.items()},
    )
    templates = tmp_path / "results" / "pages"
    templates.mkdir()
    (templates / "words.toml").write_text('wheels = "hashed_wheels, hierarchical_wheels"\n')
    (templates / "costs.md.jinja").write_text(TEMPLATE)
    monkeypatch.setattr(fill_pages, "TEMPLATES", templates)
    return tmp_path


def test_our_pages_have_the_figures_of_the_results(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulated, "STORED", ROOT / "results" / "simulated.json")
    monkeypatch.setattr(simulated, "SCHEMES", ROOT / "results" / "schemes.json")
    assert fill_pages.main([]) == 0, capsys.readouterr().err


def test_puts_the_figures_into_the_page(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = root / "results" / "costs.md"
    assert fill_pages.main(["--write"]) == 0
    assert page.read_text() == PAGE
    assert capsys.readouterr().out == f"{page} is written anew\n"
    assert fill_pages.main(["--write"]) == 0
    assert capsys.readouterr().out == ""


def test_the_readme_stands_at_the_top(root: Path) -> None:
    (root / "results" / "pages" / "costs.md.jinja").rename(fill_pages.TEMPLATES / "README.md.jinja")
    assert fill_pages.main(["--write"]) == 0
    assert (root / "README.md").read_text() == PAGE.replace("costs.md", "README.md")


@pytest.mark.parametrize("text", [None, PAGE.replace("20 ns", "19 ns"), PAGE + "One more.\n"])
def test_a_check_finds_a_page_that_is_not_up_to_date_and_leaves_it(
    root: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    page = root / "results" / "costs.md"
    if text is not None:
        page.write_text(text)
    assert fill_pages.main([]) == 1
    assert capsys.readouterr().err == f"{page} is not up to date; --write makes it right\n"
    assert (page.read_text() if page.exists() else None) == text


@pytest.mark.parametrize(
    ("wrong", "line", "why"),
    [
        ('{{ here.figure("churn/lost/rpc/1000") | digits(2) }}', 7, "there is no cell churn/lost"),
        ('{{ here.figure("churn/*/rpc/1000") | digits(2) }}', 7, "these are 3 figures"),
        ('{{ (1 / (here.figure("churn/min_heap/rpc/1000") * 0)) | digits(2) }}', 7, "division by"),
        ('{{ here.figure("churn/min_heap/rpc/1000") | digits(2, "feet") }}', 7, "no unit 'feet'"),
        ('{{ here.figure("churn/min_heap/rpc/1000:lost") | digits(2) }}', 7, "no such figure"),
        ('{{ "7" | digits(2) }}', 7, "must be real number"),
        ("{{ 0 | power_of_ten }}", 7, "math domain error"),
        ("{{ there }}", 7, "'there' is undefined"),
        ('{{ measured("nowhere").figure("churn/min_heap/rpc/1000") }}', 7, "nowhere"),
        ("{{ here.figure( }}", 7, "unexpected"),
        ("{% if %}", 7, "Expected an expression"),
    ],
)
def test_names_the_line_of_an_error_and_writes_no_page(
    root: Path, capsys: pytest.CaptureFixture[str], wrong: str, line: int, why: str
) -> None:
    template = fill_pages.TEMPLATES / "costs.md.jinja"
    template.write_text(f"{TEMPLATE}\n{wrong}\n")
    (fill_pages.TEMPLATES / "a.md.jinja").write_text("# Right\n")
    assert fill_pages.main(["--write"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"fill_pages.py: {template}:{line}: ")
    assert why in said
    assert not (root / "results" / "a.md").exists()


def test_without_templates_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fill_pages, "TEMPLATES", tmp_path)
    assert fill_pages.main(["--write"]) == 2
    assert capsys.readouterr().err == f"fill_pages.py: {tmp_path} has no templates\n"
