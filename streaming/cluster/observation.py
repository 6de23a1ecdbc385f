"""Consumer groups as the AdminClient shows them at one moment."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import structlog
from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    KafkaException,
)

from streaming.cluster.connection import Connection
from streaming.events import GroupMember, Partitions
from streaming.events.normal import take_partitions, unique
from streaming.records.errors import UnreadableRecordError
from streaming.records.reader import read_assignment, read_subscription

_log = structlog.get_logger(__name__)
_AT_ONCE = 200
"""Requests about single groups that are under way together."""
_CONSUMER = "consumer"
_STEADY = frozenset({"Stable", "Empty"})

Offsets: TypeAlias = dict[tuple[str, int], tuple[int, int, str]]
"""(topic, partition) to (offset, leader epoch or -1, metadata)."""


@dataclass(frozen=True, slots=True)
class ClassicGroup:
    """A classic group between two rebalances.

    Attributes:
        members: With subscription and assignment as the coordinator keeps them.
    """

    group_id: str
    protocol_type: str
    protocol: str
    members: tuple[GroupMember, ...]


@dataclass(frozen=True, slots=True)
class ReconcilingMember:
    """A member of a KIP-848 group.

    Attributes:
        assigned: Partitions it has, by topic name.
        target: Partitions it is to have, by topic name.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    assigned: Partitions
    target: Partitions


@dataclass(frozen=True, slots=True)
class ReconciledGroup:
    """A KIP-848 group."""

    group_id: str
    assignor: str
    members: tuple[ReconcilingMember, ...]


Observed: TypeAlias = ClassicGroup | ReconciledGroup


@dataclass(frozen=True, slots=True)
class Observation:
    """All groups at one moment.

    Attributes:
        groups: Groups that could be read and are between two rebalances.
        present: Ids of all groups there are.
        complete: Whether every broker answered, so that a group not present is gone.
    """

    groups: tuple[Observed, ...]
    present: frozenset[str]
    complete: bool

    @property
    def topics(self) -> set[str]:
        """Topics that members of KIP-848 groups are to have."""
        return {
            topic
            for group in self.groups
            if isinstance(group, ReconciledGroup)
            for member in group.members
            for topic in member.target
        }


