from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from streaming.dashboard.following import Follower
from streaming.tables.reader import TableReader, TablesNotFoundError
from streaming.tables.storage import Location
from tests.dashboard import sample
from tests.dashboard.sample import EVENING

if TYPE_CHECKING:
    from pathlib import Path


def rebalance(group: str, at: datetime, cluster: str = "a") -> dict[str, Any]:
    return {
        "cluster": cluster,
        "group_id": group,
        "generation": 1,
        "settled": True,
        "event_time": at,
        "processed_time": at,
    }


def write(location: Path, *rows: dict[str, Any]) -> None:
    sample.write(location, {"rebalances": rows})


def seen(follower: Follower) -> list[str]:
    return [row["group_id"] for row in follower.look()]


def test_each_rebalance_is_given_once_in_the_order_of_writing(tmp_path: Path) -> None:
    write(tmp_path, rebalance("old", EVENING - timedelta(hours=1)))
    follower = Follower(TableReader(Location(str(tmp_path))), EVENING)
    assert seen(follower) == []
    write(tmp_path, rebalance("two", EVENING + timedelta(seconds=2)))
    write(tmp_path, rebalance("one", EVENING + timedelta(seconds=1)))
    assert seen(follower) == ["one", "two"]
    assert seen(follower) == []
    write(tmp_path, rebalance("three", EVENING + timedelta(seconds=3)))
    assert seen(follower) == ["three"]


def test_clusters_have_clocks_of_their_own(tmp_path: Path) -> None:
    follower = Follower(TableReader(Location(str(tmp_path))), EVENING)
    write(tmp_path, rebalance("ahead", EVENING + timedelta(minutes=9), "a"))
    assert seen(follower) == ["ahead"]
    write(tmp_path, rebalance("late", EVENING + timedelta(minutes=1), "b'"))
    assert seen(follower) == ["late"]
    write(tmp_path, rebalance("later", EVENING + timedelta(minutes=2), "b'"))
    write(tmp_path, rebalance("again", EVENING + timedelta(minutes=10), "a"))
    assert seen(follower) == ["later", "again"]


def test_since_and_pattern_choose(tmp_path: Path) -> None:
    write(
        tmp_path,
        rebalance("pay-1", EVENING - timedelta(minutes=5)),
        rebalance("ship-1", EVENING - timedelta(minutes=4)),
        rebalance("pay-2", EVENING - timedelta(minutes=3)),
    )
    follower = Follower(
        TableReader(Location(str(tmp_path))), EVENING - timedelta(minutes=5), "pay-*"
    )
    assert seen(follower) == ["pay-2"]


def test_no_tables_is_an_error_until_there_are(tmp_path: Path) -> None:
    follower = Follower(TableReader(Location(str(tmp_path / "later"))), EVENING)
    with pytest.raises(TablesNotFoundError):
        seen(follower)
    write(tmp_path / "later", rebalance("g", EVENING + timedelta(seconds=1)))
    assert seen(follower) == ["g"]
