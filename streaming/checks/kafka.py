"""The cluster: can it be reached, and may we read what we need?"""

from collections.abc import Iterator

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from streaming.checks.finding import Finding
from streaming.cluster import ClusterView, ClusterWatch
from streaming.cluster.connection import Connection
from streaming.settings.client import ClientProperties
from streaming.settings.model import Settings
from streaming.settings.source import OFFSETS_TOPIC

_RIGHTS = "docs/rights.md lists the rights that it takes"


def check_cluster(settings: Settings) -> Iterator[Finding]:
    """Connect, look at the topics, and try to read the one that the stream reads."""
    client = ClientProperties.of(settings.cluster)
    timeout_seconds = settings.cluster.request_timeout_seconds
    watch = ClusterWatch(Connection(client, timeout_seconds=timeout_seconds))
    view = watch.look()
    yield Finding("cluster", "ok", f"{view.cluster_id}, {len(view.topics)} topics")
    yield _source(settings, view, client)
    yield _groups(watch)


def _source(settings: Settings, view: ClusterView, client: ClientProperties) -> Finding:
    topic = settings.source_topic
    if topic not in view.topics:
        return _missing(settings)
    answer = _first_record(client, topic, settings.cluster.request_timeout_seconds)
    error = None if answer is None else answer.error()
    if answer is None:
        return Finding("source", "failed", f"{topic} gave no answer in time; look at the brokers")
    if error is None or error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - spelled so
        count = view.topics[topic].partition_count
        return Finding("source", "ok", f"{topic} can be read, {count} partitions")
    return Finding("source", "failed", f"{topic} cannot be read: {error.str()}; {_RIGHTS}")


def _missing(settings: Settings) -> Finding:
    topic = settings.source_topic
    if topic == OFFSETS_TOPIC:
        return Finding(
            "source",
            "warning",
            f"{topic} is not there or not shown: if no group ever committed it is made when the "
            f"first one does, and a run waits for it; else {_RIGHTS}",
        )
    return Finding(
        "source",
        "failed",
        f"{topic} is not there: start `rebalance-monitor collect`, which makes it",
    )


def _first_record(client: ClientProperties, topic: str, timeout_seconds: float) -> Message | None:
    """Read the oldest record there is, without a consumer group; the end of the topic will do."""
    consumer = Consumer(
        {
            **client.for_librdkafka(),
            "group.id": "rebalance-monitor-check",  # must be named, and is never joined
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }
    )
    try:
        consumer.assign([TopicPartition(topic, 0)])
        return consumer.poll(timeout_seconds)
    finally:
        consumer.close()


def _groups(watch: ClusterWatch) -> Finding:
    offered = watch.offers_kip_848()
    if offered is None:
        return Finding(
            "protocols", "warning", "the brokers' configuration may not be read; not needed to run"
        )
    said = "KIP-848 is offered" if offered else "classic groups only"
    return Finding("protocols", "ok", said)
