"""Rows of one table gathered column by column until they are worth a file."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streaming.tables.schemas import TableSpec


class TableBuffer:
    """Rows of one table, kept as columns: a million rows cost no million objects.

    They come in runs, one row or many; what all rows of a run have in common is kept once.
    """

    def __init__(self, spec: TableSpec, shared: Mapping[str, Any]) -> None:
        """Begin empty.

        Args:
            spec: the table.
            shared: values that every row has (cluster, batch, processing time).
        """
        self.spec = spec
        self._shared = {name: value for name, value in shared.items() if name in spec.schema.names}
        names = [name for name in spec.schema.names if name not in self._shared]
        self._columns: dict[str, list[Any]] = {name: [] for name in names}
        self._varying: frozenset[str] = frozenset()
        self._runs: list[int] = []
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one row; columns that it does not name are null, names of no column are left out."""
        for name, column in self._columns.items():
            column.append(row.get(name))
        self._runs.append(1)
        self._rows += 1

    def extend(self, columns: Mapping[str, Sequence[Any]], constants: Mapping[str, Any]) -> None:
        """Add many rows.

        Args:
            columns: columns of equal length; the same ones in every call.
            constants: values of the other columns, the same in each of these rows.
        """
        self._varying = frozenset(columns)
        for name, column in self._columns.items():
            if name in columns:
                column.extend(columns[name])
            else:
                column.append(constants.get(name))
        self._runs.append(len(next(iter(columns.values()))))
        self._rows += self._runs[-1]

    def take(self) -> pa.Table:
        """The rows so far as an Arrow table; the buffer is empty after."""
        run_of = pa.array(np.repeat(np.arange(len(self._runs)), self._runs))
        arrays = [self._array(field, run_of) for field in self.spec.schema]
        for column in self._columns.values():
            column.clear()
        self._runs.clear()
        self._rows = 0
        return pa.table(arrays, schema=self.spec.schema)

    def _array(self, field: pa.Field, run_of: pa.Array) -> pa.Array:
        if field.name in self._shared:
            return pa.repeat(pa.scalar(self._shared[field.name], field.type), self._rows)
        values = pa.array(self._columns[field.name], field.type)
        return values if field.name in self._varying else values.take(run_of)
