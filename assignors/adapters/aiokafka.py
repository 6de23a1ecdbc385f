"""The policies as assignors of aiokafka consumers.

Give an instance to each consumer, ``partition_assignment_strategy=[StickyStreamJoinAssignor()]``:
aiokafka uses what it is given as it is, and what a consumer was given is kept in the instance.

There is no `sticky`: its claims carry the group's generation, which aiokafka does not tell its
assignors. Nor does it tell them instance ids: static members are ordered by member id.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from assignors.adapters import wire

try:
    from aiokafka.cluster import ClusterMetadata
    from aiokafka.coordinator.protocol import (
        ConsumerProtocolMemberAssignment,
        ConsumerProtocolMemberMetadata,
    )
except ModuleNotFoundError as missing:
    missing.add_note("This module needs aiokafka: install the extra `adapters`.")
    raise

_SCHEMA_VERSION = 0


# Not aiokafka's own base class: there all methods are class methods, whose state consumers share.
class _PolicyAssignor:
    """One policy under its protocol's name."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self._memory = wire.MEMORIES[self.name]()

    def metadata(self, topics: Iterable[str]) -> ConsumerProtocolMemberMetadata:
        """Make the subscription to join with."""
        return ConsumerProtocolMemberMetadata(
            _SCHEMA_VERSION, sorted(topics), self._memory.user_data()
        )

    def assign(
        self, cluster: ClusterMetadata, members: Mapping[str, ConsumerProtocolMemberMetadata]
    ) -> dict[str, ConsumerProtocolMemberAssignment]:
        """Assign all partitions, as the group's leader."""
        joined = {
            member: wire.Subscription(tuple(said.subscription), said.user_data)
            for member, said in members.items()
        }
        assigned = wire.assign(self.name, self._memory, cluster.partitions_for_topic, joined)
        return {
            member: ConsumerProtocolMemberAssignment(
                _SCHEMA_VERSION, assignment.by_topic, assignment.user_data
            )
            for member, assignment in assigned.items()
        }

    def on_assignment(self, assignment: ConsumerProtocolMemberAssignment) -> None:
        """Remember what this member was given."""
        partitions = tuple((topic, number) for topic, number in assignment.partitions())
        self._memory.remember(wire.Assignment(partitions, assignment.user_data), None)


class RangeAssignor(_PolicyAssignor):
    """Kafka's `range` without racks; may be mixed with Kafka's own in one group."""

    name = "range"


class RoundRobinAssignor(_PolicyAssignor):
    """Kafka's `roundrobin`; may be mixed with Kafka's own in one group."""

    name = "roundrobin"


class FairAssignor(_PolicyAssignor):
    """KIP-49's `fair`."""

    name = "fair"


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
