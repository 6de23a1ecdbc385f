"""Committed offsets of one shard: merged with the new commits, their lag taken."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.events import OffsetCommit, OffsetRemoved
from streaming.groups.snapshot import Settlement, Snapshot
from streaming.measuring.measures import Lags
from streaming.query.job import BatchJob
from streaming.query.record import Record
from streaming.tables.buffers import TableBuffer
from streaming.tables.schemas import OFFSETS

Row = dict[str, Any]

_SEPARATOR = "\x00"


@dataclass(frozen=True, slots=True)
class GroupCommits:
    """Offsets of one group.

    Attributes:
        lags: records behind by (topic, partition), where the end offset is known.
        committed_ms: time of the last commit by (topic, partition).
    """

    lags: Lags
    committed_ms: Mapping[tuple[str, int], int]


NO_COMMITS = GroupCommits({}, {})


class CommitBuffer:
    """Commits of one shard in one batch; of several of one partition the last one counts."""

    def __init__(self) -> None:
        """Begin empty."""
        self._rows: dict[tuple[str, str, int], Row | None] = {}

    def add(self, record: Record, event: OffsetCommit | OffsetRemoved) -> None:
        """Take in a commit, or the removal of one."""
        key = (event.group_id, event.topic, event.partition)
        self._rows.pop(key, None)
        self._rows[key] = _row(record, event) if isinstance(event, OffsetCommit) else None

    def take(self, job: BatchJob) -> tuple[pa.Table, pa.Table]:
        """Rows of ``offsets``, and the keys of those that are gone."""
        buffer = TableBuffer(OFFSETS, {**job.shared_columns, "shard": 0})
        for row in self._rows.values():
            if row is not None:
                buffer.add(row)
        removed = [key for key, row in self._rows.items() if row is None]
        names = ("group_id", "topic", "partition")
        columns = dict(zip(names, zip(*removed, strict=True), strict=True)) if removed else {}
        return buffer.take().drop_columns(["shard"]), pa.table(
            {
                name: pa.array(columns.get(name, ()), OFFSETS.schema.field(name).type)
                for name in names
            }
        )


def _row(record: Record, event: OffsetCommit) -> Row:
    return {
        "group_id": event.group_id,
        "topic": event.topic,
        "partition": event.partition,
        "committed_offset": event.offset,
        "leader_epoch": event.leader_epoch,
        "commit_time": event.commit_time_ms * 1000,
        "record_offset": record.offset,
        "event_time": record.time_ms * 1000,
    }


def merge(old: pa.Table, commits: pa.Table, removed: pa.Table) -> pa.Table:
    """Put new commits in the place of old ones, and drop those that are gone.

    Args:
        old: rows of ``offsets``.
        commits: new rows with the same columns, one per partition.
        removed: columns group_id, topic, partition of offsets that expired or were deleted.
    """
    replaced = pa.chunked_array([*_keys(commits).chunks, *_keys(removed).chunks], pa.string())
    if not len(replaced):
        return old
    old_keys = _keys(old)
    kept = old.filter(pc.invert(pc.is_in(old_keys, value_set=replaced.combine_chunks())))
    return pa.concat_tables([kept, _with_owners(commits, old, old_keys)])


def _with_owners(commits: pa.Table, old: pa.Table, old_keys: pa.ChunkedArray) -> pa.Table:
    """New commits of known partitions with the owner of the old row."""
    if not old.num_rows or not commits.num_rows:
        return commits
    places = pc.index_in(_keys(commits), value_set=old_keys.combine_chunks())
    return _with_column(commits, "member_id", old["member_id"].take(places))


def set_owners(table: pa.Table, owners: Mapping[str, Mapping[tuple[str, int], str]]) -> pa.Table:
    """Put the live owner of each partition into the rows of some groups.

    Args:
        table: rows of ``offsets``.
        owners: member id by (topic, partition), by group; other groups stay as they are.
    """
    if not owners or not table.num_rows:
        return table
    names = ("group_id", "topic", "partition", "member_id")
    columns = [table[name].to_pylist() for name in names]
    found = [
        owners[group].get((topic, partition)) if group in owners else member_id
        for group, topic, partition, member_id in zip(*columns, strict=True)
    ]
    return _with_column(table, "member_id", pa.array(found, pa.string()))


def _with_column(table: pa.Table, name: str, column: pa.Array | pa.ChunkedArray) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(place), column)


def _keys(table: pa.Table) -> pa.ChunkedArray:
    if not table.num_rows:
        return pa.chunked_array([], pa.string())
    keys = pc.binary_join_element_wise(
        table["group_id"], table["topic"], table["partition"].cast(pa.string()), _SEPARATOR
    )
    return keys if isinstance(keys, pa.ChunkedArray) else pa.chunked_array([keys])


def with_lag(table: pa.Table, job: BatchJob) -> pa.Table:
    """The rows with end offsets and lags of now.

    ``time_lag_seconds`` is the age of the last commit where records wait and 0 where none do:
    commit timestamps allow no more.
    """
    if not table.num_rows:
        return table
    ends = _end_offsets(table, job)
    committed = table["committed_offset"].to_numpy()
    known = ends >= 0
    lag = np.maximum(ends - committed, 0)
    commit_us = table["commit_time"].cast(pa.int64()).to_numpy()
    age = np.maximum(job.now_ms * 1000 - commit_us, 0) / 1e6
    columns = {
        "end_offset": pa.array(ends, mask=~known),
        "lag": pa.array(lag, mask=~known),
        "time_lag_seconds": pa.array(np.where(lag > 0, age, 0.0), mask=~known),
    }
    for name, column in columns.items():
        table = _with_column(table, name, column)
    return table


def _end_offsets(table: pa.Table, job: BatchJob) -> npt.NDArray[np.int64]:
    """End offset of each row, -1 where it is not known."""
    topics = table["topic"].combine_chunks().dictionary_encode()
    codes = topics.indices.to_numpy(zero_copy_only=False)
    partitions = table["partition"].to_numpy()
    ends = np.full(table.num_rows, -1, dtype=np.int64)
    for code, topic in enumerate(topics.dictionary.to_pylist()):
        known = job.end_offsets.get(topic)
        if known is not None:
            rows = np.flatnonzero((codes == code) & (partitions < len(known)))
            ends[rows] = known[partitions[rows]]
    return ends


def of_groups(table: pa.Table, groups: Collection[str]) -> dict[str, GroupCommits]:
    """The offsets of some groups as plain mappings."""
    found: dict[str, GroupCommits] = {group: GroupCommits({}, {}) for group in groups}
    if not groups or not table.num_rows:
        return found
    rows = table.filter(pc.is_in(table["group_id"], value_set=pa.array(list(groups), pa.string())))
    columns = [rows[name].to_pylist() for name in ("group_id", "topic", "partition", "lag")]
    times = rows["commit_time"].cast(pa.int64()).to_pylist()
    for group, topic, partition, lag, commit_us in zip(*columns, times, strict=True):
        commits = found[group]
        commits.committed_ms[topic, partition] = (commit_us or 0) // 1000  # type: ignore[index]
        if lag is not None:
            commits.lags[topic, partition] = lag  # type: ignore[index]
    return found


def group_ids(table: pa.Table) -> list[str]:
    """Groups that have an offset."""
    names: list[str] = pc.unique(table["group_id"]).to_pylist()
    return names


def last_signs(settlement: Settlement, *known: GroupCommits) -> dict[str, int]:
    """Last offset commit of each previous member before the rebalance began.

    Commits after it are by the new owners and say nothing about the old.

    Args:
        settlement: the rebalance.
        known: offsets of the group, at several moments.

    Returns:
        Milliseconds of Unix time by `MemberView.key`.
    """
    if settlement.previous is None:
        return {}
    began_ms = settlement.phases[0].time_ms
    signs = {
        member.key: max(
            (
                time_ms
                for commits in known
                for topic, numbers in member.assigned.items()
                for number in numbers
                if (time_ms := commits.committed_ms.get((topic, number), -1)) <= began_ms
            ),
            default=-1,
        )
        for member in settlement.previous.members
    }
    return {key: time_ms for key, time_ms in signs.items() if time_ms >= 0}


def lag_columns(settled: Snapshot | None, commits: GroupCommits) -> Row:
    """Lag columns of ``group_state``: of the group, and its skew over the members."""
    last_ms = max(commits.committed_ms.values(), default=None)
    total = sum(commits.lags.values())
    members = settled.members if settled else ()
    shares = [
        sum(
            commits.lags.get((topic, number), 0)
            for topic, numbers in member.assigned.items()
            for number in numbers
        )
        for member in members
    ]
    owned = sum(shares)
    return {
        "lag": total if commits.lags else None,
        "lag_skew": max(shares) * len(shares) / owned if owned else (1.0 if shares else None),
        "last_commit_time": None if last_ms is None else last_ms * 1000,
    }
