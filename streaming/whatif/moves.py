"""What differs between two assignments, partition by partition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streaming.whatif.live import Owners


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One partition that gets another owner.

    Attributes:
        topic: its topic.
        partition: its number.
        source: member that has it; None if nobody has.
        target: member that would have it; None if nobody would.
    """

    topic: str
    partition: int
    source: str | None
    target: str | None


@dataclass(frozen=True, slots=True)
class Stream:
    """All moves from one member to another.

    Attributes:
        source: member that gives; None for partitions without an owner.
        target: member that receives.
        moves: what moves, sorted.
    """

    source: str | None
    target: str | None
    moves: tuple[Move, ...]

    @property
    def by_topic(self) -> dict[str, list[int]]:
        """Partition numbers by topic."""
        numbers: dict[str, list[int]] = {}
        for move in self.moves:
            numbers.setdefault(move.topic, []).append(move.partition)
        return numbers


def moves_between(before: Owners, after: Owners) -> list[Move]:
    """The partitions of ``after`` whose owner differs, sorted."""
    return sorted(
        Move(*partition, before.get(partition), owner)
        for partition, owner in after.items()
        if before.get(partition) != owner
    )


def streams(moves: Iterable[Move]) -> list[Stream]:
    """Moves gathered by giver and receiver, the largest first."""
    gathered: dict[tuple[str | None, str | None], list[Move]] = {}
    for move in moves:
        gathered.setdefault((move.source, move.target), []).append(move)
    found = [Stream(source, target, tuple(each)) for (source, target), each in gathered.items()]
    return sorted(found, key=lambda each: (-len(each.moves), each.source or "", each.target or ""))
