"""``docs/tables.md``, written from the schemas: ``python -m streaming.tables.reference``."""

import sys
from collections.abc import Iterator

import pyarrow as pa

from streaming.tables.schemas import TABLES, TableSpec

_HEAD = """# Tables

Delta tables below `query.tables`, one folder each. Written from `streaming/tables/schemas.py`:
`python -m streaming.tables.reference > docs/tables.md`.

Times are UTC with microseconds. *Current state* tables hold one row per key and are partitioned by
`shard`; histories only grow, until `maintenance.history_days`. Every commit of the query carries a
`txn` action with the query's id and the micro-batch, so a batch that is replayed changes nothing.
"""


def reference() -> str:
    """The reference of all tables as Markdown."""
    return "\n".join([_HEAD, *(line for spec in TABLES for line in _section(spec))])


def _section(spec: TableSpec) -> Iterator[str]:
    yield f"## `{spec.name}`\n"
    kind = "Current state" if spec.keyed else "History"
    key = ", ".join(f"`{name}`" for name in spec.key)
    yield f"{kind}: {spec.comment.removeprefix('current state: ')}. Key: {key}.\n"
    yield "| column | type | what it holds |"
    yield "| --- | --- | --- |"
    for name, kind_of, comment in spec.columns:
        yield f"| `{name}` | {_type_name(kind_of)} | {comment} |"
    yield ""


def _type_name(kind: pa.DataType) -> str:
    """A type as SQL names it."""
    if pa.types.is_list(kind):
        return f"array<{_type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        fields = ", ".join(f"{field.name} {_type_name(field.type)}" for field in kind)
        return f"struct<{fields}>"
    if pa.types.is_timestamp(kind):
        return "timestamp"
    return _NAMES[str(kind)]


_NAMES = {
    "string": "string",
    "binary": "binary",
    "bool": "boolean",
    "double": "double",
    "int32": "int",
    "int64": "bigint",
}


if __name__ == "__main__":
    sys.stdout.write(reference())
