"""Tests of scripts/report.py: the report in a browser, as a person uses it."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

import report
from results_for_tests import (
    IN_A_WINDOW,
    QUEUES,
    SERVICES,
    SETTINGS,
    SIZES,
    SLOWER_THAN,
    TRACES,
    UNSTABLE,
    WAYS,
    edit,
    made_up,
    write_bench,
    write_results,
    write_times,
)
from timerbench.charts.style import styles_of
from timerbench.command import ROOT
from timerbench.crossover import crossovers
from timerbench.estimates import figure_of
from timerbench.headlines import contests_of, headline_of
from timerbench.report.answers import answers_of
from timerbench.report.cards import figures_of
from timerbench.results import (
    BenchFile,
    Name,
    Results,
    bytes_per_timer,
    load,
    ns_per_operation,
    optional,
    write_json,
)

NOTHING_MEASURED = "Nothing of this is measured for those that are shown."


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "made-up"
    write_results(path)
    assert report.main([str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def results(directory: Path) -> Results:
    return load(directory)


@pytest.fixture(scope="module")
def chrome() -> Iterator[webdriver.Chrome]:
    """Starts one browser for all tests."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        pytest.fail("no chromium with a chromedriver; scripts/setup.sh installs them on Debian")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    chrome.set_window_size(1400, 1000)
    yield chrome
    chrome.quit()


