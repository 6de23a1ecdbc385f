"""The pages over HTTP, against a server on loopback."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from streaming.dashboard.server import is_loopback
from streaming.dashboard.site import Site
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from tests.dashboard import sample
from tests.dashboard.sample import CLUSTER, EVENING, rows_of
from tests.dashboard.serving import serving, site_at

if TYPE_CHECKING:
    from pathlib import Path

ROWS = rows_of(EVENING)
HOSTILE = "<script>alert(1)</script>'; DROP TABLE drift; --"
PAGES = (
    "/",
    "/?q=service&sort=lag&reverse=1&page=1&window=7d",
    "/?level=ill",
    "/?q=nothing+like+this",
    "/group?id=orders-fulfilment",
    "/group?id=orders-fulfilment&target=ideal&generation=2&window=7d&whole=1",
    "/group?id=search-indexer",
    "/group?id=nightly-report",
    "/group?id=orders-fulfilment&generation=77",
    "/rebalances",
    "/rebalances?cause=restarted&wasteful=1&q=click&window=1h",
    "/what-if?id=orders-fulfilment",
    "/what-if?id=cdc-sync&policy=range&added=2&topic%3Aorders=30",
    "/what-if?id=nightly-report",
    "/what-if?id=nightly-report&added=3",
)


class _Tags(HTMLParser):
    """Collects what a browser would run or load, and whether tags close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in ("meta", "link", "input", "img", "br"):
            self.open.append(tag)
        self.loaded += [given[name] or "" for name in ("src",) if name in given]
        self.inline += [name for name in given if name == "style" or name.startswith("on")]
        if tag == "img" or (tag == "script" and "src" not in given):
            self.inline.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_whole_and_runs_nothing_foreign(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    tags = _Tags()
    tags.feed(answer.text)
    assert tags.open == []
    assert tags.inline == []
    assert all(address.startswith("/static/") for address in tags.loaded)


@pytest.mark.parametrize("path", [*PAGES, "/nope", "/static/page.js", "/api/overview"])
def test_every_answer_carries_the_security_headers(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


def test_hostile_names_are_text(client: httpx.Client) -> None:
    for path in ("/", "/rebalances"):
        text = client.get(path).text
        assert "<script>alert" not in text
        assert HOSTILE in unescape(text)
    page = client.get("/group", params={"id": HOSTILE})
    assert page.status_code == 200
    assert "<img src=x" not in page.text
    assert "{{7*7}}" in page.text
    assert "<script>alert" not in client.get("/", params={"q": "<script>alert(3)</script>"}).text


def test_search_cannot_reach_the_query(client: httpx.Client) -> None:
    for attempt in ("' or 1=1 --", "%", "_", "\\", "'; drop table drift; --", "\0"):
        answer = client.get("/api/rebalances", params={"q": attempt, "window": "7d"})
        assert answer.status_code == 200
        assert all(attempt.lower() in row["group_id"].lower() for row in answer.json()["rows"])


def test_overview_has_the_figures_of_the_tables(client: httpx.Client) -> None:
    state = {row["group_id"]: row for row in ROWS["group_state"]}
    answer = client.get("/api/overview").json()
    assert answer["page"]["found"] == len(state)
    for row in answer["page"]["rows"]:
        for column in ("drift_count", "moves_to_fairest", "lag", "member_count", "balance_score"):
            assert row[column] == state[row["group_id"]][column]
    text = client.get("/").text
    assert f"{len(state)} groups" in text
    row = re.search(
        r'<tr class="warning" id="g-shop-eu-orders-fulfilment">.*?</tr>', text, re.DOTALL
    )
    assert row
    figures = re.findall(r'data-label="([^"]+)">(?:<svg.*?</svg>)?\s*([^<]+)<', row[0], re.DOTALL)
    assert {name: value.strip() for name, value in figures} == {
        "Members": "6",
        "Drift": "26 %",
        "Moves to fair": "5",
        "Avoidable 24h": "14",
        "Rebalances 1h": "1",
        "Lag": "188 k",
    }


def test_group_page_has_the_figures_of_the_tables(client: httpx.Client) -> None:
    page = client.get("/api/group", params={"id": "orders-fulfilment"}).json()
    state = next(row for row in ROWS["group_state"] if row["group_id"] == "orders-fulfilment")
    assert len(page["moves"]) == state["moves_to_fairest"] == 5
    assert [line["load"] for line in page["heatmap"]["lines"]] == [12, 6, 6, 6, 6, 6]
    assert [line["target"] for line in page["heatmap"]["lines"]] == [7] * 6
    mine = [row for row in ROWS["drift"] if row["group_id"] == "orders-fulfilment"]
    last = [row for row in mine if row["generation"] == 4]
    assert {row["policy"]: row["drift_count"] for row in page["policies"]} == {
        row["policy"]: row["drift_count"] for row in last
    }
    assert [row["churn"] for row in page["history"]["rebalances"]] == [6, 6, 24, 0]
    assert sum(topic["lag"] for topic in page["offsets"]["topics"]) == sum(
        row["lag"] for row in ROWS["offsets"] if row["group_id"] == "orders-fulfilment"
    )


def test_group_page_against_the_recorded_ideal(client: httpx.Client) -> None:
    page = client.get("/api/group", params={"id": "orders-fulfilment", "target": "ideal"}).json()
    reference = [row for row in page["policies"] if row["reference"]]
    assert len(page["moves"]) == reference[0]["drift_count"] == 11


def test_an_earlier_generation_shows_its_own_figures(client: httpx.Client) -> None:
    page = client.get("/api/group", params={"id": "orders-fulfilment", "generation": "1"}).json()
    then = next(
        row
        for row in ROWS["drift"]
        if row["group_id"] == "orders-fulfilment" and row["generation"] == 1 and row["reference"]
    )
    assert page["current"] is False
    assert page["row"]["moves_to_fairest"] == then["moves_to_fairest"]
    assert page["row"]["member_count"] == 5
    assert (
        "You are looking at generation 1"
        in client.get("/group?id=orders-fulfilment&generation=1").text
    )


def test_unassigned_partitions_are_moves_from_nobody(client: httpx.Client) -> None:
    page = client.get("/api/group", params={"id": "search-indexer"}).json()
    assert [move["source"] for move in page["moves"]] == [None] * 8
    assert page["verdict"]["headline"] == "Nobody reads 8 of 32 partitions."


def test_history_begins_with_how_the_group_came_into_the_window(client: httpx.Client) -> None:
    page = client.get("/api/group", params={"id": "orders-fulfilment", "window": "1h"}).json()
    assert [row["generation"] for row in page["history"]["drift"]] == [3, 4]
    assert [row["generation"] for row in page["history"]["rebalances"]] == [4]


def test_a_generation_no_longer_kept_is_said(client: httpx.Client) -> None:
    text = client.get("/group?id=orders-fulfilment&generation=77").text
    assert "no longer hold the assignment of generation 77" in text


def test_what_if_gives_the_same_by_page_and_api(client: httpx.Client) -> None:
    question = {"id": "orders-fulfilment", "policy": "sticky"}
    answer = client.get("/api/what-if", params=question).json()
    assert answer["churn"] == 5
    assert answer["after"]["balance_score"] == 0
    assert answer["policies"]["sticky"]["moves_count"] == 5
    assert [point["moves_count"] for point in answer["curve"]] == [0, 1, 2, 3, 4, 5]
    assert (
        "5 moves; loads 7 to 7, the fairest there is."
        in client.get("/what-if", params=question).text
    )


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"remove": "nobody"}, "There is no member &#39;nobody&#39; in the group"),
        ({"topic:orders": "3"}, "orders has 10 partitions; Kafka can only add to them"),
    ],
)
def test_what_if_says_what_cannot_be_tried(
    client: httpx.Client, question: dict[str, str], words: str
) -> None:
    answer = client.get("/what-if", params={"id": "cdc-sync"} | question)
    assert answer.status_code == 200
    assert words in answer.text
    assert "error" in client.get("/api/what-if", params={"id": "cdc-sync"} | question).json()


