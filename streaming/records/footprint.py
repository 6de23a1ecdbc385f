"""How few bytes an element may have in a record, and how much memory it takes once read.

The reader holds the count of every array against both before it reads an element, so that no
record takes more memory than ten times its size (above a small allowance). Sizes are CPython's.
"""

from __future__ import annotations

from streaming.records.fields import Array, Field, Scalar, Struct

_WIRE_BYTES = {
    Scalar.INT8: 1,
    Scalar.INT16: 2,
    Scalar.UINT16: 2,
    Scalar.INT32: 4,
    Scalar.INT64: 8,
    Scalar.UUID: 16,
}
_MEMORY_BYTES = {
    Scalar.INT8: 0,  # small integers are shared
    Scalar.INT16: 32,
    Scalar.UINT16: 32,
    Scalar.INT32: 32,
    Scalar.INT64: 32,
    Scalar.UUID: 72,
    Scalar.STRING: 52,  # besides its characters
    Scalar.BYTES: 36,  # besides its bytes
}
_POINTER_BYTES = 8
_TUPLE_BYTES = 48
_LIST_BYTES = 64

MEMORY_PER_BYTE = 10
"""Most memory that a record may take, in bytes per byte of the record."""
ALLOWANCE_BYTES = 64 * 1024
"""What a record may take besides, so that short names in a short record do no harm."""


def memory_limit(size: int) -> int:
    """Bytes of memory that a record of ``size`` bytes may take."""
    return size * MEMORY_PER_BYTE + ALLOWANCE_BYTES


def least_wire_bytes(kind: Scalar | Struct | Array, version: int, *, flexible: bool) -> int:
    """Fewest bytes that a value of this kind takes in a record."""
    if isinstance(kind, Struct):
        fields = (
            _least_field_bytes(f, version, flexible=flexible) for f in kind.fields_of(version)
        )
        return sum(fields) + flexible
    if kind in _WIRE_BYTES:
        return _WIRE_BYTES[kind]
    if flexible:
        return 1
    return 2 if kind is Scalar.STRING else 4


def _least_field_bytes(field: Field, version: int, *, flexible: bool) -> int:
    if field.nullable and isinstance(field.kind, Struct):
        return 1
    return least_wire_bytes(field.kind, version, flexible=flexible)


def memory_bytes(kind: Scalar | Struct | Array) -> int:
    """Memory of one element of an array, without what its own lengths and counts announce."""
    return _POINTER_BYTES + _object_bytes(kind)


def _object_bytes(kind: Scalar | Struct | Array) -> int:
    if isinstance(kind, Scalar):
        return _MEMORY_BYTES[kind]
    if isinstance(kind, Array):
        return _TUPLE_BYTES if isinstance(kind.element, Scalar) else _LIST_BYTES
    fields = (_POINTER_BYTES + _object_bytes(f.kind) for f in kind.fields if f.tag is None)
    return _TUPLE_BYTES + sum(fields) + _POINTER_BYTES * len(kind.tagged_of(0))
