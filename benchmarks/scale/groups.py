"""Synthetic consumer groups, as the records that a coordinator writes about them.

A record is made once as a template and stamped with the group's name and generation after that, so
that millions of records cost seconds. Names have a fixed length, which keeps all lengths right.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from streaming.records import write_assignment, write_key, write_subscription, write_value

NAME = "group-%06d"
_STAND_IN = NAME % 999_999
_EPOCH_MS = 1_760_000_000_000
_KIP_848_EVERY = 4
_OFFSET_AT = 2

Record = tuple[bytes, bytes | None]
"""Key and value; None is a tombstone."""


@dataclass(frozen=True)
class Load:
    """Groups of one shape: every fourth one under KIP-848, the others classic and eager.

    Attributes:
        groups: number of groups.
        topics: topic name to topic id (URL-safe base64), subscribed to by every group.
        partitions: partitions of each topic.
        members: members of each group.
    """

    groups: int
    topics: Mapping[str, str]
    partitions: int = 25
    members: int = 20
    _classic: dict[int, bytes] = field(default_factory=dict, repr=False)
    _brokered: dict[int, list[Record]] = field(default_factory=dict, repr=False)

    @property
    def partition_count(self) -> int:
        """Partitions of all topics, the same for each group."""
        return len(self.topics) * self.partitions

    def rebalance(self, group: int, generation: int) -> Iterator[Record]:
        """Records of one rebalance, in which one member restarts and every partition moves.

        Args:
            group: number of the group.
            generation: generation, or epoch; the next one of the group.
        """
        name = (NAME % group).encode()
        if group % _KIP_848_EVERY:
            yield write_key(2, {"group": NAME % group}), self._stamped(generation, name)
            return
        for key, value in self._epoch(generation):
            stamped = None if value is None else value.replace(_STAND_IN.encode(), name)
            yield key.replace(_STAND_IN.encode(), name), stamped

    def commits(self, group: int, offset: int) -> Iterator[Record]:
        """One offset commit for each partition that the group reads."""
        name, value = (NAME % group).encode(), commit_value(offset)
        for key in self._commit_keys:
            yield key.replace(_STAND_IN.encode(), name), value

    @cached_property
    def _commit_keys(self) -> list[bytes]:
        return [
            write_key(1, {"group": _STAND_IN, "topic": topic, "partition": number})
            for topic, number in self._flat
        ]

    @cached_property
    def _flat(self) -> list[tuple[str, int]]:
        return [(topic, number) for topic in self.topics for number in range(self.partitions)]

    def _stamped(self, generation: int, name: bytes) -> bytes:
        if generation not in self._classic:
            self._classic[generation] = self._generation(generation)
        return self._classic[generation].replace(_STAND_IN.encode(), name)

    def _owned(self, member: int, generation: int) -> dict[str, list[int]]:
        owned: dict[str, list[int]] = {}
        for place, (topic, number) in enumerate(self._flat):
            if (place + generation) % self.members == member:
                owned.setdefault(topic, []).append(number)
        return owned

    def _member_ids(self, generation: int) -> list[str]:
        """Ids of the members: in each generation another one has just been started anew."""
        return [
            f"{_STAND_IN}-m{member:03}-{(generation - member) // self.members:04}"
            for member in range(self.members)
        ]

    def _generation(self, generation: int) -> bytes:
        ids = self._member_ids(generation)
        subscription = write_subscription(1, {"topics": list(self.topics), "owned_partitions": []})
        members = [
            {
                "member_id": member_id,
                "client_id": member_id,
                "client_host": "/10.0.0.1",
                "rebalance_timeout": 300_000,
                "session_timeout": 45_000,
                "subscription": subscription,
                "assignment": _assignment(self._owned(member, generation)),
            }
            for member, member_id in enumerate(ids)
        ]
        return write_value(
            2,
            3,
            {
                "protocol_type": "consumer",
                "generation": generation,
                "protocol": "range",
                "leader": ids[0],
                "current_state_timestamp": _EPOCH_MS + generation,
                "members": members,
            },
        )

    def _epoch(self, epoch: int) -> list[Record]:
        if epoch not in self._brokered:
            self._brokered[epoch] = list(self._epoch_records(epoch))
        return self._brokered[epoch]

    def _epoch_records(self, epoch: int) -> Iterator[Record]:
        """A member is replaced, the group gets a target, and every member reaches it."""
        group = {"group_id": _STAND_IN}
        now, before = self._member_ids(epoch), self._member_ids(epoch - 1)
        for old in set(before) - set(now) if epoch > 1 else ():
            for kind in (8, 7, 5):
                yield write_key(kind, {**group, "member_id": old}), None
        for member_id in now if epoch == 1 else sorted(set(now) - set(before)):
            yield self._member_record(member_id)
        yield write_key(3, group), write_value(3, 0, {"epoch": epoch})
        owned = [self._by_id(self._owned(member, epoch)) for member in range(self.members)]
        for member_id, partitions in zip(now, owned, strict=True):
            key = write_key(7, {**group, "member_id": member_id})
            yield key, write_value(7, 0, {"topic_partitions": partitions})
        yield write_key(6, group), write_value(6, 0, {"assignment_epoch": epoch})
        for member_id, partitions in zip(now, owned, strict=True):
            key = write_key(8, {**group, "member_id": member_id})
            yield key, _current(epoch, partitions)

    def _member_record(self, member_id: str) -> Record:
        return write_key(5, {"group_id": _STAND_IN, "member_id": member_id}), write_value(
            5,
            0,
            {
                "client_id": member_id,
                "client_host": "/10.0.0.1",
                "subscribed_topic_names": sorted(self.topics),
                "rebalance_timeout_ms": 300_000,
                "server_assignor": "uniform",
            },
        )

    def _by_id(self, owned: Mapping[str, Sequence[int]]) -> list[dict[str, object]]:
        return [
            {"topic_id": self.topics[topic], "partitions": numbers}
            for topic, numbers in owned.items()
        ]


def commit_value(offset: int) -> bytes:
    """The value of an offset commit."""
    return _COMMIT[:_OFFSET_AT] + struct.pack(">q", offset) + _COMMIT[_OFFSET_AT + 8 :]


_COMMIT = write_value(
    1, 3, {"offset": 0, "leader_epoch": 0, "metadata": "", "commit_timestamp": _EPOCH_MS}
)


def _assignment(owned: Mapping[str, Sequence[int]]) -> bytes:
    partitions = [{"topic": topic, "partitions": numbers} for topic, numbers in owned.items()]
    return write_assignment(1, {"assigned_partitions": partitions})


def _current(epoch: int, partitions: list[dict[str, object]]) -> bytes:
    return write_value(
        8,
        0,
        {
            "member_epoch": epoch,
            "previous_member_epoch": epoch - 1,
            "state": 0,
            "assigned_partitions": partitions,
            "partitions_pending_revocation": [],
        },
    )
