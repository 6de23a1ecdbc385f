"""`rebalance-monitor collect`: group events, for clusters whose offsets topic cannot be read."""

import signal
import threading

import click
import structlog

from streaming.cli.configured import CLUSTER, configured, follow_logs
from streaming.cluster.collector import Collector
from streaming.cluster.connection import Connection
from streaming.cluster.observation import GroupObserver
from streaming.cluster.topic import EventsTopic
from streaming.cluster.watch import ClusterWatch
from streaming.errors import ClusterError
from streaming.settings.client import ClientProperties
from streaming.settings.model import Settings

_log = structlog.get_logger(__name__)


@click.command(name="collect")
@click.option("--once", is_flag=True, help="Look once, then end; for cron.")
@configured(*CLUSTER)
def command(settings: Settings, *, once: bool) -> None:
    """Ask the cluster about its groups and write what is new to the topic `collect.topic`.

    For managed clusters, whose topic __consumer_offsets cannot be read. A monitor with
    `source.kind = "events"` follows that topic. SIGTERM and SIGINT end it.
    """
    follow_logs(settings)
    collector = _collector(settings)
    collector.recall()
    if once:
        _log.info("looked", event_count=collector.look())
        return
    _go_on(collector, settings.collect.interval_seconds)


def _collector(settings: Settings) -> Collector:
    client = ClientProperties.of(settings.cluster)
    connection = Connection(client, timeout_seconds=settings.cluster.request_timeout_seconds)
    topic = EventsTopic(settings.collect.topic, connection, client)
    topic.make(partition_count=settings.collect.partition_count)
    return Collector(
        watch=ClusterWatch(connection),
        observer=GroupObserver(connection),
        topic=topic,
        ignored_groups=settings.source.ignore_groups,
    )


def _go_on(collector: Collector, interval_seconds: float) -> None:
    """Look at intervals until a signal asks for the end; an outage is waited out."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stopping.set())
    while not stopping.is_set():
        try:
            _log.info("looked", event_count=collector.look())
        except ClusterError as error:
            _log.warning("could not look", reason=str(error))
        stopping.wait(interval_seconds)
