"""Decoded records in the shape of Kafka's own formatters.

Source: ``CoordinatorRecordMessageFormatter`` of Kafka 4.3.1 and the generated ``...JsonConverter``
classes: camel-case names, bytes in base64, ids as text, a tagged field only where it differs from
its default.
"""

from __future__ import annotations

from base64 import b64encode
from contextlib import suppress
from typing import Any

from streaming.records.errors import UnreadableRecordError
from streaming.records.fields import Array, Field, Message, Scalar, Struct
from streaming.records.reader import (
    Value,
    read_assignment,
    read_key,
    read_subscription,
    read_value,
)
from streaming.records.schemas import ASSIGNMENT, SUBSCRIPTION
from streaming.records.writer import is_absent

_CONSUMER = "consumer"
_GROUP_METADATA = 2
_CONSUMER_MEMBER = 5


def to_kafka_json(
    key: bytes | None, value: bytes | None, *, embedded: bool = True
) -> dict[str, Any]:
    """The record as Kafka's formatters print it.

    Args:
        key: record key.
        value: record value, None for a tombstone.
        embedded: whether to put the decoded subscription and assignment of consumers where
            Kafka prints their bytes in base64.

    Returns:
        ``{"key": {"type", "data"}, "value": {"version", "data"} or None}``.

    Raises:
        UnreadableRecordError: the record, or what a classic group's members embed, is damaged.
    """
    read = read_key(key)
    head = {"type": read.type.number, "data": _message(read.type.key, 0, read.fields)}
    if value is None:
        return {"key": head, "value": None}
    body = read_value(read.type.number, value)
    data = _message(read.type.value, body.version, body.fields)
    if embedded:
        _embed(read.type.number, data, body)
    return {"key": head, "value": {"version": body.version, "data": data}}


def _embed(record_type: int, data: dict[str, Any], value: Value) -> None:
    if record_type == _GROUP_METADATA and value.fields.protocol_type == _CONSUMER:
        for shown, member in zip(data["members"], value.fields.members, strict=True):
            shown["subscription"] = _subscription(member.subscription, value)
            shown["assignment"] = _assignment(member.assignment, value)
    elif record_type == _CONSUMER_MEMBER and data.get("classicMemberMetadata"):
        protocols = value.fields.classic_member_metadata.supported_protocols
        places = data["classicMemberMetadata"]["supportedProtocols"]
        for shown, protocol in zip(places, protocols, strict=True):
            # No event reads these, so what is unreadable stays as Kafka prints it.
            with suppress(UnreadableRecordError):
                shown["metadata"] = _subscription(protocol.metadata, value)


def _subscription(raw: bytes, around: Value) -> Any:
    if not raw:
        return ""
    read = read_subscription(raw, around.memory_left)
    return _message(SUBSCRIPTION, read.version, read.fields)


def _assignment(raw: bytes, around: Value) -> Any:
    if not raw:
        return ""
    read = read_assignment(raw, around.memory_left)
    return _message(ASSIGNMENT, read.version, read.fields)


def _message(message: Message, version: int, fields: Any) -> dict[str, Any]:
    return _struct(message.struct, version, fields)


def _struct(kind: Struct, version: int, row: Any) -> dict[str, Any]:
    return {
        f.json_name: _value(f.kind, version, getattr(row, f.name))
        for f in kind.fields
        if f.within(version) and not _left_out(f, getattr(row, f.name))
    }


def _left_out(field: Field, value: Any) -> bool:
    return field.tag is not None and is_absent(field, value)


def _value(kind: Scalar | Struct | Array, version: int, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, Struct):
        return _struct(kind, version, value)
    if isinstance(kind, Array):
        return [_value(kind.element, version, element) for element in value]
    return b64encode(value).decode("ascii") if kind is Scalar.BYTES else value
