"""Tests of scripts/figures.py, and of the figures of our pages."""

from __future__ import annotations

from pathlib import Path

import pytest

import figures
from results_for_tests import write_bench
from timerbench import simulated
from timerbench.results import Name

ROOT = Path(__file__).resolve().parents[2]

NS = {
    "min_heap": {1_000: 20.0, 100_000: 60.0},
    "priority_queue": {1_000: 30.0, 100_000: 75.0},
    "hashed_wheel": {1_000: 14.4, 100_000: 31.3},
    "hierarchical_wheel": {1_000: 12.5, 100_000: 25.0},
}


def write_figures(directory: Path, ns: dict[str, dict[int, float]] = NS) -> None:
    write_bench(
        directory / "results",
        {
            Name("churn", queue, f"rpc/{n}"): [
                {"ns_per_operation": noise * value, "worst_expire_ns": 1000 * value}
                for noise in (1.0, 0.5, 2.0)
            ]
            for queue, of_queue in ns.items()
            for n, value in of_queue.items()
        },
    )


HEAD = """# A page of 2026

<!-- results: results
heaps = min_heap, priority_queue
-->

"""
RIGHT = """Cancels cost 14 to 31 ns, heaps 1.6 to 3.0 times the best of 1,000 to 10^5 timers.
<!-- figures
14 = churn/hashed_wheel/rpc/1000
31 = max(churn/*wheel/rpc/*)
1.6 = min(times_best(churn/{heaps}/rpc/1000))
3.0 = max(times_best(churn/{heaps}/rpc/*))
given: 1,000, 10^5
-->
"""


def checked(
    directory: Path, capsys: pytest.CaptureFixture[str], text: str, *, write: bool = False
) -> list[str]:
    """Returns what is wrong with a page. The lines are without the path of the page."""
    write_figures(directory)
    page = directory / "PAGE.md"
    page.write_text(text)
    status = figures.main([str(page), *(["--write"] if write else [])])
    said = capsys.readouterr()
    lines = [line.removeprefix(f"{page}:") for line in said.err.splitlines()]
    assert status == (1 if lines else 0)
    assert write or not said.out
    return lines


@pytest.mark.parametrize("page", figures.PAGES)
def test_the_figures_of_a_page_are_those_of_its_results(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulated, "STORED", ROOT / "results" / "simulated.json")
    monkeypatch.setattr(simulated, "SCHEMES", ROOT / "results" / "schemes.json")
    assert figures.main([str(ROOT / page)]) == 0, capsys.readouterr().err


def test_without_a_page_checks_all_and_one_that_is_wrong_is_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_figures(tmp_path)
    (tmp_path / "RIGHT.md").write_text(HEAD + RIGHT)
    (tmp_path / "WRONG.md").write_text(HEAD + RIGHT.replace("31", "32"))
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "PAGES", ("WRONG.md", "RIGHT.md"))
    assert figures.main([]) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path}/WRONG.md:7: '32' is 31.3")
    monkeypatch.setattr(figures, "PAGES", ("RIGHT.md",))
    assert figures.main([]) == 0


def test_a_page_whose_figures_are_right_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(tmp_path, capsys, HEAD + RIGHT) == []


def test_a_page_without_any_block_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "# A page\n\nIt has 3 numbers, of 4, that nobody checks: 5 %.\n"
    message = "1: the page has no block of figures, so that nothing is checked"
    assert checked(tmp_path, capsys, text) == [message]


