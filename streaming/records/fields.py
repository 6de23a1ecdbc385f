"""The language in which record schemas are written: messages, fields and their kinds.

It says what Kafka's own message definitions say: a message has fields, a field lives from one
version on (and sometimes until one), and from its first *flexible* version on a message uses
compact lengths and tagged fields (KIP-482).
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Scalar(Enum):
    """Kinds of a field that are not made of other fields."""

    INT8 = "int8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    INT64 = "int64"
    UUID = "uuid"
    STRING = "string"
    BYTES = "bytes"


INT8, INT16, UINT16, INT32, INT64 = (
    Scalar.INT8,
    Scalar.INT16,
    Scalar.UINT16,
    Scalar.INT32,
    Scalar.INT64,
)
UUID, STRING, BYTES = Scalar.UUID, Scalar.STRING, Scalar.BYTES

ZERO_UUID = "AAAAAAAAAAAAAAAAAAAAAA"
"""Text of the all-zero id, which Kafka uses for «none»."""

_ZERO: dict[Scalar, Any] = {
    INT8: 0,
    INT16: 0,
    UINT16: 0,
    INT32: 0,
    INT64: 0,
    UUID: ZERO_UUID,
    STRING: "",
    BYTES: b"",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a structure.

    Attributes:
        name: Kafka's name in snake case.
        kind: scalar, structure or array.
        nullable: whether null may stand for it.
        since: first version of the message that has it.
        until: last version that has it, None if it still does.
        tag: number of a tagged field; it may be absent from a record, and is then the default.
        default: value where the version, or the record, does not have it.
    """

    name: str
    kind: Scalar | Struct | Array
    nullable: bool = False
    since: int = 0
    until: int | None = None
    tag: int | None = None
    default: Any = None

    def within(self, version: int) -> bool:
        """Whether the field exists in this version of its message."""
        return self.since <= version and (self.until is None or version <= self.until)

    @property
    def absent(self) -> Any:
        """Value of the field where a record does not carry it."""
        if self.default is not None or self.nullable:
            return self.default
        return _ZERO[self.kind] if isinstance(self.kind, Scalar) else ()

    @property
    def json_name(self) -> str:
        """Kafka's own name, in camel case."""
        first, *rest = self.name.split("_")
        return first + "".join(word.capitalize() for word in rest)


@dataclass(frozen=True, slots=True)
class Array:
    """A counted sequence of one kind."""

    element: Scalar | Struct


@dataclass(frozen=True, slots=True)
class Struct:
    """Fields in wire order; read into a named tuple that has the fields of all versions."""

    name: str
    fields: tuple[Field, ...]
    row: Any = field(init=False, compare=False)

    def __post_init__(self) -> None:
        row = namedtuple(self.name, [f.name for f in self.fields])  # type: ignore[misc]  # noqa: PYI024 # names come from schemas
        object.__setattr__(self, "row", row)

    def fields_of(self, version: int) -> tuple[Field, ...]:
        """Untagged fields that this version has, in wire order."""
        return tuple(f for f in self.fields if f.tag is None and f.within(version))

    def tagged_of(self, version: int) -> tuple[Field, ...]:
        """Tagged fields that this version has."""
        return tuple(f for f in self.fields if f.tag is not None and f.within(version))


@dataclass(frozen=True, slots=True)
class Message:
    """A structure with versions 0 to ``latest``.

    Attributes:
        struct: its fields.
        latest: highest known version.
        flexible_since: first version with compact lengths and tagged fields, None if none has.
    """

    struct: Struct
    latest: int = 0
    flexible_since: int | None = None

    def flexible(self, version: int) -> bool:
        """Whether this version uses compact lengths and tagged fields."""
        return self.flexible_since is not None and version >= self.flexible_since


@dataclass(frozen=True, slots=True)
class RecordType:
    """One kind of record in ``__consumer_offsets``.

    Attributes:
        number: the int16 at the start of the record's key.
        name: Kafka's name.
        key: fields of the key; its only version is 0.
        value: fields of the value.
    """

    number: int
    name: str
    key: Message
    value: Message


def message(
    name: str, *fields: Field, latest: int = 0, flexible_since: int | None = None
) -> Message:
    """A message of these fields."""
    return Message(Struct(name, fields), latest, flexible_since)
