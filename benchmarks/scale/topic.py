"""A topic that stands in for ``__consumer_offsets``, which takes no records from producers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from confluent_kafka import KafkaException, Producer, TopicCollection

from benchmarks.scale.groups import NAME, Load, Record
from streaming.embedded.broker import EmbeddedBroker

SOURCE = "consumer-offsets"
SOURCE_PARTITIONS = 16
TOPICS = ("orders", "payments", "refunds", "shipments")
_AT_ONCE = 10_000
_PATIENCE_SECONDS = 120.0
_HASH_BITS = 32


class SourceTopic:
    """Writes records of groups where the coordinator would."""

    def __init__(self, broker: EmbeddedBroker, name: str = SOURCE) -> None:
        """Make the topic.

        Args:
            broker: a running broker.
            name: of the topic.
        """
        broker.create_topics({name: SOURCE_PARTITIONS}, config={"segment.bytes": "268435456"})
        self.name = name
        self._producer = Producer(
            {
                "bootstrap.servers": broker.bootstrap_servers,
                "transactional.id": f"benchmark-{name}",
                "linger.ms": 20,
                "batch.size": 1_000_000,
                "queue.buffering.max.messages": 500_000,
                "queue.buffering.max.kbytes": 262_144,
            }
        )
        self._producer.init_transactions(_PATIENCE_SECONDS)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Make all that is written inside visible in the same moment, and so in one batch."""
        self._producer.begin_transaction()
        yield
        self._producer.commit_transaction(_PATIENCE_SECONDS)

    def write(self, group: int, records: Iterable[Record]) -> int:
        """Write records of one group, where Kafka would put them.

        Returns:
            How many.
        """
        partition, count = partition_of(NAME % group), 0
        source = iter(records)
        while chunk := list(islice(source, _AT_ONCE)):
            self._send([{"key": key, "value": value} for key, value in chunk], partition)
            count += len(chunk)
        return count

    def _send(self, messages: list[dict[str, bytes | None]], partition: int) -> None:
        while messages:
            self._producer.produce_batch(self.name, messages, partition=partition)
            messages = [each for each in messages if each.pop("_error", None) is not None]
            self._producer.poll(0.05 if messages else 0)


def partition_of(group_id: str) -> int:
    """Kafka's place of a group: Java's hash of its name, modulo the partitions."""
    code = 0
    for character in group_id.encode("utf-16-be")[1::2]:
        code = (31 * code + character) % (1 << _HASH_BITS)
    signed = code - (1 << _HASH_BITS) if code >> (_HASH_BITS - 1) else code
    return abs(signed) % SOURCE_PARTITIONS


def load_of(broker: EmbeddedBroker, groups: int) -> Load:
    """Groups over the topics of a broker, which are made if they are not there."""
    try:
        ids = _topic_ids(broker)
    except KafkaException:
        broker.create_topics(dict.fromkeys(TOPICS, 25))
        ids = _topic_ids(broker)
    return Load(groups=groups, topics=ids)


def _topic_ids(broker: EmbeddedBroker) -> dict[str, str]:
    admin = broker.admin()  # the answers come as long as it lives
    asked = admin.describe_topics(TopicCollection(list(TOPICS)))
    return {name: str(future.result().topic_id) for name, future in asked.items()}
