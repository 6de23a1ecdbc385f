"""Well-formed records in the real binary format: offset commits and groups of every kind."""

from __future__ import annotations

import random
import zlib
from typing import TYPE_CHECKING, Any

from streaming.records import (
    write_assignment,
    write_key,
    write_subscription,
    write_value,
)
from streaming.records.fields import Array, Field, Scalar, Struct
from streaming.records.schemas import RECORD_TYPES
from streaming.records.wire import uuid_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOW_MS = 1_700_000_000_000
TOPICS_PER_GROUP, PARTITIONS_PER_TOPIC = 2, 5
KEYS_PER_GROUP = TOPICS_PER_GROUP * PARTITIONS_PER_TOPIC


def commit_keys(key_count: int, partition_count: int) -> list[tuple[int, bytes]]:
    """Kafka partition and key of commits, ten to a group."""
    return [_commit_key(number, partition_count) for number in range(key_count)]


def _commit_key(number: int, partition_count: int) -> tuple[int, bytes]:
    group, place = f"group-{number // KEYS_PER_GROUP:06d}", number % KEYS_PER_GROUP
    key = {
        "group": group,
        "topic": f"orders-{place // PARTITIONS_PER_TOPIC}",
        "partition": place % PARTITIONS_PER_TOPIC,
    }
    return zlib.crc32(group.encode()) % partition_count, write_key(1, key)


def commits(
    count: int, *, key_count: int, partition_count: int
) -> Iterator[tuple[int, bytes, bytes]]:
    """Offset commits as a broker of today writes them: Kafka partition, key, value."""
    keys = commit_keys(key_count, partition_count)
    plain = {"leader_epoch": 3, "commit_timestamp": NOW_MS}
    values = [
        write_value(1, 4, plain),  # librdkafka's
        write_value(1, 4, plain | {"topic_id": uuid_text(bytes(range(16)))}),  # Java's
    ]
    for number in range(count):
        place = number % key_count
        partition, key = keys[place]
        value = values[place // KEYS_PER_GROUP % 2]
        yield partition, key, value[:2] + number.to_bytes(8, "big") + value[10:]


def classic_group(*, members: int, partitions_per_member: int) -> tuple[bytes, bytes]:
    """Key and value of a group of consumers that own an equal share of one topic."""
    rows = [_consumer(number, partitions_per_member) for number in range(members)]
    fields = {
        "protocol_type": "consumer",
        "generation": 7,
        "protocol": "cooperative-sticky",
        "leader": rows[0]["member_id"],
        "current_state_timestamp": NOW_MS,
        "members": rows,
    }
    return write_key(2, {"group": "orders"}), write_value(2, 3, fields)


def _consumer(number: int, partition_count: int) -> dict[str, Any]:
    first = number * partition_count
    own = [{"topic": "orders", "partitions": range(first, first + partition_count)}]
    subscription = {
        "topics": ["orders"],
        "user_data": (6).to_bytes(4, "big"),
        "owned_partitions": own,
        "generation_id": 6,
    }
    return {
        "member_id": f"consumer-{number}-0f2c9d4e-6d5f-4f0b-9a57-1b1f0c0a7e11",
        "client_id": f"consumer-{number}",
        "client_host": "/10.0.0.1",
        "rebalance_timeout": 300_000,
        "session_timeout": 45_000,
        "subscription": write_subscription(2, subscription),
        "assignment": write_assignment(2, {"assigned_partitions": own}),
    }


def one_of_each(seed: int, *, rounds: int = 1) -> list[tuple[bytes, bytes | None]]:
    """Records of every type and value version with random fields, and a tombstone of each type."""
    rng = random.Random(seed)
    records: list[tuple[bytes, bytes | None]] = []
    for _ in range(rounds):
        for record in RECORD_TYPES:
            key = write_key(record.number, _fields(rng, record.key.struct))
            records.append((key, None))
            for version in range(record.value.latest + 1):
                fields = _fields(rng, record.value.struct)
                if record.number in _EMBEDDING:
                    fields = _EMBEDDING[record.number](rng, fields)
                records.append((key, write_value(record.number, version, fields)))
    return records


def _consumers(rng: random.Random, fields: dict[str, Any]) -> dict[str, Any]:
    for member in fields["members"]:
        member.update(_consumer(rng.randrange(1000), rng.randrange(20)))
        member["subscription"] = _subscription(rng)
    return fields | {"protocol_type": "consumer"}


def _speaker_of_classic(rng: random.Random, fields: dict[str, Any]) -> dict[str, Any]:
    for protocol in (fields["classic_member_metadata"] or {}).get("supported_protocols", ()):
        protocol["metadata"] = _subscription(rng)
    return fields


def _subscription(rng: random.Random) -> bytes:
    own = [{"topic": "orders", "partitions": [rng.randrange(1000)]}]
    fields = {"topics": ["orders", "t"], "owned_partitions": own, "rack_id": "r"}
    return write_subscription(rng.randrange(4), fields)


_EMBEDDING = {2: _consumers, 5: _speaker_of_classic}
"""What puts the consumer protocol into a record's fields, by record type."""


def _fields(rng: random.Random, kind: Struct) -> dict[str, Any]:
    return {field.name: _field(rng, field) for field in kind.fields}


def _field(rng: random.Random, field: Field) -> Any:
    if field.nullable and rng.random() < _NULL_SHARE:
        return None
    return _value(rng, field.kind)


_NULL_SHARE = 0.3


def _value(rng: random.Random, kind: Scalar | Struct | Array) -> Any:
    if isinstance(kind, Struct):
        return _fields(rng, kind)
    if isinstance(kind, Array):
        return [_value(rng, kind.element) for _ in range(rng.randrange(4))]
    return _SCALARS[kind](rng)


def _word(rng: random.Random) -> str:
    return "".join(rng.choices("abcdefgh-é.0123", k=rng.randrange(24)))


_SCALARS: dict[Scalar, Callable[[random.Random], Any]] = {
    Scalar.INT8: lambda rng: rng.randrange(4),
    Scalar.INT16: lambda rng: rng.randrange(-1, 2**15),
    Scalar.UINT16: lambda rng: rng.randrange(2**16),
    Scalar.INT32: lambda rng: rng.choice((-1, rng.randrange(300), rng.randrange(2**31))),
    Scalar.INT64: lambda rng: rng.choice((-1, rng.randrange(2**63))),
    Scalar.UUID: lambda rng: uuid_text(rng.randbytes(16)),
    Scalar.STRING: _word,
    Scalar.BYTES: lambda rng: rng.randbytes(rng.randrange(24)),
}
