"""Reads keys, values and embedded consumer protocol bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from streaming.records.compiler import Reader, compile_reader
from streaming.records.errors import ReasonCode, UnreadableRecordError
from streaming.records.footprint import memory_limit
from streaming.records.schemas import (
    ASSIGNMENT,
    BY_NUMBER,
    RECORD_TYPES,
    STICKY_USER_DATA,
    SUBSCRIPTION,
)

if TYPE_CHECKING:
    from streaming.records.fields import Message, RecordType

_VERSION_BYTES = 2
_MAX_INT16 = 0x7FFF
_INT16 = struct.Struct(">h").unpack_from


class Key(NamedTuple):
    """What a record is about.

    Attributes:
        type: record type.
        fields: named tuple of the key's fields, with the names of the schema.
    """

    type: RecordType
    fields: Any


class Value(NamedTuple):
    """What a record says.

    Attributes:
        version: value version.
        fields: named tuple of the value's fields of all versions; those that this version does
            not have hold their defaults. Structures are named tuples, topic ids are text.
        memory_left: bytes of memory that what is embedded in the value may still take.
    """

    version: int
    fields: Any
    memory_left: int


def _readers(message: Message) -> tuple[Reader, ...]:
    return tuple(compile_reader(message, version) for version in range(message.latest + 1))


_KEYS: dict[int, tuple[RecordType, Reader]] = {
    record.number: (record, compile_reader(record.key, 0)) for record in RECORD_TYPES
}
_VALUES = {record.number: _readers(record.value) for record in RECORD_TYPES}
_SUBSCRIPTIONS = _readers(SUBSCRIPTION)
_ASSIGNMENTS = _readers(ASSIGNMENT)
_STICKY_USER_DATA = _readers(STICKY_USER_DATA)


def read_key(key: bytes | None) -> Key:
    """Read a record's key.

    Raises:
        UnreadableRecordError: the key is missing, of an unknown type or damaged.
    """
    if key is None:
        raise UnreadableRecordError(ReasonCode.MISSING_KEY, "the record has no key")
    number = _int16(key, "key")
    if number not in _KEYS:
        raise UnreadableRecordError(ReasonCode.UNKNOWN_TYPE, f"record type {number}")
    record, reader = _KEYS[number]
    try:
        fields, _, _ = reader(key, _VERSION_BYTES, memory_limit(len(key)))
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise _unreadable(error, record.key) from None
    return Key(record, fields)


def read_value(record_type: int, value: bytes) -> Value:
    """Read the value of a record of this type.

    Args:
        record_type: number of the record type, as in its key.
        value: the bytes; a null value is a tombstone and has no fields to read.

    Raises:
        UnreadableRecordError: the value is of an unknown version or damaged.
    """
    version = _int16(value, "value")
    readers = _VALUES[record_type]
    message = BY_NUMBER[record_type].value
    if not 0 <= version < len(readers):
        _unknown_version(message, version)
    try:
        fields, _, left = readers[version](value, _VERSION_BYTES, memory_limit(len(value)))
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise _unreadable(error, message) from None
    return Value(version, fields, left)


def read_subscription(data: bytes, memory: int | None = None) -> Value:
    """Read a consumer's subscription, embedded in a classic group's member.

    Args:
        data: int16 version and the fields; empty bytes are a subscription to nothing.
        memory: bytes of memory it may take, from the record around it; None: by its own size.

    Raises:
        UnreadableRecordError: the bytes are damaged.
    """
    return _read_embedded(_SUBSCRIPTIONS, SUBSCRIPTION, data, memory)


def read_assignment(data: bytes, memory: int | None = None) -> Value:
    """Read a consumer's assignment; arguments and errors as for `read_subscription`.

    Between join and sync a member's assignment is empty bytes: it has no partitions yet.
    """
    return _read_embedded(_ASSIGNMENTS, ASSIGNMENT, data, memory)


def read_sticky_user_data(data: bytes, memory: int | None = None) -> Value | None:
    """Read what a member of a `sticky` group put into its subscription.

    Args:
        data: the subscription's user data.
        memory: as for `read_subscription`.

    Returns:
        Fields previous_assignment and generation (-1 in version 0); None for anything else, as the
        assignor itself lets foreign bytes pass.
    """
    memory = memory_limit(len(data)) if memory is None else memory
    for version in reversed(range(STICKY_USER_DATA.latest + 1)):
        try:
            fields, end, left = _STICKY_USER_DATA[version](data, 0, memory)
        except (struct.error, IndexError, UnicodeDecodeError, UnreadableRecordError):
            continue
        if end == len(data):
            return Value(version, fields, left)
    return None


def _read_embedded(
    readers: tuple[Reader, ...], message: Message, data: bytes, memory: int | None
) -> Value:
    if memory is None:
        memory = memory_limit(len(data))
    if not data:
        return Value(0, _nothing(message), memory)
    try:
        version = data[0] << 8 | data[1]
        if version > message.latest:
            version = _newer_version(message, version)
        fields, _, left = readers[version](data, _VERSION_BYTES, memory)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise _unreadable(error, message) from None
    return Value(version, fields, left)


def _newer_version(message: Message, version: int) -> int:
    """The version to read a newer one as: the latest known, as Kafka's ConsumerProtocol does.

    Newer versions only add fields at the end.
    """
    if version > _MAX_INT16:
        _unknown_version(message, version - (1 << 16))
    return message.latest


def _nothing(message: Message) -> Any:
    return message.struct.row(*(f.absent for f in message.struct.fields))


def _unknown_version(message: Message, version: int) -> NoReturn:
    raise UnreadableRecordError(
        ReasonCode.UNKNOWN_VERSION, f"{message.struct.name} version {version}"
    )


def _unreadable(error: Exception, message: Message) -> UnreadableRecordError:
    if isinstance(error, UnicodeDecodeError):
        return UnreadableRecordError(
            ReasonCode.BAD_TEXT, f"{message.struct.name} holds text that is not UTF-8: {error}"
        )
    return UnreadableRecordError(
        ReasonCode.TRUNCATED, f"{message.struct.name} ends before its last field"
    )


def _int16(data: bytes, what: str) -> int:
    try:
        (number,) = _INT16(data)
    except struct.error:
        raise UnreadableRecordError(
            ReasonCode.TRUNCATED, f"{what} of {len(data)} bytes has no version"
        ) from None
    return number  # type: ignore[no-any-return] # an int16, by the format