@pytest.mark.parametrize("path", PAGES)
def test_unchanged_pages_are_not_sent_again(client: httpx.Client, path: str) -> None:
    tag = client.get(path).headers["etag"]
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get("/?q=other", headers={"If-None-Match": tag})
    assert other.status_code == 200


def test_a_new_version_is_a_new_page(tmp_path: Path) -> None:
    sample.write(tmp_path, rows_of(EVENING, healthy_count=1))
    now = EVENING
    site = site_at(tmp_path, lambda: now)
    with serving(site) as address, httpx.Client(base_url=address, timeout=60) as client:
        tag = client.get("/").headers["etag"]
        more = rows_of(EVENING, healthy_count=2)["group_state"][-1:]
        sample.write(tmp_path, {"group_state": more})
        now = EVENING.replace(second=EVENING.second + 1)
        answer = client.get("/", headers={"If-None-Match": tag})
        assert answer.status_code == 200
        assert "8 groups" in answer.text


def test_odd_parameters_are_as_if_not_there(client: httpx.Client) -> None:
    odd = {"sort": "'; --", "page": "-1", "window": "9y", "level": "x", "reverse": "?", "size": "9"}
    assert client.get("/api/overview", params=odd).json() == client.get("/api/overview").json()


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/group?id=nobody", 404, "There is no group"),
        ("/group", 404, "There is no group"),
        ("/what-if?id=nobody", 404, "There is no group"),
        ("/nowhere", 404, "No such page"),
        ("/static/..%2Fweb.py", 404, "No such page"),
        ("/static/base.html", 404, "no such file"),
    ],
)
def test_what_is_not_there_is_said(
    client: httpx.Client, path: str, status: int, words: str
) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert words in answer.text
    assert client.get("/api/group?id=nobody").status_code == 404


