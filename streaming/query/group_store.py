"""The groups of one shard: read when they are needed, written back when they changed."""

from collections.abc import Collection, Iterator
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
    def rows(self) -> pa.Table:
        """Rows of ``group_state``; those of open groups as they were when they were opened."""
        return self._rows

    @rows.setter
    def rows(self, rows: pa.Table) -> None:
        """Put in other values, row by row."""
        self._rows = rows

    @property
    def open_groups(self) -> list[Group]:
        """Groups worked on in this batch."""
        return list(self._open.values())

    def group_ids(self) -> Iterator[str]:
        """Ids of all groups, old and new."""
        yield from self._index
        yield from (name for name in self._open if name not in self._index)

    def knows(self, group_id: str) -> bool:
        """Whether there is a row of that group."""
        return group_id in self._index

    def open_all(self, group_ids: Collection[str]) -> None:
        """Open groups; those that are not known begin anew."""
        closed = [name for name in group_ids if name not in self._open]
        places = [self._index[name] for name in closed if name in self._index]
        rows = self._rows.take(pa.array(places, pa.int64()))
        for columns in _plain_times(rows.drop_columns(_DERIVED)).to_pylist():
            self._open[columns["group_id"]] = _group(columns)
        for name in closed:
            if name not in self._index:
                self._open[name] = Group(GroupMachine(group_id=name), {"group_id": name}, 0)

    def open(self, group_id: str) -> Group:
        """The group of that id, a new one if it is not known."""
        if group_id not in self._open:
            self.open_all((group_id,))
        return self._open[group_id]

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


_DERIVED = ["members", "topics"]
"""Columns that follow from the machine, and are dear to read."""


def _group(columns: Row) -> Group:
    machine = codec.from_bytes(columns.pop("machine"))
    return Group(machine, columns, columns["event_time"] // 1000)


def _plain_times(rows: pa.Table) -> pa.Table:
    """Times as microseconds, the form in which rows are made."""
    for place, field in enumerate(rows.schema):
        if pa.types.is_timestamp(field.type):
            rows = rows.set_column(place, field.name, rows[field.name].cast(pa.int64()))
    return rows
