from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.dashboard.alerts import open_alerts
from streaming.dashboard.groups import SORTS, Groups, Selection, load_groups
from streaming.dashboard.health import Level
from tests.dashboard.sample import EVENING, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streaming.tables.reader import TableReader

ROWS = rows_of(EVENING)


@pytest.fixture(scope="session")
def groups(reader: TableReader) -> Groups:
    since = EVENING - timedelta(days=1)
    return load_groups(reader, since=since, now=EVENING, alerts=open_alerts(reader))


def ids(groups: Groups, **selection: Any) -> list[str]:
    return [row["group_id"] for row in groups.page(Selection(**selection)).rows]


def test_the_worst_come_first(groups: Groups) -> None:
    assert ids(groups)[:5] == [
        "search-indexer",
        "orders-fulfilment",
        "clickstream-enricher",
        "cdc-sync",
        "nightly-report",
    ]
    assert groups.page(Selection()).rows[0]["level"] == Level.CRITICAL


def test_figures_are_those_of_the_tables(groups: Groups) -> None:
    state = {row["group_id"]: row for row in ROWS["group_state"]}
    since = EVENING - timedelta(days=1)
    for row in groups.page(Selection()).rows:
        mine = state[row["group_id"]]
        for column in ("member_count", "drift_count", "moves_to_fairest", "lag", "topic_skew"):
            assert row[column] == mine[column]
        rebalances = [
            each
            for each in ROWS["rebalances"]
            if each["group_id"] == row["group_id"]
            and each["event_time"] >= since
            and each["settled"]
        ]
        assert row["rebalances"] == len(rebalances)
        assert row["avoidable_churn"] == sum(each["avoidable_churn"] for each in rebalances)


def test_totals_are_the_sums(groups: Groups) -> None:
    totals = groups.totals("")
    assert totals.groups == len(ROWS["group_state"]) == sum(totals.by_level.values())
    assert totals.members == sum(row["member_count"] for row in ROWS["group_state"])
    assert totals.moves_to_fairest == sum(row["moves_to_fairest"] for row in ROWS["group_state"])
    assert totals.lag == sum(row["lag"] for row in ROWS["group_state"])
    assert groups.totals("another").groups == 0


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sort", [sort for sort in SORTS if sort != "worst"])
def test_sorting_orders_by_the_column(groups: Groups, sort: str, *, reverse: bool) -> None:
    column, descending = SORTS[sort]
    rows = groups.page(Selection(sort=sort, reverse=reverse)).rows
    values = [row[column] for row in rows]
    assert values == sorted(values, reverse=descending != reverse)


def test_reversed_worst_first_ends_with_the_worst(groups: Groups) -> None:
    assert ids(groups, reverse=True)[-1] == "search-indexer"


def test_search_finds_parts_of_group_topic_and_assignor(groups: Groups) -> None:
    assert ids(groups, search="FULFIL") == ["orders-fulfilment"]
    assert ids(groups, search="stock search") == ["search-indexer"]
    assert ids(groups, search="roundrobin") == ["clickstream-enricher"]
    assert ids(groups, search="no such thing") == []
    assert ids(groups, search="%") == []
    assert ids(groups, search="(") == ["<script>alert(1)</script>'; DROP TABLE drift; --"]


def test_pattern_must_match_the_whole_id(groups: Groups) -> None:
    assert ids(groups, pattern="cdc-*") == ["cdc-sync"]
    assert ids(groups, pattern="cdc") == []
    assert ids(groups, pattern="cdc?sync") == ["cdc-sync"]


def test_levels_filter(groups: Groups) -> None:
    assert ids(groups, level="critical") == ["search-indexer"]
    assert len(ids(groups, level="ill")) == 5
    assert ids(groups, level="idle") == []


def test_an_open_alert_raises_its_group(reader: TableReader) -> None:
    alert = open_alerts(reader)[0] | {"group_id": "tax-service-007", "severity": "critical"}
    groups = load_groups(reader, since=EVENING, now=EVENING, alerts=[alert])
    row = groups.find(("shop-eu", "tax-service-007"))
    assert row is not None
    assert row["level"] == Level.CRITICAL
    assert row["problems"] == ()
    assert [each["summary"] for each in row["alerts"]] == [alert["summary"]]


def test_find_knows_only_what_is_there(groups: Groups) -> None:
    assert groups.find(("shop-eu", "nobody")) is None
    assert groups.find(("shop-us", "cdc-sync")) is None


selections = st.builds(
    Selection,
    search=st.sampled_from(["", "service", "topic-00"]),
    level=st.sampled_from(["", "ok", "ill"]),
    sort=st.sampled_from(sorted(SORTS)),
    reverse=st.booleans(),
)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(selection=selections, size=st.integers(1, 60))
def test_pages_hold_every_group_once(groups: Groups, selection: Selection, size: int) -> None:
    first = groups.page(selection, size=size)
    seen: list[str] = []
    for page in range(1, first.pages + 1):
        rows: Sequence[dict[str, Any]] = groups.page(
            Selection(
                search=selection.search,
                level=selection.level,
                sort=selection.sort,
                reverse=selection.reverse,
                page=page,
            ),
            size=size,
        ).rows
        assert len(rows) == size or page == first.pages
        seen += [row["group_id"] for row in rows]
    assert len(seen) == len(set(seen)) == first.found


def test_a_page_beyond_the_last_is_the_last(groups: Groups) -> None:
    page = groups.page(Selection(page=99), size=20)
    assert (page.page, page.pages, len(page.rows)) == (3, 3, 6)
