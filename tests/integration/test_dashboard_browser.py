"""The dashboard in a real Chromium: every view, its figures, keyboard, dark, phone, refreshing.

Screenshots go to ``artifacts/dashboard``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Request, expect, sync_playwright

from benchmarks.dashboard.browser import CHROMIUM_ARGUMENTS
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from tests.dashboard import sample
from tests.dashboard.serving import serving, site_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.integration
ARTIFACTS = Path(__file__).parents[2] / "artifacts/dashboard"
NOW = datetime.now(UTC).replace(microsecond=0)
ROWS = sample.rows_of(NOW, healthy_count=70)
expect.set_options(timeout=30_000)
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PAGES = {
    "overview": "/",
    "overview-empty-search": "/?q=nothing",
    "rebalances": "/rebalances?window=6h",
    "group-lopsided": "/group?id=orders-fulfilment",
    "group-ideal": "/group?id=orders-fulfilment&target=ideal",
    "group-earlier": "/group?id=orders-fulfilment&generation=1",
    "group-flapping": "/group?id=clickstream-enricher",
    "group-stuck": "/group?id=search-indexer",
    "group-skewed": "/group?id=cdc-sync",
    "group-empty": "/group?id=nightly-report",
    "group-healthy": "/group?id=tax-service-007",
    "what-if": "/what-if?id=orders-fulfilment&policy=cooperative-sticky&added=1",
    "what-if-impossible": "/what-if?id=cdc-sync&topic%3Aorders=1",
}


def failures(request: Request) -> list[str]:
    """What went wrong with a request; one that the next page cut short has not failed."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"failed: {request.url}"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "install Debian's chromium: apt-get install chromium"
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=list(CHROMIUM_ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("tables")
    sample.write(folder, ROWS)
    with serving(site_at(folder, lambda: NOW)) as address:
        yield address


@contextmanager
def page_of(browser: Browser, **options: Any) -> Iterator[Page]:
    """A page that fails the test for anything on the console."""
    context = browser.new_context(**(DESKTOP | options))
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.extend(failures(request)))
    yield page
    told = list(complaints)  # closing cuts off what is still being fetched
    context.close()
    assert told == []


def keep(page: Page, name: str) -> None:
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"{name}.png", full_page=True)


def text_of(page: Page, selector: str) -> list[str]:
    return [re.sub(r"\s+", " ", each).strip() for each in page.locator(selector).all_inner_texts()]


def query(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("look", "options"),
    [
        ("light", {"color_scheme": "light"}),
        ("dark", {"color_scheme": "dark"}),
        ("phone", PHONE),
    ],
)
def test_every_view_in_every_look(
    browser: Browser, address: str, name: str, look: str, options: dict[str, Any]
) -> None:
    with page_of(browser, **options) as page:
        answer = page.goto(address + PAGES[name])
        assert answer is not None
        assert answer.status == 200
        expect(page.locator("h1")).to_be_visible()
        keep(page, f"{name}-{look}")
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, "the page scrolls sideways"
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(18, 20, 24)") == (look == "dark")


def test_the_worst_is_on_top_and_says_what_to_do(browser: Browser, address: str) -> None:
    with page_of(browser, **PHONE) as page:
        page.goto(address)
        expect(page.locator("h1")).to_have_text("1 group needs you now, 2 more soon")
        worst = page.locator(".attention li").first
        expect(worst).to_be_in_viewport(ratio=0.9)
        expect(worst).to_contain_text("search-indexer nobody reads 8 of 32 partitions")
        expect(worst).to_contain_text("restart the member")


def test_figures_of_the_overview_are_those_of_the_tables(browser: Browser, address: str) -> None:
    state = {row["group_id"]: row for row in ROWS["group_state"]}
    with page_of(browser) as page:
        page.goto(address)
        shown = 0
        for line in page.locator("table.groups tbody tr").all():
            cells = [cell.strip() for cell in line.locator("td").all_inner_texts()]
            mine = state[line.locator("th a").inner_text()]
            assert cells[1] == str(mine["member_count"])
            assert cells[2] == f"{mine['drift_share'] * 100:.0f} %"
            assert cells[3] == str(mine["moves_to_fairest"])
            shown += 1
        assert shown == 50
        assert f"{len(state)} groups" in page.locator(".sums").inner_text()


def test_figures_of_the_group_page_are_those_of_the_tables(browser: Browser, address: str) -> None:
    owners = {
        (row["topic"], row["partition"]): row["member_id"]
        for row in ROWS["assignments"]
        if row["group_id"] == "orders-fulfilment" and row["generation"] == 4
    }
    with page_of(browser) as page:
        page.goto(f"{address}/group?id=orders-fulfilment")
        topics = [each.split()[0] for each in text_of(page, ".heat th.topic")]
        for line in page.locator(".heat tbody tr").all():
            member = line.locator("th span").get_attribute("title")
            counts = [int(each) for each in text_of_cells(line)]
            assert counts == [
                sum(owner == member for (name, _), owner in owners.items() if name == topic)
                for topic in topics
            ]
        assert page.locator("#moves").inner_text() == "5 moves to the fairest loads"
        assert len(text_of(page, "section[aria-labelledby=moves] tbody tr")) == 5
        expect(page.locator(".verdict")).to_contain_text("5 moves would make this group fair")
        expect(page.locator(".verdict")).to_contain_text("would have saved 14 of 36 moves")


