"""The views of ``conf/sql`` on a real Spark with Delta, held against the dashboard and the rows."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from streaming.dashboard.alerts import open_alerts
from streaming.dashboard.groups import Selection, load_groups
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from tests.dashboard import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration
SQL = Path(__file__).parents[2] / "conf/sql"
FIRST = ("open_alerts", "current_assignments")
VIEWS = (*FIRST, *sorted(path.stem for path in SQL.glob("*.sql") if path.stem not in FIRST))
NOW = datetime.now(UTC).replace(microsecond=0)
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def rows() -> dict[str, Rows]:
    return sample.rows_of(NOW, healthy_count=6)


@pytest.fixture(scope="module")
def location(tmp_path_factory: pytest.TempPathFactory, rows: dict[str, Rows]) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    sample.write(folder, rows)
    return folder


@pytest.fixture(scope="module")
def view(spark: SparkSession, location: Path) -> Iterator[Callable[[str], Rows]]:
    """Reads a view after all statements of ``conf/sql`` have run in a schema of their own."""
    warehouse = location.parent / f"{location.name}-warehouse"
    spark.sql(f"CREATE SCHEMA monitor LOCATION '{warehouse}'")
    spark.sql("USE monitor")
    spark.sql(f"SET location = {location}")
    for statement in (SQL / "tables.sql").read_text().split(";\n"):
        if "CREATE" in statement:
            spark.sql(statement)
    for name in VIEWS:
        if name != "tables":
            spark.sql((SQL / f"{name}.sql").read_text())
    yield lambda name: [row.asDict(recursive=True) for row in spark.table(name).collect()]
    spark.sql("USE default")
    spark.sql("DROP SCHEMA monitor CASCADE")


def test_every_file_makes_the_view_of_its_name(view: Callable[[str], Rows]) -> None:
    for name in VIEWS:
        if name != "tables":
            assert view(name), f"{name} is empty"


def test_overview_is_the_dashboards(view: Callable[[str], Rows], location: Path) -> None:
    reader = TableReader(Location(str(location)))
    since = NOW - timedelta(days=1)
    groups = load_groups(reader, since=since, now=NOW, alerts=open_alerts(reader))
    expected = [
        {
            "group_id": row["group_id"],
            "level_name": row["level"].word,
            "drift_count": row["drift_count"],
            "moves_to_fairest": row["moves_to_fairest"],
            "avoidable_churn_last_day": row["avoidable_churn"],
            "rebalances_last_hour": row["rebalances_last_hour"],
            "lag": row["lag"],
        }
        for row in groups.page(Selection()).rows
    ]
    found = view("groups_overview")
    assert [{name: row[name] for name in expected[0]} for row in found] == expected


def test_open_alerts_are_the_dashboards(view: Callable[[str], Rows], location: Path) -> None:
    expected = [alert["alert_id"] for alert in open_alerts(TableReader(Location(str(location))))]
    assert [row["alert_id"] for row in view("open_alerts")] == expected


def test_timeline_counts_every_settled_rebalance(
    view: Callable[[str], Rows], rows: dict[str, Rows]
) -> None:
    settled = [row for row in rows["rebalances"] if row["settled"]]
    found = view("rebalance_timeline")
    assert sum(row["rebalances"] for row in found) == len(settled)
    assert sum(row["churn"] for row in found) == sum(row["churn"] for row in settled)
    assert sum(row["wasteful"] for row in found) == sum(
        row["avoidable_churn"] > 0 for row in settled
    )


def test_history_has_each_rebalance_with_who_set_it_off(
    view: Callable[[str], Rows], rows: dict[str, Rows]
) -> None:
    found = view("rebalance_history")
    assert len(found) == len(rows["rebalances"])
    last = next(row for row in found if row["group_id"] == "clickstream-enricher")
    assert last["joined"] == last["left"] == "click-8 at /10.0.20.8"
    assert (last["churn"], last["avoidable_churn"]) == (48, 42)


def test_drift_history_is_that_of_the_reference_policy(
    view: Callable[[str], Rows], rows: dict[str, Rows]
) -> None:
    expected = Counter(row["group_id"] for row in rows["drift"] if row["reference"])
    assert Counter(row["group_id"] for row in view("drift_history")) == expected


def test_policies_are_compared_at_the_last_generation(
    view: Callable[[str], Rows], rows: dict[str, Rows]
) -> None:
    mine = [row for row in rows["drift"] if row["group_id"] == "orders-fulfilment"][-3:]
    assert {
        row["policy"]: row["drift_count"]
        for row in view("policy_comparison")
        if row["group_id"] == "orders-fulfilment"
    } == {row["policy"]: row["drift_count"] for row in mine}


def test_heat_map_and_moves_are_those_of_the_last_generation(view: Callable[[str], Rows]) -> None:
    heat = [row for row in view("member_topic_heatmap") if row["group_id"] == "orders-fulfilment"]
    loads, ideal = Counter[str](), Counter[str]()
    for row in heat:
        loads[row["member_id"]] += row["partitions"]
        ideal[row["member_id"]] += row["ideal_partitions"]
    assert sorted(loads.values()) == [6, 6, 6, 6, 6, 12]
    assert sorted(ideal.values()) == [7] * 6
    moves = Counter(row["group_id"] for row in view("moves_to_ideal"))
    drift = {
        row["group_id"]: row["drift_count"] for row in view("groups_overview") if row["drift_count"]
    }
    assert moves == drift


def test_members_and_lag_add_up_to_their_groups(view: Callable[[str], Rows]) -> None:
    overview = {row["group_id"]: row for row in view("groups_overview")}
    members = Counter(row["group_id"] for row in view("member_loads"))
    assert members == {
        name: row["member_count"] for name, row in overview.items() if row["member_count"]
    }
    lag = Counter[str]()
    for row in view("group_lag"):
        lag[row["group_id"]] += row["lag"]
    assert lag["nightly-report"] == overview["nightly-report"]["lag"] == 18_000


def test_monitor_and_dead_letters(view: Callable[[str], Rows]) -> None:
    [monitor] = view("monitor_health")
    assert monitor["last_batch_time"].replace(tzinfo=UTC) == NOW
    assert monitor["silent_seconds"] >= 0
    assert {row["reason"]: row["records"] for row in view("dead_letter_reasons")} == {
        "unknown_version": 4,
        "truncated": 2,
    }
