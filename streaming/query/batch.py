"""One micro-batch on the driver: one Spark job, then one commit per table."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import orjson
import structlog
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from streaming.alerts.monitor import MonitorWatch
from streaming.query import task
from streaming.query.job import BatchJob, Tally, TaskReport
from streaming.query.outputs import HISTORIES
from streaming.query.placement import placed
from streaming.query.progress import BatchInfo
from streaming.records.commits import CommitReduction
from streaming.records.numbers import numbers_of
from streaming.tables.buffers import TableBuffer
from streaming.tables.commits import TableCommits
from streaming.tables.files import DataFile, write_file
from streaming.tables.schemas import ALERTS, BATCHES, GROUP_STATE, OFFSETS, TableSpec

log = structlog.get_logger(__name__)

_READERS_PER_CORE = 2
_WORTH_REDUCING = 100_000
"""Records of a batch from which on offset commits are reduced on the JVM, not in Python."""


@dataclass(slots=True)
class Clocks:
    """Seconds spent on the parts of a batch."""

    cluster: float = 0.0
    groups: float = 0.0
    commit: float = 0.0

    @contextmanager
    def timing(self, part: str) -> Iterator[None]:
        """Add the time spent inside to one part."""
        started = time.monotonic()
        try:
            yield
        finally:
            setattr(self, part, getattr(self, part) + time.monotonic() - started)

    @property
    def total(self) -> float:
        """Seconds of all parts."""
        return self.cluster + self.groups + self.commit


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """What one batch is to do.

    Attributes:
        info: its number, clock and offsets.
        job: what the executors need.
        due_shards: shards to be visited though they may have no record.
        application: identity of the query in the tables' ``txn`` actions.
    """

    info: BatchInfo
    job: BatchJob
    due_shards: frozenset[int]
    application: str


class BatchWriter:
    """Carries out batches over the tables."""

    def __init__(
        self,
        tables: TableCommits,
        *,
        shards: int,
        watch: MonitorWatch,
        on_commit: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Write to open tables.

        Args:
            tables: the tables.
            shards: slices of the groups.
            watch: alerts about the monitor itself.
            on_commit: told the name of each table once the batch is in it.
        """
        self._tables = tables
        self._shards = shards
        self._watch = watch
        self._on_commit = on_commit
        self._reduction: CommitReduction | None = None

    def prepare(self, session: SparkSession, *, records: int) -> None:
        """Make what large batches need, beside the start of the query: it takes a second.

        Args:
            session: of the query.
            records: in the source, about; few make no large batch.
        """
        if records >= _WORTH_REDUCING:
            self._reduction_in(session)

    def is_done(self, *, application: str, batch_id: int) -> bool:
        """Whether a batch was carried out before: its state is committed, and that comes last."""
        return self._tables.is_committed(GROUP_STATE, application=application, batch_id=batch_id)

    def carry_out(self, records: DataFrame, plan: BatchPlan, clocks: Clocks) -> list[TaskReport]:
        """Do the work of a batch and commit it.

        Args:
            records: columns key, value, partition, offset, timestamp.
            plan: what to do.
            clocks: what took how long, added to.
        """
        with clocks.timing("groups"):
            reports = self._work(records, plan)
        files: dict[str, list[DataFile]] = {}
        for report in reports:
            for file in report.files:
                files.setdefault(file.table, []).append(file)
        self._add_own_alerts(plan, reports, files)
        with clocks.timing("commit"):
            self._commit_facts(plan, reports, files)
        self._watch.keep()
        self._commit_state(plan, reports, files, clocks)
        return reports

    def _work(self, records: DataFrame, plan: BatchPlan) -> list[TaskReport]:
        if not plan.info.may_have_records and not plan.due_shards:
            return []
        rows = self._shard_rows(records, plan)
        work = task.shard_task(plan.job)
        done: list[Row] = rows.mapInArrow(work, schema=task.REPORT_SCHEMA).collect()
        return [task.from_json(row["report"]) for row in done]

    def _shard_rows(self, records: DataFrame, plan: BatchPlan) -> DataFrame:
        """Records by shard and in order, and a row without record for each shard that is due."""
        parallelism = records.sparkSession.sparkContext.defaultParallelism
        # A task for each of the source's partitions costs more than most of them have to read.
        read = records.coalesce(_READERS_PER_CORE * parallelism)
        rows = self._reduced(read, plan).select(
            f.pmod(f.col("partition"), f.lit(self._shards)).cast("int").alias("shard"),
            f.col("partition"),
            f.col("offset"),
            f.unix_millis("timestamp").alias("time_ms"),
            f.col("key"),
            f.col("value"),
            f.col("record_count").alias("count"),
        )
        if plan.due_shards:
            due = records.sparkSession.range(self._shards).where(
                f.col("id").isin(sorted(plan.due_shards))
            )
            nothing = [f.lit(None).cast(field.dataType) for field in rows.schema.fields[1:]]
            rows = rows.unionAll(due.select(f.col("id").cast("int"), *nothing))
        tasks = min(self._shards, parallelism)
        spread = rows.repartition(tasks, placed(f.col("shard"), tasks=tasks))
        return spread.sortWithinPartitions("shard", "partition", "offset")

    def _reduced(self, records: DataFrame, plan: BatchPlan) -> DataFrame:
        """The records with ``record_count``, how many each stands for; many commits reduced.

        Few are not worth what Spark needs to plan and compile the reduction, most of a second.
        """
        if plan.job.json_events or plan.info.record_count < _WORTH_REDUCING:
            return records.withColumn("record_count", f.lit(1).cast("bigint"))
        return self._reduction_in(records.sparkSession).reduce(records)

    def _reduction_in(self, session: SparkSession) -> CommitReduction:
        if self._reduction is None:
            self._reduction = CommitReduction(numbers_of(session))
        return self._reduction

    def _add_own_alerts(
        self, plan: BatchPlan, reports: list[TaskReport], files: dict[str, list[DataFile]]
    ) -> None:
        changes = self._watch.look(
            now_ms=plan.info.now_ms,
            behind_seconds=behind_seconds(plan, reports),
            behind_records=plan.info.behind_records,
        )
        if changes:
            rows = [change.row() for change in changes]
            files.setdefault(ALERTS.name, []).append(self._write_rows(plan, ALERTS, rows))

    def _commit_facts(
        self, plan: BatchPlan, reports: list[TaskReport], files: Mapping[str, list[DataFile]]
    ) -> None:
        for spec in HISTORIES:
            self._commit_table(spec, plan, files)
        self._commit_table(
            OFFSETS, plan, files, emptied=[s for report in reports for s in report.emptied_offsets]
        )

    def _commit_state(
        self,
        plan: BatchPlan,
        reports: list[TaskReport],
        files: dict[str, list[DataFile]],
        clocks: Clocks,
    ) -> None:
        """The last two commits: what the batch did, and the state that says that it is done."""
        row = batch_row(plan, reports, clocks)
        files[BATCHES.name] = [self._write_rows(plan, BATCHES, [row])]
        self._commit_table(BATCHES, plan, files)
        self._commit_table(
            GROUP_STATE,
            plan,
            files,
            emptied=[s for report in reports for s in report.emptied_state],
        )

    def _commit_table(
        self,
        spec: TableSpec,
        plan: BatchPlan,
        files: Mapping[str, list[DataFile]],
        *,
        emptied: Iterable[int] = (),
    ) -> None:
        self._tables.commit(
            spec,
            files.get(spec.name, []),
            application=plan.application,
            batch_id=plan.info.batch_id,
            emptied=emptied,
        )
        self._on_commit(spec.name)

    def _write_rows(
        self, plan: BatchPlan, spec: TableSpec, rows: Iterable[Mapping[str, object]]
    ) -> DataFile:
        buffer = TableBuffer(spec, plan.job.shared_columns)
        for row in rows:
            buffer.add(row)
        return write_file(self._tables.location, spec, buffer.take())