def text_of_cells(line: Any) -> list[str]:
    """Counts of a line of the heat map, without what would change."""
    cells = line.locator("td[class^=h]").all()
    return [cell.evaluate("cell => cell.firstChild.data.trim()") for cell in cells]


def test_search_filters_while_typing_and_can_be_shared(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.goto(address)
        page.keyboard.press("/")
        expect(page.locator("#q")).to_be_focused()
        page.keyboard.type("fulfil")
        rows = page.locator("a[data-row]")
        expect(rows).to_have_text(["orders-fulfilment"])
        expect(page.locator("#q")).to_be_focused()
        assert query(page) == {"q": "fulfil"}
        page.select_option("#level", "ok")
        expect(page.locator("text=No group matches")).to_be_visible()
        with page_of(browser) as other:
            other.goto(page.url)
            expect(other.locator("#q")).to_have_value("fulfil")
            expect(other.locator("#level")).to_have_value("ok")


def test_sorting_and_paging_keep_the_focus_and_the_history(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.goto(address)
        page.locator("#sort-lag").focus()
        page.keyboard.press("Enter")
        expect(page.locator("th[aria-sort=descending]")).to_have_text("Lag")
        expect(page.locator("#sort-lag")).to_be_focused()
        first = page.locator("a[data-row]").first
        expect(first).to_have_text("orders-fulfilment")
        page.keyboard.press("Enter")
        expect(page.locator("th[aria-sort=ascending]")).to_have_text("Lag")
        page.locator("a[rel=next]").click()
        expect(page.locator(".pager span")).to_have_text("Page 2 of 2")
        assert query(page) == {"sort": "lag", "reverse": "1", "page": "2"}
        page.go_back()
        expect(page.locator(".pager span")).to_have_text("Page 1 of 2")


def test_rows_are_reached_and_opened_by_keyboard(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.goto(address)
        for _ in range(3):
            page.keyboard.press("j")
        page.keyboard.press("k")
        expect(page.locator("a[data-row]").nth(1)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_contain_text("orders-fulfilment")
        page.keyboard.press("g")
        expect(page.locator("h1")).to_contain_text("needs you now")


def test_everything_is_reached_by_tab_and_has_a_name(browser: Browser, address: str) -> None:
    nameless = """() => [...document.querySelectorAll("a, button, input, select, summary")]
      .filter(each => each.type !== "hidden" && !(each.innerText || "").trim()
        && !each.labels?.[0]?.innerText.trim() && !each.ariaLabel
        && !each.textContent.trim()).map(each => each.outerHTML)"""
    with page_of(browser) as page:
        for path in PAGES.values():
            page.goto(address + path)
            page.keyboard.press("Tab")
            expect(page.locator("a.skip")).to_be_focused()
            assert page.evaluate(nameless) == []
            assert page.locator("[tabindex]:not([tabindex='-1'])").count() == 0


def test_the_moves_of_the_ideal_and_of_the_fairest_differ(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.goto(f"{address}/group?id=orders-fulfilment")
        page.click("text=What sticky would have made")
        expect(page.locator("#moves")).to_have_text("11 moves to what sticky would have made")
        page.click("text=Least moves to fair")
        expect(page.locator("#moves")).to_have_text("5 moves to the fairest loads")


def test_an_earlier_generation_is_one_click_away(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.goto(f"{address}/group?id=orders-fulfilment")
        page.click("table.rebalances tr:last-child a")
        expect(page.locator(".banner")).to_contain_text("You are looking at generation 1")
        expect(page.locator(".heat tbody tr")).to_have_count(5)
        page.click("text=Show the present one")
        expect(page.locator(".heat tbody tr")).to_have_count(6)


def test_what_if_answers_while_one_asks(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.goto(f"{address}/group?id=orders-fulfilment")
        page.click("text=What if: another policy")
        expect(page.locator(".headline")).to_have_text("0 moves; loads 6 to 12, unfair.")
        page.select_option("#policy", "sticky")
        expect(page.locator(".headline")).to_have_text(
            "5 moves; loads 7 to 7, the fairest there is."
        )
        page.fill("#added", "1")
        expect(page.locator(".headline")).to_contain_text("6 moves; loads 6 to 6")
        page.check("input[name=remove] >> nth=0")
        expect(page.locator(".headline")).to_contain_text("12 moves; loads 7 to 7")
        asked = query(page)
        assert (asked["policy"], asked["added"]) == ("sticky", "1")
        assert asked["remove"].startswith("fulfilment-1-")
        keep(page, "what-if-asked")
        page.click("#p-range")
        expect(page.locator("#policy")).to_have_value("range")
        expect(page.locator("tr.chosen th")).to_have_text(re.compile(r"range\s+now"))
        page.click("text=Start over")
        expect(page.locator(".headline")).to_have_text("0 moves; loads 6 to 12, unfair.")


def test_pages_refresh_by_themselves_and_disturb_nobody(browser: Browser, tmp_path: Path) -> None:
    sample.write(tmp_path, ROWS)
    now = NOW
    site = site_at(tmp_path, lambda: now)
    with serving(site, refresh_seconds=1) as address, page_of(browser) as page:
        page.goto(address)
        page.fill("#q", "new-group")
        expect(page.locator("text=No group matches")).to_be_visible()
        page.locator("details summary").first.click()
        page.evaluate("scrollTo(0, 100)")
        page.locator("#q").evaluate("field => field.focus({preventScroll: true})")
        group = sample.Group("new-group", {"t": 4}, ["m-1"]).settle(now, "first")
        sample.write(tmp_path, group.finish(now))
        now = NOW + timedelta(seconds=2)
        expect(page.locator("a[data-row]")).to_have_text(["new-group"])
        expect(page.locator("#q")).to_be_focused()
        expect(page.locator("#q")).to_have_value("new-group")
        expect(page.locator("details").first).to_have_attribute("open", "")
        assert page.evaluate("scrollY") == 100


def test_without_tables_the_page_waits_and_then_fills(browser: Browser, tmp_path: Path) -> None:
    location = tmp_path / "later"
    with serving(site_at(location, lambda: NOW), refresh_seconds=1) as address:
        page = browser.new_page()  # the browser complains of the 503 on the console
        page.goto(address)
        expect(page.locator("h1")).to_have_text("Nothing to show yet")
        keep(page, "no-tables")
        sample.write(location, ROWS)
        expect(page.locator("h1")).to_contain_text("needs you now")
        page.close()


def test_a_stopped_monitor_is_told_first(browser: Browser, tmp_path: Path) -> None:
    sample.write(tmp_path, ROWS)
    site = site_at(tmp_path, lambda: NOW + timedelta(hours=2))
    with serving(site) as address, page_of(browser) as page:
        page.goto(address)
        banner = page.locator("main > :first-child")
        expect(banner).to_contain_text("has written nothing for 2 h")
        keep(page, "monitor-stopped")


def test_it_works_without_scripts(browser: Browser, address: str) -> None:
    with page_of(browser, java_script_enabled=False) as page:
        page.goto(address)
        page.fill("#q", "fulfil")
        page.click(".filters button")
        expect(page.locator("a[data-row]")).to_have_text(["orders-fulfilment"])
        page.click("a[data-row]")
        expect(page.locator("h1")).to_contain_text("orders-fulfilment")


def test_hostile_names_run_nothing(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        page.goto(f"{address}/?q=script")
        page.locator("a[data-row]").click()
        expect(page.locator("h1")).to_contain_text("<script>alert(1)</script>")
        keep(page, "group-hostile")


@pytest.fixture(scope="module")
def demo_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the demo leaves: a real broker, real groups, the real query."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "streaming.cli.main", "demo", "--output", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "tables"


@pytest.mark.parametrize(("look", "options"), [("light", {}), ("phone", PHONE)])
def test_every_view_of_the_demos_tables(
    browser: Browser, demo_tables: Path, look: str, options: dict[str, Any]
) -> None:
    reader = TableReader(Location(str(demo_tables)))
    states = reader.rows("select * from group_state")
    assert len(states) >= 5
    site = site_at(demo_tables, lambda: datetime.now(UTC))
    with serving(site) as address, page_of(browser, **options) as page:
        page.goto(address)
        assert sorted(text_of(page, "a[data-row]")) == sorted(row["group_id"] for row in states)
        keep(page, f"demo-overview-{look}")
        page.goto(f"{address}/rebalances?window=1h")
        [counted] = reader.rows("select count(*) as n from rebalances")
        assert text_of(page, "#list span") == [str(counted["n"])]
        for state in states:
            link = f"cluster={state['cluster']}&id={state['group_id']}"
            page.goto(f"{address}/group?{link}")
            keep(page, f"demo-{state['group_id']}-{look}")
            facts = dict(zip(text_of(page, ".facts dt"), text_of(page, ".facts dd"), strict=True))
            assert facts["Members"] == str(state["member_count"])
            assert facts["Moves to fair"] == str(state["moves_to_fairest"])
            assert facts["Drift"].startswith(
                f"{state['drift_count']} of {state['partition_count']}"
            )
            assert page.locator("#moves").inner_text().startswith(f"{state['moves_to_fairest']} ")
            page.goto(f"{address}/what-if?{link}&policy=optimal&added=1")
            expect(page.locator(".headline")).to_contain_text("move")
