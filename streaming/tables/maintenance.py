"""Keep the tables quick and small: compact, forget what is old, delete files nobody reads."""

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError, TableNotFoundError

from streaming.settings.maintenance import MaintenanceSettings
from streaming.tables.schemas import (
    ALERTS,
    ASSIGNMENTS,
    DRIFT,
    GROUP_STATE,
    MEMBER_LOAD,
    TABLES,
    TableSpec,
)
from streaming.tables.storage import Location

_OF_A_GENERATION = (ASSIGNMENTS, MEMBER_LOAD, DRIFT)
"""Histories whose last generation of a group is what the group has now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """What is to be kept.

    Attributes:
        history: rows of histories older than this are deleted.
        vacuum: files that are not, or no longer, in a table are deleted once they are older than
            this; longer than a batch takes, which writes its files before it commits them.
    """

    history: timedelta
    vacuum: timedelta

    @classmethod
    def of(cls, settings: MaintenanceSettings) -> Self:
        """What the configuration wants kept."""
        return cls(
            history=timedelta(days=settings.history_days),
            vacuum=timedelta(hours=settings.vacuum_hours),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepDone:
    """What was done to one table.

    Attributes:
        table: its name.
        files_before, files_after: files in it.
        rows_deleted: rows that were older than the retention.
        files_deleted: files that were in it no longer.
        seconds: how long it took.
        postponed: why a step was left for the next time; '' if none was.
    """

    table: str
    files_before: int
    files_after: int
    rows_deleted: int
    files_deleted: int
    seconds: float
    postponed: str = ""


def maintain(
    location: Location, upkeep: Upkeep, *, specs: Iterable[TableSpec] = TABLES
) -> Iterator[UpkeepDone]:
    """Maintain tables, one after the other; tables that do not exist are passed over.

    Safe beside a running query: it appends to histories, and only histories are compacted. A step
    that loses against one of its commits is left for the next time.

    Args:
        location: where the tables lie.
        upkeep: what is to be kept.
        specs: which tables.
    """
    for spec in specs:
        table = _open(location, spec)
        if table is not None:
            yield _maintain(table, spec, upkeep, location)


def _open(location: Location, spec: TableSpec) -> DeltaTable | None:
    try:
        return location.open(spec.name)
    except TableNotFoundError:
        return None


def _maintain(table: DeltaTable, spec: TableSpec, upkeep: Upkeep, location: Location) -> UpkeepDone:
    started = time.monotonic()
    before = _file_count(table)
    rows_deleted, postponed = 0, ""
    if not spec.keyed:
        try:
            rows_deleted = _forget(table, spec, upkeep, location)
            table.optimize.compact()
        except CommitFailedError as error:
            table.update_incremental()
            postponed = f"the query committed first: {error}"
    removed = table.vacuum(
        retention_hours=round(upkeep.vacuum.total_seconds() / 3600),
        dry_run=False,
        enforce_retention_duration=False,
        full=True,  # also what a batch wrote that died before its commit
    )
    table.cleanup_metadata()
    return UpkeepDone(
        table=spec.name,
        files_before=before,
        files_after=_file_count(table),
        rows_deleted=rows_deleted,
        files_deleted=len(removed),
        seconds=time.monotonic() - started,
        postponed=postponed,
    )


def _forget(table: DeltaTable, spec: TableSpec, upkeep: Upkeep, location: Location) -> int:
    cutoff = datetime.now(UTC) - upkeep.history
    old = f"event_time < '{cutoff:%Y-%m-%dT%H:%M:%S}Z'"
    if spec is ALERTS:
        old += _except_for("alert_id", _open_alerts(table))
    elif spec in _OF_A_GENERATION:
        old += _except_for("group_id", _settled_before(cutoff, location))
    return int(table.delete(old)["num_deleted_rows"])


def _except_for(column: str, names: Collection[str]) -> str:
    quoted = ", ".join("'" + name.replace("'", "''") + "'" for name in sorted(names))
    return f" AND {column} NOT IN ({quoted})" if names else ""


def _open_alerts(table: DeltaTable) -> set[str]:
    """Alerts that fire: delivery knows them by their rows, however old."""
    rows = table.to_pyarrow_table(columns=["alert_id", "sequence", "status"])
    last: dict[str, tuple[int, str]] = {}
    for row in rows.to_pylist():
        entry = (row["sequence"], row["status"])
        last[row["alert_id"]] = max(entry, last.get(row["alert_id"], entry))
    return {name for name, (_, status) in last.items() if status != "resolved"}


def _settled_before(cutoff: datetime, location: Location) -> set[str]:
    """Groups so stable that what they have now is older than the retention."""
    state = _open(location, GROUP_STATE)
    if state is None:
        return set()
    rows = state.to_pyarrow_table(columns=["group_id", "settled_time"]).to_pylist()
    return {row["group_id"] for row in rows if row["settled_time"] and row["settled_time"] < cutoff}


def _file_count(table: DeltaTable) -> int:
    return int(table.get_add_actions().num_rows)
