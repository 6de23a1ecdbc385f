"""Strategies for records: fields of any record type and version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from streaming.records.fields import Array, Field, Message, Scalar, Struct
from streaming.records.schemas import RECORD_TYPES
from streaming.records.wire import uuid_text

if TYPE_CHECKING:
    from streaming.records.fields import RecordType

_SCALARS: dict[Scalar, st.SearchStrategy[Any]] = {
    Scalar.INT8: st.integers(-(2**7), 2**7 - 1),
    Scalar.INT16: st.integers(-(2**15), 2**15 - 1),
    Scalar.UINT16: st.integers(0, 2**16 - 1),
    Scalar.INT32: st.integers(-(2**31), 2**31 - 1),
    Scalar.INT64: st.integers(-(2**63), 2**63 - 1),
    Scalar.UUID: st.binary(min_size=16, max_size=16).map(uuid_text),
    Scalar.STRING: st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    Scalar.BYTES: st.binary(max_size=200),
}


def values(kind: Scalar | Struct | Array, version: int) -> st.SearchStrategy[Any]:
    """Values of one kind, structures as dictionaries."""
    if isinstance(kind, Scalar):
        return _SCALARS[kind]
    if isinstance(kind, Array):
        return st.lists(values(kind.element, version), max_size=4)
    return st.fixed_dictionaries(
        {f.name: _field(f, version) for f in kind.fields if f.within(version)}
    )


def _field(field: Field, version: int) -> st.SearchStrategy[Any]:
    strategy = values(field.kind, version)
    return st.none() | strategy if field.nullable else strategy


def fields_of(message: Message, version: int) -> st.SearchStrategy[dict[str, Any]]:
    """Fields of one version of a message."""
    strategy: st.SearchStrategy[dict[str, Any]] = values(message.struct, version)
    return strategy


@st.composite
def records(
    draw: st.DrawFn,
) -> tuple[RecordType, dict[str, Any], int, dict[str, Any]]:
    """A record type, key fields, a value version and value fields."""
    record = draw(st.sampled_from(RECORD_TYPES))
    version = draw(st.integers(0, record.value.latest))
    key = draw(fields_of(record.key, 0))
    return record, key, version, draw(fields_of(record.value, version))
