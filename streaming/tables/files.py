"""Data files of a micro-batch: written by the executors, committed later by the driver.

A file that is never committed (a task tried twice, a batch that died) is invisible, and goes with
the next VACUUM.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streaming.tables.schemas import TableSpec
from streaming.tables.storage import Location

_STATISTICS = ("cluster", "group_id", "generation", "event_time", "batch_id")
"""Columns with minimum and maximum in the log, so that readers skip files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """One written file.

    Attributes:
        table: name of its table.
        path: relative to the table's folder.
        size_bytes: its size.
        rows: rows in it.
        shard: its partition value; None in a table that has no shards.
        statistics: the ``stats`` JSON of Delta's add action.
    """

    table: str
    path: str
    size_bytes: int
    rows: int
    shard: int | None
    statistics: str


def rows_to_table(spec: TableSpec, rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows as an Arrow table with the schema of their Delta table; absent keys are null."""
    return pa.Table.from_pylist(list(rows), schema=spec.schema)


def write_file(
    location: Location, spec: TableSpec, rows: pa.Table, *, shard: int | None = None
) -> DataFile:
    """Write one Parquet file of a table.

    Args:
        location: where the tables lie.
        spec: the table.
        rows: with the columns of ``spec.schema``, in any order.
        shard: partition value, for a keyed table.
    """
    names = [name for name, _, _ in spec.columns if name not in spec.partition_by]
    data = rows.select(names)
    folder = "" if shard is None else f"shard={shard}"
    path = f"{folder}/{uuid4().hex}.parquet".lstrip("/")
    filesystem = location.filesystem(spec.name)
    if folder:
        filesystem.create_dir(folder)
    pq.write_table(data, path, filesystem=filesystem, compression="zstd", store_schema=False)
    return DataFile(
        table=spec.name,
        path=path,
        size_bytes=filesystem.get_file_info(path).size,
        rows=data.num_rows,
        shard=shard,
        statistics=_statistics(data),
    )


def read_files(location: Location, spec: TableSpec, paths: Iterable[str]) -> pa.Table:
    """Read files of a table back, without the partition columns."""
    filesystem = location.filesystem(spec.name)
    schema = pa.schema([field for field in spec.schema if field.name not in spec.partition_by])
    tables = [pq.read_table(path, filesystem=filesystem) for path in paths]
    return (
        pa.concat_tables([_as_schema(table, schema) for table in tables])
        if tables
        else (schema.empty_table())
    )


def _as_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of today's schema; columns that the file does not know yet are null."""
    columns = [
        table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _statistics(data: pa.Table) -> str:
    low: dict[str, Any] = {}
    high: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    for name in set(_STATISTICS) & set(data.column_names):
        bounds = pc.min_max(data[name]).as_py()
        nulls[name] = data[name].null_count
        if bounds["min"] is not None:
            low[name], high[name] = _plain(bounds["min"]), _plain(bounds["max"])
    return orjson.dumps(
        {"numRecords": data.num_rows, "minValues": low, "maxValues": high, "nullCount": nulls}
    ).decode()


def _plain(value: Any) -> Any:
    """Times as the Delta protocol writes them: ISO 8601 in UTC with six digits of a second."""
    return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if hasattr(value, "strftime") else value
