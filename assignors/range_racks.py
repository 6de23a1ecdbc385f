"""The rack-aware part of Kafka 4.3.1's `RangeAssignor` (KIP-881).

Racks count for a topic if a subscriber's rack holds replicas of it and its partitions' racks are
not all the same. Topics with the same subscribers and the same number of partitions are placed
together, number by number, where a member matches the racks of all of them; other topics member by
member. What racks leave over is dealt as without racks. Nobody gets more than range would give.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from assignors.problem import NOBODY, IntArray, Problem


@dataclass(slots=True)
class _Topic:
    """One topic while it is being assigned; changes as partitions are given out."""

    index: int
    subscribers: tuple[int, ...]
    racks: list[frozenset[str]]
    rack_of: dict[int, str]
    owner: list[int]
    base: int
    extra: int
    given: dict[int, int] = field(default_factory=dict)

    def room(self, member: int) -> int:
        """Partitions the member may still get."""
        return max(0, self.base + (self.extra > 0) - self.given.get(member, 0))

    def give(self, member: int, numbers: list[int]) -> None:
        """Hand partitions to a member."""
        for number in numbers:
            self.owner[number] = member
        given = self.given[member] = self.given.get(member, 0) + len(numbers)
        if given > self.base:
            self.extra -= 1

    def matches(self, member: int, number: int) -> bool:
        """Whether the member has no rack, or one that holds a replica of the partition."""
        rack = self.rack_of.get(member)
        return rack is None or rack in self.racks[number]

    @property
    def rack_matters(self) -> bool:
        """Kafka's `useRackAwareAssignment`."""
        everywhere = frozenset[str]().union(*self.racks)
        own = {self.rack_of[member] for member in self.subscribers if member in self.rack_of}
        return not own.isdisjoint(everywhere) and any(racks != everywhere for racks in self.racks)


def aligned(problem: Problem) -> IntArray | None:
    """Assign with racks.

    Returns:
        (P,) member index of each partition's owner; None if racks matter for no topic.
    """
    topics = [_topic(problem, index) for index in range(len(problem.topics))]
    matter = {topic.index for topic in topics if topic.rack_matters}
    if not matter:
        return None
    for together in _alike(topics):
        if len(together) > 1:
            _place_together(together)
        elif together[0].index in matter:
            _place_ranges(together[0], together[0].matches)
    for topic in topics:
        _place_ranges(topic, lambda _member, _number: True)
    owners = [owner for topic in topics for owner in topic.owner]
    return np.array(owners, dtype=np.int32)


def _topic(problem: Problem, index: int) -> _Topic:
    count = int(problem.counts[index])
    subscribers = tuple(problem.subscribers(index).tolist())
    racks = (problem.partition_racks or {}).get(problem.topics[index], ())
    named = [frozenset(partition) for partition in racks][:count]
    rack_of = {
        member: rack for member, rack in enumerate(problem.racks or ()) if rack is not None and rack
    }
    base, extra = divmod(count, max(1, len(subscribers)))
    return _Topic(
        index=index,
        subscribers=subscribers,
        racks=named + [frozenset()] * (count - len(named)),
        rack_of=rack_of,
        owner=[NOBODY] * count,
        base=base,
        extra=extra,
    )


def _alike(topics: Iterable[_Topic]) -> Iterable[list[_Topic]]:
    """Topics with the same subscribers and number of partitions."""
    groups: dict[tuple[tuple[int, ...], int], list[_Topic]] = {}
    for topic in topics:
        groups.setdefault((topic.subscribers, len(topic.owner)), []).append(topic)
    return groups.values()


def _place_together(topics: list[_Topic]) -> None:
    remaining = list(topics[0].subscribers)
    for number in range(len(topics[0].owner)):
        fitting = (
            member
            for member in remaining
            if all(topic.room(member) and topic.matches(member, number) for topic in topics)
        )
        member = next(fitting, None)
        if member is None:
            continue
        for topic in topics:
            topic.give(member, [number])
        if not any(topic.room(member) for topic in topics):
            remaining.remove(member)


def _place_ranges(topic: _Topic, may_have: Callable[[int, int], bool]) -> None:
    for member in topic.subscribers:
        free = (number for number, owner in enumerate(topic.owner) if owner == NOBODY)
        fitting = [number for number in free if may_have(member, number)][: topic.room(member)]
        if fitting:
            topic.give(member, fitting)
