"""Normal forms of what records hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streaming.records.wire import ascending

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from streaming.events.model import Partitions

_FEW, _MANY = 32, 256


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Names sorted, each once."""
    found = set(names)
    return tuple(sorted(found) if len(found) > 1 else found)


def known_time(time_ms: int) -> int | None:
    """A time, None where Kafka writes -1 for «unknown»."""
    return None if time_ms == -1 else time_ms


def take_partitions(rows: list[Any], names: dict[str, str] | None = None) -> Partitions:
    """Sorted partitions by the rows' first field: topic name, topic id or subtopology id.

    Some clients name a topic more than once: its partitions are put together.

    Args:
        rows: used up, so that a large record is never held in both forms.
        names: strings met so far, to be shared; added to.
    """
    if not rows:
        return {}
    share = _alone if names is None else names.setdefault
    if len(rows) == 1:  # most members own partitions of one topic
        name, numbers = rows[0][0], rows[0][1]
        return {share(name, name): _in_order(numbers)}
    if len(rows) <= _FEW:
        found = {share(row[0], row[0]): _in_order(row[1]) for row in rows}
        if len(found) == len(rows):
            return found
    found = {}
    rows.reverse()
    while rows:
        row = rows.pop()
        name, numbers = row[0], row[1]
        if name in found:
            numbers = {*found[name], *numbers}
        found[share(name, name)] = _in_order(numbers)
    return found


def _in_order(numbers: Collection[int]) -> tuple[int, ...]:
    if len(numbers) > _MANY and isinstance(numbers, tuple) and ascending(numbers):
        return numbers  # no second copy of a long one
    return tuple(sorted(numbers))


def _alone(name: str, _name: str) -> str:
    return name
