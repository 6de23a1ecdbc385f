"""The JSON form of events, for the events topic: ``{"event": name, "data": {...}}``.

Names are the classes' in snake case, fields keep their names; bytes are base64. A record's key is
the group id, so that all events of a group stay in one partition and in order.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

import orjson

from streaming.events.model import Event, OffsetCommit, OffsetRemoved
from streaming.records.errors import ReasonCode, UnreadableRecordError

_Converter: TypeAlias = Callable[[Any], Any]


def to_json(event: Event) -> bytes:
    """An event as the value of a record of the events topic."""
    return orjson.dumps({"event": _NAMES[type(event)], "data": event}, default=_base64)


def from_json(value: bytes) -> Event:
    """An event from its JSON form.

    Raises:
        UnreadableRecordError: with reason ``bad_event``: not JSON, an unknown event, a field
            missing or of the wrong type. Unknown fields are ignored: newer collectors may add some.
    """
    try:
        found = orjson.loads(value)
        read = _READERS[found["event"]]
        event: Event = read(found["data"])
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise UnreadableRecordError(
            ReasonCode.BAD_EVENT, f"not an event: {type(error).__name__} {error}"
        ) from None
    return event


def says_commit(value: bytes | None) -> bool:
    """Whether a value is, by its name, the event of an offset commit, or of the end of one."""
    try:
        return orjson.loads(value or b"{}").get("event") in _COMMITS
    except (orjson.JSONDecodeError, AttributeError, TypeError):
        return False


def _base64(value: bytes) -> str:
    return b64encode(value).decode("ascii")


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _exact(kind: type) -> _Converter:
    def convert(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"{value!r:.80} where {kind.__name__} belongs")
        return value

    return convert


def _bytes(value: Any) -> bytes:
    return b64decode(value, validate=True)


def _optional(convert: _Converter) -> _Converter:
    return lambda value: None if value is None else convert(value)


def _tuple(convert: _Converter) -> _Converter:
    as_list = _exact(list)
    return lambda value: tuple(map(convert, as_list(value)))


def _dict(convert: _Converter) -> _Converter:
    as_dict = _exact(dict)
    return lambda value: {key: convert(item) for key, item in as_dict(value).items()}


def _dataclass(kind: type) -> _Converter:
    hints = get_type_hints(kind)
    converters = {f.name: _converter(hints[f.name]) for f in fields(kind)}
    required = {
        f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING
    }
    as_dict = _exact(dict)

    def convert(value: Any) -> Any:
        found = as_dict(value)
        if missing := required - found.keys():
            raise TypeError(f"{kind.__name__} without {', '.join(sorted(missing))}")
        return kind(**{n: c(found[n]) for n, c in converters.items() if n in found})

    return convert


def _converter(hint: Any) -> _Converter:
    if is_dataclass(hint) and isinstance(hint, type):
        return _dataclass(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return _optional(_converter(next(a for a in arguments if a is not type(None))))
    if origin is tuple:
        return _tuple(_converter(arguments[0]))
    if origin is dict:
        return _dict(_converter(arguments[1]))
    return _bytes if hint is bytes else _exact(hint)


_NAMES: dict[type, str] = {kind: _snake(kind.__name__) for kind in get_args(Event)}
_COMMITS = frozenset({_NAMES[OffsetCommit], _NAMES[OffsetRemoved]})
_READERS: dict[str, _Converter] = {name: _dataclass(kind) for kind, name in _NAMES.items()}
