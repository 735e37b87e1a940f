"""Tests of scripts/report.py: the report in a browser, as a person uses it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

import report
from results_for_tests import (
    IN_A_WINDOW,
    QUEUES,
    SERVICES,
    SIZES,
    SLOWER_THAN,
    TRACES,
    UNSTABLE,
    WAYS,
    WORKLOADS,
    edit,
    write_bench,
    write_results,
)
from timerbench.charts.style import styles_of
from timerbench.crossover import crossovers
from timerbench.results import (
    BenchFile,
    Name,
    Results,
    load,
    ns_per_operation,
    optional,
    write_json,
)

NOTHING_MEASURED = "Nothing of this is measured for the queues that are shown."
SLEEP_COUNTERS = ["p99_ns", "p999_ns", "worst_ns", "wake_call_ns", "woken_after_ns"]


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
    """One browser for all tests."""
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
    """The report in the browser, by what a person sees and clicks."""

    def __init__(self, chrome: webdriver.Chrome, file: Path) -> None:
        self.chrome = chrome
        self.file = file

    def open(self, fragment: str = "") -> None:
        """Loads nothing anew where only the fragment differs: that takes seconds."""
        self.chrome.get(f"file://{self.file}#{fragment}")

    def script(self, text: str) -> Any:  # noqa: ANN401
        return self.chrome.execute_script(text)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """For what the browser does with its next frame."""
        WebDriverWait(self.chrome, 60).until(lambda _: holds())

    def all(self, selector: str) -> list[WebElement]:
        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.chrome.find_element(By.CSS_SELECTOR, selector).text

    def click(self, group: str, value: str | int) -> None:
        """A radio or checkbox is clicked by its label."""
        choice = f'//label[input[@name="{group}" and @value="{value}"]]'
        self.chrome.find_element(By.XPATH, choice).click()

    def choose_bench(self, name: str) -> None:
        Select(self.chrome.find_element(By.ID, "bench")).select_by_value(name)

    def lines(self) -> dict[str, dict[str, Any]]:
        """The lines that are drawn, without their bands, by the name of the queue."""
        traces = self.script("return document.getElementById('chart').data ?? []")
        return {trace["name"]: trace for trace in traces if trace.get("fill") != "toself"}

    def bars(self) -> dict[str, float]:
        """The means in the order in which they are shown."""
        rows = self.script(
            "return [...document.querySelectorAll('#bars tbody tr')]"
            ".map((row) => [row.dataset.queue, Number(row.dataset.mean)])"
        )
        return dict(rows)

    def cells(self, table: str, row: str) -> list[str]:
        return [cell.text for cell in self.all(f'#{table} tr[data-row="{row}"] td')]


@pytest.fixture
def page(chrome: webdriver.Chrome, directory: Path) -> Page:
    chrome.get_log("browser")  # type: ignore[no-untyped-call]
    chrome.get_log("performance")  # type: ignore[no-untyped-call]
    page = Page(chrome, directory / report.FILE)
    page.open()
    return page


def means(results: Results, bench: str, case: str, counter: str) -> dict[str, float]:
    """From the least to the most."""
    figures = {
        queue: results.figure(Name(bench, queue, case), optional(counter))
        for queue in results.queues
    }
    values = {queue: figure.mean for queue, figure in figures.items() if figure}
    return dict(sorted(values.items(), key=lambda item: item[1]))


def in_three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"


def test_opens_without_an_error_and_fetches_nothing(page: Page) -> None:
    page.chrome.refresh()
    page.choose_bench("burst")
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


def test_shows_the_figures_of_the_results_sorted(page: Page, results: Results) -> None:
    expected = means(results, "churn", "rpc/100000", "ns_per_operation")
    assert list(page.bars().items()) == list(expected.items())
    drawn = page.lines()[QUEUES[1]]
    ns = [
        results.figure(Name("churn", QUEUES[1], f"rpc/{n}"), ns_per_operation) for n in drawn["x"]
    ]
    assert drawn["y"] == [figure.mean for figure in ns if figure]
    shown = page.text(f'#bars tr[data-queue="{QUEUES[1]}"] .value')
    assert shown == in_three_digits(expected[QUEUES[1]])


def test_another_workload_and_n_show_their_own_figures(page: Page, results: Results) -> None:
    page.choose_bench("expire")
    page.click("workload", "pacing")
    page.click("n", 1000)
    assert page.bars() == means(results, "expire", "pacing/1000", "ns_per_operation")
    page.click("measure", "p999_expire_ns")
    assert page.bars() == means(results, "expire", "pacing/1000", "p999_expire_ns")
    assert "n = 1,000" in page.text("#bars-title")
    assert "pacing" in page.text("#line")


def test_a_measure_that_a_workload_lacks_is_not_offered(page: Page) -> None:
    page.click("measure", "worst_expire_ns")
    page.choose_bench("insert")
    offered = [choice.get_attribute("value") for choice in page.all('input[name="measure"]')]
    assert offered == ["ns_per_operation"]
    assert "an insert" in page.text("#bars-title")


def test_a_queue_that_is_switched_off_is_gone_from_every_view(page: Page) -> None:
    drawn = len(page.all("#chart .scatterlayer .trace"))
    in_table = len(page.cells("heat", "churn/rpc"))
    assert QUEUES[3] in page.lines()
    page.click("queue", QUEUES[3])
    assert QUEUES[3] not in page.lines()
    assert len(page.all("#chart .scatterlayer .trace")) == drawn - 2  # its line and its band
    assert QUEUES[3] not in page.bars()
    assert len(page.cells("heat", "churn/rpc")) == in_table - 1
    assert QUEUES[3] not in page.text("#replay-heat")
    assert QUEUES[3] not in page.text("#memory-table")
    assert QUEUES[3] not in page.text("#horizon-table")
    page.choose_bench("cancel")
    assert QUEUES[3] not in page.lines()
    page.click("queue", QUEUES[3])
    assert QUEUES[3] in page.lines()


def test_all_and_none_switch_every_queue(page: Page) -> None:
    page.chrome.find_element(By.ID, "none").click()
    assert page.lines() == {}
    assert page.bars() == {}
    assert page.text("#chart") == NOTHING_MEASURED
    page.chrome.find_element(By.ID, "all").click()
    assert set(QUEUES) <= page.lines().keys()
    assert page.bars().keys() == set(QUEUES)


def test_a_chart_does_not_keep_the_note_of_an_empty_one(page: Page) -> None:
    page.chrome.find_element(By.ID, "none").click()
    page.chrome.find_element(By.ID, "all").click()
    assert NOTHING_MEASURED not in page.text("#chart")
    page.choose_bench("cancel")
    assert NOTHING_MEASURED not in page.text("#chart")


def test_the_floor_is_drawn_under_times_alone(page: Page) -> None:
    floors = {f"floor: {name}" for name in ("dependent", "independent", "append", "stream")}
    assert page.lines().keys() == floors | set(QUEUES)
    page.click("measure", "worst_expire_ns")
    assert page.lines().keys() == set(QUEUES)
    page.click("measure", "ns_per_operation")
    page.click("queue", "machine")
    assert page.lines().keys() == set(QUEUES)


def test_a_queue_has_its_colour_of_the_charts_everywhere(page: Page, results: Results) -> None:
    for queue in (QUEUES[1], QUEUES[5]):
        colour = styles_of(results, "queues")[queue]["color"]
        assert page.lines()[queue]["line"]["color"] == colour
        for place in (f'label:has([value="{queue}"]) .dot', f'#bars [data-queue="{queue}"] .bar'):
            style = page.all(place)[0].get_attribute("style")
            assert style and colour.lower() in style.lower()


MANY = {
    "heaps": [f"heap_{n}" for n in range(7)],
    "wheels": [f"wheel_{n}" for n in range(5)],
    "libraries": ["libone", "libother"],
}


@pytest.fixture(scope="module")
def many(chrome: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The later in its family, the faster; but the last heap is of 100 timers alone, and slow."""
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
        "properties": "libraries",
        **{name: " ".join(members) for name, members in MANY.items()},
    }
    write_bench(directory, rounds)
    file = BenchFile.read(directory / "churn.json")
    file.context.update(groups)
    file.write(directory / "churn.json")
    assert report.main([str(directory)]) == 0
    return Page(chrome, directory / report.FILE)


