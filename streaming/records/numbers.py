"""Big-endian numbers out of binary columns, and into them, on the JVM.

Spark's SQL has no function for it. Where the session's JVM is at hand the columns call static
methods inside the generated code, which costs next to nothing: Hadoop's ``WritableComparator`` and
Spark's ``NumberConverter``. Where it is not (Spark Connect) they go through hexadecimal text, which
is right too, and several times slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from py4j.protocol import Py4JError
from pyspark.sql import Column
from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SHORT_BYTES, _LONG_BYTES = 2, 8
_INT_SIGN = 1 << 31
_READER = "org.apache.hadoop.io.WritableComparator"
_WRITER = "org.apache.spark.sql.catalyst.util.NumberConverter"
_METHODS = {
    _SHORT_BYTES: ("readUnsignedShort", "IntegerType"),
    4: ("readInt", "IntegerType"),
    _LONG_BYTES: ("readLong", "LongType"),
}


class Numbers(Protocol):
    """A way to read and write numbers."""

    def at(self, data: Column, position: Column | int, size: int) -> Column:
        """A big-endian number as bigint.

        The bytes must be there: whoever asks puts the column where it is evaluated only then,
        into a branch of ``when``.

        Args:
            data: binary column.
            position: its first byte, from 0.
            size: its bytes: 2 (without a sign), 4 or 8 (with one).
        """

    def bytes_of(self, number: Column) -> Column:
        """A bigint, which must not be null, as its eight bytes, big-endian."""


def numbers_of(spark: SparkSession) -> Numbers:
    """The fastest way that the session allows."""
    try:
        return CompiledNumbers.of(spark)
    except (AttributeError, TypeError, Py4JError):
        return HexNumbers()


class HexNumbers:
    """Numbers through ``conv(hex(..))``; works everywhere."""

    def at(self, data: Column, position: Column | int, size: int) -> Column:
        """As in `Numbers`."""
        text = f.hex(f.substring(data, _int(position) + 1, f.lit(size)))
        # Base -10 means signed, but only the sign of eight bytes is in its place.
        number = f.conv(text, 16, -10).cast("bigint")
        if size in (_SHORT_BYTES, _LONG_BYTES):
            return number
        return number.bitwiseXOR(f.lit(_INT_SIGN)) - _INT_SIGN

    def bytes_of(self, number: Column) -> Column:
        """As in `Numbers`."""
        return f.unhex(f.lpad(f.hex(number), 2 * _LONG_BYTES, "0"))


@dataclass(frozen=True, slots=True)
class CompiledNumbers:
    """Numbers through calls of a static method in the generated code.

    Attributes:
        jvm: the session's view of the JVM.
    """

    jvm: Any

    @classmethod
    def of(cls, spark: SparkSession) -> CompiledNumbers:
        """Numbers of a session that has its JVM at hand.

        Raises:
            AttributeError: it has not (Spark Connect), or the JVM is not as expected.
            TypeError: as above.
            Py4JError: as above.
        """
        numbers = cls(spark._jvm)  # noqa: SLF001 # the documented way to the JVM has no public name
        numbers.at(f.lit(b"\x00\x00"), 0, _SHORT_BYTES)
        return numbers

    def at(self, data: Column, position: Column | int, size: int) -> Column:
        """As in `Numbers`."""
        method, kind = _METHODS[size]
        return self._call(_READER, method, kind, data, _int(position)).cast("bigint")

    def bytes_of(self, number: Column) -> Column:
        """As in `Numbers`."""
        return self._call(_WRITER, "toBinary", "BinaryType", number)

    def _call(self, owner: str, method: str, kind: str, *arguments: Column) -> Column:
        expressions = self.jvm.org.apache.spark.sql.catalyst.expressions
        call = expressions.objects.StaticInvoke(
            self.jvm.java.lang.Class.forName(owner),
            self._type(kind),
            method,
            self._seq(*arguments),
            self._seq(),
            *(False, False, True),  # no look for nulls, neither in nor out; deterministic
            self.jvm.scala.Option.empty(),
        )
        session_column = type(arguments[0])
        return session_column(self._utils.column(call))

    @property
    def _utils(self) -> Any:
        return self.jvm.org.apache.spark.sql.classic.ExpressionUtils

    def _seq(self, *columns: Column) -> Any:
        expressions = [self._utils.expression(column._jc) for column in columns]  # noqa: SLF001 # as for _jvm
        return self.jvm.PythonUtils.toSeq(expressions)

    def _type(self, name: str) -> Any:
        kind = self.jvm.java.lang.Class.forName(f"org.apache.spark.sql.types.{name}$")
        return kind.getField("MODULE$").get(None)


def _int(position: Column | int) -> Column:
    return position.cast("int") if isinstance(position, Column) else f.lit(position)
