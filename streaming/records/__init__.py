"""Records of ``__consumer_offsets``: schemas as data, one reader, one writer, Kafka's JSON form."""

from streaming.records.errors import ReasonCode, UnreadableRecordError
from streaming.records.kafka_json import to_kafka_json
from streaming.records.reader import (
    Key,
    Value,
    read_assignment,
    read_key,
    read_sticky_user_data,
    read_subscription,
    read_value,
)
from streaming.records.writer import (
    write_assignment,
    write_key,
    write_subscription,
    write_value,
)

__all__ = [
    "Key",
    "ReasonCode",
    "UnreadableRecordError",
    "Value",
    "read_assignment",
    "read_key",
    "read_sticky_user_data",
    "read_subscription",
    "read_value",
    "to_kafka_json",
    "write_assignment",
    "write_key",
    "write_subscription",
    "write_value",
]
