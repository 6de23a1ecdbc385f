"""One record of the source, as a shard works on it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

_COLUMNS = ("partition", "offset", "time_ms", "key", "value", "count")


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the source, or an offset commit that stands for ``count`` of them."""

    partition: int
    offset: int
    time_ms: int
    key: bytes | None
    value: bytes | None
    count: int = 1


def records_of(batch: pa.RecordBatch) -> Iterator[Record]:
    """The records of an Arrow batch with the columns of that name."""
    columns = (batch.column(name).to_pylist() for name in _COLUMNS)
    return (Record(*row) for row in zip(*columns, strict=True))