class GroupObserver:
    """Reads groups and their offsets; groups that did not change cost one request for all.

    Generations and epochs are not to be had through the AdminClient, nor are the subscriptions of
    KIP-848 members, nor share and streams groups.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._classic: dict[str, tuple[Any, ClassicGroup]] = {}

    def look(self) -> Observation:
        """Return the groups as they are.

        Raises:
            ClusterError: They cannot be listed.
        """
        listing = self._connection.ask("listing the groups", self._listing)
        present = {group.group_id: group.type for group in listing.valid}
        reconciled = [name for name, kind in present.items() if kind == ConsumerGroupType.CONSUMER]
        classic = self._connection.ask("describing classic groups", self._classic_groups)
        others = self._connection.ask(
            "describing KIP-848 groups", lambda: tuple(self._reconciled(reconciled))
        )
        return Observation((*classic, *others), frozenset(present), complete=not listing.errors)

    def offsets(self, group_ids: Iterable[str]) -> Iterator[tuple[str, Offsets]]:
        """Yield the committed offsets of each group that could be asked."""
        remaining = iter(group_ids)
        while some := tuple(islice(remaining, _AT_ONCE)):
            asked = [(group_id, self._offsets_of(group_id)[group_id]) for group_id in some]
            for group_id, answer in asked:
                found = self._or_none(answer)
                if found is not None:
                    yield group_id, _committed(found.topic_partitions)

    def _listing(self) -> Any:
        connection = self._connection
        return connection.answer(
            connection.admin.list_consumer_groups(request_timeout=connection.timeout_seconds)
        )

    def _offsets_of(self, group_id: str) -> dict[str, Any]:
        connection = self._connection
        answers: dict[str, Any] = connection.admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(group_id)], request_timeout=connection.timeout_seconds
        )
        return answers

    def _or_none(self, answer: Any) -> Any:
        """Return the answer about one group; None if it failed, as for a group just deleted."""
        try:
            return self._connection.answer(answer)
        except (KafkaException, TimeoutError):
            return None

    def _classic_groups(self) -> tuple[ClassicGroup, ...]:
        connection = self._connection
        with warnings.catch_warnings():
            # Only this call gives members' subscriptions, and all groups in one request a broker.
            warnings.simplefilter("ignore", DeprecationWarning)
            listed = connection.admin.list_groups(timeout=connection.timeout_seconds)
        steady = {str(group.id): group for group in listed if _is_steady(group)}
        known = {name: each for name, each in self._classic.items() if name in steady}
        changed = {
            name: _signature(group)
            for name, group in steady.items()
            if name not in known or known[name][0] != _signature(group)
        }
        instances = dict(self._instances([name for name in changed if steady[name].members]))
        for name, signature in changed.items():
            known.pop(name, None)
            try:
                known[name] = (signature, _classic_group(steady[name], instances))
            except UnreadableRecordError as error:
                _log.warning("group left out", group_id=name, reason=str(error))
        self._classic = known
        return tuple(group for _, group in known.values())

    def _instances(self, group_ids: Sequence[str]) -> Iterator[tuple[str, str | None]]:
        """Yield each member id with its group instance id, which the listing does not have."""
        for description in self._descriptions(group_ids):
            for member in description.members:
                yield member.member_id, member.group_instance_id

    def _reconciled(self, group_ids: Sequence[str]) -> Iterator[ReconciledGroup]:
        for description in self._descriptions(group_ids):
            if description.state != ConsumerGroupState.DEAD:
                yield ReconciledGroup(
                    description.group_id,
                    description.partition_assignor,
                    tuple(sorted(map(_reconciling, description.members), key=_id_of)),
                )

    def _descriptions(self, group_ids: Sequence[str]) -> Iterator[Any]:
        remaining = iter(group_ids)
        while some := list(islice(remaining, _AT_ONCE)):
            answers = self._connection.admin.describe_consumer_groups(
                some, request_timeout=self._connection.timeout_seconds
            )
            described = map(self._or_none, answers.values())
            yield from (description for description in described if description is not None)


def _is_steady(group: Any) -> bool:
    return group.error is None and group.protocol_type != "" and group.state in _STEADY


def _signature(group: Any) -> Any:
    members = [(member.id, member.metadata, member.assignment) for member in group.members]
    return group.protocol_type, group.protocol, sorted(members)


def _classic_group(group: Any, instances: dict[str, str | None]) -> ClassicGroup:
    make = _consumer if group.protocol_type == _CONSUMER else _opaque
    members = (make(member, instances.get(member.id)) for member in group.members)
    return ClassicGroup(
        group.id, group.protocol_type, group.protocol, tuple(sorted(members, key=_id_of))
    )


def _id_of(member: GroupMember | ReconcilingMember) -> str:
    return member.member_id


def _opaque(member: Any, instance_id: str | None) -> GroupMember:
    return GroupMember(member.id, instance_id, member.client_id, member.client_host)


def _consumer(member: Any, instance_id: str | None) -> GroupMember:
    subscription = read_subscription(member.metadata or b"").fields
    assignment = read_assignment(member.assignment or b"").fields
    generation = subscription.generation_id
    return GroupMember(
        member.id,
        instance_id,
        member.client_id,
        member.client_host,
        rack=subscription.rack_id,
        topics=unique(subscription.topics),
        owned=take_partitions(subscription.owned_partitions),
        owned_generation=generation if generation >= 0 else None,
        assigned=take_partitions(assignment.assigned_partitions),
        user_data=subscription.user_data,
    )


def _reconciling(member: Any) -> ReconcilingMember:
    target = member.target_assignment or member.assignment
    return ReconcilingMember(
        member.member_id,
        member.group_instance_id,
        member.client_id,
        member.host,
        assigned=_by_topic(member.assignment),
        target=_by_topic(target),
    )


def _by_topic(assignment: Any) -> Partitions:
    numbers: dict[str, list[int]] = {}
    for each in assignment.topic_partitions:
        numbers.setdefault(each.topic, []).append(each.partition)
    return {topic: tuple(sorted(found)) for topic, found in sorted(numbers.items())}


def _committed(partitions: Sequence[Any]) -> Offsets:
    return {
        (each.topic, each.partition): (
            each.offset,
            -1 if each.leader_epoch is None else each.leader_epoch,
            each.metadata or "",
        )
        for each in partitions
        if each.error is None and each.offset >= 0
    }