def test_names_line_text_and_value_of_a_wrong_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = RIGHT.replace("31", "32")
    assert checked(tmp_path, capsys, HEAD + wrong) == ["7: '32' is 31.3: max(churn/*wheel/rpc/*)"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (("14 to", "14 to 7 to"), "7: '7' is not in the block of figures"),
        (("times the best", "times (8%) the best"), "7: '8 %' is not in the block of figures"),
        (("10^5\n", "10^5, 9\n"), "8: '9' is listed, but is not in the text"),
        (("14 = ", "15 = 1 + 14\n14 = "), "9: '15' is listed, but is not in the text"),
        (("14 to", "14, 14, 14 to"), None),
        (
            ("14 = ", "14 = churn/hashed_wheel/rpc/1000\n14 = "),
            "7: '14' stands 1 times, and is listed 2 times",
        ),
        (("10^5\n", "10^5, 14\n"), "7: '14' is a figure and given; show one of them with another"),
        (("given: 1,000,", "given: some,"), "13: 'some' is no number"),
        (("given: 1,000,", "given: 1,000 timers,"), "13: '1,000 timers' is no number"),
        (("14 = churn", "14: churn"), "9: '14: churn/hashed_wheel/rpc/1000' is no number"),
        (("churn/hashed_wheel/rpc/1000", ""), "9: '14 =' does not say what the figure is"),
        (("31 ns", "31 µs"), "7: '14 µs' is not in the block of figures"),
    ],
)
def test_a_block_lists_each_number_of_its_text_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], wrong: str | None
) -> None:
    assert change[0] in RIGHT
    lines = checked(tmp_path, capsys, HEAD + RIGHT.replace(*change, 1))
    if wrong is None:
        assert lines == []
    else:
        assert any(line.startswith(wrong) for line in lines), lines


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("churn/lost_wheel/rpc/1000", "7: '14': there is no cell churn/lost_wheel/rpc/1000"),
        ("open('/etc/passwd')", "7: '14': open() of such arguments is not part of the language"),
    ],
)
def test_an_expression_without_a_value_is_a_line_and_not_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], expression: str, wrong: str
) -> None:
    page = RIGHT.replace("churn/hashed_wheel/rpc/1000", expression).replace("31", "32")
    lines = checked(tmp_path, capsys, HEAD + page)
    assert lines == [wrong, "7: '32' is 31.3: max(churn/*wheel/rpc/*)"]


def test_figures_are_listed_in_the_order_of_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    swapped = RIGHT.replace("14 to 31", "31 to 14")
    lines = checked(tmp_path, capsys, HEAD + swapped)
    assert lines == ["10: '31' stands before '14' in the text"]


def test_the_same_figure_may_be_two_things_when_it_is_listed_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "A wheel costs 25 ns, a heap 25 more.\n<!-- figures\n25 = churn/{}/rpc/100000\n25 = {}\n-->"
    )
    wheel, more = "hierarchical_wheel", "churn/priority_queue/rpc/100000 - 50"
    assert checked(tmp_path, capsys, HEAD + text.format(wheel, more)) == []
    lines = checked(tmp_path, capsys, HEAD + text.format(wheel, "24 + 2"))
    assert lines == ["7: '25' is 26: 24 + 2"]


def test_a_list_an_item_and_a_table_have_blocks_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = HEAD + (
        "- the wheel: 25 ns\n"
        "- heaps: 75 and 60 ns\n"
        "  <!-- figures\n"
        "  75 = churn/priority_queue/rpc/100000\n"
        "  60 = churn/min_heap\n"
        "    /rpc/100000\n"
        "  -->\n"
        "- of 4\n"
        "\n"
        "<!-- figures\n"
        "25 = churn/hierarchical_wheel/rpc/100000\n"
        "given: 4\n"
        "-->\n"
        "\n"
        "| queue | ns |\n"
        "| --- | --- |\n"
        "| min_heap | 60 |\n"
        "| priority_queue | 75 |\n"
        "<!-- figures\n"
        "60 = churn/min_heap/rpc/100000\n"
        "75 = churn/priority_queue/rpc/100000\n"
        "-->\n"
    )
    text = text.replace("min_heap\n    /rpc", "min_heap/rpc/100000 +\n    0 * churn/min_heap/rpc")
    assert checked(tmp_path, capsys, text) == []
    wrong = text.replace("25 ns", "24 ns").replace("24 = ", "25 = ").replace("| 75 |", "| 74 |")
    assert checked(tmp_path, capsys, wrong) == [
        "7: '24' is not in the block of figures",
        "17: '25' is listed, but is not in the text",
        "24: '74' is not in the block of figures",
        "27: '75' is listed, but is not in the text",
    ]
    assert checked(tmp_path, capsys, text.replace("60", "61")) == [
        "8: '61' is 60: churn/min_heap/rpc/100000 + 0 * churn/min_heap/rpc/100000",
        "23: '61' is 60: churn/min_heap/rpc/100000",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## What we found\n\n### Details\n\n", "## More\n\n"),
        ("<!-- findings -->\n\n## Wheels\n\n", "<!-- end of findings -->\n\n"),
    ],
)
@pytest.mark.parametrize("text", ["It costs 14 ns.\n", "- a\n- 14 ns\n", "| a |\n|---|\n| 14 |\n"])
def test_no_number_of_the_findings_goes_without_a_block(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, text: str
) -> None:
    outside = f"Costs 3 ns.\n\n{before}Costs nothing.\n\n{after}Costs 4 ns.\n"
    assert checked(tmp_path, capsys, f"{HEAD}{RIGHT}\n{outside}") == []
    (line,) = checked(tmp_path, capsys, HEAD + f"{before}{text}\n{after}Costs 4 ns.\n")
    assert line.endswith("'14' stands in the findings without a block of figures")


