"""Offset commits on the JVM: reduced to the last per key and decoded, with no Python per record.

A batch may hold many commits of one (group, topic, partition), and only the last counts. They are
reduced by the bytes of their key, in a hash aggregation whose buffers are plain numbers: to
aggregate the values themselves Spark would have to sort. Everything else, group records and
whatever is not a well-formed commit, passes through as it is, in the same scan.

What is read here of the wire format (`streaming.records.schemas` has all of it):

- key: int16 type, int16 length, group, int16 length, topic, int32 partition
- value 3: int16 version, int64 offset, int32 leader epoch, int16 length, metadata, int64 time
- value 4: the length is a varint of length + 1, and tagged fields follow the time: none (byte 0),
  or the topic id alone (bytes 1, 0, 16 and the id)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from typing import TypeAlias

    from pyspark.sql import Column, DataFrame

    from streaming.records.numbers import Numbers

    Layer: TypeAlias = tuple[Column | str, ...]
    """Columns of one select; each may use those of the layer before."""

_COMMIT = -1
"""Lane of all well-formed commits; every other record has its offset as a lane of its own."""
_KEY_LEAST_BYTES, _VALUE_LEAST_BYTES = 10, 24
_V3, _V4 = 3, 4
_MAX_STRING_BYTES, _MAX_ONE_BYTE = 0x7FFF, 0x7F
_NOWHERE = -(1 << 40)
_NO_TAGS_BYTES, _TOPIC_ID_BYTES = 1, 19
_TOPIC_ID_TAG = 0x010010
_HALF_BITS, _HALF_MASK = 32, 0xFFFFFFFF
_KEPT = ("partition", "offset", "timestamp", "key")


class CommitReduction:
    """Reduces the offset commits of batches to the last per (partition, key).

    Well-formed are commits of type 1 with a value of version 3 or 4 (all that Kafka has written
    since 2.1), and tombstones of types 0 and 1; the rest passes through. Where such a value has
    metadata or a topic id, for which the monitor has no use, they are left out; every other value,
    and every key, is the record's own.

    Its columns are made once: some thousand calls to the JVM, half a second.
    """

    def __init__(self, numbers: Numbers) -> None:
        """Make the columns.

        Args:
            numbers: how to read and write numbers; `numbers_of` a session gives the fastest way.
        """
        self._layers = (*_layout(numbers), _lane(numbers), _taken_apart(numbers))
        self._last = _last()
        self._reduced = (*_KEPT, _value(numbers).alias("value"), "record_count")
        self._decoded = _decoded(numbers)

    def reduce(self, records: DataFrame) -> DataFrame:
        """Reduce.

        Args:
            records: columns key, value (binary), partition (int), offset (bigint), timestamp.

        Returns:
            Columns partition, offset, timestamp, key, value and record_count (bigint): how many
            records of the source the row stands for, 1 except for commits. In no particular order.
        """
        return self._rows(records).select(*self._reduced)

    def decode(self, records: DataFrame) -> DataFrame:
        """Reduce, and decode what was reduced.

        Args:
            records: as for `reduce`.

        Returns:
            The columns of `reduce`, and, null for what is no well-formed commit: group_id, topic,
            topic_partition (int), tombstone (boolean); null for a tombstone too: committed_offset,
            leader_epoch (int), commit_time_ms.
        """
        group_bytes, columns = self._decoded
        return self._rows(records).select("*", group_bytes).select(*self._reduced, *columns)

    def _rows(self, records: DataFrame) -> DataFrame:
        """Columns partition, key, lane, rest (value of what is no commit) and the numbers."""
        for layer in self._layers:
            records = records.select(*layer)
        return records.groupBy("partition", "key", "lane", "rest").agg(*self._last)


def _last() -> tuple[Column, ...]:
    numbers = ("committed", "version_epoch", "commit_ms", "timestamp")
    return (
        f.max("offset").alias("offset"),
        f.count(f.lit(1)).alias("record_count"),
        *(f.max_by(name, "offset").alias(name) for name in numbers),
    )


def _decoded(read: Numbers) -> tuple[Column, Layer]:
    key, is_commit = f.col("key"), f.col("lane") == _COMMIT
    group_bytes = f.col("group_bytes")
    topic_bytes = f.length(key) - group_bytes - _KEY_LEAST_BYTES
    has_value = is_commit & (_version() >= 0)
    partition = read.at(key, f.length(key) - 4, 4)
    return f.when(is_commit, read.at(key, 2, 2)).cast("int").alias("group_bytes"), (
        f.substring(key, f.lit(5), group_bytes).cast("string").alias("group_id"),
        f.substring(key, group_bytes + 7, topic_bytes).cast("string").alias("topic"),
        f.when(is_commit, partition).cast("int").alias("topic_partition"),
        f.when(is_commit, _version() < 0).alias("tombstone"),
        f.when(has_value, f.col("committed")).alias("committed_offset"),
        f.when(has_value, _epoch()).cast("int").alias("leader_epoch"),
        f.when(has_value, f.col("commit_ms")).alias("commit_time_ms"),
    )


def _layout(read: Numbers) -> tuple[Layer, ...]:
    """Add where things are.

    Each is a column of its own and never null: the generated code must stay small, or the JVM
    interprets it instead of compiling it.
    """
    low, high, version = f.col("low"), f.col("high"), f.col("version")
    varint = f.when(low.between(1, _MAX_ONE_BYTE), low).when(
        (low > _MAX_ONE_BYTE) & high.between(1, _MAX_ONE_BYTE), low + high * 0x80 - _MAX_ONE_BYTE
    )
    return (
        ("*", _size("key"), _size("value")),
        (
            "*",
            _if(f.col("key_bytes") >= _KEY_LEAST_BYTES, read.at(f.col("key"), 0, 4), "key_0"),
            _if(_has_value(), read.at(f.col("value"), 0, 8), "value_0"),
            _if(_has_value(), read.at(f.col("value"), 8, 8), "value_8"),
        ),
        (
            "*",
            f.col("key_0").bitwiseAND(0xFFFF).alias("group_bytes"),
            f.shiftright("value_0", 48).alias("version"),
            f.shiftright("value_8", 8).bitwiseAND(0xFF).alias("low"),
            f.col("value_8").bitwiseAND(0xFF).alias("high"),
        ),
        (
            "*",
            (f.col("key_bytes") - _KEY_LEAST_BYTES - f.col("group_bytes")).alias("topic_bytes"),
            f.when(version == _V4, f.coalesce(varint, f.lit(_NOWHERE)) + 14)
            .when(version == _V3, f.col("value_8").bitwiseAND(0xFFFF) + 16)
            .otherwise(_NOWHERE)
            .alias("time_at"),
        ),
        ("*", (f.col("value_bytes") - f.col("time_at") - 8).alias("tail_bytes")),
        ("*", _ends_well(read).alias("ends_well")),
    )


def _size(name: str) -> Column:
    return f.coalesce(f.length(name), f.lit(-1)).alias(f"{name}_bytes")


def _has_value() -> Column:
    return f.col("value_bytes") >= _VALUE_LEAST_BYTES


def _if(condition: Column, number: Column, name: str) -> Column:
    return f.when(condition, number).otherwise(-1).alias(name)


def _ends_well(read: Numbers) -> Column:
    """Whether the value ends where it should."""
    value, tail_bytes, tail_at = f.col("value"), f.col("tail_bytes"), f.col("time_at") + 8
    tag = f.shiftright(read.at(value, tail_at, 4), 8).bitwiseAND(0xFFFFFF)
    return (
        f.when(f.col("version") == _V3, tail_bytes == 0)
        .when(tail_bytes == _NO_TAGS_BYTES, read.at(value, tail_at - 3, 4).bitwiseAND(0xFF) == 0)
        .when(tail_bytes == _TOPIC_ID_BYTES, tag == _TOPIC_ID_TAG)
        .otherwise(f.lit(False))
    )


def _lane(read: Numbers) -> Layer:
    """Add the lane: all commits are in one, so that those of one key meet."""
    record_type = f.shiftright("key_0", 16)
    is_value = (
        f.when(f.col("value_bytes") < 0, record_type.between(0, 1))
        .when(f.col("ends_well"), (record_type == 1) & _is_metadata_text())
        .otherwise(f.lit(False))
    )
    is_commit = f.when(is_value, _is_key(read)).otherwise(f.lit(False))
    return ("*", f.when(is_commit, f.lit(_COMMIT)).otherwise(f.col("offset")).alias("lane"))


def _is_key(read: Numbers) -> Column:
    key, group_bytes, topic_bytes = f.col("key"), f.col("group_bytes"), f.col("topic_bytes")
    partition_at = f.col("key_bytes") - 4
    fits = (read.at(key, group_bytes + 4, 2) == topic_bytes) & (read.at(key, partition_at, 4) >= 0)
    return f.when(
        (topic_bytes >= 0)
        & (topic_bytes <= _MAX_STRING_BYTES)
        & (group_bytes <= _MAX_STRING_BYTES),
        f.when(fits, _is_key_text()).otherwise(f.lit(False)),
    ).otherwise(f.lit(False))


def _is_key_text() -> Column:
    """Whether group and topic are UTF-8.

    No length's first byte can be the inside of a character, so where the key as a whole is UTF-8
    its parts are. It need not be: a length or the partition may hold any second byte.
    """
    group_bytes = f.col("group_bytes")
    return (
        f.when(f.is_valid_utf8(f.col("key").cast("string")), f.lit(True))
        .when(
            _is_text("key", f.lit(5), group_bytes),
            _is_text("key", group_bytes + 7, f.col("topic_bytes")),
        )
        .otherwise(f.lit(False))
    )


def _is_metadata_text() -> Column:
    one_byte_length = (f.col("version") == _V4) & (f.col("low") <= _MAX_ONE_BYTE)
    text_at = f.when(one_byte_length, 15).otherwise(16)
    text_bytes = f.col("time_at") - text_at
    return f.when(text_bytes == 0, f.lit(True)).otherwise(
        _is_text("value", text_at + 1, text_bytes)
    )


def _is_text(name: str, start: Column, size: Column) -> Column:
    part = f.substring(f.col(name), start.cast("int"), size.cast("int"))
    return f.is_valid_utf8(part.cast("string"))


def _taken_apart(read: Numbers) -> Layer:
    """The numbers of a value, each a plain one that can be aggregated."""
    committed = f.shiftleft("value_0", 16) + f.shiftrightunsigned("value_8", 48)
    epoch = f.shiftright("value_8", 16).bitwiseAND(_HALF_MASK)
    time = read.at(f.col("value"), f.col("time_at"), 8)
    return (
        *("partition", "offset", "timestamp", "key", "lane"),
        f.when(f.col("lane") != _COMMIT, f.col("value")).alias("rest"),
        committed.alias("committed"),
        (f.shiftleft("version", _HALF_BITS) + epoch).alias("version_epoch"),
        f.when(f.col("ends_well"), time).otherwise(-1).alias("commit_ms"),
    )


def _value(write: Numbers) -> Column:
    """The value again, from its numbers; of a record that is no commit, its own."""
    version = _version()
    # Version and leader epoch are kept in one number; the latter is its last four bytes.
    epoch = f.substring(write.bytes_of(f.col("version_epoch")), 5, 4)
    numbers = f.concat(write.bytes_of(f.col("committed")), epoch)
    time = write.bytes_of(f.col("commit_ms"))
    version_3 = f.concat(_literal("0003"), numbers, _literal("0000"), time)
    version_4 = f.concat(_literal("0004"), numbers, _literal("01"), time, _literal("00"))
    commit = f.when(version == _V3, version_3).when(version == _V4, version_4)
    return f.when(f.col("lane") == _COMMIT, commit).otherwise(f.col("rest"))


def _version() -> Column:
    """The upper half; -1 for a tombstone."""
    return f.shiftright("version_epoch", _HALF_BITS)


def _epoch() -> Column:
    """The lower half, with its sign."""
    return f.shiftright(f.shiftleft("version_epoch", _HALF_BITS), _HALF_BITS)


def _literal(digits: str) -> Column:
    return f.lit(bytes.fromhex(digits))