BEST = {"heap_5", "wheel_4", "libother"}


def test_of_many_lines_the_best_of_each_family_stands_out(many: Page) -> None:
    many.open("bench=churn&workload=rpc")
    many.wait_until(lambda: len(many.lines()) == 14)
    colours = {name: trace["line"]["color"] for name, trace in many.lines().items()}
    grey = colours["heap_0"]
    assert {name for name, colour in colours.items() if colour != grey} == BEST
    assert {text.text for text in many.all("#chart .annotation-text")} == BEST
    assert many.chrome.find_element(By.ID, "behind").is_displayed()


def test_a_line_behind_is_named_when_it_is_pointed_at(many: Page) -> None:
    many.open("bench=churn&workload=rpc")
    many.wait_until(lambda: len(many.lines()) == 14)
    many.script(
        "const chart = document.getElementById('chart');"
        "const curve = chart.data.findIndex(({name}) => name === 'wheel_2');"
        "Plotly.Fx.hover(chart, [{curveNumber: curve, pointNumber: 0}])"
    )
    many.wait_until(lambda: bool(many.all("#chart .hovertext")))
    assert many.text("#chart .hovertext").startswith("wheel_2")


def test_few_lines_all_stand_out(many: Page) -> None:
    many.open("bench=churn&workload=rpc&hidden=heap_0,heap_1")
    many.wait_until(lambda: len(many.lines()) == 12)
    widths = {name: trace["line"]["width"] for name, trace in many.lines().items()}
    assert len(set(widths.values())) == 1
    assert many.all("#chart .annotation-text") == []
    assert not many.chrome.find_element(By.ID, "behind").is_displayed()


