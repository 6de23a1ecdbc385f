"""The running monitor: everything that `run` starts, and ends again in order."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.alerts.delivery import AlertDelivery
from streaming.alerts.monitor import MonitorWatch
from streaming.alerts.rules import RuleBook
from streaming.metrics import start_metrics_server
from streaming.query.app import Monitor, Schedule
from streaming.query.batch import BatchPlan, BatchWriter, Clocks
from streaming.query.catching_up import CatchingUp, OnProgress
from streaming.query.cluster_facts import ClusterFeed, open_feed
from streaming.query.job import TaskReport
from streaming.query.jobs import JobMaker
from streaming.query.source import KafkaSource
from streaming.query.upkeep import BackgroundUpkeep
from streaming.settings.client import ClientProperties
from streaming.settings.model import Settings
from streaming.settings.query import QuerySettings
from streaming.tables.commits import TableCommits
from streaming.tables.maintenance import Upkeep
from streaming.tables.reader import TableReader
from streaming.tables.schemas import ALERTS
from streaming.tables.storage import Location

log = structlog.get_logger(__name__)

Say = Callable[[str], None]

_LOOK_SECONDS = 1
"""How often a wait looks; Spark takes whole seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A monitor that runs.

    Attributes:
        query: the streaming query.
        tables: where its tables lie.
        monitor: what carries out its batches.
        feed: what the cluster says.
    """

    query: StreamingQuery
    tables: Location
    monitor: Monitor
    feed: ClusterFeed

    def wait(self, *, seconds: float) -> bool:
        """Wait for the end.

        Args:
            seconds: how long.

        Returns:
            Whether it has ended: read as far as it was to, or stopped.

        Raises:
            pyspark.errors.StreamingQueryException: it failed.
        """
        return self._wait(lambda: self.monitor.is_done, seconds=seconds)

    def catch_up(self, *, seconds: float) -> bool:
        """Wait until everything that is in the source now is in the tables.

        Args:
            seconds: how long.

        Returns:
            Whether it is.

        Raises:
            pyspark.errors.StreamingQueryException: it failed.
        """
        ends = self.feed.committed_ends(self.monitor.source.topic)
        return self._wait(lambda: self.monitor.has_read(ends), seconds=seconds)

    def _wait(self, is_over: Callable[[], bool], *, seconds: float) -> bool:
        ends = time.monotonic() + seconds
        while not is_over() and time.monotonic() < ends:
            if self.query.awaitTermination(_LOOK_SECONDS):
                return True
        return is_over()


@contextmanager
def running(  # noqa: PLR0913 - each is one thing of its own to hook in
    settings: Settings,
    *,
    spark: Callable[[], SparkSession],
    say: Say,
    once: bool = False,
    on_commit: Callable[[str], None] = lambda _table: None,
    on_progress: OnProgress = lambda _progress: None,
) -> Iterator[Service]:
    """Run the monitor while the context is open.

    Args:
        settings: the configuration.
        spark: gives the session; asked for it last, so that it may still be beginning
            (`begin_session`) while the cluster answers and the tables are opened.
        say: told what is being waited for.
        once: read what is there and end.
        on_commit: told the name of each table once a batch is in it.
        on_progress: told how far it is, as long as records wait from before the start.

    Raises:
        MonitorError: the cluster, Java or the configuration does not do.
    """
    location = Location.of(settings.query)
    client = ClientProperties.of(settings.cluster)
    with ExitStack() as stack:
        feed = stack.enter_context(open_feed(settings, client))
        partitions = feed.await_topic(settings.source_topic, say=say)
        log_kept = timedelta(hours=settings.maintenance.log_hours)
        tables = TableCommits(location, shards=settings.query.shards, log=log_kept)
        delivery = stack.enter_context(
            AlertDelivery(settings.alerts, cluster=settings.cluster.name, location=location)
        )
        stack.enter_context(_upkeep(settings, location))
        if settings.metrics.enabled:
            stack.enter_context(
                start_metrics_server(settings.metrics, location, sinks=lambda: delivery.statuses)
            )
        writer = BatchWriter(
            tables,
            shards=settings.query.shards,
            watch=_watch(settings, location),
            on_commit=on_commit,
        )
        session = spark()
        monitor = Monitor(
            spark=session,
            source=_source(settings, client, partitions),
            writer=writer,
            schedule=_schedule(settings.query),
            make_job=JobMaker(settings=settings, tables=tables, ask_cluster=feed.facts),
            after_batch=_Follower(delivery, CatchingUp(on_progress)),
        )
        ends = feed.committed_ends(settings.source_topic)
        query = monitor.start(
            checkpoint=settings.query.checkpoint,
            trigger_seconds=settings.query.trigger_seconds,
            until=ends if once else None,
        )
        stack.callback(_stop, monitor)
        writer.prepare(session, records=sum(ends.values()))
        yield Service(query=query, tables=location, monitor=monitor, feed=feed)


@dataclass(frozen=True, slots=True)
class _Follower:
    """Told of every batch once it is committed."""

    delivery: AlertDelivery
    catching_up: CatchingUp

    def __call__(self, plan: BatchPlan, reports: list[TaskReport], clocks: Clocks) -> None:
        if any(file.table == ALERTS.name for report in reports for file in report.files):
            self.delivery.wake()
        self.catching_up.note(plan.info)
        log.debug("batch committed", batch_id=plan.info.batch_id, seconds=round(clocks.total, 3))


def _source(
    settings: Settings, client: ClientProperties, partitions: tuple[int, ...]
) -> KafkaSource:
    return KafkaSource(
        topic=settings.source_topic,
        partitions=partitions,
        options=client.for_spark(),
        starting_offsets=settings.source.starting_offsets,
        max_records=settings.source.max_offsets_per_trigger,
    )


def _watch(settings: Settings, location: Location) -> MonitorWatch:
    reader = TableReader(location)
    return MonitorWatch.resume(reader, RuleBook(settings.alerts), cluster=settings.cluster.name)


def _schedule(settings: QuerySettings) -> Schedule:
    return Schedule(shards=settings.shards, refresh_ms=round(settings.lag_refresh_seconds * 1000))


@contextmanager
def _upkeep(settings: Settings, location: Location) -> Iterator[None]:
    upkeep = BackgroundUpkeep(
        location,
        Upkeep.of(settings.maintenance),
        interval_seconds=settings.maintenance.interval_seconds,
    )
    upkeep.start()
    try:
        yield
    finally:
        upkeep.stop()


def _stop(monitor: Monitor) -> None:
    started = time.monotonic()
    monitor.stop()
    log.info("query stopped", seconds=round(time.monotonic() - started, 3))
