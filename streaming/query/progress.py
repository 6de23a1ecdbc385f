"""What Spark's checkpoint says of a micro-batch: its clock and its offsets.

Both are written before the batch runs and read again when it is replayed, so a batch sees the same
time however often it is tried.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

Offsets = Mapping[int, int]
"""Partition of the source topic to offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchInfo:
    """One micro-batch as the checkpoint has it.

    Attributes:
        batch_id: its number.
        now_ms: its clock, milliseconds of Unix time.
        start_offsets: first offset of each partition that it reads; absent at the first batch.
        end_offsets: first offset of each partition that it does not read.
        behind_records: records of the source beyond what it reads, as far as known.
    """

    batch_id: int
    now_ms: int
    start_offsets: Offsets
    end_offsets: Offsets
    behind_records: int | None = None

    @property
    def may_have_records(self) -> bool:
        """False only if no partition went on."""
        return any(
            end > self.start_offsets.get(partition, -1)
            for partition, end in self.end_offsets.items()
        )

    @property
    def record_count(self) -> int:
        """Records that it reads, at most: some offsets are of no record, or of none any more."""
        return sum(
            max(0, end - self.start_offsets.get(partition, 0))
            for partition, end in self.end_offsets.items()
        )

    def reaches(self, offsets: Offsets) -> bool:
        """Whether everything before these offsets has been read with this batch."""
        return all(
            self.end_offsets.get(partition, 0) >= offset for partition, offset in offsets.items()
        )


class CheckpointLog:
    """The offset log of a running query, read through Spark's own classes."""

    def __init__(self, query: StreamingQuery, topic: str) -> None:
        """Read the log of a query that has started.

        Args:
            query: the query.
            topic: topic of its Kafka source.
        """
        self._log: Any = query._jsq.streamingQuery().offsetLog()  # noqa: SLF001 - no public way
        self._topic = topic

    def batch(self, batch_id: int) -> BatchInfo:
        """What the log says of a batch that was planned."""
        entry = self._entry(batch_id)
        before = self._entry(batch_id - 1) if batch_id else None
        return BatchInfo(
            batch_id=batch_id,
            now_ms=entry.metadata().get().batchTimestampMs(),
            start_offsets=self._offsets(before) if before is not None else {},
            end_offsets=self._offsets(entry),
        )

    def _entry(self, batch_id: int) -> Any:
        found = self._log.get(batch_id)
        return found.get() if found.isDefined() else None

    def _offsets(self, entry: Any) -> dict[int, int]:
        """Offsets of the Kafka source among all sources of the batch."""
        sources = entry.offsets()
        for index in range(sources.size()):
            source = sources.apply(index)
            if source.isDefined():
                found = json.loads(source.get().json())
                if isinstance(found, dict) and self._topic in found:
                    return {int(number): offset for number, offset in found[self._topic].items()}
        return {}
