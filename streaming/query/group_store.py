"""The groups of one shard: read when they are needed, written back when they changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from streaming.groups import codec
from streaming.groups.machine import GroupMachine
from streaming.query.job import BatchJob
from streaming.tables.buffers import TableBuffer
from streaming.tables.schemas import GROUP_STATE

Row = dict[str, Any]


@dataclass(slots=True)
class Group:
    """One group that is being worked on.

    Attributes:
        machine: its state.
        columns: its row of ``group_state``, without the columns that are derived on writing.
        last_event_ms: time of its last event.
    """

    machine: GroupMachine
    columns: Row
    last_event_ms: int


class GroupStore:
    """Groups of one shard, over its rows of ``group_state``."""

    def __init__(self, rows: pa.Table, job: BatchJob) -> None:
        """Begin with the rows as the last batch left them.

        Args:
            rows: rows of ``group_state`` of one shard, without the partition column.
            job: the micro-batch.
        """
        self._rows = rows
        self._job = job
        self._index = {name: row for row, name in enumerate(rows["group_id"].to_pylist())}
        self._open: dict[str, Group] = {}

    @property
    def open_groups(self) -> list[Group]:
        """Groups worked on in this batch."""
        return list(self._open.values())

    def group_ids(self) -> Iterator[str]:
        """Ids of all groups, old and new."""
        yield from self._index
        yield from (name for name in self._open if name not in self._index)

    def open(self, group_id: str) -> Group:
        """The group of that id, a new one if it is not known."""
        group = self._open.get(group_id)
        if group is None:
            group = self._open[group_id] = self._load(group_id)
        return group

    def due(self) -> list[str]:
        """Groups with a deadline that has passed."""
        if not self._rows.num_rows:
            return []
        deadline = self._rows["deadline_time"].cast(pa.int64())
        mask = pc.less_equal(deadline, self._job.now_ms * 1000)
        names: list[str] = self._rows.filter(pc.fill_null(mask, False))["group_id"].to_pylist()
        return names

    def next_deadline_ms(self) -> int | None:
        """Earliest deadline among all groups."""
        earliest = pc.min(self._rows["deadline_time"].cast(pa.int64())).as_py()
        return None if earliest is None else earliest // 1000

    def write(self) -> pa.Table:
        """All rows of the shard, those of the open groups anew; removed groups are left out."""
        closed = pc.invert(
            pc.is_in(self._rows["group_id"], value_set=pa.array(list(self._open), pa.string()))
        )
        buffer = TableBuffer(GROUP_STATE, {**self._job.shared_columns, "shard": 0})
        for group in self._open.values():
            if not group.columns.get("gone"):
                buffer.add({**group.columns, "machine": codec.to_bytes(group.machine)})
        fresh = buffer.take().drop_columns(["shard"])
        self._rows = pa.concat_tables([self._rows.filter(closed), fresh])
        return self._rows

    def _load(self, group_id: str) -> Group:
        row = self._index.get(group_id)
        if row is None:
            return Group(GroupMachine(group_id=group_id), {"group_id": group_id}, 0)
        columns = _plain_times(self._rows.slice(row, 1)).to_pylist()[0]
        return Group(
            codec.from_bytes(columns.pop("machine")), columns, columns["event_time"] // 1000
        )


def _plain_times(rows: pa.Table) -> pa.Table:
    """Times as microseconds, the form in which rows are made."""
    for place, field in enumerate(rows.schema):
        if pa.types.is_timestamp(field.type):
            rows = rows.set_column(place, field.name, rows[field.name].cast(pa.int64()))
    return rows
