"""Commits of a micro-batch: one per table, each with the batch in its ``txn`` action."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.exceptions import TableNotFoundError
from deltalake.transaction import AddAction

from streaming.errors import ConfigurationError
from streaming.tables.files import DataFile
from streaming.tables.schemas import TABLES, TableSpec
from streaming.tables.storage import Location

_SHARDS = "rebalanceMonitor.shards"
"""Table property: with another number of shards every group would be looked for elsewhere."""
_LOG = timedelta(hours=1)
"""Every commit lists the log: with a thousand files in it, it takes twice the time."""


class TableCommits:
    """The Delta tables as the driver of the query holds them open.

    One writer per location: the running query. A table that does not exist is made.
    """

    def __init__(self, location: Location, *, shards: int = 16, log: timedelta = _LOG) -> None:
        """Open or make every table.

        Args:
            location: where the tables lie.
            shards: slices of the groups; kept with the tables.
            log: how long single commits stay in the tables' logs.

        Raises:
            ConfigurationError: the tables were made with another number of shards.
        """
        self.location = location
        properties = {
            _SHARDS: str(shards),
            "delta.checkpointInterval": "50",
            "delta.deletedFileRetentionDuration": "interval 1 days",
            "delta.logRetentionDuration": f"interval {round(log.total_seconds())} seconds",
        }
        self._tables = {spec.name: _open(location, spec, properties) for spec in TABLES}

    def is_committed(self, spec: TableSpec, *, application: str, batch_id: int) -> bool:
        """Whether a table already holds this micro-batch."""
        last = self._tables[spec.name].transaction_version(application)
        return last is not None and last >= batch_id

    def shard_files(self, spec: TableSpec) -> dict[int, list[str]]:
        """Files of a keyed table, by shard; paths relative to the table's folder."""
        actions = self._tables[spec.name].get_add_actions(flatten=True)
        columns = {name: actions.column(name).to_pylist() for name in ("path", "partition.shard")}
        files: dict[int, list[str]] = defaultdict(list)
        for path, shard in zip(columns["path"], columns["partition.shard"], strict=True):
            files[int(shard)].append(path)
        return dict(files)

    def row_count(self, spec: TableSpec) -> int:
        """Rows of a table, by its log."""
        actions = self._tables[spec.name].get_add_actions(flatten=True)
        return sum(count or 0 for count in actions.column("num_records").to_pylist())

    def commit(
        self,
        spec: TableSpec,
        files: Collection[DataFile],
        *,
        application: str,
        batch_id: int,
        emptied: Iterable[int] = (),
    ) -> bool:
        """Commit a micro-batch's files of one table.

        A keyed table loses the old files of every shard that has a new one, and of the shards in
        ``emptied``.

        Args:
            spec: the table.
            files: its new files.
            application: identity of the query, the ``appId`` of the ``txn`` action.
            batch_id: the micro-batch, its ``version``.
            emptied: shards of which nothing is left.

        Returns:
            False if there was nothing to commit, or the table already holds the batch.
        """
        if self.is_committed(spec, application=application, batch_id=batch_id):
            return False
        shards = {file.shard for file in files if file.shard is not None} | set(emptied)
        if not files and not shards:
            return False
        table = self._tables[spec.name]
        table.create_write_transaction(
            [_add_action(file) for file in files],
            mode="overwrite" if spec.keyed else "append",
            schema=table.schema(),
            partition_by=list(spec.partition_by) or None,
            partition_filters=[("shard", "in", [str(shard) for shard in sorted(shards)])]
            if spec.keyed
            else None,
            commit_properties=CommitProperties(
                app_transactions=[Transaction(application, batch_id)],
                custom_metadata={"batchId": str(batch_id)},
            ),
        )
        table.update_incremental()
        return True


def _open(location: Location, spec: TableSpec, properties: Mapping[str, str]) -> DeltaTable:
    """The table as it is to be: made if it is not there, its properties set if they are others."""
    try:
        table = location.open(spec.name)
    except TableNotFoundError:
        return _create(location, spec, properties)
    found = table.metadata().configuration
    if found.get(_SHARDS, properties[_SHARDS]) != properties[_SHARDS]:
        raise ConfigurationError(
            "query.shards",
            f"the tables at {location.root} were made with {found[_SHARDS]}: set it to that, or "
            "begin anew with other query.tables and another query.checkpoint",
        )
    if properties.items() - found.items():
        table.alter.set_table_properties(dict(properties), raise_if_not_exists=False)
    return table


def _create(location: Location, spec: TableSpec, properties: Mapping[str, str]) -> DeltaTable:
    path = location.local_path
    if path is not None:
        Path(path / spec.name).mkdir(parents=True, exist_ok=True)
    return DeltaTable.create(
        location.table(spec.name),
        schema=Schema.from_arrow(spec.schema),
        partition_by=list(spec.partition_by) or None,
        name=spec.name,
        description=spec.comment,
        configuration=dict(properties),
        storage_options=dict(location.options) or None,
        raise_if_key_not_exists=False,
    )


def _add_action(file: DataFile) -> AddAction:
    now_ms = int(datetime.now(UTC).timestamp() * 1000)
    values = {} if file.shard is None else {"shard": str(file.shard)}
    return AddAction(
        path=file.path,
        size=file.size_bytes,
        partition_values=values,
        modification_time=now_ms,
        data_change=True,
        stats=file.statistics,
    )
