"""Views as JSON: the same figures as the pages', under the tables' names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import orjson

from streaming.dashboard.health import Level

_PRIVATE = frozenset({"topic_names", "machine", "shard"})


def encode(value: object) -> bytes:
    """JSON text; times as ISO 8601 with microseconds, UTC."""
    return orjson.dumps(plain(value), option=orjson.OPT_UTC_Z)


def plain(value: object) -> Any:
    """Dataclasses and mappings as dictionaries, levels by their word.

    A mapping over partitions becomes a list of ``[topic, partition, value]``.
    """
    if isinstance(value, Level):
        return value.word
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        if any(isinstance(name, tuple) for name in value):
            return [[*name, plain(each)] for name, each in value.items()]
        return {name: plain(each) for name, each in value.items() if name not in _PRIVATE}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(each) for each in value]
    return value
