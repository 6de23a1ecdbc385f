"""Normal forms of what records hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streaming.events.model import Partitions


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Names sorted, each once."""
    return tuple(sorted(set(names)))


def known_time(time_ms: int) -> int | None:
    """A time, None where Kafka writes -1 for «unknown»."""
    return None if time_ms == -1 else time_ms


def take_partitions(rows: list[Any]) -> Partitions:
    """Sorted partitions by the rows' first field: topic name, topic id or subtopology id.

    The rows are used up, so that a large record is never held in both forms. Some clients name a
    topic more than once.
    """
    found: Partitions = {}
    if not rows:  # also the empty tuple of a version without them
        return found
    rows.reverse()
    while rows:
        row = rows.pop()
        name, numbers = row[0], row[1]
        if name in found:
            numbers = {*found[name], *numbers}
        found[name] = tuple(sorted(numbers)) if len(numbers) > 1 else tuple(numbers)
    return found
