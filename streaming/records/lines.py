"""Records as JSON Lines: hex in, Kafka's JSON form out."""

from __future__ import annotations

from typing import Any

import orjson

from streaming.records.errors import UnreadableRecordError
from streaming.records.kafka_json import to_kafka_json

BAD_LINE = "bad_line"
"""Reason of a line that is not a record in hex; no record has it, so it is no `ReasonCode`."""


def decode_line(line: bytes) -> bytes:
    """Decode ``{"key": hex, "value": hex or null}``.

    Returns:
        One line of JSON without its end: the record in the shape of Kafka's formatters, what
        consumers embed decoded in place; or ``{"error": text, "reason": code}``.
    """
    return orjson.dumps(_decoded(line))


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        key, value = _record(line)
    except (KeyError, TypeError, ValueError) as error:
        return {"error": f"not a record in hex: {error}", "reason": BAD_LINE}
    try:
        return to_kafka_json(key, value)
    except UnreadableRecordError as error:
        return {"error": error.detail, "reason": error.reason}


def _record(line: bytes) -> tuple[bytes | None, bytes | None]:
    record = orjson.loads(line)
    if not isinstance(record, dict):
        raise TypeError("the line is no JSON object")
    return _unhex(record, "key"), _unhex(record, "value")


def _unhex(record: dict[str, Any], name: str) -> bytes | None:
    if name not in record:
        raise KeyError(f"no {name}")
    text = record[name]
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{name} is neither text nor null")
    return bytes.fromhex(text)
