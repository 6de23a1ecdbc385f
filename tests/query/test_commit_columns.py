"""Commits read in columns are the commits that the record reader gives."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.events import GroupRemoved, OffsetCommit, OffsetRemoved, event_of, to_json
from streaming.query.commit_columns import are_commits, read_commits
from streaming.records import UnreadableRecordError, write_key, write_value
from streaming.records.fields import RecordType
from tests.records.strategies import records

Pair = tuple[bytes | None, bytes | None]


def batch_of(pairs: Sequence[Pair]) -> pa.RecordBatch:
    count = len(pairs)
    columns = {
        "offset": pa.array(range(count), pa.int64()),
        "time_ms": pa.array(range(count), pa.int64()),
        "key": pa.array([key for key, _ in pairs], pa.binary()),
        "value": pa.array([value for _, value in pairs], pa.binary()),
    }
    return pa.RecordBatch.from_pydict(columns)


def commit(version: int = 3, group: str = "g", **fields: Any) -> Pair:
    key = write_key(1, {"group": group, "topic": "t", "partition": 3})
    return key, write_value(
        1, version, {"offset": 7, "metadata": "", "commit_timestamp": 9, **fields}
    )


def read_one_by_one(pair: Pair) -> OffsetCommit | None:
    try:
        event = event_of(*pair)
    except UnreadableRecordError:
        return None
    return event if isinstance(event, OffsetCommit) else None


@pytest.mark.parametrize(
    "pair",
    [
        commit(3, leader_epoch=5),
        commit(4, leader_epoch=-1),
        commit(4, topic_id="Kq3jCGZ1T1q8hZpJ0Y3bBw"),
        commit(3, group="gruppe-ü", offset=2**40),
    ],
)
def test_a_plain_commit_is_read_in_columns(pair: Pair) -> None:
    table, kept, ignored = read_commits(batch_of([(None, None), pair]), lambda _: False)
    assert kept.tolist() == [False, True]
    assert not ignored.any()
    (row,) = table.to_pylist()
    event = read_one_by_one(pair)
    assert event is not None
    assert (row["group_id"], row["topic"], row["partition"]) == (event.group_id, "t", 3)
    assert (row["committed_offset"], row["leader_epoch"]) == (event.offset, event.leader_epoch)
    assert row["commit_time"].timestamp() * 1000 == event.commit_time_ms
    assert row["record_offset"] == 1


def test_what_is_no_plain_commit_is_left_to_the_reader() -> None:
    key, value = commit()
    assert key is not None
    others: list[Pair] = [
        commit(metadata="x"),
        (key, None),
        (key[:-1], value),
        (key + b"\0", value),
        (write_key(2, {"group": "ggggggggg"}), value),
        (b"\0\1\0\1\xff\0\1t\0\0\0\1", value),
        (key[:-4] + b"\xff\xff\xff\xff", value),
        commit(version=1, expire_timestamp=3),
    ]
    table, kept, ignored = read_commits(batch_of(others), lambda _: False)
    assert table.num_rows == 0
    assert not (kept | ignored).any()


def test_groups_that_are_left_out_are_counted_apart() -> None:
    table, kept, ignored = read_commits(
        batch_of([commit(), commit(group="x"), commit(metadata="x", group="x")]),
        lambda group: group == "x",
    )
    assert table["group_id"].to_pylist() == ["g"]
    assert (kept.tolist(), ignored.tolist()) == ([True, False, False], [False, True, False])


def test_commits_are_told_by_their_type_readable_or_not() -> None:
    pairs: list[Pair] = [
        commit(),
        (commit()[0], None),
        (b"\x00\x00", b"damaged"),
        write_group(),
        (b"\x00", b""),
        (None, b""),
    ]
    found = are_commits(batch_of(pairs), json_events=False)
    assert found.tolist() == [True, True, True, False, False, False]


def test_commits_among_json_events_are_told_by_their_name() -> None:
    values = [
        to_json(OffsetRemoved("g", "t", 0)),
        to_json(GroupRemoved("g", "classic")),
        b"[]",
        b"{",
        None,
    ]
    found = are_commits(batch_of([(b"g", value) for value in values]), json_events=True)
    assert found.tolist() == [True, False, False, False, False]


def write_group() -> Pair:
    return write_key(2, {"group": "g"}), None


def written(drawn: tuple[RecordType, dict[str, Any], int, dict[str, Any]]) -> Pair:
    record, key, version, fields = drawn
    return write_key(record.number, key), write_value(record.number, version, fields)


PLAIN = st.builds(
    commit,
    st.sampled_from((3, 4)),
    st.text(st.characters(codec="utf-8")),
    offset=st.integers(0, 2**63 - 1),
)


@given(st.lists(records().map(written) | PLAIN, max_size=20))
def test_columns_agree_with_the_reader_on_any_record(pairs: list[Pair]) -> None:
    table, kept, _ = read_commits(batch_of(pairs), lambda _: False)
    found = zip(
        *(table[name].to_pylist() for name in ("group_id", "topic", "partition")),
        table["committed_offset"].to_pylist(),
        strict=True,
    )
    events = [read_one_by_one(pair) for pair, taken in zip(pairs, kept, strict=True) if taken]
    expected = [(e.group_id, e.topic, e.partition, e.offset) for e in events if e is not None]
    assert list(found) == expected
