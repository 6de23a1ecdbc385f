"""Maintenance: less files, no old rows, nothing else changed."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deltalake import DeltaTable

from streaming.tables.commits import TableCommits
from streaming.tables.files import rows_to_table, write_file
from streaming.tables.maintenance import Upkeep, maintain
from streaming.tables.schemas import ALERTS, DRIFT, GROUP_STATE, TableSpec
from streaming.tables.storage import Location

KEEP = Upkeep(history=timedelta(days=30), vacuum=timedelta(0))


def commit(tables: TableCommits, spec: TableSpec, number: int, time: datetime) -> None:
    row = {"cluster": "c", "group_id": f"g{number}", "event_time": time}
    shard = 0 if spec.keyed else None
    file = write_file(tables.location, spec, rows_to_table(spec, [row]), shard=shard)
    tables.commit(spec, [file], application="q", batch_id=number)


def test_histories_are_compacted_and_old_rows_and_files_deleted(tmp_path: Path) -> None:
    tables = TableCommits(Location(str(tmp_path)))
    now = datetime.now(UTC)
    for number in range(12):
        commit(tables, DRIFT, number, now - timedelta(days=60 if number < 2 else 1))
        commit(tables, GROUP_STATE, number, now)
    done = {each.table: each for each in maintain(tables.location, KEEP)}
    assert done["drift"].rows_deleted == 2
    assert (done["drift"].files_before, done["drift"].files_after) == (12, 1)
    assert done["drift"].files_deleted == 12
    groups = DeltaTable(str(tmp_path / "drift")).to_pyarrow_table()["group_id"].to_pylist()
    assert sorted(groups) == sorted(f"g{number}" for number in range(2, 12))
    assert done["group_state"].files_deleted == 11
    assert len(list((tmp_path / "group_state").rglob("*.parquet"))) == 1


def test_a_query_that_holds_the_tables_open_goes_on_after_maintenance(tmp_path: Path) -> None:
    tables = TableCommits(Location(str(tmp_path)))
    now = datetime.now(UTC)
    commit(tables, DRIFT, 0, now)
    commit(tables, DRIFT, 1, now)
    list(maintain(tables.location, KEEP))
    commit(tables, DRIFT, 2, now)
    assert tables.row_count(DRIFT) == 3
    assert TableCommits(tables.location).row_count(DRIFT) == 3


def test_files_of_a_batch_that_died_are_deleted_once_they_are_old(tmp_path: Path) -> None:
    tables = TableCommits(Location(str(tmp_path)))
    commit(tables, DRIFT, 0, datetime.now(UTC))
    row = {"cluster": "c", "group_id": "g", "event_time": datetime.now(UTC)}
    lost, young = (write_file(tables.location, DRIFT, rows_to_table(DRIFT, [row])) for _ in "ab")
    days_ago = (datetime.now(UTC) - timedelta(days=2)).timestamp()
    os.utime(tmp_path / "drift" / lost.path, (days_ago, days_ago))
    list(maintain(tables.location, replace(KEEP, vacuum=timedelta(days=1))))
    left = {path.name for path in (tmp_path / "drift").glob("*.parquet")}
    assert lost.path not in left
    assert young.path in left


def test_the_log_is_kept_as_long_as_wanted_and_no_longer(tmp_path: Path) -> None:
    tables = TableCommits(Location(str(tmp_path)), log=timedelta(days=3))
    now = datetime.now(UTC)
    for number in range(60):  # beyond a checkpoint
        commit(tables, DRIFT, number, now)
    log = tmp_path / "drift" / "_delta_log"
    days_ago = (now - timedelta(days=2)).timestamp()
    for file in log.iterdir():
        os.utime(file, (days_ago, days_ago))
    list(maintain(tables.location, KEEP))
    assert (log / f"{1:020}.json").exists()
    again = TableCommits(tables.location, log=timedelta(hours=1))
    list(maintain(tables.location, KEEP))
    assert not (log / f"{1:020}.json").exists()
    commit(again, DRIFT, 60, now)
    assert TableCommits(tables.location).row_count(DRIFT) == 61


def test_tables_that_do_not_exist_are_passed_over(tmp_path: Path) -> None:
    assert list(maintain(Location(str(tmp_path)), KEEP)) == []


def test_old_alerts_go_only_once_they_are_resolved(tmp_path: Path) -> None:
    tables = TableCommits(Location(str(tmp_path)))
    old = datetime.now(UTC) - timedelta(days=60)
    rows = [
        {"alert_id": "fires", "sequence": 0, "status": "opened", "event_time": old},
        {"alert_id": "it's over", "sequence": 0, "status": "opened", "event_time": old},
        {"alert_id": "it's over", "sequence": 1, "status": "resolved", "event_time": old},
    ]
    file = write_file(tables.location, ALERTS, rows_to_table(ALERTS, rows))
    tables.commit(ALERTS, [file], application="q", batch_id=0)
    list(maintain(tables.location, KEEP))
    left = DeltaTable(str(tmp_path / "alerts")).to_pyarrow_table()
    assert left["alert_id"].to_pylist() == ["fires"]


def test_what_a_stable_group_has_now_is_kept_however_old(tmp_path: Path) -> None:
    tables = TableCommits(Location(str(tmp_path)))
    old, now = datetime.now(UTC) - timedelta(days=60), datetime.now(UTC)
    groups = [
        {"group_id": "it's stable", "settled_time": old, "event_time": now},
        {"group_id": "busy", "settled_time": now, "event_time": now},
    ]
    file = write_file(tables.location, GROUP_STATE, rows_to_table(GROUP_STATE, groups), shard=0)
    tables.commit(GROUP_STATE, [file], application="q", batch_id=0)
    rows = [{"group_id": group["group_id"], "event_time": old} for group in groups]
    file = write_file(tables.location, DRIFT, rows_to_table(DRIFT, rows))
    tables.commit(DRIFT, [file], application="q", batch_id=0)
    list(maintain(tables.location, KEEP))
    left = DeltaTable(str(tmp_path / "drift")).to_pyarrow_table()
    assert left["group_id"].to_pylist() == ["it's stable"]
