"""Read the tables without Spark: SQL over Delta through delta-rs and DataFusion.

A `TableReader` keeps one open handle per table and brings it forward by the log entries that are
new, so asking again costs well under a millisecond. DataFusion prunes files by partition and
statistics, reads only the columns named and pushes filters into the Parquet readers.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import singledispatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder
from deltalake.exceptions import DeltaError, TableNotFoundError

from streaming.errors import MonitorError
from streaming.tables.schemas import BY_NAME

if TYPE_CHECKING:
    from streaming.tables.storage import Location

Value = str | bytes | bool | int | float | datetime | None | Sequence[str] | Sequence[int]

# New log entries do not tell a table that was dropped and made anew at the same place.
_REOPEN_SECONDS = 60.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# Quoted text and identifiers are passed over, `::` is a cast, `:name` a parameter.
_TOKENS = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|::|:(?P<name>[a-z_][a-z0-9_]*)")
_WORDS = re.compile(r"[a-z_]+")
_PAINT = re.compile(r"\x1b\[[0-9;]*m")


class TablesError(MonitorError):
    """The tables cannot be read; the message says what to do about it."""


class TablesNotFoundError(TablesError):
    """Nothing has been written at the location."""

    def __init__(self, location: str) -> None:
        super().__init__(
            f"There are no tables at {location}. Start `rebalance-monitor run` (or `demo`), which "
            "writes them, or name the place where it does: `query.tables` in the configuration."
        )


class TablesUnreadableError(TablesError):
    """The location is there or may be, but reading it failed."""

    def __init__(self, location: str, cause: Exception) -> None:
        text = " ".join(_PAINT.sub("", str(cause)).split())
        super().__init__(
            f"The tables at {location} cannot be read: {text}. Look at the location, at the "
            "network and at the credentials in `query.storage_options`."
        )


@dataclass(slots=True)
class _Handle:
    table: DeltaTable
    opened: float


class TableReader:
    """Queries over the tables below one location; safe to share between threads.

    A table that has not been written yet reads as empty, as long as any other has.
    """

    def __init__(
        self,
        location: Location,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open nothing yet.

        Args:
            location: where the tables lie.
            clock: seconds, for the age of handles.
        """
        self._location = location
        self._clock = clock
        self._lock = threading.Lock()
        self._handles: dict[str, _Handle] = {}
        self._blanks = _Blanks()

    def refresh(self) -> dict[str, int]:
        """Bring every handle to the newest version.

        Returns:
            Delta version by table name, existing tables only.

        Raises:
            TablesNotFoundError: no table exists.
            TablesUnreadableError: the location cannot be read.
        """
        with self._lock:
            try:
                for name in BY_NAME:
                    self._advance(name)
            except (DeltaError, OSError) as error:
                raise TablesUnreadableError(self._location.root, error) from error
            if not self._handles:
                raise TablesNotFoundError(self._location.root)
            return {name: handle.table.version() for name, handle in self._handles.items()}

    def query(self, sql: str, **values: Value) -> pa.Table:
        """Run one statement over the tables as of the last `refresh` (the first query does one).

        Args:
            sql: DataFusion SQL; tables by their bare names, parameters as ``:name``.
            values: the parameters; sequences become ``(a, b, ..)`` for ``IN``.

        Raises:
            TablesNotFoundError: no table exists.
            TablesUnreadableError: the location cannot be read.
        """
        if not self._handles:
            self.refresh()
        builder = QueryBuilder()
        with self._lock:
            for name in BY_NAME.keys() & set(_WORDS.findall(sql)):
                builder.register(name, self._table(name))
        try:
            # The types say arro3's reader, which pyarrow takes over the Arrow C interface.
            result = pa.table(cast("Any", builder.execute(bind(sql, values)).read_all()))
        except OSError as error:
            raise TablesUnreadableError(self._location.root, error) from error
        return _without_views(result)

    def rows(self, sql: str, **values: Value) -> list[dict[str, Any]]:
        """`query`, as a list of dictionaries."""
        return cast("list[dict[str, Any]]", self.query(sql, **values).to_pylist())

    def _table(self, name: str) -> DeltaTable:
        handle = self._handles.get(name)
        return handle.table if handle else self._blanks.get(name)

    def _advance(self, name: str) -> None:
        handle = self._handles.get(name)
        if handle and self._clock() - handle.opened < _REOPEN_SECONDS:
            try:
                handle.table.update_incremental()
            except (DeltaError, OSError):  # the log may have been cleaned up under it
                self._open(name)
        else:
            self._open(name)

    def _open(self, name: str) -> None:
        try:
            table = self._location.open(name)
        except TableNotFoundError:
            self._handles.pop(name, None)
        else:
            self._handles[name] = _Handle(table, self._clock())


