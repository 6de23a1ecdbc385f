"""Rows of one task on their way into files."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from streaming.query.job import BatchJob
from streaming.query.record import Record
from streaming.records.errors import UnreadableRecordError
from streaming.tables.buffers import TableBuffer
from streaming.tables.files import DataFile, write_file
from streaming.tables.schemas import (
    ALERTS,
    ASSIGNMENTS,
    DEAD_LETTERS,
    DRIFT,
    MEMBER_LOAD,
    REBALANCES,
    TableSpec,
)

ROWS_PER_FILE = 1_000_000

HISTORIES: tuple[TableSpec, ...] = (
    DEAD_LETTERS,
    ALERTS,
    ASSIGNMENTS,
    MEMBER_LOAD,
    DRIFT,
    REBALANCES,
)
"""Tables that the executors append to, in the order in which the driver commits them."""


class Outputs:
    """Files of one task: histories gathered over its shards, current state shard by shard."""

    def __init__(self, job: BatchJob) -> None:
        """Begin with no rows.

        Args:
            job: the micro-batch.
        """
        self._location = job.location
        self._buffers = {spec.name: TableBuffer(spec, job.shared_columns) for spec in HISTORIES}
        self.files: list[DataFile] = []

    def add(self, spec: TableSpec, row: Mapping[str, Any]) -> None:
        """Add one row of a history."""
        self._buffers[spec.name].add(row)
        self._flush(spec, at_least=ROWS_PER_FILE)

    def extend(
        self,
        spec: TableSpec,
        columns: Mapping[str, Sequence[Any]],
        constants: Mapping[str, Any],
    ) -> None:
        """Add many rows of a history, column by column."""
        self._buffers[spec.name].extend(columns, constants)
        self._flush(spec, at_least=ROWS_PER_FILE)

    def dead_letter(self, record: Record, error: UnreadableRecordError, *, topic: str) -> None:
        """Keep a record that could not be read."""
        self.add(
            DEAD_LETTERS,
            {
                "reason": str(error.reason),
                "detail": error.detail,
                "topic": topic,
                "partition": record.partition,
                "offset": record.offset,
                "key": record.key,
                "value": record.value,
                "event_time": record.time_ms * 1000,
            },
        )

    def replace_shard(self, spec: TableSpec, shard: int, rows: pa.Table) -> None:
        """Write the current state of a shard; nothing is written for no rows."""
        if rows.num_rows:
            self.files.append(write_file(self._location, spec, rows, shard=shard))

    def finish(self) -> tuple[DataFile, ...]:
        """Write what is left, and give all files of the task."""
        for spec in HISTORIES:
            self._flush(spec, at_least=1)
        return tuple(self.files)

    def _flush(self, spec: TableSpec, *, at_least: int) -> None:
        buffer = self._buffers[spec.name]
        if len(buffer) >= at_least:
            self.files.append(write_file(self._location, spec, buffer.take()))
