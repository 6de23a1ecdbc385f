"""One record of the source, as a shard works on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the source, or an offset commit that stands for ``count`` of them."""

    partition: int
    offset: int
    time_ms: int
    key: bytes | None
    value: bytes | None
    count: int = 1
