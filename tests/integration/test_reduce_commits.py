"""Offset commits reduced by Spark, held against the reader of records."""

import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from benchmarks.decode.mutations import mutated
from benchmarks.decode.synthetic import classic_group, one_of_each
from streaming.events import Event, OffsetCommit, OffsetRemoved, event_of
from streaming.records import UnreadableRecordError, write_key, write_value
from streaming.records.commits import CommitReduction
from streaming.records.numbers import CompiledNumbers, HexNumbers, numbers_of

pytestmark = pytest.mark.integration
TOPIC_ID = "Kq3jCGZ1T1q8hZpJ0Y3bBw"
JIT_LIMIT_BYTES = 8_000
SCHEMA = "key binary, value binary, partition int, offset bigint, timestamp timestamp"
SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
MaybeRecord = tuple[bytes | None, bytes | None]


def key(number: int = 1, group: str = "g", topic: str = "t", partition: int = 0) -> bytes:
    return write_key(number, {"group": group, "topic": topic, "partition": partition})


def value(version: int = 4, **fields: object) -> bytes:
    return write_value(1, version, {"commit_timestamp": 1_700_000_000_000, **fields})


def frame(spark: SparkSession, records: list[MaybeRecord]) -> DataFrame:
    rows = [
        (k, v, number % 3, number, SOME_DAY) if k is not None else (None, v, 0, number, SOME_DAY)
        for number, (k, v) in enumerate(records)
    ]
    return spark.createDataFrame(rows, SCHEMA)


def reduction(spark: SparkSession) -> CommitReduction:
    return CommitReduction(numbers_of(spark))


def event(record_key: bytes | None, record_value: bytes | None) -> Event | str | None:
    try:
        return event_of(record_key, record_value)
    except UnreadableRecordError as error:
        return str(error.reason)


def without_metadata(found: object) -> object:
    """An event as it is after the reduction, which leaves out the topic id too."""
    if not isinstance(found, OffsetCommit):
        return found
    fields = {name: getattr(found, name) for name in found.__slots__}
    return OffsetCommit(**fields | {"metadata": "", "topic_id": None})


def raw(row: Row) -> tuple[bytes | None, bytes | None]:
    return (
        None if row.key is None else bytes(row.key),
        None if row.value is None else bytes(row.value),
    )


def commits_of_all_shapes() -> Iterator[tuple[bytes, bytes | None]]:
    """Keys and values that a broker writes, and the rare ones besides."""
    topics = ("t", "a" * 127, "b" * 128, "c" * 200, "d" * 249)
    keys = [
        key(group=group, topic=topic, partition=partition)
        for group in ("g", "größe-群", "h" * 130, "i" * 300)
        for topic in topics
        for partition in (0, 127, 128, 200, 70_000)
    ]
    values = [
        *(value(version, offset=5, leader_epoch=2) for version in range(5)),
        value(3, offset=2**62, leader_epoch=-1, metadata="é" * 20),
        value(3, offset=0, metadata="m" * 400),
        *(
            value(4, offset=7, metadata="m" * size)
            for size in (1, 125, 126, 127, 128, 4096, 16_400)
        ),
        value(4, offset=8, topic_id=TOPIC_ID),
        value(4, offset=9, topic_id=TOPIC_ID, metadata="AgAAAYx", leader_epoch=2**31 - 1),
        value(4, offset=-1, leader_epoch=-1, commit_timestamp=-1),
        None,
    ]
    rng = random.Random(5)
    for record_key in keys:
        for _ in range(4):
            yield record_key, rng.choice(values)
    yield key(0), write_value(0, 0, {"offset": 5})
    yield key(0), None
    yield key(0), value(3, offset=1)


def hostile() -> Iterator[tuple[bytes | None, bytes | None]]:
    whole = list(commits_of_all_shapes())
    yield from mutated(whole, 6_000, seed=11, most_damages=2)
    yield from mutated(one_of_each(3), 1_000, seed=12)
    yield from [(None, None), (None, b""), (b"", b""), (b"", None), (b"\x00", None)]
    for text in (b"\xff", b"\xc3", b"\x80"):
        for place in range(4, 8):
            damaged = bytearray(key(group="abcd", topic="efgh"))
            damaged[place : place + 1] = text
            yield bytes(damaged), value(3, offset=1)
            yield bytes(damaged), value(3, offset=2)
    negative = key()[:-4] + b"\x80\x00\x00\x01"
    yield from [(negative, value(3)), (negative, value(4))]
    yield from [(key(), value(4) + b"\x00"), (key(), value(3) + b"\x00"), (key() + b"!", value(3))]