def test_without_tables_the_page_says_what_to_do_and_fills_itself(tmp_path: Path) -> None:
    site = site_at(tmp_path / "later", lambda: EVENING)
    with (
        serving(site, refresh_seconds=1) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        answer = client.get("/")
        assert answer.status_code == 503
        assert "Nothing to show yet" in answer.text
        assert "rebalance-monitor run" in answer.text
        assert client.get("/api/overview").json()["error"].startswith("There are no tables at")
        assert client.get("/healthz").status_code == 503
        sample.write(tmp_path / "later", rows_of(EVENING, healthy_count=0))
        assert client.get("/").status_code == 200
        assert client.get("/healthz").json()["status"] == "ok"


def test_no_group_yet_is_no_error(tmp_path: Path) -> None:
    sample.write(tmp_path, {"batches": sample.batches(EVENING)})
    with serving(site_at(tmp_path, lambda: EVENING)) as address:
        answer = httpx.get(address, timeout=60)
    assert answer.status_code == 200
    assert "No groups yet" in answer.text


def test_groups_of_which_little_is_known_are_shown(tmp_path: Path) -> None:
    bare = {"cluster": CLUSTER, "group_type": "share", "state": "stable", "shard": 0}
    states = [
        bare | {"group_id": "share", "member_count": 2},
        bare | {"group_id": "nothing", "group_type": None, "state": None},
        bare | {"group_id": "offsets-only", "member_count": 0, "lag": 5, "state": "empty"},
    ]
    commit = {"cluster": CLUSTER, "group_id": "offsets-only", "topic": "t", "partition": 0}
    alert = {"cluster": CLUSTER, "alert_id": "a", "sequence": 0, "status": "opened"}
    sample.write(
        tmp_path,
        {
            "group_state": states,
            "offsets": [commit | {"lag": None, "shard": 0}, commit | {"partition": 1, "lag": 5}],
            "alerts": [alert | {"group_id": "", "severity": "warning", "summary": "is behind"}],
            "rebalances": [{"cluster": CLUSTER, "group_id": "share", "event_time": EVENING}],
        },
    )
    with serving(site_at(tmp_path, lambda: EVENING)) as address:
        for path in ("/", "/rebalances", *(f"/group?id={row['group_id']}" for row in states)):
            assert httpx.get(address + path, timeout=60).status_code == 200, path
            api = "/api/overview" if path == "/" else f"/api{path}"
            assert httpx.get(address + api, timeout=60).status_code == 200, path
        assert "The monitor of shop-eu</strong> is behind" in httpx.get(address, timeout=60).text
        answer = httpx.get(f"{address}/what-if?id=share", timeout=60)
        assert "hold no assignment of share" in answer.text


def test_a_defect_is_said_without_its_inside(location: Path) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("the inside")

    site = Site(reader=TableReader(Location(str(location))), clock=lambda: EVENING, advise=broken)
    with serving(site) as address:
        answer = httpx.get(f"{address}/group?id=cdc-sync", timeout=60)
    assert answer.status_code == 500
    assert "This page failed" in answer.text
    assert "the inside" not in answer.text


def test_several_clusters_are_told_apart(tmp_path: Path) -> None:
    one, two = rows_of(EVENING, healthy_count=0), rows_of(EVENING, healthy_count=0)
    for rows in two.values():
        for row in rows:
            row["cluster"] = "shop-us"
    sample.write(tmp_path, one)
    sample.write(tmp_path, two)
    with serving(site_at(tmp_path, lambda: EVENING)) as address:
        both = httpx.get(f"{address}/api/overview", timeout=60).json()
        american = httpx.get(f"{address}/api/overview?cluster=shop-us", timeout=60).json()
        assert both["totals"]["groups"] == 2 * american["totals"]["groups"] == 12
        assert {row["cluster"] for row in american["page"]["rows"]} == {"shop-us"}
        page = httpx.get(f"{address}/api/group?cluster=shop-us&id=cdc-sync", timeout=60).json()
        assert page["row"]["cluster"] == "shop-us"
        assert len(page["live"]["live"]) == 20
        assert "All clusters" in httpx.get(address, timeout=60).text


def test_a_foreign_name_for_the_loopback_address_is_refused(client: httpx.Client) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"Host": "localhost:1234"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.0.0.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - only asked about
        ("10.1.2.3", False),
        ("example.org", False),
    ],
)
def test_loopback(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) == loopback


def test_assets_are_kept_by_browsers_once_versioned(client: httpx.Client) -> None:
    [script] = re.findall(r'src="(/static/page\.js\?v=\w+)"', client.get("/").text)
    assert "immutable" in client.get(script).headers["cache-control"]
    assert client.get("/static/page.js").headers["cache-control"] == "no-cache"


def test_the_cluster_of_a_group_may_be_left_out(client: httpx.Client) -> None:
    named = client.get("/api/group", params={"cluster": CLUSTER, "id": "cdc-sync"}).json()
    assert client.get("/api/group", params={"id": "cdc-sync"}).json() == named
