"""This machine: Java, and the places that are written to."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

from streaming.checks.finding import Finding
from streaming.session.java import find_java
from streaming.settings.query import QuerySettings
from streaming.tables.reader import TableReader, TablesNotFoundError
from streaming.tables.schemas import BY_NAME
from streaming.tables.storage import Location


def check_java() -> Iterator[Finding]:
    """Look for a Java that Spark runs on."""
    java = find_java()
    yield Finding("java", "ok", f"Java {java.version} at {java.command}")


def check_tables(settings: QuerySettings) -> Iterator[Finding]:
    """See whether the tables can be written, and read if there are any."""
    location = Location.of(settings)
    yield _writable(location)
    yield _readable(TableReader(location))


def check_checkpoint(settings: QuerySettings) -> Iterator[Finding]:
    """See whether Spark can keep its progress; it alone can tell for an object store."""
    path = _local(settings.checkpoint)
    if path is None:
        yield Finding("checkpoint", "ok", f"{settings.checkpoint} (only Spark can try to write it)")
    elif _can_write(path):
        yield Finding("checkpoint", "ok", f"{settings.checkpoint} can be written")
    else:
        yield Finding(
            "checkpoint",
            "failed",
            f"{path} cannot be written: change its owner, or query.checkpoint",
        )


def _writable(location: Location) -> Finding:
    path = location.local_path
    if path is not None:
        if _can_write(path):
            return Finding("tables", "ok", f"{location.root} can be written")
        return Finding(
            "tables", "failed", f"{path} cannot be written: change its owner, or query.tables"
        )
    try:
        _try_store(location)
    except Exception as error:  # noqa: BLE001 - every store has errors of its own
        reason = " ".join(str(error).split())
        return Finding(
            "tables",
            "failed",
            f"{location.root} cannot be written: {reason}; look at query.storage_options",
        )
    return Finding("tables", "ok", f"{location.root} can be written")


def _try_store(location: Location) -> None:
    """Write a small object beside the tables and delete it."""
    store = location.filesystem("_check")
    name = f"{uuid.uuid4().hex}.txt"
    with store.open_output_stream(name) as stream:
        stream.write(b"rebalance-monitor check\n")
    store.delete_file(name)


def _readable(reader: TableReader) -> Finding:
    try:
        rows = reader.rows("select count(*) as groups from group_state")
    except TablesNotFoundError:
        return Finding("tables", "ok", f"none yet; a run will make {len(BY_NAME)}")
    return Finding("tables", "ok", f"{rows[0]['groups']} groups in them")


def _local(place: str) -> Path | None:
    parsed = urlparse(place)
    if parsed.scheme not in ("", "file"):
        return None
    return Path(unquote(parsed.path) if parsed.scheme else place)


def _can_write(path: Path) -> bool:
    """Whether a folder, or the nearest one above it that is there, can be written to."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
