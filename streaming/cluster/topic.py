"""The events topic: made if it is not there, read when a collector starts, written as it goes."""

import time
from collections.abc import Iterable, Iterator

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import NewTopic

from streaming.cluster.connection import Connection
from streaming.errors import ClusterError
from streaming.events import Event, from_json, to_json
from streaming.records.errors import UnreadableRecordError
from streaming.settings.client import ClientProperties

_FETCH_COUNT = 10_000
_GATHER_SECONDS = 0.1
"""How long one call waits for so many messages; it does not come back sooner with fewer."""
_THERE_ALREADY = KafkaError.TOPIC_ALREADY_EXISTS


class EventsTopic:
    """Events in JSON, keyed by group id, so that those of a group stay in order."""

    def __init__(self, name: str, connection: Connection, client: ClientProperties) -> None:
        """Set up a producer.

        Args:
            name: The topic.
            connection: The way to the cluster.
            client: Its properties.
        """
        self._name = name
        self._connection = connection
        self._words = {**client.for_librdkafka(), "log_level": 0}
        self._producer = Producer(
            {
                **self._words,
                "enable.idempotence": True,
                "partitioner": "murmur2_random",  # as Java's producers do
                "linger.ms": 5,
                "message.timeout.ms": round(connection.timeout_seconds * 1000),
            },
            error_cb=lambda _error: None,
        )
        self._failures: list[str] = []

    def make(self, *, partition_count: int) -> None:
        """Make the topic if it is not there.

        Raises:
            ClusterError: It is not there and may not be made.
        """
        admin = self._connection.admin
        answers = admin.create_topics([NewTopic(self._name, num_partitions=partition_count)])
        try:
            self._connection.answer(answers[self._name])
        except KafkaException as error:
            reason: KafkaError = error.args[0]
            if reason.code() != _THERE_ALREADY and not self._is_there():
                raise ClusterError(
                    f"the topic {self._name} is not there and cannot be made: {reason.str()}; "
                    "make it yourself, or name another one in collect.topic"
                ) from None

    def read(self) -> Iterator[Event]:
        """Yield the events that the topic holds now; what is no event is passed over.

        Raises:
            ClusterError: It cannot be read.
        """
        consumer = Consumer(
            {
                **self._words,
                "group.id": "rebalance-monitor-collect",  # must be named, and is never joined
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
            }
        )
        try:
            partitions = self._partitions()
            consumer.assign(partitions)
            yield from _events(self._until_ends(consumer, len(partitions)))
        finally:
            consumer.close()

    def write(self, events: Iterable[Event]) -> int:
        """Write events; returns their number once the brokers have them.

        Raises:
            ClusterError: Not all arrived; the same events may be written again.
        """
        count = 0
        self._failures.clear()
        for event in events:
            self._produce(event)
            count += 1
        left = self._producer.flush(self._connection.timeout_seconds)
        if left or self._failures:
            reason = self._failures[0] if self._failures else "no answer in time"
            raise ClusterError(f"events could not be written to {self._name}: {reason}")
        return count

    def _produce(self, event: Event) -> None:
        value = to_json(event)
        while True:
            try:
                self._producer.produce(
                    self._name, value, key=event.group_id.encode(), on_delivery=self._delivered
                )
            except BufferError:  # its queue is full: let it send
                self._producer.poll(1)
            else:
                self._producer.poll(0)
                return

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            self._failures.append(error.str())

    def _is_there(self) -> bool:
        return bool(self._partitions())

    def _partitions(self) -> list[TopicPartition]:
        connection = self._connection
        metadata = connection.ask(
            f"reading {self._name}",
            lambda: connection.admin.list_topics(self._name, timeout=connection.timeout_seconds),
        )
        # From the beginning, so that the coordinator is not asked where the group had come to.
        return [
            TopicPartition(self._name, number, OFFSET_BEGINNING)
            for number in metadata.topics[self._name].partitions
        ]

    def _until_ends(self, consumer: Consumer, partition_count: int) -> Iterator[Message]:
        """Yield messages until every partition was read to its end."""
        ended: set[int | None] = set()
        heard = time.monotonic()
        while len(ended) < partition_count:
            messages = consumer.consume(_FETCH_COUNT, _GATHER_SECONDS)
            if messages:
                heard = time.monotonic()
            elif time.monotonic() - heard > self._connection.timeout_seconds:
                raise ClusterError(f"{self._name} cannot be read: no answer in time")
            for message in messages:
                error = message.error()
                if error is None:
                    yield message
                elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - spelled so
                    ended.add(message.partition())
                else:
                    raise ClusterError(f"{self._name} cannot be read: {error.str()}")


def _events(messages: Iterable[Message]) -> Iterator[Event]:
    for message in messages:
        value = message.value()
        if value is None:
            continue
        try:
            yield from_json(value)
        except UnreadableRecordError:
            continue  # the monitor has it in its dead letters
