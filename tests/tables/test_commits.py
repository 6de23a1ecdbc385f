"""Commits of micro-batches: idempotent, shard by shard, readable by everybody."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from deltalake import DeltaTable

from streaming.errors import ConfigurationError
from streaming.tables.commits import TableCommits
from streaming.tables.files import DataFile, read_files, rows_to_table, write_file
from streaming.tables.schemas import DRIFT, GROUP_STATE, TABLES, TableSpec
from streaming.tables.storage import Location

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location(str(tmp_path / "tables"))


def file_of(
    location: Location, spec: TableSpec, *groups: str, shard: int | None = None
) -> DataFile:
    rows = [{"cluster": "c", "group_id": group, "event_time": NOW} for group in groups]
    return write_file(location, spec, rows_to_table(spec, rows), shard=shard)


def groups_in(location: Location, spec: TableSpec) -> list[str]:
    table = DeltaTable(location.table(spec.name)).to_pyarrow_table(columns=["group_id"])
    return sorted(table["group_id"].to_pylist())


def test_every_table_is_made_with_its_columns_and_their_comments(location: Location) -> None:
    TableCommits(location)
    for spec in TABLES:
        fields = DeltaTable(location.table(spec.name)).schema().fields
        assert [(field.name, field.metadata["comment"]) for field in fields] == [
            (name, comment) for name, _, comment in spec.columns
        ]


def test_a_batch_committed_twice_changes_nothing(location: Location) -> None:
    tables = TableCommits(location)
    assert tables.commit(DRIFT, [file_of(location, DRIFT, "a")], application="q", batch_id=7)
    again = [file_of(location, DRIFT, "a")]
    assert not tables.commit(DRIFT, again, application="q", batch_id=7)
    assert not TableCommits(location).commit(DRIFT, again, application="q", batch_id=7)
    assert groups_in(location, DRIFT) == ["a"]


def test_another_query_may_commit_the_same_batch_number(location: Location) -> None:
    tables = TableCommits(location)
    tables.commit(DRIFT, [file_of(location, DRIFT, "a")], application="q", batch_id=7)
    assert tables.commit(DRIFT, [file_of(location, DRIFT, "b")], application="r", batch_id=7)
    assert groups_in(location, DRIFT) == ["a", "b"]


def test_a_shard_is_replaced_and_the_others_stay(location: Location) -> None:
    tables = TableCommits(location)
    files = [
        file_of(location, GROUP_STATE, "a", "b", shard=0),
        file_of(location, GROUP_STATE, "c", shard=1),
    ]
    tables.commit(GROUP_STATE, files, application="q", batch_id=0)
    tables.commit(
        GROUP_STATE, [file_of(location, GROUP_STATE, "b", shard=0)], application="q", batch_id=1
    )
    assert groups_in(location, GROUP_STATE) == ["b", "c"]
    assert {shard: len(paths) for shard, paths in tables.shard_files(GROUP_STATE).items()} == {
        0: 1,
        1: 1,
    }


def test_an_emptied_shard_goes(location: Location) -> None:
    tables = TableCommits(location)
    files = [file_of(location, GROUP_STATE, "a", shard=3)]
    tables.commit(GROUP_STATE, files, application="q", batch_id=0)
    tables.commit(GROUP_STATE, [], application="q", batch_id=1, emptied=[3])
    assert groups_in(location, GROUP_STATE) == []
    assert tables.shard_files(GROUP_STATE) == {}


def test_a_file_reads_back_as_it_was_written(location: Location) -> None:
    file = file_of(location, GROUP_STATE, "a", "b", shard=2)
    rows = read_files(location, GROUP_STATE, [file.path])
    assert rows["group_id"].to_pylist() == ["a", "b"]
    assert rows["event_time"].to_pylist() == [NOW, NOW]
    assert "shard" not in rows.column_names


def test_statistics_let_readers_skip_files(location: Location) -> None:
    tables = TableCommits(location)
    tables.commit(DRIFT, [file_of(location, DRIFT, "a", "m")], application="q", batch_id=0)
    actions = DeltaTable(location.table("drift")).get_add_actions(flatten=True)
    assert actions.column("num_records").to_pylist() == [2]
    assert actions.column("min.group_id").to_pylist() == ["a"]
    assert actions.column("max.group_id").to_pylist() == ["m"]


def test_a_location_given_as_a_uri_is_the_same_place(tmp_path: Path) -> None:
    plain, uri = Location(str(tmp_path)), Location(tmp_path.as_uri())
    TableCommits(plain).commit(DRIFT, [file_of(plain, DRIFT, "a")], application="q", batch_id=0)
    assert TableCommits(uri).row_count(DRIFT) == 1


def test_another_number_of_shards_is_refused(location: Location) -> None:
    TableCommits(location, shards=4)
    TableCommits(location, shards=4, log=timedelta(hours=7))
    with pytest.raises(ConfigurationError, match=r"^query\.shards: .*were made with 4"):
        TableCommits(location, shards=8)
