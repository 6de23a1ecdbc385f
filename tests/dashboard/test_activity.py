from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streaming.dashboard.activity import WINDOWS, timeline, usual_window, window_start
from streaming.dashboard.alerts import alerts_of, open_alerts
from streaming.dashboard.monitor import dead_letters_last_day, monitors
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from tests.dashboard import sample
from tests.dashboard.sample import CLUSTER, EVENING, rows_of

if TYPE_CHECKING:
    from pathlib import Path

REBALANCES = [row for row in rows_of(EVENING)["rebalances"] if row["settled"]]


@pytest.mark.parametrize("window", WINDOWS)
def test_timeline_holds_every_rebalance_of_the_window(reader: TableReader, window: str) -> None:
    since = window_start(window, EVENING)
    expected = [row for row in REBALANCES if row["event_time"] >= since]
    buckets = timeline(reader, window=window, now=EVENING, cluster="")
    assert sum(bucket.rebalances for bucket in buckets) == len(expected)
    assert sum(bucket.churn for bucket in buckets) == sum(row["churn"] for row in expected)
    assert sum(bucket.avoidable_churn for bucket in buckets) == sum(
        row["avoidable_churn"] for row in expected
    )
    for bucket in buckets:
        inside = [row for row in expected if bucket.start <= row["event_time"] < bucket.end]
        assert bucket.rebalances == len(inside)
        assert bucket.groups == len({row["group_id"] for row in inside})


def test_timeline_ends_with_the_bar_of_now(reader: TableReader) -> None:
    buckets = timeline(reader, window="24h", now=EVENING, cluster=CLUSTER)
    assert len(buckets) == 96
    assert buckets[-1].start <= EVENING < buckets[-1].end
    other = timeline(reader, window="24h", now=EVENING, cluster="another")
    assert sum(bucket.rebalances for bucket in other) == 0


def test_the_usual_window_holds_what_is_recorded(reader: TableReader, tmp_path: Path) -> None:
    assert usual_window(reader, now=EVENING) == "24h"
    group = sample.Group("g", {"t": 1}, ["m-1"]).settle(EVENING, "first")
    sample.write(tmp_path, group.rows)
    young = TableReader(Location(str(tmp_path)))
    assert usual_window(young, now=EVENING.replace(minute=58)) == "1h"
    assert usual_window(young, now=EVENING.replace(hour=5)) == "6h"
    assert usual_window(young, now=EVENING.replace(day=19)) == "24h"


def test_open_alerts_are_those_whose_last_row_is_not_resolved(reader: TableReader) -> None:
    assert [row["rule"] for row in open_alerts(reader)] == ["unassigned", "flapping", "unfair"]
    [resolved] = alerts_of(reader, cluster=CLUSTER, group_id="payments-service-000")
    assert resolved["status"] == "resolved"


def test_a_monitor_that_keeps_up_needs_no_word(reader: TableReader) -> None:
    [monitor] = monitors(reader, now=EVENING)
    assert monitor.warning == ""
    assert dead_letters_last_day(reader, now=EVENING) == 6


def test_a_silent_monitor_is_told(reader: TableReader) -> None:
    later = EVENING.replace(hour=9)
    [monitor] = monitors(reader, now=later)
    assert monitor.warning.startswith("The monitor of shop-eu has written nothing for 7 h:")
    assert "rebalance-monitor run" in monitor.warning


def test_a_monitor_that_is_behind_is_told(tmp_path: object) -> None:
    sample.write(str(tmp_path), {"batches": sample.batches(EVENING, behind_seconds=610.0)})
    [monitor] = monitors(TableReader(Location(str(tmp_path))), now=EVENING)
    assert "is 10 min 10 s behind, with 48,000 records to read" in monitor.warning