def batch_row(plan: BatchPlan, reports: Iterable[TaskReport], clocks: Clocks) -> dict[str, object]:
    """The row of ``batches``."""
    tally = Tally()
    for report in reports:
        tally.add(report.tally)
    info = plan.info
    return {
        "start_offsets": orjson.dumps(info.start_offsets, option=orjson.OPT_NON_STR_KEYS).decode(),
        "end_offsets": orjson.dumps(info.end_offsets, option=orjson.OPT_NON_STR_KEYS).decode(),
        "records_read": tally.read,
        "events": tally.events,
        "ignored": tally.ignored,
        "dead_letters": tally.dead_letters,
        "groups_changed": tally.groups_changed,
        "settled_generations": tally.settled_generations,
        "seconds": clocks.total,
        "cluster_seconds": clocks.cluster,
        "groups_seconds": clocks.groups,
        "commit_seconds": clocks.commit,
        "behind_records": info.behind_records,
        "behind_seconds": behind_seconds(plan, reports),
        "event_time": info.now_ms * 1000,
    }


def behind_seconds(plan: BatchPlan, reports: Iterable[TaskReport]) -> float | None:
    """Age of the newest record that a batch read; None if it read none."""
    newest_ms = max((report.newest_ms for report in reports), default=0)
    return (plan.info.now_ms - newest_ms) / 1000 if newest_ms else None
