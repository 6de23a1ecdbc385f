"""What a policy's members and their leader tell each other, whatever the client library.

Pure: user data in and out, no client library. A member's side of it is a `Memory`, which holds what
the member was last given; every consumer needs one of its own.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import assignors
from assignors.problem import NOBODY, IntArray, Member, Partition, Problem
from assignors.stream_join_sticky import next_epoch
from assignors.user_data import (
    StickyData,
    decode_epoch,
    decode_sticky,
    decode_stream_join,
    encode_epoch,
    encode_sticky,
    encode_stream_join,
)

_LAST_EPOCH = 2**31 - 1
_NOTHING = StickyData((), None)


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a member joins with, as its leader sees it.

    Attributes:
        topics: The topics it subscribes to.
        user_data: What its assignor said; not to be trusted.
        instance_id: `group.instance.id` of a static member.
    """

    topics: tuple[str, ...]
    user_data: bytes | None = None
    instance_id: str | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """What the leader gives to a member.

    Attributes:
        partitions: In order of topic and number.
        user_data: What the leader's assignor says to the member's.
    """

    partitions: tuple[Partition, ...]
    user_data: bytes | None = b""

    @property
    def by_topic(self) -> list[tuple[str, list[int]]]:
        """Partition numbers of each topic, as the clients encode them."""
        numbers: dict[str, list[int]] = {}
        for topic, number in self.partitions:
            numbers.setdefault(topic, []).append(number)
        return list(numbers.items())


class Memory:
    """Remembers nothing and says nothing: `range`, `roundrobin`, `fair`."""

    def user_data(self) -> bytes:
        """What the next subscription says."""
        return b""

    def remember(self, assignment: Assignment, generation: int | None) -> None:
        """Keep what this member was given.

        Args:
            assignment: As received.
            generation: The group's, None where the client library does not tell it.
        """

    def claim(self, subscription: Subscription) -> StickyData:
        """Read, as leader, what a member says it owned; unreadable data claims nothing."""
        del subscription
        return _NOTHING

    def handed(self, claims: Iterable[StickyData]) -> bytes:
        """What the leader says with every assignment it makes upon such claims."""
        del claims
        return b""


class GenerationMemory(Memory):
    """Kafka's `sticky`: the previous assignment and its generation (KIP-54, KIP-341)."""

    def __init__(self) -> None:
        self._owned: tuple[Partition, ...] | None = None
        self._since: int | None = None

    def user_data(self) -> bytes:
        """What the next subscription says."""
        return b"" if self._owned is None else self._encode(self._owned)

    def remember(self, assignment: Assignment, generation: int | None) -> None:
        """Keep what this member was given, and when."""
        self._owned = assignment.partitions
        self._since = generation

    def claim(self, subscription: Subscription) -> StickyData:
        """Read, as leader, what a member says it owned; unreadable data claims nothing."""
        return decode_sticky(subscription.user_data) or _NOTHING

    def _encode(self, owned: tuple[Partition, ...]) -> bytes:
        return encode_sticky(owned, self._since)


class EpochMemory(GenerationMemory):
    """The same with the leader's own epoch instead of the group's generation.

    Like KIP-315's, so that it also works where the client library keeps the generation to itself.
    """

    def remember(self, assignment: Assignment, generation: int | None) -> None:
        """Keep what this member was given, and the epoch that came with it."""
        del generation
        super().remember(assignment, decode_epoch(assignment.user_data))

    def handed(self, claims: Iterable[StickyData]) -> bytes:
        """The epoch after the highest claimed; a forged one must not end the group."""
        return encode_epoch(min(next_epoch(claim.generation for claim in claims), _LAST_EPOCH))


class NumberMemory(EpochMemory):
    """KIP-315's: the set of partition numbers, which hold for all topics, and their epoch."""

    def claim(self, subscription: Subscription) -> StickyData:
        """Read, as leader, the numbers that a member says it owned, of each of its topics."""
        data = decode_stream_join(subscription.user_data)
        if data is None:
            return _NOTHING
        return StickyData(data.owned(subscription.topics), data.epoch)

    def _encode(self, owned: tuple[Partition, ...]) -> bytes:
        return encode_stream_join({number for _, number in owned}, self._since or 0)


MEMORIES: Mapping[str, type[Memory]] = {
    "range": Memory,
    "roundrobin": Memory,
    "fair": Memory,
    "sticky": GenerationMemory,
    "fairest-sticky": EpochMemory,
    "optimal": EpochMemory,
    "optimal-join": EpochMemory,
    "stream-join-sticky": NumberMemory,
}
"""Per policy, which is also the protocol's name, what its members remember."""


def assign(
    policy: str,
    memory: Memory,
    partitions_of: Callable[[str], Collection[int] | None],
    members: Mapping[str, Subscription],
) -> dict[str, Assignment]:
    """Do the leader's work.

    Args:
        policy: One of `MEMORIES`.
        memory: Of that policy; only its way to read and write is used.
        partitions_of: The partition numbers of a topic, None if the leader does not know it (yet);
            such a topic is left out, as in Kafka's assignors.
        members: Their subscriptions by member id.

    Returns:
        The assignment of every member, by member id.
    """
    claims = {member: memory.claim(joined) for member, joined in members.items()}
    problem = Problem.build(
        _counts(members, partitions_of),
        {
            member: Member(
                topics=joined.topics,
                owned=claims[member].owned,
                generation=claims[member].generation,
                instance_id=joined.instance_id,
            )
            for member, joined in members.items()
        },
    )
    owner = assignors.assign(policy, problem)
    user_data = memory.handed(claims.values())
    return {
        member: Assignment(partitions, user_data)
        for member, partitions in _by_member(problem, owner).items()
    }


def _counts(
    members: Mapping[str, Subscription], partitions_of: Callable[[str], Collection[int] | None]
) -> dict[str, int]:
    topics = {topic for joined in members.values() for topic in joined.topics}
    return {topic: len(partitions_of(topic) or ()) for topic in topics}


def _by_member(problem: Problem, owner: IntArray) -> dict[str, tuple[Partition, ...]]:
    held: list[list[Partition]] = [[] for _ in problem.members]
    triples = zip(
        owner.tolist(), problem.topic_of.tolist(), problem.number_of.tolist(), strict=True
    )
    for index, topic, number in triples:
        if index != NOBODY:
            held[index].append((problem.topics[topic], number))
    return dict(zip(problem.members, map(tuple, held), strict=True))
