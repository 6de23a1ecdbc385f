"""Generations of classic groups, with what consumers embed in them (KIP-54, KIP-429, KIP-792)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from streaming.events.model import ClassicGeneration, GroupMember
from streaming.events.normal import known_time, take_partitions, unique
from streaming.records.errors import UnreadableRecordError
from streaming.records.reader import (
    Value,
    read_assignment,
    read_sticky_user_data,
    read_subscription,
)

if TYPE_CHECKING:
    from streaming.events.model import Partitions

    _Subscription: TypeAlias = tuple[
        str | None, tuple[str, ...], Partitions, int | None, bytes | None
    ]

_CONSUMER = "consumer"
_STICKY, _COOPERATIVE_STICKY = "sticky", "cooperative-sticky"
_GENERATION_BYTES = 4
_NOTHING_SAID: _Subscription = (None, (), {}, None, None)
_NAME_BYTES = 112
"""Memory of a topic name and its place among the names, besides its characters."""
_ENTRY_BYTES = 96
"""Memory of a topic's entry in the partitions of a member, besides the numbers."""


def generation_of(key: Any, value: Value) -> ClassicGeneration:
    """The generation that a GroupMetadata record holds.

    Raises:
        UnreadableRecordError: a consumer's subscription or assignment is damaged.
    """
    fields = value.fields
    if fields.protocol_type == _CONSUMER:
        members = _consumers(fields.members, fields.protocol, value.memory_left)
    else:
        members = tuple(map(_opaque, fields.members))
    return ClassicGeneration(
        key.group,
        fields.protocol_type,
        fields.generation,
        fields.protocol,
        fields.leader,
        known_time(fields.current_state_timestamp),
        members,
    )


def _opaque(row: Any) -> GroupMember:
    return GroupMember(
        row.member_id,
        row.group_instance_id,
        row.client_id,
        row.client_host,
        session_timeout_ms=row.session_timeout,
        rebalance_timeout_ms=row.rebalance_timeout,
    )


def _consumers(rows: list[Any], protocol: str | None, memory: int) -> tuple[GroupMember, ...]:
    members = []
    names: dict[str, str] = {}
    last: bytes | None = None
    said = _NOTHING_SAID
    rows.reverse()
    while rows:  # used up, so that a large group is never held in both forms
        row = rows.pop()
        known = len(names)
        try:
            if row.subscription != last:  # members without claims say the same, byte for byte
                said = _subscription(row.subscription, protocol, memory, names)
                last = row.subscription
            member = _consumer(row, said, memory, names)
        except UnreadableRecordError as error:
            raise UnreadableRecordError(
                error.reason, f"member {row.member_id}: {error.detail}"
            ) from None
        memory -= (len(names) - known) * _NAME_BYTES
        memory -= (len(member.owned) + len(member.assigned or ())) * _ENTRY_BYTES
        members.append(member)
    return tuple(members)


def _subscription(
    data: bytes, protocol: str | None, memory: int, names: dict[str, str]
) -> _Subscription:
    """Read a subscription: rack, topics, claimed partitions and their generation, user data.

    Args:
        data: as it is embedded.
        protocol: the group's assignor, None while it has none.
        memory: bytes that reading it may take.
        names: topic names met so far, so that members share them; added to.
    """
    _, fields, _ = read_subscription(data, memory)
    owned, generation = _claim(fields, protocol, memory)
    return (
        fields.rack_id,
        unique([names.setdefault(topic, topic) for topic in fields.topics]),
        take_partitions(owned, names),
        generation if generation >= 0 else None,
        fields.user_data,
    )


def _consumer(row: Any, said: _Subscription, memory: int, names: dict[str, str]) -> GroupMember:
    _, assignment, _ = read_assignment(row.assignment, memory)
    rack, topics, owned, generation, user_data = said
    return GroupMember(
        row.member_id,
        row.group_instance_id,
        row.client_id,
        row.client_host,
        rack,
        row.session_timeout,
        row.rebalance_timeout,
        topics,
        owned,
        generation,
        take_partitions(assignment.assigned_partitions, names) if row.assignment else None,
        user_data,
    )


def _claim(subscription: Any, protocol: str | None, memory: int) -> tuple[Any, int]:
    """What the member says it owned, and the generation of that, -1 if it does not say.

    The protocol has fields for both, but `sticky` came before them and says it in user data, and
    so does `cooperative-sticky` for the generation.
    """
    owned, generation = subscription.owned_partitions, subscription.generation_id
    data = subscription.user_data
    if protocol == _STICKY and data and not owned:
        claim = read_sticky_user_data(data, memory)
        if claim is not None:
            said = claim.fields.generation
            return claim.fields.previous_assignment, said if said >= 0 else generation
    if protocol == _COOPERATIVE_STICKY and generation < 0 and len(data or b"") == _GENERATION_BYTES:
        generation = int.from_bytes(data, "big", signed=True)
    return owned, generation