def all_records() -> list[MaybeRecord]:
    groups: list[MaybeRecord] = [classic_group(members=3, partitions_per_member=4)] * 6
    records: list[MaybeRecord] = [*commits_of_all_shapes(), *hostile(), *groups]
    random.Random(1).shuffle(records)
    return records * 2


@pytest.fixture(scope="module")
def records() -> list[MaybeRecord]:
    return all_records()


@pytest.fixture(scope="module")
def reduced(spark: SparkSession, records: list[MaybeRecord]) -> list[Row]:
    return reduction(spark).reduce(frame(spark, records)).collect()


def test_a_local_session_compiles_what_it_reads(spark: SparkSession) -> None:
    assert isinstance(numbers_of(spark), CompiledNumbers)


def test_every_record_is_accounted_for(records: list[MaybeRecord], reduced: list[Row]) -> None:
    assert sum(row.record_count for row in reduced) == len(records)
    assert len({(row.partition, row.offset) for row in reduced}) == len(reduced)


def test_a_row_stands_for_its_own_record(records: list[MaybeRecord], reduced: list[Row]) -> None:
    for row in reduced:
        read, original = raw(row), records[row.offset]
        assert read[0] == original[0]
        assert row.timestamp is not None
        if read != original:
            assert event(*read) == without_metadata(event(*original))


def test_the_last_commit_of_each_key_is_there(
    records: list[MaybeRecord], reduced: list[Row]
) -> None:
    last = {
        ((0 if record_key is None else number % 3), record_key): number
        for number, (record_key, record_value) in enumerate(records)
        if isinstance(event(record_key, record_value), OffsetCommit | OffsetRemoved)
    }
    assert set(last.values()) <= {row.offset for row in reduced}


def test_what_is_no_readable_commit_passes_as_it_is(
    records: list[MaybeRecord], reduced: list[Row]
) -> None:
    rows = {row.offset: row for row in reduced}
    kinds = set()
    for number, record in enumerate(records):
        found = event(*record)
        if not isinstance(found, OffsetCommit | OffsetRemoved):
            assert raw(rows[number]) == record
            assert rows[number].record_count == 1
            kinds.add(found if isinstance(found, str) else type(found))
    assert len(kinds) > 15


def test_commits_of_today_are_reduced_whatever_their_names(spark: SparkSession) -> None:
    records: list[MaybeRecord] = [
        (k, v)
        for k, _ in commits_of_all_shapes()
        for v in (value(4, offset=1, metadata="x" * 130), None, value(3, offset=2))
        if k[:2] == b"\x00\x01"
    ]
    same = [(k, v, 0, number, SOME_DAY) for number, (k, v) in enumerate(records)]
    rows = reduction(spark).reduce(spark.createDataFrame(same, SCHEMA)).collect()
    assert len(rows) == len({k for k, _ in records})


def test_numbers_through_text_give_the_same(
    spark: SparkSession, records: list[MaybeRecord], reduced: list[Row]
) -> None:
    slow = CommitReduction(HexNumbers()).reduce(frame(spark, records)).collect()
    assert sorted(map(repr, slow)) == sorted(map(repr, reduced))


def test_decoded_commits_say_what_their_events_say(
    spark: SparkSession, records: list[MaybeRecord]
) -> None:
    rows = reduction(spark).decode(frame(spark, records)).collect()
    decoded = [row for row in rows if row.group_id is not None]
    assert len(decoded) > 300
    for row in decoded:
        found = event(*raw(row))
        place = (row.group_id, row.topic, row.topic_partition)
        if row.tombstone:
            assert found == OffsetRemoved(*place)
        else:
            assert isinstance(found, OffsetCommit)
            assert (found.group_id, found.topic, found.partition) == place
            assert found.offset == row.committed_offset
            assert found.leader_epoch == row.leader_epoch
            assert found.commit_time_ms == row.commit_time_ms


def test_the_generated_code_stays_small_enough_to_be_compiled(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    reduction(spark).reduce(frame(spark, [(key(), value())])).explain("codegen")
    sizes = re.findall(r"maxMethodCodeSize:(\d+)", capsys.readouterr().out)
    assert max(map(int, sizes)) < JIT_LIMIT_BYTES