def test_on_a_telephone_no_name_takes_the_room_of_the_lines(many: Page) -> None:
    size = {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    many.open("bench=churn&workload=rpc")
    many.wait_until(lambda: len(many.all("#chart .annotation-text")) == len(BEST))
    many.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        many.wait_until(lambda: many.all("#chart .annotation-text") == [])
    finally:
        many.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    many.wait_until(lambda: len(many.all("#chart .annotation-text")) == len(BEST))


def test_the_address_restores_the_view(page: Page, results: Results) -> None:
    page.choose_bench("rearm")
    page.click("workload", "raft")
    page.click("n", 10_000)
    page.click("queue", QUEUES[0])
    page.chrome.find_element(By.ID, "log").click()
    fragment = page.chrome.current_url.partition("#")[2]
    page.open()
    assert "raft" not in page.text("#line")
    page.chrome.get("about:blank")
    page.open(fragment)
    expected = means(results, "rearm", "raft/10000", "ns_per_operation")
    del expected[QUEUES[0]]
    assert page.bars() == expected
    assert QUEUES[0] not in page.lines()
    assert page.chrome.find_element(By.ID, "log").is_selected()


def test_an_address_that_the_results_do_not_know_shows_what_there_is(page: Page) -> None:
    page.open("bench=nothing&workload=%3Cb%3E&n=-3&hidden=nobody&measure=toString")
    assert page.bars().keys() == set(QUEUES)
    assert page.chrome.get_log("browser") == []  # type: ignore[no-untyped-call]


def test_marks_say_how_a_cell_was_taken(page: Page) -> None:
    page.open(f"bench={SLOWER_THAN.bench}&workload={SLOWER_THAN.workload}&n={SLOWER_THAN.n}")
    slow = page.lines()[SLOWER_THAN.queue]
    assert slow["marker"]["symbol"][-1] == "triangle-up"
    assert slow["y"][-1] < 1e6, "a bound that is far off must not stretch the axis"
    assert page.text(f'#bars tr[data-queue="{SLOWER_THAN.queue}"] .value') == "> 2 s"
    assert list(page.bars())[-1] == SLOWER_THAN.queue

    window = IN_A_WINDOW[0]
    page.open(f"bench={window.bench}&workload={window.workload}&n={window.n}")
    assert page.lines()[window.queue]["marker"]["symbol"][-1] == "circle-open"
    assert page.lines()[QUEUES[0]]["marker"]["symbol"][-1] == "circle"
    assert page.all(f'#bars tr[data-queue="{window.queue}"] .bar.window')

    page.open(f"bench={UNSTABLE.bench}&workload={UNSTABLE.workload}&n={UNSTABLE.n}")
    line = page.lines()[UNSTABLE.queue]
    assert line["marker"]["symbol"][line["x"].index(UNSTABLE.n)] == "x"
    unstable = page.all("#bars .bar.unstable")
    assert len(unstable) == 1
    assert len(page.all('#heat tr[data-row="churn/rpc"] td.unstable')) == 1


def test_heat_map_is_relative_to_the_best_of_those_shown(page: Page, results: Results) -> None:
    ns = means(results, "churn", "rpc/100000", "ns_per_operation")
    best, *others = ns
    row = page.cells("heat", "churn/rpc")
    assert row == [f"{ns[queue] / ns[best]:.1f}" for queue in QUEUES]
    for queue in others[:3]:
        page.click("queue", queue)
    page.click("queue", best)
    left = {queue: ns[queue] for queue in others[3:]}
    row = page.cells("heat", "churn/rpc")
    assert row == [f"{left[queue] / min(left.values()):.1f}" for queue in QUEUES if queue in left]


def test_ratios_are_of_processes_and_not_of_figures(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    slow, fast = QUEUES[1], QUEUES[0]
    of_rounds = {fast: [10.0, 11.0, 30.0], slow: [20.0, 44.0, 30.0]}
    write_bench(
        tmp_path,
        {
            Name("churn", queue, "rpc/100000"): [{"ns_per_operation": ns} for ns in times]
            for queue, times in of_rounds.items()
        },
    )
    page = Page(chrome, report.write(tmp_path))
    page.open()
    assert page.cells("heat", "churn/rpc") == ["1.0", "2.0"]
    assert page.text(f'#bars tr[data-queue="{slow}"] td:last-child') == "2.0"


def test_timeouts_and_schedules_stand_apart(page: Page) -> None:
    rows = {
        group: [row.get_attribute("data-row") for row in page.all(f'[data-group="{group}"] tr')]
        for group in ("Timeouts", "Schedules", "Both")
    }
    assert {"churn/rpc", "cancel/random", "rearm/raft"} <= set(rows["Timeouts"])
    assert {"churn/retry", "expire/uniform", "burst/edges"} <= set(rows["Schedules"])
    assert {"insert/warm", "million/init"} <= set(rows["Both"])


def test_a_workload_of_the_heat_map_opens(page: Page, results: Results) -> None:
    page.chrome.find_element(By.CSS_SELECTOR, '[data-row="burst/one_tick"] a').click()
    assert page.bars() == means(results, "burst", "one_tick/100000", "ns_per_operation")


def test_a_trace_has_bars_but_no_chart_over_n(page: Page, results: Results) -> None:
    page.choose_bench("replay")
    page.click("workload", f"{TRACES[1]}@1us")
    assert page.bars() == means(results, "replay", f"{TRACES[1]}@1us", "ns_per_operation")
    assert not page.all("#over-n")[0].is_displayed()
    assert len(page.all("#replay-heat tr[data-row]")) == 2 * len(TRACES)
    page.choose_bench("churn")
    assert page.all("#over-n")[0].is_displayed()
    assert set(QUEUES) <= page.lines().keys()


def test_tables_of_memory_and_horizon_follow_n(page: Page, results: Results) -> None:
    page.click("n", 1000)
    for bench, workload, counter, column in (
        ("memory", "uniform", "bytes_per_timer", 0),
        ("horizon", "log_uniform", "empty_calls_per_timer", 1),
    ):
        expected = means(results, bench, f"{workload}/1000", counter)
        for queue in (QUEUES[0], QUEUES[8]):
            cells = page.all(f'#{bench}-table tr[data-queue="{queue}"] td')
            assert cells[column].text == in_three_digits(expected[queue])
    moves = page.all(f'#horizon-table tr[data-queue="{QUEUES[0]}"] td')[2]
    assert moves.text == "–"


def test_services_and_ways_to_sleep_have_tables_of_their_own(page: Page, results: Results) -> None:
    def shown(table: str, name: str) -> list[str]:
        return [cell.text for cell in page.all(f'#{table} tr[data-queue="{name}"] td')]

    def expected(bench: str, name: str, case: str, counter: str) -> str:
        figure = results.figure(Name(bench, name, case), optional(counter))
        return in_three_digits(figure.mean) if figure else "–"

    offered = [choice.get_attribute("value") for choice in page.all("#bench option")]
    assert "churn" in offered
    assert not {"contention", "dispatch", "lateness", "sleep", "floor"} & set(offered)
    page.click("n", 1000)
    for service in SERVICES:
        calls = [f"{workload}/1000000" for workload in WORKLOADS["contention"]]
        ns = [expected("contention", service, case, "ns_per_operation") for case in calls]
        ns += [
            expected("dispatch", service, f"within_250ms/{n}", "ns_per_operation") for n in SIZES
        ]
        assert shown("services-table", service) == [*ns, "1.00"]
    for way in WAYS:
        assert shown("sleep-table", way) == [
            expected("sleep", way, f"{ahead}/1000000", counter)
            for ahead in ("100us", "1ms")
            for counter in ("ns_per_operation", *SLEEP_COUNTERS)
        ]


def test_shows_the_numbers_of_threads_that_were_measured_with_as_many_timers(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    write_results(tmp_path, rounds=1)
    path = tmp_path / "contention.json"
    file = BenchFile.read(path)
    file.processes = [p for p in file.processes if p["group"] != "schedule_2/1000000"]
    file.write(path)
    page = Page(chrome, report.write(tmp_path))
    page.open()
    headings = [heading.text for heading in page.all("#services-table th")]
    assert headings.count("4 threads") == headings.count("2 threads") + 1
    titles = [heading for heading in headings if heading.startswith("ns, schedule in")]
    assert titles == [
        f"ns, schedule in {one} memory, 1,000,000 pending" for one in ("fresh", "aged")
    ]


def test_shows_the_charts_of_services_that_were_drawn(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    write_results(tmp_path, rounds=1)
    report.write(tmp_path)
    assert 'id="gallery"' not in (tmp_path / report.FILE).read_text()
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"></svg>'
    for chart in ("lateness", "idle", "churn"):
        (tmp_path / f"{chart}.svg").write_text(svg)
    page = Page(chrome, report.write(tmp_path))
    page.open()
    assert [figure.get_attribute("id") for figure in page.all("#gallery figure")] == [
        "chart-lateness",
        "chart-idle",
    ]
    widths = "return [...document.querySelectorAll('#gallery img')].map((i) => i.naturalWidth)"
    assert page.script(widths) == [40, 40]


def test_crossovers_are_those_of_crossover_py(page: Page, results: Results) -> None:
    words = [cell.text for cell in page.all("#crossing-table .words")]
    assert words == [str(crossing) for crossing in crossovers(results).values()]
    assert words


def test_each_stretch_has_the_colour_of_the_faster_of_the_two(
    chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    write_results(tmp_path, rounds=1)
    both = ("min_heap", "hierarchical_wheel")

    def alternate(name: Name, entry: dict[str, Any]) -> None:
        """At every other size the heap is the faster one."""
        if name.workload == "idle" and name.queue in both:
            heap_leads = len(str(name.n)) % 2 == 0
            entry["ns_per_operation"] = 1.0 if (name.queue == both[0]) == heap_leads else 2.0

    edit(tmp_path, "rearm", alternate)
    assert report.main([str(tmp_path)]) == 0
    page = Page(chrome, tmp_path / report.FILE)
    page.open()
    (row,) = (row for row in page.all("#crossing-table tbody tr") if "rearm idle" in row.text)
    assert "(one process)" in row.text
    assert not row.find_elements(By.CSS_SELECTOR, ".interval")
    shown = [bar.get_attribute("style") for bar in row.find_elements(By.CSS_SELECTOR, ".bar")]
    colours = [re.findall(r"#\w+", style or "")[0] for style in shown]
    styles = styles_of(load(tmp_path), "queues")
    heap, wheel = (styles[queue]["color"].lower() for queue in both)
    assert [colour.lower() for colour in colours] == [heap, wheel, heap, wheel][: len(colours)]
    assert len(colours) == 4


def test_an_interval_is_called_one(page: Page, results: Results) -> None:
    (key, *_) = (part.text for part in page.all(".key span") if part.text.startswith("├─┤"))
    assert key == "├─┤ 95% interval"
    n = page.lines()[QUEUES[1]]["x"][0]
    figure = results.figure(Name("churn", QUEUES[1], f"rpc/{n}"), ns_per_operation)
    assert figure
    interval = f"95% interval {in_three_digits(figure.low)} to {in_three_digits(figure.high)}"
    assert interval in page.lines()[QUEUES[1]]["text"][0]


@pytest.mark.parametrize(
    ("bench", "original", "kind"),
    [("churn", "min_heap", "queues"), ("dispatch", "heap_timer", "services")],
)
def test_says_how_far_equals_differ_if_there_are_twins(
    tmp_path: Path, bench: str, original: str, kind: str
) -> None:
    write_results(tmp_path, rounds=1)
    assert "<dt>Equal" not in report.page_of(tmp_path)
    file = BenchFile.read(tmp_path / f"{bench}.json")
    file.context["twins"] = f"{original}_twin"
    for process in file.processes:
        process["benchmarks"] += [
            {
                **entry,
                "run_name": entry["run_name"].replace(original, f"{original}_twin"),
                "ns_per_operation": 1.025 * entry["ns_per_operation"],
            }
            for entry in process["benchmarks"]
            if f"/{original}/" in entry["run_name"]
        ]
    file.write(tmp_path / f"{bench}.json")
    page = " ".join(report.page_of(tmp_path).split())
    assert f"<dt>Equal {kind}</dt> <dd>differ by up to 2.5% here" in page
    assert page.count("<dt>Equal") == 1


def test_one_round_has_no_spread(chrome: webdriver.Chrome, tmp_path: Path) -> None:
    write_results(tmp_path, rounds=1)
    assert report.main([str(tmp_path)]) == 0
    page = Page(chrome, tmp_path / report.FILE)
    page.open()
    assert not [part for part in page.all(".key span") if part.text.startswith("├─┤")]
    assert not page.all("#bars .interval")
    assert page.text("#bars tbody td:nth-of-type(3)") == "–"
    assert "one process" in page.lines()[QUEUES[1]]["text"][0]
    traces = page.script("return document.getElementById('chart').data")
    assert not [trace for trace in traces if trace.get("fill") == "toself" and trace.get("x")]


def test_the_floor_ends_where_the_queues_do(page: Page) -> None:
    page.open("bench=churn&workload=rpc")
    assert page.lines()["floor: dependent"]["x"] == SIZES
    edge = page.file.parent / "edge"
    write_results(edge)
    file = BenchFile.read(edge / "rearm.json")
    file.processes = [p for p in file.processes if p["group"].endswith(("/1000", "/10000"))]
    file.write(edge / "rearm.json")
    assert report.main([str(edge)]) == 0
    page = Page(page.chrome, edge / report.FILE)
    page.open("bench=rearm")
    assert page.lines()["floor: dependent"]["x"] == [1_000, 10_000]


def test_says_where_the_figures_were_taken(page: Page) -> None:
    context = page.text("#context")
    for fact in ("A CPU of 2 GHz", "GCC 12.2.0", "-O2 -DNDEBUG", "0123456789ab", "cores 2"):
        assert fact in context


def test_is_dark_on_a_dark_desktop(page: Page) -> None:
    def brightness(selector: str, property_: str) -> int:
        colour = page.script(
            f"return getComputedStyle(document.querySelector('{selector}')).{property_}"
        )
        return sum(int(part) for part in colour.strip("rgba()").split(",")[:3])

    assert brightness("body", "backgroundColor") > 600
    assert brightness("#chart .xtick text", "fill") < 200
    scheme = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    try:
        assert brightness("body", "backgroundColor") < 150
        # The chart is drawn again with the next frame.
        page.wait_until(lambda: brightness("#chart .xtick text", "fill") > 500)
        assert page.lines()[QUEUES[0]]["line"]["color"] != "#000000"
    finally:
        page.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        page.wait_until(lambda: brightness("#chart .xtick text", "fill") < 200)


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
    write_results(tmp_path, rounds=1)
    evil = "</script><script>document.title = 'evil'</script>"

    def rename(name: Name, entry: dict[str, Any]) -> None:
        entry["run_name"] = f"rearm/{name.queue}/{evil}/{name.n}"

    edit(tmp_path, "rearm", rename)
    write_json(tmp_path / "context.json", {"host": evil})
    assert report.main([str(tmp_path)]) == 0
    page = Page(chrome, tmp_path / report.FILE)
    page.open()
    page.choose_bench("rearm")
    assert page.text("#workload") == evil
    assert chrome.title == f"Timerbench: {tmp_path.name}"
    assert evil in page.text("#context")


def test_the_same_results_give_the_same_bytes(directory: Path) -> None:
    file = directory / report.FILE
    before = file.read_bytes()
    file.unlink()
    assert report.main([str(directory)]) == 0
    assert file.read_bytes() == before


def test_a_broken_directory_gives_one_line_and_leaves_the_report_that_was_there(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / report.FILE).write_text("earlier")
    assert report.main([str(tmp_path)]) == 2
    assert f"{tmp_path} holds no results" in capfd.readouterr().err
    write_results(tmp_path, rounds=1)
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
    write_results(tmp_path, rounds=1)
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
    write_results(tmp_path)
    edit(
        tmp_path,
        "horizon",
        lambda name, entry: entry.update(slower_than=1) if name == slow else None,
    )
    figures = report.figures_of(load(tmp_path), slow)
    assert figures["mark"] == "slower_than"
    assert "ns_per_operation" in figures
    assert not {"empty_calls_per_timer", "moves_per_timer"} & figures.keys()


def test_refuses_a_report_that_cannot_be_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_results(tmp_path)
    (tmp_path / "report.html").mkdir()
    assert report.main([str(tmp_path)]) == 2
    assert "report.py: " in capfd.readouterr().err


def test_refuses_results_without_queues(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_results(tmp_path)
    for file in tmp_path.glob("*.json"):
        if file.stem not in ("floor", "contention", "dispatch", "sleep"):
            file.unlink()
    assert report.main([str(tmp_path)]) == 2
    assert "no queue was measured" in capfd.readouterr().err


def test_a_workload_whose_operation_is_not_that_of_its_bench_says_so(page: Page) -> None:
    page.open("bench=horizon&workload=empty_ticks&n=1000")
    assert page.text("#bars-title") == "At n = 1,000: ns for a tick"
    page.open("bench=horizon&workload=log_uniform&n=1000")
    assert page.text("#bars-title") == "At n = 1,000: ns for a timer"
