"""Offset commits of one Arrow batch read column by column, with no Python per record."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.events import says_commit
from streaming.records import UnreadableRecordError, read_key
from streaming.tables.schemas import OFFSETS

Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]

_INT16, _INT32 = np.dtype(">i2"), np.dtype(">i4")
_PARTITION_BYTES = 4
_PREFIX_BYTES = 6
_LEAST_KEY_BYTES = _PREFIX_BYTES + _PARTITION_BYTES
_COMMIT_KEY = 1
# As the reduction on the JVM leaves values: without metadata; version 4 with a topic id or not.
_HEAD = [("version", ">i2"), ("offset", ">i8"), ("epoch", ">i4")]
_LAYOUTS = {
    (3, 24): np.dtype([*_HEAD, ("metadata", ">i2"), ("time", ">i8")]),
    (4, 24): np.dtype([*_HEAD, ("metadata", "u1"), ("time", ">i8"), ("tags", "u1")]),
    (4, 42): np.dtype([*_HEAD, ("metadata", "u1"), ("time", ">i8"), ("tags", "V19")]),
}
_NO_METADATA = {3: 0, 4: 1}


def read_commits(
    batch: pa.RecordBatch, ignores: Callable[[str], bool]
) -> tuple[pa.Table, Mask, Mask]:
    """Read what is a plain offset commit.

    Args:
        batch: columns offset, time_ms, key and value.
        ignores: whether a group is left out.

    Returns:
        Columns of ``offsets``; which rows of the batch they are; which others are commits of groups
        that are left out. Rows that are neither are not for us to read.
    """
    keys = _Keys(batch.column("key"), _is_plain(batch))
    ignored = keys.where(ignores)
    kept = keys.where(lambda group_id: not ignores(group_id))
    return _table(batch, keys, np.flatnonzero(kept)), kept, ignored


def are_commits(batch: pa.RecordBatch, *, json_events: bool) -> Mask:
    """Which rows are offset commits or their tombstones, whether they can be read or not.

    Args:
        batch: columns key and value.
        json_events: they are events in JSON, not coordinator records.
    """
    if json_events:
        values = batch.column("value").to_pylist()
        return np.fromiter(map(says_commit, values), dtype=bool, count=len(values))
    keys = _Bytes(batch.column("key"))
    found = keys.sizes >= _INT16.itemsize
    kinds = keys.rows(np.flatnonzero(found), _INT16)
    found[found] = (kinds >= 0) & (kinds <= _COMMIT_KEY)
    return found


def _is_plain(batch: pa.RecordBatch) -> Mask:
    """Rows whose key may be, and whose value is, that of a commit without metadata."""
    keys = _Bytes(batch.column("key"))
    values = _Bytes(batch.column("value"))
    found = np.zeros(batch.num_rows, dtype=bool)
    for (version, size), layout in _LAYOUTS.items():
        places = np.flatnonzero((values.sizes == size) & (keys.sizes >= _LEAST_KEY_BYTES))
        rows = values.rows(places, layout)
        fits = (rows["version"] == version) & (rows["metadata"] == _NO_METADATA[version])
        fits &= keys.rows(places, _INT16) == _COMMIT_KEY
        fits &= keys.rows(places, _INT32, from_end=_PARTITION_BYTES) >= 0
        found[places[fits]] = True
    return found


class _Bytes:
    """A binary column as its buffer, for reading at many places at once."""

    def __init__(self, column: pa.Array) -> None:
        _, offsets, data = column.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int32)[column.offset :][: len(column) + 1]
        self._starts = bounds[:-1].astype(np.int64)
        self.sizes = np.diff(bounds)
        self._data = np.frombuffer(data or b"", dtype=np.uint8)

    def rows(self, places: Places, layout: np.dtype[Any], *, from_end: int = 0) -> npt.NDArray[Any]:
        """The first bytes of each value (or those ``from_end``) as a structure."""
        starts = self._starts[places]
        if from_end:
            starts = starts + self.sizes[places] - from_end
        raw = self._data[starts[:, None] + np.arange(layout.itemsize)]
        return np.ascontiguousarray(raw).view(layout).reshape(len(places))


class _Keys:
    """Keys of commits: few distinct (group, topic), each read once, and many partitions."""

    def __init__(self, keys: pa.Array, plain: Mask) -> None:
        """Read them.

        Args:
            keys: all keys of the batch.
            plain: which of them to read.
        """
        self._plain = plain
        self._codes = np.zeros(len(keys), dtype=np.int64)
        prefixes = pc.binary_slice(keys.filter(pa.array(plain)), 0, -_PARTITION_BYTES)
        encoded = prefixes.dictionary_encode()
        self._codes[plain] = encoded.indices.to_numpy()
        self._names = [_group_and_topic(prefix) for prefix in encoded.dictionary.to_pylist()]

    def where(self, holds: Callable[[str], bool]) -> Mask:
        """Plain commits of groups for which something holds."""
        chosen = [name is not None and holds(name[0]) for name in self._names]
        found = self._plain.copy()
        found[self._plain] = np.array(chosen, dtype=bool)[self._codes[self._plain]]
        return found

    def column(self, places: Places, part: int) -> pa.Array:
        """Groups (part 0) or topics (part 1) of some rows."""
        names = pa.array([name and name[part] for name in self._names], pa.string())
        return names.take(pa.array(self._codes[places]))


def _group_and_topic(prefix: bytes) -> tuple[str, str] | None:
    """What a key says before its partition; None if it is no key."""
    try:
        fields = read_key(prefix + bytes(_PARTITION_BYTES)).fields
    except UnreadableRecordError:
        return None
    length = _PREFIX_BYTES + len(fields.group.encode()) + len(fields.topic.encode())
    return (fields.group, fields.topic) if length == len(prefix) else None


def _table(batch: pa.RecordBatch, keys: _Keys, places: Places) -> pa.Table:
    """Rows of ``offsets``, as far as a commit says."""
    chosen = pa.array(places)
    numbers = _numbers(_Bytes(batch.column("value")), places)
    partitions = _Bytes(batch.column("key")).rows(places, _INT32, from_end=_PARTITION_BYTES)
    columns = {
        "group_id": keys.column(places, 0),
        "topic": keys.column(places, 1),
        "partition": pa.array(partitions.astype(np.int32)),
        "committed_offset": pa.array(numbers["offset"]),
        "leader_epoch": pa.array(numbers["epoch"]),
        "commit_time": pa.array(numbers["time"] * 1000, pa.int64()),
        "record_offset": batch.column("offset").take(chosen),
        "event_time": pc.multiply(batch.column("time_ms").take(chosen), 1000),
    }
    return pa.table(
        {name: column.cast(OFFSETS.schema.field(name).type) for name, column in columns.items()}
    )


def _numbers(values: _Bytes, places: Places) -> dict[str, npt.NDArray[Any]]:
    """What the values say: offset, leader epoch and time (milliseconds) of each commit."""
    sizes = values.sizes[places]
    versions = values.rows(places, _INT16)
    found: dict[str, npt.NDArray[Any]] = {
        "offset": np.empty(len(places), dtype=np.int64),
        "epoch": np.empty(len(places), dtype=np.int32),
        "time": np.empty(len(places), dtype=np.int64),
    }
    for (version, size), layout in _LAYOUTS.items():
        rows = np.flatnonzero((sizes == size) & (versions == version))
        read = values.rows(places[rows], layout)
        for name, column in found.items():
            column[rows] = read[name]
    return found
