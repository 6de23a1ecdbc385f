"""Offset commits of one shard in one batch; of several of one partition the last one counts."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.events import OffsetCommit, OffsetRemoved
from streaming.query.job import BatchJob
from streaming.query.offsets import keys_of
from streaming.query.record import Record
from streaming.tables.buffers import TableBuffer
from streaming.tables.schemas import OFFSETS

Row = dict[str, Any]


class CommitBuffer:
    """Commits and removals as they come, in columns or one by one."""

    def __init__(self, job: BatchJob) -> None:
        """Begin empty.

        Args:
            job: the micro-batch.
        """
        self._rows = TableBuffer(OFFSETS, {**job.shared_columns, "shard": 0})
        self._shared = job.shared_columns
        self._columns: list[pa.Table] = []

    def add(self, record: Record, event: OffsetCommit | OffsetRemoved) -> None:
        """Take in a commit, or the removal of one."""
        self._rows.add(_row(record, event))

    def add_columns(self, commits: pa.Table) -> None:
        """Take in many commits: columns of ``offsets``, as far as a commit says."""
        if commits.num_rows:
            self._columns.append(_completed(commits, self._shared))

    def take(self) -> tuple[pa.Table, pa.Table]:
        """Rows of ``offsets``, and those that are gone; one row per partition."""
        rows = pa.concat_tables([*self._columns, self._rows.take().drop_columns(["shard"])])
        last = _last_of_each(rows)
        removed = last["committed_offset"].is_null()
        return last.filter(pc.invert(removed)), last.filter(removed)


def _row(record: Record, event: OffsetCommit | OffsetRemoved) -> Row:
    """A row of ``offsets``; one without an offset says that it is gone."""
    row = {
        "group_id": event.group_id,
        "topic": event.topic,
        "partition": event.partition,
        "record_offset": record.offset,
        "event_time": record.time_ms * 1000,
    }
    if isinstance(event, OffsetCommit):
        row["committed_offset"] = event.offset
        row["leader_epoch"] = event.leader_epoch
        row["commit_time"] = event.commit_time_ms * 1000
    return row


def _completed(commits: pa.Table, shared: dict[str, object]) -> pa.Table:
    """All columns of ``offsets`` but the shard; those that a commit does not tell are null."""
    count = commits.num_rows
    fields = [field for field in OFFSETS.schema if field.name != "shard"]
    columns = [
        commits[field.name]
        if field.name in commits.column_names
        else pa.repeat(pa.scalar(shared.get(field.name), field.type), count)
        for field in fields
    ]
    return pa.table(columns, schema=pa.schema(fields))


def _last_of_each(rows: pa.Table) -> pa.Table:
    """Of the rows of one partition the one with the highest record offset."""
    if not rows.num_rows:
        return rows
    order = np.argsort(rows["record_offset"].to_numpy(), kind="stable")
    codes = keys_of(rows).combine_chunks().dictionary_encode().indices.to_numpy()[order]
    last = np.empty(codes.max() + 1, dtype=np.int64)
    last[codes] = order  # of several with one code the last one stays
    return rows.take(pa.array(np.sort(last)))
