"""The long-running application: session, source, tables, and the query that joins them."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

import structlog
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.query.batch import BatchPlan, BatchWriter, Clocks
from streaming.query.job import BatchJob, TaskReport
from streaming.query.progress import BatchInfo, CheckpointLog, Offsets
from streaming.query.source import KafkaSource, without_ticks

log = structlog.get_logger(__name__)

_START_WITHIN_SECONDS = 300.0


class MakeJob(Protocol):
    """Makes the job of a batch."""

    def __call__(
        self, info: BatchInfo, *, refresh: bool, every_group: bool, names_missing: bool
    ) -> BatchJob:
        """The job; with lags taken anew, for every group, with topic names asked for anew."""


AfterBatch = Callable[[BatchPlan, list[TaskReport], Clocks], None]
"""Told of a batch once it is committed."""


@dataclass(slots=True, kw_only=True)
class Schedule:
    """Which shards must be visited when, though no record comes.

    Attributes:
        shards: number of shards.
        refresh_ms: how often lags are taken anew, milliseconds.
        deadlines_ms: per shard, when a group in it falls due.
        refreshed_ms: when lags were last taken.
        names_missing: a group waits for the name of a topic id.
    """

    shards: int
    refresh_ms: int
    deadlines_ms: dict[int, int | None] = field(default_factory=dict)
    refreshed_ms: int | None = None
    names_missing: bool = False

    @property
    def is_first(self) -> bool:
        """Whether this is the first batch after a start, which looks at every group."""
        return self.refreshed_ms is None

    def is_refresh(self, now_ms: int) -> bool:
        """Whether all lags are to be taken anew; always so at the first batch after a start."""
        return self.refreshed_ms is None or now_ms - self.refreshed_ms >= self.refresh_ms

    def due(self, now_ms: int) -> frozenset[int]:
        """Shards to visit."""
        if self.is_refresh(now_ms):
            return frozenset(range(self.shards))
        return frozenset(
            shard
            for shard, time in self.deadlines_ms.items()
            if time is not None and time <= now_ms
        )

    def note(self, reports: list[TaskReport], *, now_ms: int, refreshed: bool) -> None:
        """Take over what the shards said of their next deadlines."""
        for report in reports:
            self.deadlines_ms.update(report.deadlines_ms)
        if reports:
            self.names_missing = any(report.names_missing for report in reports)
        if refreshed:
            self.refreshed_ms = now_ms


@dataclass(slots=True, kw_only=True)
class Monitor:
    """The streaming query over one cluster.

    Attributes:
        spark: the session.
        source: where the records come from.
        writer: carries out batches.
        schedule: which shards fall due when.
        make_job: makes the job of a batch.
        after_batch: told of every batch once it is committed.
    """

    spark: SparkSession
    source: KafkaSource
    writer: BatchWriter
    schedule: Schedule
    make_job: MakeJob
    after_batch: AfterBatch
    _started: threading.Event = field(default_factory=threading.Event, init=False)
    _at_work: threading.Lock = field(default_factory=threading.Lock, init=False)
    _stopping: bool = field(default=False, init=False)
    _until: Offsets | None = field(default=None, init=False)
    _last: BatchInfo | None = field(default=None, init=False)
    _query: StreamingQuery | None = field(default=None, init=False)

    def start(
        self, *, checkpoint: str, trigger_seconds: float, until: Offsets | None = None
    ) -> StreamingQuery:
        """Start the query.

        Args:
            checkpoint: Spark's checkpoint location.
            trigger_seconds: interval of the micro-batches.
            until: offsets at which the work is done; None to go on. Spark's own trigger for this
                (``availableNow``) wants it of every source, and a clock has no end.
        """
        self._until = until
        stream = self.source.stream(self.spark)
        interval = 0 if until is not None else round(trigger_seconds * 1000)
        self._query = (
            stream.writeStream.queryName("rebalance-monitor")
            .foreachBatch(self._on_batch)
            .option("checkpointLocation", checkpoint)
            .trigger(processingTime=f"{interval} milliseconds")
            .start()
        )
        self._started.set()
        return self._query

    @property
    def is_done(self) -> bool:
        """Whether it has read as far as it was to read."""
        return self._until is not None and self.has_read(self._until)

    def has_read(self, offsets: Offsets) -> bool:
        """Whether everything before these offsets of the source is in the tables."""
        return self._last is not None and self._last.reaches(offsets)

    def stop(self) -> None:
        """End the query, after the batch that it is at."""
        with self._at_work:
            self._stopping = True
        if self._query is not None:
            self._query.stop()

    def _on_batch(self, batch: DataFrame, batch_id: int) -> None:
        with self._at_work:
            if self._stopping:
                # To return would say that the batch is done.
                raise InterruptedError("the monitor is stopping; the batch is left for later")
            self._batch(batch, batch_id)

    def _batch(self, batch: DataFrame, batch_id: int) -> None:
        # The first batch may begin before start() has come back with the query.
        self._started.wait(_START_WITHIN_SECONDS)
        query = self._query
        if query is None:
            raise RuntimeError("the query did not start")
        application = str(query.id)
        if self.writer.is_done(application=application, batch_id=batch_id):
            log.info("batch was already carried out", batch_id=batch_id)
            return
        info = CheckpointLog(query, self.source.topic).batch(batch_id)
        self._carry_out(without_ticks(batch), info, application)
        self._last = info

    def _carry_out(self, records: DataFrame, info: BatchInfo, application: str) -> None:
        refresh = self.schedule.is_refresh(info.now_ms)
        clocks = Clocks()
        with clocks.timing("cluster"):
            job = self.make_job(
                info,
                refresh=refresh,
                every_group=self.schedule.is_first,
                names_missing=self.schedule.names_missing,
            )
        info = replace(info, behind_records=_behind(info, job))
        plan = BatchPlan(
            info=info, job=job, due_shards=self.schedule.due(info.now_ms), application=application
        )
        reports = self.writer.carry_out(records, plan, clocks)
        self.schedule.note(reports, now_ms=info.now_ms, refreshed=refresh)
        self.after_batch(plan, reports, clocks)


def _behind(info: BatchInfo, job: BatchJob) -> int | None:
    """Records of the source that this batch leaves unread, by the end offsets last taken."""
    ends = job.end_offsets.get(job.source_topic)
    if ends is None:
        return None
    read = info.end_offsets
    return sum(max(0, int(end) - read.get(number, 0)) for number, end in enumerate(ends))