class Page:
    """The report in the browser, by what a person sees and clicks. It looks at one card."""

    def __init__(self, chrome: webdriver.Chrome, file: Path) -> None:
        self.chrome = chrome
        self.file = file
        self.bench = "churn"

    def open(self, fragment: str = "") -> None:
        """Opens the page. If only the fragment differs, loads nothing: loading takes seconds."""
        self.chrome.get(f"file://{self.file}#{fragment}")
        found = re.search(r"bench=(\w+)", fragment)
        self.look_at(found[1] if found and self.all(f"#{found[1]}") else "churn")

    def look_at(self, bench: str) -> None:
        """Scrolls to a card, which is drawn when it becomes visible."""
        self.bench = bench
        self.script(f"document.getElementById('{bench}').scrollIntoView()")
        self.wait_until(lambda: bool(self.all(f"#{bench} .bars-box > *")))

    def script(self, text: str) -> Any:  # noqa: ANN401
        return self.chrome.execute_script(text)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Waits for what the browser does in its next frame."""
        WebDriverWait(self.chrome, 60).until(lambda _: holds())

    def all(self, selector: str) -> list[WebElement]:
        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    def own(self, selector: str) -> str:
        """Returns a selector within the card that the page looks at."""
        return f"#{self.bench} {selector}"

    def text(self, selector: str) -> str:
        return self.chrome.find_element(By.CSS_SELECTOR, selector).text

    def click(self, group: str, value: str | int) -> None:
        """Clicks a radio or a checkbox on its label."""
        name = f"{self.bench} {group}" if group in ("workload", "measure", "at") else group
        choice = self.chrome.find_element(
            By.XPATH, f'//label[input[@name="{name}" and @value="{value}"]]'
        )
        self.chrome.execute_script("arguments[0].click()", choice)

    def lines(self) -> dict[str, dict[str, Any]]:
        """Returns the lines that are drawn, without their bands, by the name of the queue."""
        traces = self.script(f"return document.querySelector('{self.own('.chart')}').data ?? []")
        return {trace["name"]: trace for trace in traces if trace.get("fill") != "toself"}

    def bars(self, place: str | None = None) -> dict[str, float]:
        """Returns the means in the order in which they are shown."""
        rows = self.script(
            f"return [...document.querySelectorAll('{place or self.own('.bars-box')} tbody tr')]"
            ".map((row) => [row.dataset.member, Number(row.dataset.mean ?? row.dataset.cost)])"
        )
        return dict(rows)

    def cells(self, table: str, row: str) -> list[str]:
        return [cell.text for cell in self.all(f'#{table} tr[data-row="{row}"] td')]


@pytest.fixture
def page(chrome: webdriver.Chrome, directory: Path) -> Page:
    chrome.get_log("browser")  # type: ignore[no-untyped-call]
    chrome.get_log("performance")  # type: ignore[no-untyped-call]
    page = Page(chrome, directory / report.FILE)
    chrome.get("about:blank")  # choices in cards stay as long as the page is open
    page.open()
    return page


@pytest.fixture
def opened(chrome: webdriver.Chrome, directory: Path) -> Page:
    """The page as it opens, for tests that only look: one after another, they load it once."""
    page = Page(chrome, directory / report.FILE)
    if not page.script("return window.isAsOpened"):
        chrome.get("about:blank")
        page.open()
        page.script("window.isAsOpened = true")
    return page


def means(results: Results, bench: str, case: str, counter: str) -> dict[str, float]:
    """Returns the means, from the least to the greatest."""
    figures = {
        queue: results.figure(Name(bench, queue, case), optional(counter))
        for queue in results.queues
    }
    values = {queue: in_five_digits(figure.mean) for queue, figure in figures.items() if figure}
    return dict(sorted(values.items(), key=lambda item: item[1]))


def in_five_digits(value: float) -> float:
    """Rounds as the page does."""
    return float(f"{value:.5g}")


def in_three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"


def test_opens_without_an_error_and_fetches_nothing(page: Page) -> None:
    page.chrome.refresh()
    page.look_at("burst")
    errors = page.chrome.get_log("browser")  # type: ignore[no-untyped-call]
    assert errors == []
    log = page.chrome.get_log("performance")  # type: ignore[no-untyped-call]
    sent = [json.loads(entry["message"])["message"] for entry in log]
    urls = {
        message["params"]["request"]["url"].split("#")[0]
        for message in sent
        if message["method"] == "Network.requestWillBeSent"
    }
    assert f"file://{page.file}" in urls
    assert {url for url in urls if not url.startswith(("data:", "about:"))} == {
        f"file://{page.file}"
    }


def test_shows_the_figures_of_the_results_sorted(opened: Page, results: Results) -> None:
    expected = means(results, "churn", "rpc/100000", "ns_per_operation")
    assert list(opened.bars().items()) == list(expected.items())
    drawn = opened.lines()[QUEUES[1]]
    ns = [
        results.figure(Name("churn", QUEUES[1], f"rpc/{n}"), ns_per_operation) for n in drawn["x"]
    ]
    assert drawn["y"] == [in_five_digits(figure.mean) for figure in ns if figure]
    shown = opened.text(opened.own(f'tr[data-member="{QUEUES[1]}"] .value'))
    assert shown == in_three_digits(expected[QUEUES[1]])


def test_an_interval_is_called_one(opened: Page, results: Results) -> None:
    assert "95% interval" in opened.text(opened.own(".bars-box thead"))
    n = opened.lines()[QUEUES[1]]["x"][0]
    figure = results.figure(Name("churn", QUEUES[1], f"rpc/{n}"), ns_per_operation)
    assert figure
    interval = f"95% interval {in_three_digits(figure.low)} to {in_three_digits(figure.high)}"
    assert interval in opened.lines()[QUEUES[1]]["text"][0]


def test_a_queue_has_its_colour_of_the_charts_everywhere(opened: Page, results: Results) -> None:
    for queue in (QUEUES[9], QUEUES[5]):
        colour = styles_of(results, "queues")[queue]["color"]
        assert opened.lines()[queue]["line"]["color"] == colour
        for place in (
            f'#queues label:has([value="{queue}"]) .dot',
            opened.own(f'[data-member="{queue}"] .bar'),
        ):
            style = opened.all(place)[0].get_attribute("style")
            assert style and colour.lower() in style.lower()


def test_timeouts_and_schedules_stand_apart(opened: Page) -> None:
    rows = {
        group: [row.get_attribute("data-row") for row in opened.all(f'[data-group="{group}"] tr')]
        for group in ("Timeouts", "Schedules", "Both")
    }
    assert {"churn/rpc", "cancel/random", "rearm/raft"} <= set(rows["Timeouts"])
    assert {"churn/retry", "expire/uniform", "burst/edges"} <= set(rows["Schedules"])
    assert {"insert/warm", "million/init"} <= set(rows["Both"])


def test_ratios_of_an_original_to_ours_have_intervals_by_their_own_variance(opened: Page) -> None:
    """As in Python. Here the case of ours has a wide variance."""
    low_of_ours, low_of_original = opened.script("""
        const measure = {name: 'time', unit: 'ns'};
        const best = {time: [10, 10, 10, 0, [10, 10, 10], [[3, 1, 0, 2]]]};
        const cell = {time: [20, 19, 22, 0, [20, 20, 21]]};
        const low = (one) => ratio(figureOf(one, measure), figureOf(best, measure)).low;
        return [low(cell), low({...cell, whose: 'original'})];
    """)
    assert low_of_ours < 1 < low_of_original


def test_crossovers_are_those_of_crossover_py(opened: Page, results: Results) -> None:
    words = [cell.text for cell in opened.all("#crossing-table .words")]
    assert words == [str(crossing) for crossing in crossovers(results).values()]
    assert words


def test_says_where_the_figures_were_taken(opened: Page) -> None:
    context = opened.text("#context")
    for fact in ("A CPU of 2 GHz", "GCC 12.2.0", "-O2 -DNDEBUG", "0123456789ab", "cores 2"):
        assert fact in context


def test_another_workload_and_n_show_their_own_figures(page: Page, results: Results) -> None:
    page.look_at("expire")
    page.click("workload", "pacing")
    page.click("n", 1000)
    assert page.bars() == means(results, "expire", "pacing/1000", "ns_per_operation")
    page.click("measure", "p999_expire_ns")
    assert page.bars() == means(results, "expire", "pacing/1000", "p999_expire_ns")
    assert "n = 1,000" in page.text(page.own(".bars-title"))
    assert "pacing" in page.text(page.own(".line"))


def test_a_measure_that_a_workload_lacks_is_not_offered(page: Page) -> None:
    page.click("measure", "worst_expire_ns")
    page.look_at("next_expiry")
    offered = [
        choice.get_attribute("value") for choice in page.all('input[name="next_expiry measure"]')
    ]
    assert offered == ["ns_per_operation"]
    assert "a query" in page.text(page.own(".bars-title"))


def test_a_queue_that_is_switched_off_is_gone_from_every_view(page: Page) -> None:
    drawn = len(page.all(page.own(".chart .scatterlayer .trace")))
    in_table = len(page.cells("heat", "churn/rpc"))
    assert QUEUES[3] in page.lines()
    page.click("member", QUEUES[3])
    assert QUEUES[3] not in page.lines()
    assert len(page.all(page.own(".chart .scatterlayer .trace"))) < drawn
    assert QUEUES[3] not in page.bars()
    assert len(page.cells("heat", "churn/rpc")) == in_table - 1
    assert QUEUES[3] not in page.text("#replay-heat")
    assert QUEUES[3] not in page.bars("#own-bars")
    page.look_at("cancel")
    assert QUEUES[3] not in page.lines()
    page.click("member", QUEUES[3])
    assert QUEUES[3] in page.lines()


def test_all_and_none_switch_every_queue_and_leave_no_note(page: Page) -> None:
    page.chrome.find_element(By.ID, "no-queues").click()
    assert page.lines() == {}
    assert page.bars() == {}
    assert page.text(page.own(".chart")) == NOTHING_MEASURED
    page.chrome.find_element(By.ID, "all-queues").click()
    assert set(QUEUES) <= page.lines().keys()
    assert page.bars().keys() == set(QUEUES)
    assert NOTHING_MEASURED not in page.text(page.own(".chart"))
    page.look_at("cancel")
    assert NOTHING_MEASURED not in page.text(page.own(".chart"))


def test_the_floor_is_drawn_under_times_alone(page: Page) -> None:
    floors = {f"floor: {name}" for name in ("dependent", "independent", "append", "stream")}
    assert page.lines().keys() == floors | set(QUEUES)
    page.click("measure", "worst_expire_ns")
    assert page.lines().keys() == set(QUEUES)
    page.click("measure", "ns_per_operation")
    page.click("member", "machine")
    assert page.lines().keys() == set(QUEUES)


MANY = {
    "heaps": [f"heap_{n}" for n in range(7)],
    "wheels": [f"wheel_{n}" for n in range(5)],
    "libraries": ["libone", "libother"],
}


@pytest.fixture(scope="module")
def many(chrome: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """In a family, later queues are faster.

    But the last heap has only 1,000 timers, and is slow.
    """
    directory = tmp_path_factory.mktemp("many") / "made-up"
    sizes = dict.fromkeys(chain(*MANY.values()), (1_000, 10_000)) | {"heap_6": (1_000,)}
    rounds = {
        Name("churn", queue, f"rpc/{n}"): [{"ns_per_operation": 50.0 - place}] * 3
        for of_family in MANY.values()
        for place, queue in enumerate(of_family)
        for n in sizes[queue]
    }
    rounds[Name("churn", "heap_6", "rpc/1000")] = [{"ns_per_operation": 90.0}] * 3
    groups = {
        "families": "heaps wheels",
        "properties": "libraries late",
        "late": "wheel_4",
        **{name: " ".join(members) for name, members in MANY.items()},
    }
    write_bench(directory, rounds)
    file = BenchFile.read(directory / "churn.json")
    file.context.update(groups)
    file.write(directory / "churn.json")
    assert report.main([str(directory)]) == 0
    return Page(chrome, directory / report.FILE)


BEST = {"heap_5", "wheel_3", "libother"}  # wheel_4 may be late


def test_of_many_lines_the_best_of_each_family_stands_out(many: Page) -> None:
    many.open("bench=churn&workload=rpc")
    many.wait_until(lambda: len(many.lines()) == 14)
    colours = {name: trace["line"]["color"] for name, trace in many.lines().items()}
    grey = colours["heap_0"]
    assert {name for name, colour in colours.items() if colour != grey} == BEST
    assert {text.text for text in many.all(many.own(".chart .annotation-text"))} == BEST
    assert many.all(many.own(".swatch.behind"))[0].is_displayed()


def test_a_line_behind_is_named_when_it_is_pointed_at(many: Page) -> None:
    many.open("bench=churn&workload=rpc")
    many.wait_until(lambda: len(many.lines()) == 14)
    many.script(
        "const chart = document.querySelector('#churn .chart');"
        "const curve = chart.data.findIndex(({name}) => name === 'wheel_2');"
        "Plotly.Fx.hover(chart, [{curveNumber: curve, pointNumber: 0}])"
    )
    many.wait_until(lambda: bool(many.all(many.own(".hovertext"))))
    assert many.text(many.own(".hovertext")).startswith("wheel_2")


def test_few_lines_all_stand_out(many: Page) -> None:
    many.open("bench=churn&workload=rpc&hidden=heap_0,heap_1,heap_2,heap_3,heap_4,heap_5")
    many.wait_until(lambda: len(many.lines()) == 8)
    widths = {name: trace["line"]["width"] for name, trace in many.lines().items()}
    assert len(set(widths.values())) == 1
    assert many.all(many.own(".chart .annotation-text")) == []
    assert not many.all(many.own(".swatch.behind"))[0].is_displayed()


def test_on_a_telephone_no_name_takes_the_room_of_the_lines(many: Page) -> None:
    size = {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    many.open("bench=churn&workload=rpc")
    many.wait_until(lambda: len(many.all(many.own(".chart .annotation-text"))) == len(BEST))
    many.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        many.wait_until(lambda: many.all(many.own(".chart .annotation-text")) == [])
    finally:
        many.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    many.wait_until(lambda: len(many.all(many.own(".chart .annotation-text"))) == len(BEST))


def test_the_address_restores_the_view(page: Page, results: Results) -> None:
    page.look_at("rearm")
    page.click("workload", "raft")
    page.click("n", 10_000)
    page.click("member", QUEUES[0])
    page.chrome.find_element(By.CSS_SELECTOR, page.own('[name="log"]')).click()
    fragment = page.chrome.current_url.partition("#")[2]
    page.open()
    assert QUEUES[0] in page.lines()
    page.chrome.get("about:blank")
    page.open(fragment)
    expected = means(results, "rearm", "raft/10000", "ns_per_operation")
    del expected[QUEUES[0]]
    assert page.bars() == expected
    assert QUEUES[0] not in page.lines()
    assert page.chrome.find_element(By.CSS_SELECTOR, page.own('[name="log"]')).is_selected()


def test_an_address_that_the_results_do_not_know_shows_what_there_is(page: Page) -> None:
    page.open("bench=nothing&workload=%3Cb%3E&n=-3&hidden=nobody&measure=toString")
    assert page.bars().keys() == set(QUEUES)
    assert page.chrome.get_log("browser") == []  # type: ignore[no-untyped-call]


def test_marks_say_how_a_cell_was_taken(page: Page) -> None:
    page.open(f"bench={SLOWER_THAN.bench}&workload={SLOWER_THAN.workload}&n={SLOWER_THAN.n}")
    slow = page.lines()[SLOWER_THAN.queue]
    assert slow["marker"]["symbol"][-1] == "triangle-up"
    assert slow["y"][-1] < 1e6, "a bound that is far off must not stretch the axis"
    assert page.text(page.own(f'tr[data-member="{SLOWER_THAN.queue}"] .value')) == "> 2 s"
    assert list(page.bars())[-1] == SLOWER_THAN.queue

    window = IN_A_WINDOW[0]
    page.open(f"bench={window.bench}&workload={window.workload}&n={window.n}")
    assert page.lines()[window.queue]["marker"]["symbol"][-1] == "circle-open"
    assert page.lines()[QUEUES[0]]["marker"]["symbol"][-1] == "circle"
    assert page.all(page.own(f'tr[data-member="{window.queue}"] .bar.window'))

    page.open(f"bench={UNSTABLE.bench}&workload={UNSTABLE.workload}&n={UNSTABLE.n}")
    line = page.lines()[UNSTABLE.queue]
    assert line["marker"]["symbol"][line["x"].index(UNSTABLE.n)] == "x"
    unstable = page.all(page.own(".bar.unstable"))
    assert len(unstable) == 1
    assert len(page.all('#heat tr[data-row="churn/rpc"] td.unstable')) == 1


def test_heat_map_is_relative_to_the_best_of_those_shown(page: Page, results: Results) -> None:
    ns = means(results, "churn", "rpc/100000", "ns_per_operation")
    best, *others = ns
    row = page.cells("heat", "churn/rpc")
    assert row == [f"{ns[queue] / ns[best]:.1f}" for queue in QUEUES]
    for queue in others[:3]:
        page.click("member", queue)
    page.click("member", best)
    left = {queue: ns[queue] for queue in others[3:]}
    row = page.cells("heat", "churn/rpc")
    assert row == [f"{left[queue] / min(left.values()):.1f}" for queue in QUEUES if queue in left]


def test_ratios_are_of_processes_and_not_of_figures(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    slow, fast = QUEUES[1], QUEUES[0]
    page = page_of_rounds(chrome, tmp_path, {fast: [10.0, 11.0, 30.0], slow: [20.0, 44.0, 30.0]})
    assert page.cells("heat", "churn/rpc") == ["1.0", "2.0"]
    assert page.text(page.own(f'tr[data-member="{slow}"] td:last-child')) == "2.0"


def test_a_disturbed_process_moves_no_ratio(chrome: webdriver.Chrome, tmp_path: Path) -> None:
    of_rounds = {QUEUES[0]: [10.0] * 6, QUEUES[1]: [20.0, 21.0, 20.0, 19.0, 20.0, 900.0]}
    page = page_of_rounds(chrome, tmp_path, of_rounds)
    assert page.cells("heat", "churn/rpc") == ["1.0", "2.0"]


@pytest.mark.parametrize(("spread", "is_tie"), [(0.3, True), (0.01, False)])
def test_ratios_of_one_value_have_the_interval_of_all_rounds(
    chrome: webdriver.Chrome, tmp_path: Path, spread: float, is_tie: bool
) -> None:
    """The page agrees with Python: one is a tie, and one is surely behind."""
    of_rounds = [10.1 - spread, 10.1, 10.1, 10.1, 10.1, 10.1 + spread]
    assert (figure_of([ns / 10 for ns in of_rounds]).low <= 1) == is_tie
    page = page_of_rounds(chrome, tmp_path, {QUEUES[0]: [10.0] * 6, QUEUES[1]: of_rounds})
    row = page.all('#heat tr[data-row="churn/rpc"] td')
    assert ["best" in (cell.get_attribute("class") or "") for cell in row] == [True, is_tie]


def test_ratios_of_a_case_have_intervals_by_the_moderated_variance(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    """One queue is behind by chance, which only the spread of the others shows."""
    random = np.random.default_rng(3)
    best, lucky, *others = QUEUES[:9]
    behind = [10.05, 10.06, 10.05, 10.07, 10.06, 10.05]
    noisy = {queue: list(20 * random.lognormal(0, 0.05, 6)) for queue in others}
    assert figure_of([ns / 10 for ns in behind]).low > 1
    page = page_of_rounds(chrome, tmp_path, {best: [10.0] * 6, lucky: behind, **noisy})
    of_lucky, of_best = (Name("churn", queue, "rpc/100000") for queue in (lucky, best))
    beside = load(tmp_path).ratio(of_lucky, of_best, ns_per_operation)
    assert beside
    assert beside.low < 1
    row = page.all('#heat tr[data-row="churn/rpc"] td')
    assert "best" in (row[1].get_attribute("class") or "")


def page_of_rounds(
    chrome: webdriver.Chrome, tmp_path: Path, of_rounds: dict[str, list[float]]
) -> Page:
    times = {Name("churn", queue, "rpc/100000"): of for queue, of in of_rounds.items()}
    write_times(tmp_path, times)
    page = Page(chrome, report.write(tmp_path))
    page.open()
    return page


def test_a_workload_of_the_heat_map_opens(page: Page, results: Results) -> None:
    page.chrome.find_element(By.CSS_SELECTOR, '[data-row="burst/one_tick"] a').click()
    page.look_at("burst")
    assert page.bars() == means(results, "burst", "one_tick/100000", "ns_per_operation")


def test_a_trace_has_bars_but_no_chart_over_n(page: Page, results: Results) -> None:
    page.look_at("replay")
    page.click("workload", f"{TRACES[1]}@1us")
    assert page.bars() == means(results, "replay", f"{TRACES[1]}@1us", "ns_per_operation")
    assert not page.all(page.own(".over-n"))[0].is_displayed()
    assert len(page.all("#replay-heat tr[data-row]")) == 2 * len(TRACES)
    page.look_at("churn")
    assert page.all(page.own(".over-n"))[0].is_displayed()
    assert set(QUEUES) <= page.lines().keys()


def test_recordings_alone_have_no_table_of_all_workloads(
    chrome: webdriver.Chrome, page: Page, tmp_path: Path
) -> None:
    assert page.all("#workloads")[0].is_displayed()
    write_times(tmp_path, {Name("replay", QUEUES[0], f"{TRACES[0]}@1ms"): [7]})
    recordings = Page(chrome, report.write(tmp_path))
    recordings.open("bench=replay")
    assert not recordings.all("#workloads")[0].is_displayed()
    assert len(recordings.all("#replay-heat tr[data-row]")) == 1


def test_memory_and_horizon_follow_n(page: Page, results: Results) -> None:
    page.click("n", 1000)
    for bench, workload, counter in (
        ("memory", "uniform", "residue_bytes"),
        ("horizon", "log_uniform", "empty_calls_per_timer"),
    ):
        page.look_at(bench)
        page.click("measure", counter)
        assert page.bars() == means(results, bench, f"{workload}/1000", counter)


def test_services_have_cards_and_a_picker_as_queues_do(page: Page, results: Results) -> None:
    def expected(bench: str, case: str, counter: str, members: list[str]) -> dict[str, float]:
        figures = {
            name: results.figure(Name(bench, name, case), optional(counter)) for name in members
        }
        return {name: in_five_digits(figure.mean) for name, figure in figures.items() if figure}

    page.look_at("contention")
    page.click("workload", "cancel in aged memory, 1,000,000 pending")
    page.click("at", 4)
    page.click("measure", "p99_ns")
    shown = expected("contention", "cancel_4_aged/1000000", "p99_ns", SERVICES)
    assert page.bars() == shown
    assert page.text(page.own(".bars-title")) == "At 4 threads: µs for all calls but 1%"
    page.click("member", SERVICES[0])
    del shown[SERVICES[0]]
    assert page.bars() == shown
    page.look_at("dispatch")
    assert page.bars().keys() == set(SERVICES[1:])
    page.chrome.find_element(By.XPATH, '//details[.//*[@id="services"]]/summary').click()
    page.chrome.find_element(By.ID, "all-services").click()
    assert page.bars().keys() == set(SERVICES)
    page.look_at("sleep")
    page.click("measure", "wake_call_ns")
    assert page.bars() == expected("sleep", "100us/1000000", "wake_call_ns", WAYS)


def test_shows_how_late_tasks_are_from_the_median_to_the_worst(
    page: Page, results: Results
) -> None:
    page.look_at("lateness")
    page.click("at", 10_000)
    traces = page.script("return document.querySelector('#lateness .spread').data")
    drawn = {trace["name"]: dict(zip(trace["y"], trace["x"], strict=True)) for trace in traces[1:]}
    assert list(drawn) == ["median", "p90", "p99", "p99.9", "worst"]
    for word, counter in (("median", "ns_per_operation"), ("worst", "max_ns")):
        figure = results.figure(Name("lateness", SETTINGS[0], "uniform/10000"), optional(counter))
        assert figure
        assert drawn[word][SETTINGS[0]] == in_five_digits(figure.mean)
    page.look_at("dispatch")
    assert not page.all("#dispatch .late")[0].is_displayed()


def test_a_card_says_what_was_found_and_leads_to_the_raw_data(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    write_results(tmp_path, benches=["insert", "lateness"])
    (tmp_path / "lateness.svg").write_text("<svg/>")
    page = Page(chrome, report.write(tmp_path))
    page.open("bench=lateness")
    assert page.text(page.own("h2")) == headline_of(load(tmp_path), "lateness")
    page.all(page.own("summary"))[0].click()
    links = [link.get_attribute("href") or "" for link in page.all(page.own(".sources a"))]
    assert links == [f"file://{tmp_path}/{file}" for file in ("lateness.json", "lateness.svg")]
    assert all(Path(link.removeprefix("file://")).exists() for link in links)
    assert "3 processes" in page.text(page.own(".how p"))


def test_the_first_screen_answers_and_leads_to_its_figures(page: Page, results: Results) -> None:
    rows = {
        row.find_element(By.TAG_NAME, "th").text: row for row in page.all('[data-kind="queues"] tr')
    }
    (contest,) = contests_of(results, "memory", bytes_per_timer, lambda name: name.n == 100_000)
    least = rows["Least memory a timer"]
    assert {name.text for name in least.find_elements(By.CLASS_NAME, "name")} == contest.unbeaten
    (best,) = contest.unbeaten
    mean = means(results, "memory", "uniform/100000", "bytes_per_timer")[best]
    assert least.find_element(By.CLASS_NAME, "why").text == f"{mean:.2g} bytes"
    assert "To schedule and cancel, 8 threads" in page.text('[data-kind="services"]')
    least.find_element(By.TAG_NAME, "a").click()
    page.wait_until(lambda: "section=memory" in page.chrome.current_url)
    page.look_at("memory")
    assert page.bars()


def test_answers_from_the_only_case_of_its_kind_that_was_measured(tmp_path: Path) -> None:
    """A quick run has few cases with so many timers."""
    ns = {"min_heap": 20.0, "lazy_wheel": 10.0}
    rounds = {Name("expire", queue, "uniform/100000"): [mean] * 3 for queue, mean in ns.items()}
    write_times(tmp_path, rounds)
    (answer,) = answers_of(load(tmp_path))["queues"]
    assert answer["question"] == "Timers that nearly always run"
    assert (answer["names"], answer["why"]) == (["lazy_wheel"], "10 ns")
    assert (answer["bench"], answer["workload"]) == ("expire", "uniform")
    assert (answer["measure"], answer["n"]) == ("", 100_000)


def test_an_answer_leads_to_the_workload_the_measure_and_the_n_that_it_is_about(
    tmp_path: Path,
) -> None:
    entries = {"heap_timer": 20.0, "delay_queue_timer": 10.0}

    def write(bench: str, *cases: str) -> None:
        write_bench(
            tmp_path,
            {
                Name(bench, one, case): [{"ns_per_operation": ns, "p999_ns": 9 * ns}] * 3
                for one, ns in entries.items()
                for case in cases
            },
        )

    write("contention", "schedule_cancel_8/1000")
    write("lateness", "uniform/10000", "uniform/1000000")
    answers = {answer["question"]: answer for answer in answers_of(load(tmp_path))["services"]}
    places = {
        question: (answer["workload"], answer["measure"], answer["n"])
        for question, answer in answers.items()
    }
    assert places == {
        "Least late, the median": ("uniform", "", 10_000),
        "Least late, p99.9": ("uniform", "p999_ns", 10_000),
        "To schedule and cancel, 8 threads": (
            "schedule_cancel in fresh memory, 1,000 pending",
            "",
            8,
        ),
    }


def test_one_picture_shows_time_against_what_else_one_cares_about(
    page: Page, results: Results
) -> None:
    titles = [option.text for option in page.all("#glance-of option")]
    wanted = "Calls with mixed limits: time against bytes a timer"
    assert wanted in titles
    Select(page.all("#glance-of")[0]).select_by_visible_text(wanted)
    (trace,) = page.script("return document.getElementById('glance').data")
    at = dict(zip(trace["text"], zip(trace["x"], trace["y"], strict=True), strict=True))
    queue = QUEUES[4]
    ns = means(results, "churn", "rpc_mixed/100000", "ns_per_operation")[queue]
    bytes_ = means(results, "memory", "uniform/100000", "bytes_per_timer")[queue]
    assert at[queue] == (ns, bytes_)


def slide(page: Page, slider: str, value: float) -> None:
    page.script(
        f"const s = document.getElementById('own-{slider}'); s.value = {value};"
        "s.dispatchEvent(new Event('input'))"
    )


def test_a_load_of_ones_own_is_interpolated_between_measured_cells(
    page: Page, results: Results
) -> None:
    def measured(bench: str, case: str) -> dict[str, float]:
        return means(results, bench, case, "ns_per_operation")

    slide(page, "pending", 4)
    slide(page, "cancelled", 100)
    slide(page, "limits", 2)
    assert page.bars("#own-bars") == pytest.approx(measured("churn", "rpc_mixed/10000"))
    slide(page, "limits", 0)
    slide(page, "cancelled", 0)
    assert page.bars("#own-bars") == pytest.approx(measured("constant", "1_delay/10000"))
    slide(page, "cancelled", 50)
    half = page.bars("#own-bars")[QUEUES[0]]
    ends = measured("churn", "rpc/10000"), measured("constant", "1_delay/10000")
    assert half == pytest.approx(sum(end[QUEUES[0]] for end in ends) / 2)
    slide(page, "pending", 4.5)
    slide(page, "cancelled", 100)
    between = page.bars("#own-bars")[QUEUES[0]]
    few, many = (measured("churn", f"rpc/{n}")[QUEUES[0]] for n in (10_000, 100_000))
    assert between == pytest.approx(math.sqrt(few * many))
    assert "interpolated" in page.text("#own .line")


@pytest.fixture
def tab(chrome: webdriver.Chrome, directory: Path) -> Iterator[Page]:
    """Opens the report in a tab without history: the browser keeps only fifty steps."""
    before = chrome.current_window_handle
    chrome.switch_to.new_window("tab")
    page = Page(chrome, directory / report.FILE)
    page.open()
    yield page
    chrome.close()
    chrome.switch_to.window(before)


def test_back_leads_to_the_view_before(tab: Page, results: Results) -> None:
    page = tab
    page.click("workload", "tcp")
    page.click("n", 1_000)
    assert page.bars() == means(results, "churn", "tcp/1000", "ns_per_operation")
    # The address in the browser changes later than the page.
    page.wait_until(lambda: page.chrome.current_url.endswith("n=1000"))
    page.chrome.back()
    page.wait_until(lambda: page.chrome.current_url.endswith("n=100000"))
    page.look_at("churn")
    assert page.bars() == means(results, "churn", "tcp/100000", "ns_per_operation")
    page.chrome.back()
    page.wait_until(lambda: "tcp" not in page.chrome.current_url)
    page.look_at("churn")
    assert page.bars() == means(results, "churn", "rpc/100000", "ns_per_operation")


def test_can_be_used_by_the_keyboard(page: Page, results: Results) -> None:
    page.script("document.querySelector('[name=\"churn workload\"]:checked').focus()")
    page.chrome.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert page.bars() == means(results, "churn", "rpc_mixed/100000", "ns_per_operation")
    assert page.chrome.switch_to.active_element.get_attribute("value") == "rpc_mixed"
    page.script("document.getElementById('own-cancelled').focus()")
    page.chrome.switch_to.active_element.send_keys(Keys.ARROW_LEFT * 4)
    assert page.text("#own-cancelled-is") == "75%"


def test_each_stretch_has_the_colour_of_the_faster_of_the_two(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    write_results(tmp_path, 1, ["rearm"])
    both = ("min_heap", "hierarchical_wheel")

    def alternate(name: Name, entry: dict[str, Any]) -> None:
        """At every other size the heap is the faster one."""
        if name.workload == "idle" and name.queue in both:
            heap_leads = len(str(name.n)) % 2 == 0
            entry["ns_per_operation"] = 1.0 if (name.queue == both[0]) == heap_leads else 2.0

    edit(tmp_path, "rearm", alternate)
    assert report.main([str(tmp_path)]) == 0
    page = Page(chrome, tmp_path / report.FILE)
    page.open("bench=rearm")
    (row,) = (row for row in page.all("#crossing-table tbody tr") if "rearm idle" in row.text)
    assert "(one process)" in row.text
    assert not row.find_elements(By.CSS_SELECTOR, ".interval")
    shown = [bar.get_attribute("style") for bar in row.find_elements(By.CSS_SELECTOR, ".bar")]
    colours = [re.findall(r"#\w+", style or "")[0] for style in shown]
    styles = styles_of(load(tmp_path), "queues")
    heap, wheel = (styles[queue]["color"].lower() for queue in both)
    assert [colour.lower() for colour in colours] == [heap, wheel, heap, wheel][: len(colours)]
    assert len(colours) == 4


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (Name("rearm", "min_heap", "idle/1000"), "queues"),
        (Name("dispatch", "heap_timer", "within_250ms/1000"), "services"),
    ],
)
def test_says_how_far_equals_differ_if_there_are_twins(
    tmp_path: Path, name: Name, kind: str
) -> None:
    write_results(tmp_path, 1, ["rearm", "dispatch"])
    assert "<dt>Equal" not in report.page_of(tmp_path)
    entry = made_up(name, 1)
    slower = {**entry, "ns_per_operation": 1.025 * entry["ns_per_operation"]}
    write_bench(tmp_path, {name: [entry], replace(name, queue=f"{name.queue}_twin"): [slower]})
    page = " ".join(report.page_of(tmp_path).split())
    assert f"<dt>Equal {kind}</dt> <dd>differ by up to 2.5% here" in page
    assert page.count("<dt>Equal") == 1


def test_one_round_has_no_spread(chrome: webdriver.Chrome, tmp_path: Path) -> None:
    write_results(tmp_path, 1, ["churn", "memory"])
    assert report.main([str(tmp_path)]) == 0
    page = Page(chrome, tmp_path / report.FILE)
    page.open()
    assert "95% interval" not in page.text("#answer")
    assert not page.all(page.own(".interval"))
    assert page.text(page.own("tbody td:nth-of-type(3)")) == "–"
    assert "one process" in page.lines()[QUEUES[1]]["text"][0]
    traces = page.script("return document.querySelector('#churn .chart').data")
    assert not [trace for trace in traces if trace.get("fill") == "toself" and trace.get("x")]


def test_the_floor_ends_where_the_queues_do(page: Page) -> None:
    page.open("bench=churn&workload=rpc")
    assert page.lines()["floor: dependent"]["x"] == SIZES
    edge = page.file.parent / "edge"
    write_results(edge, benches=["rearm", "floor"])
    file = BenchFile.read(edge / "rearm.json")
    file.processes = [p for p in file.processes if p["group"].endswith(("/1000", "/10000"))]
    file.write(edge / "rearm.json")
    assert report.main([str(edge)]) == 0
    page = Page(page.chrome, edge / report.FILE)
    page.open("bench=rearm")
    assert page.lines()["floor: dependent"]["x"] == [1_000, 10_000]


def test_is_dark_on_a_dark_desktop(page: Page) -> None:
    def brightness(selector: str, property_: str) -> int:
        colour = page.script(
            f"return getComputedStyle(document.querySelector('{selector}')).{property_}"
        )
        return sum(int(part) for part in colour.strip("rgba()").split(",")[:3])

    assert brightness("body", "backgroundColor") > 600
    assert brightness("#churn .chart .xtick text", "fill") < 200
    scheme = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    try:
        assert brightness("body", "backgroundColor") < 150
        # The next frame draws the chart again.
        page.wait_until(lambda: brightness("#churn .chart .xtick text", "fill") > 500)
        assert page.lines()[QUEUES[0]]["line"]["color"] != "#000000"
    finally:
        page.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        page.wait_until(lambda: brightness("#churn .chart .xtick text", "fill") < 200)


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_no_width_needs_to_be_scrolled_sideways(page: Page, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.wait_until(lambda: page.script("return innerWidth") == width)
        page.open(f"bench={SLOWER_THAN.bench}&workload={SLOWER_THAN.workload}&n={SLOWER_THAN.n}")
        assert page.script("return document.documentElement.scrollWidth") <= width
    finally:
        page.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_text_in_the_results_cannot_end_the_script_it_stands_in(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    write_results(tmp_path, 1, ["rearm"])
    evil = "</script><script>document.title = 'evil'</script>"

    def rename(name: Name, entry: dict[str, Any]) -> None:
        entry["run_name"] = f"rearm/{name.queue}/{evil}/{name.n}"

    edit(tmp_path, "rearm", rename)
    write_json(tmp_path / "context.json", {"host": evil})
    assert report.main([str(tmp_path)]) == 0
    page = Page(chrome, tmp_path / report.FILE)
    page.open("bench=rearm")
    assert page.text(page.own("label:has([name='rearm workload'])")) == evil
    assert chrome.title == f"Timerbench: {tmp_path.name}"
    assert evil in page.text("#context")


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    write_results(tmp_path, 2, ["rearm", "lateness"])
    assert report.page_of(tmp_path) == report.page_of(tmp_path)


def test_a_broken_directory_gives_one_line_and_leaves_the_report_that_was_there(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / report.FILE).write_text("earlier")
    assert report.main([str(tmp_path)]) == 2
    assert f"{tmp_path} holds no results" in capfd.readouterr().err
    write_results(tmp_path, 1, ["rearm"])
    (tmp_path / "context.json").write_text("{")
    assert report.main([str(tmp_path)]) == 2
    errors = capfd.readouterr().err
    assert "context.json is broken" in errors
    assert len(errors.splitlines()) == 1
    assert [file.name for file in tmp_path.glob("report*")] == [report.FILE]
    assert (tmp_path / report.FILE).read_text() == "earlier"


def test_a_bench_that_nothing_is_said_of_is_an_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_results(tmp_path, 1, ["rearm"])
    edit(
        tmp_path,
        "rearm",
        lambda name, entry: entry.update(run_name=f"novel/{name.queue}/{name.case}"),
    )
    assert report.main([str(tmp_path)]) == 2
    assert (
        "scripts/timerbench/benches.py says nothing of the bench 'novel'" in capfd.readouterr().err
    )


def test_a_queue_too_slow_for_a_single_timer_has_no_figures_of_one(tmp_path: Path) -> None:
    slow = Name("horizon", "lazy_wheel", "log_uniform/1000")
    write_results(tmp_path, benches=["horizon"])
    edit(
        tmp_path,
        "horizon",
        lambda name, entry: entry.update(slower_than=1) if name == slow else None,
    )
    figures = figures_of(load(tmp_path), slow)
    assert figures["mark"] == "slower_than"
    assert "ns_per_operation" in figures
    assert not {"empty_calls_per_timer", "moves_per_timer"} & figures.keys()


def test_refuses_a_report_that_cannot_be_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_results(tmp_path, 1, ["rearm"])
    (tmp_path / "report.html").mkdir()
    assert report.main([str(tmp_path)]) == 2
    assert "report.py: " in capfd.readouterr().err


def test_refuses_results_without_queues(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_results(tmp_path, 1, ["floor", "dispatch", "sleep"])
    assert report.main([str(tmp_path)]) == 2
    assert "no queue was measured" in capfd.readouterr().err


def test_a_workload_whose_operation_is_not_that_of_its_bench_says_so(page: Page) -> None:
    page.open("bench=horizon&workload=empty_ticks&n=1000")
    assert page.text(page.own(".bars-title")) == "At n = 1,000: ns for a tick"
    page.open("bench=horizon&workload=log_uniform&n=1000")
    assert page.text(page.own(".bars-title")) == "At n = 1,000: ns for a timer"


def test_the_report_of_the_largest_run_is_small_and_opens_soon(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    """Opens the stored results. Two seconds are the goal; a busy machine takes longer."""
    runs = [path.parent for path in (ROOT / "results").glob("*-vm/churn.json")]
    largest = max(runs, key=lambda run: sum(path.stat().st_size for path in run.glob("*.json")))
    file = tmp_path / report.FILE
    file.write_text(report.page_of(largest))
    assert file.stat().st_size < 3e6
    page = Page(chrome, file)
    page.open()
    times = "const t = performance.timing; return t.loadEventEnd - t.navigationStart"
    assert page.script(times) < 20_000
    assert chrome.get_log("browser") == []  # type: ignore[no-untyped-call]