class _Blanks:
    """Empty tables with the right schema, standing in for those not written yet."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._tables: dict[str, DeltaTable] = {}

    def get(self, name: str) -> DeltaTable:
        if name not in self._tables:
            self._folder = self._folder or TemporaryDirectory(prefix="rebalance-monitor-")
            path = Path(self._folder.name) / name
            self._tables[name] = DeltaTable.create(path, schema=cast("Any", BY_NAME[name].schema))
        return self._tables[name]


def bind(sql: str, values: Mapping[str, Value]) -> str:
    """Put the values into the statement as SQL literals.

    Args:
        sql: statement with ``:name`` parameters; quoted text is left alone.
        values: one for each parameter.

    Raises:
        KeyError: the statement names a parameter that is not given.
    """

    def replace(match: re.Match[str]) -> str:
        name = match["name"]
        return literal(values[name]) if name else match[0]

    return _TOKENS.sub(replace, sql)


@singledispatch
def literal(value: Value) -> str:
    """The value as a SQL literal, safe whatever it holds; a sequence becomes ``(a, b, ..)``.

    Raises:
        TypeError: a value of another type.
        ValueError: a timestamp without time zone, or a number that SQL cannot write.
    """
    raise TypeError(f"{type(value).__name__} cannot be written in SQL")


@literal.register
def _(_: None) -> str:
    return "NULL"


@literal.register
def _(value: bool) -> str:  # noqa: FBT001 - dispatched on this type
    return "TRUE" if value else "FALSE"


@literal.register
def _(value: int) -> str:
    return f"({value})" if value < 0 else str(value)  # `x -:n` must not become a comment


@literal.register
def _(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written in SQL")
    return f"CAST('{value!r}' AS DOUBLE)"


@literal.register
def _(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"  # DataFusion knows no other escape


@literal.register
def _(value: bytes) -> str:
    return f"X'{value.hex()}'"


@literal.register
def _(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"the timestamp {value} has no time zone")
    microseconds = (value - _EPOCH) // _MICROSECOND
    return f"""arrow_cast({microseconds}, 'Timestamp(Microsecond, Some("UTC"))')"""


@literal.register(list | tuple)
def _(values: Sequence[str] | Sequence[int]) -> str:
    return f"({', '.join(map(literal, values)) or 'NULL'})"


def like(pattern: str) -> str:
    r"""A glob (``*`` and ``?``) as the pattern of ``LIKE .. ESCAPE '\'``, anchored at both ends."""
    escaped = re.sub(r"([%_\\])", r"\\\1", pattern)
    return escaped.replace("*", "%").replace("?", "_")


def _without_views(table: pa.Table) -> pa.Table:
    """The table with plain strings: Arrow's compute functions know few of the view types."""
    return table.cast(pa.schema([field.with_type(_plain(field.type)) for field in table.schema]))


def _plain(kind: pa.DataType) -> pa.DataType:
    if kind == pa.string_view():
        return pa.string()
    if kind == pa.binary_view():
        return pa.binary()
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_plain(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    return kind
