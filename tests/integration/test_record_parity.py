"""Our reading of records held against Kafka's own classes, field for field."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from benchmarks.decode.mutations import Record, mutated
from benchmarks.decode.synthetic import one_of_each
from streaming import events as e
from streaming.embedded.broker import EmbeddedBroker
from streaming.events import event_of
from streaming.records import UnreadableRecordError, to_kafka_json
from streaming.records.schemas import RECORD_TYPES
from tests.records.kafka_java import kafka_json, run_groups

pytestmark = pytest.mark.integration
TOPIC, PARTITION_COUNT = "orders", 4
SOON_SECONDS = 60.0
ROUNDS = 600


class Members:
    """Consumers of librdkafka in one group, polled by turns."""

    def __init__(self, broker: EmbeddedBroker, group_id: str, **config: str) -> None:
        self._config = {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": group_id,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": "false",
            **{name.replace("_", "."): value for name, value in config.items()},
        }
        self._members: list[Consumer] = []

    def join(self, *topics: str, **config: str) -> Consumer:
        extra = {name.replace("_", "."): value for name, value in config.items()}
        member = Consumer({**self._config, **extra})
        member.subscribe(list(topics))
        self._members.append(member)
        return member

    def settle(self) -> None:
        """Poll until the members together have all partitions, each some, and commit."""
        for _ in range(ROUNDS):
            for member in self._members:
                member.poll(0.05)
            owned = [len(member.assignment()) for member in self._members]
            if all(owned) and sum(owned) == PARTITION_COUNT:
                break
        else:
            pytest.fail(f"{self._config['group.id']} did not settle")
        for member in self._members:
            places = [
                TopicPartition(p.topic, p.partition, 3, metadata="größe")
                for p in member.assignment()
            ]
            member.commit(offsets=places, asynchronous=False)

    def leave(self) -> None:
        self._members.pop().close()

    def close(self) -> None:
        while self._members:
            self.leave()


def rebalance(broker: EmbeddedBroker, group_id: str, topic: str = TOPIC, **config: str) -> None:
    members = Members(broker, group_id, **config)
    members.join(topic)
    members.settle()
    members.join(topic)
    members.settle()
    members.leave()
    members.settle()
    members.close()


def static_members(broker: EmbeddedBroker) -> None:
    members = Members(broker, "static", partition_assignment_strategy="range,roundrobin")
    for number in range(2):
        members.join(TOPIC, group_instance_id=f"instance-{number}", client_rack="rack-a")
    members.settle()
    members.close()


def migration(broker: EmbeddedBroker) -> None:
    """A group of a KIP-848 member and one that still speaks the classic protocol."""
    members = Members(broker, "migration")
    members.join(TOPIC, group_protocol="consumer")
    members.settle()
    members.join(TOPIC, partition_assignment_strategy="roundrobin")
    members.settle()
    members.close()


def transactions(broker: EmbeddedBroker) -> None:
    producer = Producer(
        {"bootstrap.servers": broker.bootstrap_servers, "transactional.id": "transfer"}
    )
    producer.init_transactions(SOON_SECONDS)
    members = Members(broker, "transactional")
    member = members.join(TOPIC)
    members.settle()
    for offset, finish in ((4, producer.commit_transaction), (5, producer.abort_transaction)):
        producer.begin_transaction()
        places = [TopicPartition(TOPIC, 0, offset)]
        producer.send_offsets_to_transaction(places, member.consumer_group_metadata())
        finish(SOON_SECONDS)
    members.close()


def delete(admin: AdminClient, *group_ids: str) -> None:
    for outcome in admin.delete_consumer_groups(list(group_ids)).values():
        outcome.result()


def fill(broker: EmbeddedBroker) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for number in range(5 * PARTITION_COUNT):
        producer.produce(TOPIC, b"value", b"key", partition=number % PARTITION_COUNT)
    assert producer.flush(SOON_SECONDS) == 0


def written(broker: EmbeddedBroker) -> list[Record]:
    """Everything in ``__consumer_offsets``, aborted transactions too."""
    name = "__consumer_offsets"
    config = {
        "bootstrap.servers": broker.bootstrap_servers,
        "group.id": "unused",
        "isolation.level": "read_uncommitted",
        "enable.partition.eof": "true",
    }
    partitions = broker.admin().list_topics(name).topics[name].partitions
    records: list[Record] = []
    consumer = Consumer(config)
    for partition in partitions:
        consumer.assign([TopicPartition(name, partition, 0)])
        records += until_end(consumer)
    consumer.close()
    return records


def until_end(consumer: Consumer) -> Iterator[Record]:
    while True:
        message = consumer.poll(SOON_SECONDS)
        assert message is not None
        if message.error():
            return
        key = message.key()
        assert key is not None
        yield key, message.value()


@pytest.fixture(scope="module")
def records() -> list[Record]:
    with EmbeddedBroker() as broker:
        broker.create_topics({TOPIC: PARTITION_COUNT})
        fill(broker)
        for strategy in ("range", "roundrobin", "cooperative-sticky"):
            rebalance(broker, strategy, partition_assignment_strategy=strategy)
        rebalance(broker, "kip-848", group_protocol="consumer", client_rack="rack-b")
        rebalance(broker, "pattern", "^ord.*", group_protocol="consumer")
        static_members(broker)
        migration(broker)
        transactions(broker)
        delete(broker.admin(), "range", "kip-848")
        run_groups(broker.bootstrap_servers, TOPIC)
        return written(broker)


def assert_equal(records: Sequence[Record]) -> None:
    for (key, value), (plain, embedded) in zip(records, kafka_json(records), strict=True):
        assert to_kafka_json(key, value, embedded=False) == plain
        assert to_kafka_json(key, value) == embedded


def test_what_a_broker_wrote_reads_as_kafka_reads_it(records: list[Record]) -> None:
    assert len(records) > 150
    assert_equal(records)


def test_a_broker_wrote_records_of_every_type_of_today(records: list[Record]) -> None:
    seen = {int.from_bytes(key[:2], "big") for key, value in records if value is not None}
    retired = {0, 4}  # read for the sake of old logs; brokers of this version only write others
    assert seen == {record.number for record in RECORD_TYPES} - retired


def test_every_record_of_a_broker_has_its_event(records: list[Record]) -> None:
    kinds = Counter(type(event_of(key, value)) for key, value in records)
    said_by_others = {type(None)}
    assert set(kinds) - said_by_others == {
        e.ClassicGeneration,
        e.ConsumerGroupEpoch,
        e.ConsumerMember,
        e.CurrentAssignment,
        e.CurrentRemoved,
        e.GroupRemoved,
        e.MemberRemoved,
        e.OffsetCommit,
        e.OffsetRemoved,
        e.RegexRemoved,
        e.ResolvedRegex,
        e.ShareGroupEpoch,
        e.ShareMember,
        e.SharePartitions,
        e.StreamsCurrentAssignment,
        e.StreamsGroupEpoch,
        e.StreamsMember,
        e.StreamsTargetAssignment,
        e.StreamsTopology,
        e.TargetAssignment,
        e.TargetEpoch,
        e.TargetRemoved,
    }


def events_of(records: list[Record], group_id: str, kind: type[Any]) -> list[Any]:
    events = [event_of(key, value) for key, value in records]
    return [event for event in events if isinstance(event, kind) and event.group_id == group_id]


def test_generations_of_librdkafkas_groups(records: list[Record]) -> None:
    for group_id in ("range", "roundrobin", "cooperative-sticky"):
        generations = events_of(records, group_id, e.ClassicGeneration)
        full = [
            g for g in generations if len(g.members) == 2 and all(m.assigned for m in g.members)
        ]
        assert full
        for generation in full:
            assert generation.protocol == group_id
            owned = [n for m in generation.members for n in m.assigned[TOPIC]]
            assert sorted(owned) == list(range(PARTITION_COUNT))
    rejoined = events_of(records, "cooperative-sticky", e.ClassicGeneration)
    assert any(member.owned for generation in rejoined for member in generation.members)


def test_static_members_have_their_instance_ids(records: list[Record]) -> None:
    (*_, last) = [g for g in events_of(records, "static", e.ClassicGeneration) if g.members]
    assert {m.instance_id for m in last.members} == {"instance-0", "instance-1"}


def test_javas_sticky_assignors_say_what_their_members_owned(records: list[Record]) -> None:
    for group_id in ("java-sticky", "java-cooperative"):
        generations = events_of(records, group_id, e.ClassicGeneration)
        claims = [m for g in generations for m in g.members if m.owned]
        assert claims
        assert all(member.owned_generation is not None for member in claims)


def test_a_group_in_migration_says_which_protocols_its_member_speaks(
    records: list[Record],
) -> None:
    members = events_of(records, "migration", e.ConsumerMember)
    assert {member.classic_protocols for member in members} >= {(), ("roundrobin",)}


def test_an_aborted_transaction_is_among_what_is_read_uncommitted(records: list[Record]) -> None:
    commits = events_of(records, "transactional", e.OffsetCommit)
    assert {commit.offset for commit in commits} == {3, 4, 5}
    # confluent-kafka sends its metadata with the C string's end.
    assert {commit.metadata.rstrip("\0") for commit in commits} == {"", "größe"}


def test_a_pattern_is_resolved_by_the_broker(records: list[Record]) -> None:
    (resolved, *_) = events_of(records, "pattern", e.ResolvedRegex)
    assert resolved.topics == (TOPIC,)


def test_records_of_every_type_and_version_read_as_kafka_reads_them() -> None:
    assert_equal(one_of_each(21, rounds=30))


def test_what_we_read_of_damaged_records_kafka_reads_too() -> None:
    records = [r for r in mutated(one_of_each(22, rounds=3), 4_000, seed=5) if readable(*r)]
    assert len(records) > 500
    for (key, value), (plain, _) in zip(records, kafka_json(records), strict=True):
        assert to_kafka_json(key, value, embedded=False) == plain


def readable(key: bytes, value: bytes | None) -> bool:
    try:
        to_kafka_json(key, value, embedded=False)
    except UnreadableRecordError:
        return False
    return True