@pytest.mark.parametrize(
    "text",
    [
        "Run `bench 14` for [this](page/14.html), ![14 ns](14.png).",
        "```\nfor 14\n```",
        "In C++20, p99.9 of hashed_wheel_512 with GCC 12.2.0.",
        "## The 14 best",
    ],
)
def test_what_is_no_text_has_no_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert checked(tmp_path, capsys, f"{HEAD}{RIGHT}\n<!-- findings -->\n\n{text}\n") == []


def test_a_block_that_nobody_would_read_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    within = "Costs 14 ns <!-- figures given: 14 -->\n"
    assert checked(tmp_path, capsys, HEAD + within) == [
        "7: a block of figures begins within a line"
    ]
    alone = "# Costs\n<!-- figures\ngiven: 14\n-->\n"
    assert "8: a block of figures follows no text" in checked(tmp_path, capsys, HEAD + alone)


def test_says_that_a_page_names_no_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (line,) = checked(tmp_path, capsys, RIGHT)
    assert line.startswith("2: no comment <!-- results: DIRECTORY -->")


def test_results_and_words_hold_up_to_the_next_that_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = {"min_heap": {1_000: 200.0}}
    write_figures(tmp_path / "other", slow)
    other = """
<!-- results: other/results
mine = min_heap
-->

A cancel costs 200 ns there.
<!-- figures
200 = max(churn/{mine}/rpc/1000)
-->
"""
    assert checked(tmp_path, capsys, HEAD + RIGHT + other) == []
    wrong = RIGHT.replace("14", "15") + other.replace("200", "20").replace("mine = ", "ours = ")
    lines = checked(tmp_path, capsys, HEAD + wrong)
    assert len(lines) == 2
    assert "'15' is 14.4" in lines[0]
    assert "mine" in lines[1]
    assert checked(tmp_path, capsys, "# A page\n\n" + RIGHT + HEAD + RIGHT)[0].startswith(
        "4: no comment <!-- results: DIRECTORY -->"
    )


@pytest.mark.parametrize("text", [None, HEAD.replace("results\n", "nowhere\n") + RIGHT])
def test_a_page_or_results_that_are_missing_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    if text:
        (tmp_path / "PAGE.md").write_text(text)
    assert figures.main([str(tmp_path / "PAGE.md")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith(f"figures.py: {tmp_path}/PAGE.md: ")


NEW = {
    "min_heap": {1_000: 21.0, 100_000: 60.0},
    "priority_queue": {1_000: 30.0, 100_000: 111.0},
    "hashed_wheel": {1_000: 9.44, 100_000: 1031.3},
    "hierarchical_wheel": {1_000: 12.5, 100_000: 25.0},
}


def test_writes_the_right_figures_with_as_many_digits_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "PAGE.md"
    page.write_text(HEAD + RIGHT)
    write_figures(tmp_path, NEW)
    assert figures.main([str(page), "--write"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{page}:7: 14 -> 9.4",
        f"{page}:7: 31 -> 1,031",
        f"{page}:7: 1.6 -> 2.2",
        f"{page}:7: 3.0 -> 4.4",
    ]
    right = RIGHT.replace("14", "9.4").replace("31", "1,031")
    assert page.read_text() == HEAD + right.replace("1.6", "2.2").replace("3.0", "4.4")
    assert figures.main([str(page)]) == 0


def test_writes_nothing_when_something_else_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = HEAD + RIGHT.replace("31", "32").replace("given: 1,000,", "given:")
    lines = checked(tmp_path, capsys, text, write=True)
    assert lines == [
        "7: '1,000' is not in the block of figures",
        f"figures.py: {tmp_path}/PAGE.md is left as it was",
    ]
    assert (tmp_path / "PAGE.md").read_text() == text


def test_writes_nothing_when_a_figure_would_become_like_a_given_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = HEAD + RIGHT.replace("31", "32").replace("1,000", "31")
    lines = checked(tmp_path, capsys, text, write=True)
    assert lines[0].startswith("7: '31' is a figure and given")
    assert (tmp_path / "PAGE.md").read_text() == text


def test_writing_what_is_right_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(tmp_path, capsys, HEAD + RIGHT, write=True) == []
    assert (tmp_path / "PAGE.md").read_text() == HEAD + RIGHT


def test_writing_puts_a_list_right_that_its_text_has_left_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = HEAD + RIGHT.replace("31 = ", "29 = ")
    page = tmp_path / "PAGE.md"
    assert checked(tmp_path, capsys, text, write=True) == []
    assert page.read_text() == HEAD + RIGHT
