"""Generations of classic groups, with what consumers embed in them (KIP-54, KIP-429, KIP-792)."""

from __future__ import annotations

from typing import Any

from streaming.events.model import ClassicGeneration, GroupMember
from streaming.events.normal import known_time, take_partitions, unique
from streaming.records.errors import UnreadableRecordError
from streaming.records.reader import (
    Value,
    read_assignment,
    read_sticky_user_data,
    read_subscription,
)

_CONSUMER = "consumer"
_STICKY, _COOPERATIVE_STICKY = "sticky", "cooperative-sticky"
_GENERATION_BYTES = 4
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
    rows.reverse()
    while rows:  # used up, so that a large group is never held in both forms
        row = rows.pop()
        known = len(names)
        try:
            member = _consumer(row, protocol, memory, names)
        except UnreadableRecordError as error:
            raise UnreadableRecordError(
                error.reason, f"member {row.member_id}: {error.detail}"
            ) from None
        memory -= (len(names) - known) * _NAME_BYTES
        memory -= (len(member.owned) + len(member.assigned or ())) * _ENTRY_BYTES
        members.append(member)
    return tuple(members)


def _consumer(row: Any, protocol: str | None, memory: int, names: dict[str, str]) -> GroupMember:
    """One member.

    Args:
        row: the member in the record.
        protocol: the group's assignor, None while it has none.
        memory: bytes that reading what is embedded may take.
        names: topic names met so far, so that members share them; added to.
    """
    _, subscription, _ = read_subscription(row.subscription, memory)
    _, assignment, _ = read_assignment(row.assignment, memory)
    owned, generation = _claim(subscription, protocol, memory)
    return GroupMember(
        row.member_id,
        row.group_instance_id,
        row.client_id,
        row.client_host,
        subscription.rack_id,
        row.session_timeout,
        row.rebalance_timeout,
        unique(map(names.setdefault, subscription.topics, subscription.topics)),
        take_partitions(owned, names),
        generation if generation >= 0 else None,
        take_partitions(assignment.assigned_partitions, names) if row.assignment else None,
        subscription.user_data,
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
