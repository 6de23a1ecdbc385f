"""The policies as assignors of kafka-python consumers (version 3).

Give the classes themselves, ``partition_assignment_strategy=[StickyStreamJoinAssignor]``:
kafka-python makes an instance for each consumer, and what a consumer was given is kept in its
instance, never in the class.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from assignors.adapters import wire

try:
    from kafka.cluster import ClusterMetadata
    from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor
    from kafka.protocol.consumer.group import JoinGroupResponse
    from kafka.protocol.consumer.metadata import (
        ConsumerProtocolAssignment,
        ConsumerProtocolSubscription,
    )
except ModuleNotFoundError as missing:
    missing.add_note("This module needs kafka-python: install the extra `adapters`.")
    raise

_SCHEMA_VERSION = 0  # what later versions add, eager assignors do not need


# kafka-python comes without types, so its base class is Any to mypy.
class _PolicyAssignor(AbstractPartitionAssignor):  # type: ignore[misc]
    """One policy under its protocol's name."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self._memory = wire.MEMORIES[self.name]()

    def metadata(self, topics: Iterable[str]) -> ConsumerProtocolSubscription:
        """Make the subscription to join with."""
        return ConsumerProtocolSubscription(
            _SCHEMA_VERSION, sorted(topics), self._memory.user_data()
        )

    def assign(
        self,
        cluster: ClusterMetadata,
        members: Sequence[JoinGroupResponse.JoinGroupResponseMember],
    ) -> dict[str, ConsumerProtocolAssignment]:
        """Assign all partitions, as the group's leader."""
        joined = {member.member_id: _subscription(member) for member in members}
        assigned = wire.assign(self.name, self._memory, cluster.partitions_for_topic, joined)
        return {
            member: ConsumerProtocolAssignment(
                _SCHEMA_VERSION, assignment.by_topic, assignment.user_data
            )
            for member, assignment in assigned.items()
        }

    def on_assignment(self, assignment: ConsumerProtocolAssignment, generation: int) -> None:
        """Remember what this member was given."""
        partitions = tuple((topic, number) for topic, number in assignment.partitions())
        self._memory.remember(wire.Assignment(partitions, assignment.user_data), generation)


def _subscription(member: JoinGroupResponse.JoinGroupResponseMember) -> wire.Subscription:
    return wire.Subscription(
        topics=tuple(member.metadata.topics),
        user_data=member.metadata.user_data,
        instance_id=member.group_instance_id,
    )


class RangeAssignor(_PolicyAssignor):
    """Kafka's `range` without racks; may be mixed with Kafka's own in one group."""

    name = "range"


class RoundRobinAssignor(_PolicyAssignor):
    """Kafka's `roundrobin`; may be mixed with Kafka's own in one group."""

    name = "roundrobin"


class FairAssignor(_PolicyAssignor):
    """KIP-49's `fair`."""

    name = "fair"


class StickyAssignor(_PolicyAssignor):
    """`sticky` with the exact ideal; says what Kafka's own does, so both may be in one group."""

    name = "sticky"


class FairestStickyAssignor(_PolicyAssignor):
    """KIP-54's alternative, stickiness first."""

    name = "fairest-sticky"


class OptimalAssignor(_PolicyAssignor):
    """The fairest loads, then the fewest moves."""

    name = "optimal"


class OptimalJoinAssignor(_PolicyAssignor):
    """The same where topics with equal partition counts and subscribers are joined."""

    name = "optimal-join"


class StickyStreamJoinAssignor(_PolicyAssignor):
    """KIP-315: a partition number of all topics goes to one member, and stays."""

    name = "stream-join-sticky"
