"""Makes a reader out of a schema: one Python function per message version.

The functions are written as source and compiled once, as `dataclasses` and `namedtuple` do, so that
no loop over fields is left: consecutive fixed-size fields, and the length of the text behind them,
become one ``struct`` call, and structures are read in line.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from streaming.records import wire
from streaming.records.fields import Array, Field, Message, Scalar, Struct
from streaming.records.footprint import least_wire_bytes, memory_bytes

Reader: TypeAlias = Callable[[bytes, int, int], tuple[Any, int, int]]
"""Takes bytes, a position and the memory left; gives fields, the position behind, memory left."""

_FORMATS = {
    Scalar.INT8: "b",
    Scalar.INT16: "h",
    Scalar.UINT16: "H",
    Scalar.INT32: "i",
    Scalar.INT64: "q",
}
_LITERALS = (int, str, bytes)


def compile_reader(message: Message, version: int) -> Reader:
    """The reader of one version of a message."""
    source = _Source(version, flexible=message.flexible(version))
    source.line("end = len(data)")
    row = source.struct(message.struct, message.struct.name)
    source.flush()
    source.line(f"return {row}, pos, memory")
    return source.compile()


class _Source:
    """Source of one reader, grown line by line."""

    def __init__(self, version: int, *, flexible: bool) -> None:
        self._version = version
        self._flexible = flexible
        self._lines = ["def read(data, pos, memory):"]
        self._indent = 1
        self._names = 0
        self._run: list[tuple[str, str]] = []
        self._constants: dict[str, Any] = {
            name: getattr(wire, name)
            for name in (
                "bad_length",
                "bad_tag",
                "int16_run",
                "int32_run",
                "long_varint",
                "skip_tags",
                "tag_end",
                "too_large",
                "uuid_text",
                "varint",
            )
        } | {"new": tuple.__new__}

    def compile(self) -> Reader:
        constants = self._constants
        exec("\n".join(self._lines), constants)  # noqa: S102 # built from our schemas alone
        reader: Reader = constants["read"]
        return reader

    # lines

    def line(self, text: str) -> None:
        self._lines.append("    " * self._indent + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        self._indent += 1
        yield
        self._indent -= 1

    def name(self, stem: str = "v") -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def constant(self, value: Any) -> str:
        for known, constant in self._constants.items():
            if constant is value:
                return known
        name = self.name("k")
        self._constants[name] = value
        return name

    # fixed-size fields, collected until something else is read

    def fixed(self, code: str) -> str:
        name = self.name()
        self._run.append((code, name))
        return name

    def flush(self) -> None:
        if not self._run:
            return
        form = ">" + "".join(code for code, _ in self._run)
        unpack = self.constant(struct.Struct(form).unpack_from)
        targets = ", ".join(name for _, name in self._run)
        self.line(f"{targets}, = {unpack}(data, pos); pos += {struct.calcsize(form)}")
        self._run.clear()

    # fields

    def struct(self, kind: Struct, path: str) -> str:
        """Read the fields; the answer is the expression that makes the row of them."""
        values = {f.name: self.field(f, f"{path}.{f.name}") for f in kind.fields_of(self._version)}
        if self._flexible:
            values |= self.tagged(kind.tagged_of(self._version), path)
        row = ", ".join(values.get(f.name) or self.literal(f.absent) for f in kind.fields)
        return f"new({self.constant(kind.row)}, ({row},))"

    def literal(self, value: Any) -> str:
        return repr(value) if value is None or type(value) in _LITERALS else self.constant(value)

    def field(self, field: Field, path: str) -> str:
        kind = field.kind
        if isinstance(kind, Struct):
            return self.nested(kind, path, nullable=field.nullable)
        if isinstance(kind, Array):
            return self.array(kind, path, nullable=field.nullable)
        return self.scalar(kind, path, nullable=field.nullable)

    def scalar(self, kind: Scalar, path: str, *, nullable: bool = False) -> str:
        if kind in _FORMATS:
            return self.fixed(_FORMATS[kind])
        if kind is Scalar.UUID:
            return f"uuid_text({self.fixed('16s')})"
        return self.text(kind, path, nullable=nullable)

    def text(self, kind: Scalar, path: str, *, nullable: bool) -> str:
        is_string = kind is Scalar.STRING
        length, value = self.length("h" if is_string else "i"), self.name()
        most = f"{wire.MAX_STRING_BYTES} >= " if is_string and self._flexible else ""
        with self.unless_null(length, value, nullable=nullable):
            self.line("stop = pos + " + length)
            with self.block(f"if not ({most}{length} >= 0 and stop <= end):"):
                self.line(f"bad_length({path!r}, {length}, end - pos)")
            self.line(f"{value} = data[pos:stop]" + (".decode()" if is_string else ""))
            self.line("pos = stop")
        return value

    def length(self, code: str) -> str:
        """A length or count, ready to be used; -1 is null."""
        if not self._flexible:
            name = self.fixed(code)
            self.flush()
            return name
        name = self.varint()
        self.line(f"{name} -= 1")
        return name

    def varint(self) -> str:
        self.flush()
        name = self.name()
        self.line(f"{name} = data[pos]; pos += 1")
        self.line(f"if {name} > 127: {name}, pos = long_varint(data, pos, {name})")
        return name

    @contextmanager
    def unless_null(self, length: str, value: str, *, nullable: bool) -> Iterator[None]:
        if not nullable:
            yield
            return
        with self.block(f"if {length} == -1:"):
            self.line(f"{value} = None")
        with self.block("else:"):
            yield

    def array(self, kind: Array, path: str, *, nullable: bool) -> str:
        count, value, element = self.length("i"), self.name(), kind.element
        with self.unless_null(count, value, nullable=nullable):
            self.check_count(count, element, path)
            if element is Scalar.INT32:
                self.line(f"{value}, memory = int32_run(data, pos, {count}, memory)")
                self.line(f"pos += 4 * {count}")
            else:
                self.line(f"memory -= {count} * {memory_bytes(element)}")
            self.line(f"if memory < 0: too_large({path!r}, {count})")
            if element is Scalar.INT16:
                self.line(f"{value} = int16_run(data, pos, {count}); pos += 2 * {count}")
            elif element is not Scalar.INT32:
                self.elements(value, count, element, path)
        return value

    def check_count(self, count: str, element: Scalar | Struct, path: str) -> None:
        least = least_wire_bytes(element, self._version, flexible=self._flexible)
        with self.block(f"if {count} < 0 or {count} * {least} > end - pos:"):
            self.line(f"bad_length({path!r}, {count}, end - pos)")

    def elements(self, value: str, count: str, element: Scalar | Struct, path: str) -> None:
        self.line(f"{value} = []")
        with self.block(f"for _ in range({count}):"):
            if isinstance(element, Struct):
                expression = self.struct(element, path)
            else:
                expression = self.scalar(element, path)
            self.flush()
            self.line(f"{value}.append({expression})")

    def nested(self, kind: Struct, path: str, *, nullable: bool) -> str:
        if not nullable:
            return self.struct(kind, path)
        present, value = self.fixed("b"), self.name()
        self.flush()
        self.line(f"{value} = None")
        with self.block(f"if {present} >= 0:"):
            self.fill(value, kind, path)
        return value

    def fill(self, value: str, kind: Struct, path: str) -> None:
        expression = self.struct(kind, path)
        self.flush()
        self.line(f"{value} = {expression}")

    # tagged fields

    def tagged(self, known: tuple[Field, ...], path: str) -> dict[str, str]:
        count = self.varint()
        if not known:
            self.line(f"if {count}: pos = skip_tags(data, pos, {count})")
            return {}
        values = {f.name: self.name() for f in known}
        for f in known:
            self.line(f"{values[f.name]} = {self.literal(f.absent)}")
        with self.block(f"for _ in range({count}):"):
            self.one_tag(known, values, path)
        return values

    def one_tag(self, known: tuple[Field, ...], values: dict[str, str], path: str) -> None:
        size, stop = self.name(), self.name()
        self.line("tag, pos = varint(data, pos)")
        self.line(f"{size}, pos = varint(data, pos)")
        self.line(f"{stop} = tag_end(data, pos, {size})")
        for f in known:
            with self.block(f"if tag == {f.tag}:"):
                self.tag_value(values[f.name], f, f"{path}.{f.name}")
                with self.block(f"if pos != {stop}:"):
                    self.line(f"bad_tag({f'{path}.{f.name}'!r}, {size})")
                self.line(f"pos = {stop}; continue")
        self.line(f"pos = {stop}")

    def tag_value(self, value: str, field: Field, path: str) -> None:
        if isinstance(field.kind, Struct):
            # Kafka marks a structure in a tagged field with a varint: 0 is null, 1 follows.
            present = self.varint()
            self.line(f"{value} = None")
            with self.block(f"if {present}:"):
                self.fill(value, field.kind, path)
            return
        expression = self.field(field, path)
        self.flush()
        self.line(f"{value} = {expression}")
