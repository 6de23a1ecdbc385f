"""Writes records in their binary form, from the same schemas: for tests and synthetic load."""

from __future__ import annotations

import struct
from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence
from typing import Any

from streaming.records.fields import Array, Field, Message, Scalar, Struct
from streaming.records.schemas import ASSIGNMENT, BY_NUMBER, SUBSCRIPTION

_FORMATS = {
    Scalar.INT8: ">b",
    Scalar.INT16: ">h",
    Scalar.UINT16: ">H",
    Scalar.INT32: ">i",
    Scalar.INT64: ">q",
}
_SEVEN_BITS = 0x7F


def write_key(record_type: int, fields: Mapping[str, Any]) -> bytes:
    """The key of a record of this type; a field left out has its default."""
    return _int16(record_type) + _message(BY_NUMBER[record_type].key, 0, fields)


def write_value(record_type: int, version: int, fields: Mapping[str, Any]) -> bytes:
    """The value of a record; structures are mappings or the rows that the reader gives."""
    return _int16(version) + _message(BY_NUMBER[record_type].value, version, fields)


def write_subscription(version: int, fields: Mapping[str, Any]) -> bytes:
    """A consumer's subscription, as embedded in a classic group's member."""
    return _int16(version) + _message(SUBSCRIPTION, version, fields)


def write_assignment(version: int, fields: Mapping[str, Any]) -> bytes:
    """A consumer's assignment, as embedded in a classic group's member."""
    return _int16(version) + _message(ASSIGNMENT, version, fields)


def _message(message: Message, version: int, fields: Mapping[str, Any]) -> bytes:
    return _Writer(version, flexible=message.flexible(version)).struct(message.struct, fields)


class _Writer:
    def __init__(self, version: int, *, flexible: bool) -> None:
        self._version = version
        self._flexible = flexible

    def struct(self, kind: Struct, row: Any) -> bytes:
        get = _getter(row)
        parts = [self.field(f, get(f.name, f.absent)) for f in kind.fields_of(self._version)]
        if self._flexible:
            tags = [(f, get(f.name, f.absent)) for f in kind.tagged_of(self._version)]
            parts.append(self.tagged([(f, value) for f, value in tags if not is_absent(f, value)]))
        return b"".join(parts)

    def field(self, field: Field, value: Any) -> bytes:
        if isinstance(field.kind, Struct):
            if not field.nullable:
                return self.struct(field.kind, value)
            return b"\xff" if value is None else b"\x01" + self.struct(field.kind, value)
        if isinstance(field.kind, Array):
            return self.array(field.kind, value)
        return self.scalar(field.kind, value)

    def scalar(self, kind: Scalar, value: Any) -> bytes:
        if kind in _FORMATS:
            return struct.pack(_FORMATS[kind], value)
        if kind is Scalar.UUID:
            return urlsafe_b64decode(f"{value}==")
        code = ">h" if kind is Scalar.STRING else ">i"
        if value is None:
            return self.length(code, -1)
        raw: bytes = value.encode() if kind is Scalar.STRING else value
        return self.length(code, len(raw)) + raw

    def array(self, kind: Array, values: Sequence[Any] | None) -> bytes:
        if values is None:
            return self.length(">i", -1)
        elements = b"".join(self.element(kind.element, value) for value in values)
        return self.length(">i", len(values)) + elements

    def element(self, kind: Scalar | Struct, value: Any) -> bytes:
        return self.struct(kind, value) if isinstance(kind, Struct) else self.scalar(kind, value)

    def length(self, code: str, length: int) -> bytes:
        return write_varint(length + 1) if self._flexible else struct.pack(code, length)

    def tagged(self, fields: list[tuple[Field, Any]]) -> bytes:
        return write_varint(len(fields)) + b"".join(self.tag(f, value) for f, value in fields)

    def tag(self, field: Field, value: Any) -> bytes:
        if isinstance(field.kind, Struct):
            raw = b"\x00" if value is None else b"\x01" + self.struct(field.kind, value)
        else:
            raw = self.field(field, value)
        return write_varint(field.tag or 0) + write_varint(len(raw)) + raw


def is_absent(field: Field, value: Any) -> bool:
    """Whether a tagged field has its default, and so stays out of the record."""
    if isinstance(value, list | tuple) and isinstance(field.kind, Array):
        return not value and field.absent == ()
    return bool(value == field.absent)


def write_varint(number: int) -> bytes:
    """An unsigned varint: seven bits a byte, lowest first."""
    parts = []
    while number > _SEVEN_BITS:
        parts.append(number & _SEVEN_BITS | 0x80)
        number >>= 7
    return bytes([*parts, number])


def _int16(number: int) -> bytes:
    return struct.pack(">h", number)


def _getter(row: Any) -> Any:
    if isinstance(row, Mapping):
        return row.get
    return lambda name, absent: getattr(row, name, absent)
