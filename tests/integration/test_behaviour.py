"""What docs/behaviour.md promises, made to happen on a real broker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import NewPartitions
from pyspark.sql import SparkSession

from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.group import Group
from streaming.embedded.waiting import until
from streaming.query.service import running
from streaming.settings.loading import load_settings
from streaming.settings.model import Settings
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as running_broker:
        yield running_broker


class Chain:
    """Reads what is new into the tables, as often as it is asked to."""

    def __init__(self, settings: Settings, spark: SparkSession) -> None:
        self.settings = settings
        self._spark = spark

    def read(self) -> TableReader:
        with running(self.settings, say=print, once=True, spark=lambda: self._spark) as service:
            assert service.wait(seconds=120)
        return TableReader(Location.of(self.settings.query))

    def rebalances(self, group: str) -> list[dict[str, Any]]:
        return self.read().rows(
            "SELECT * FROM rebalances WHERE group_id = :group ORDER BY event_time, generation",
            group=group,
        )

    def state(self, group: str) -> list[dict[str, Any]]:
        return self.read().rows("SELECT * FROM group_state WHERE group_id = :group", group=group)


@pytest.fixture
def chain(broker: EmbeddedBroker, spark: SparkSession, tmp_path: Path) -> Chain:
    return Chain(settings_of(broker, tmp_path), spark)


def settings_of(broker: EmbeddedBroker, folder: Path, **more: object) -> Settings:
    overrides = {
        "cluster.bootstrap_servers": broker.bootstrap_servers,
        "query.tables": str(folder / "tables"),
        "query.checkpoint": str(folder / "checkpoint"),
        "query.settle_seconds": 1,
        "query.shards": 2,
        "metrics.enabled": False,
    }
    return load_settings(None, env={}, overrides={**overrides, **more})


def test_a_topic_that_gains_partitions_is_the_cause_of_the_next_rebalance(
    broker: EmbeddedBroker, chain: Chain
) -> None:
    broker.create_topics({"growing": 2})
    with Group(broker.bootstrap_servers, "grows", protocol="range") as group:
        group.start("a", ["growing"], extra={"topic.metadata.refresh.interval.ms": "200"})
        group.settle()
        chain.read()
        admin = broker.admin()
        admin.create_partitions([NewPartitions("growing", 5)])["growing"].result(10)
        until(
            lambda: len(admin.list_topics("growing", timeout=5).topics["growing"].partitions) == 5,
            awaited="the new partitions",
        )
        group.settle()
        rows = chain.rebalances("grows")
    assert [row["partition_count"] for row in rows] == [2, 5]
    assert rows[-1]["cause"] == "partitions"
    assert rows[-1]["churn"] == 0


def test_a_deleted_group_leaves_state_and_offsets(broker: EmbeddedBroker, chain: Chain) -> None:
    broker.create_topics({"kept": 2})
    with Group(broker.bootstrap_servers, "deleted", protocol="roundrobin") as group:
        group.start("a", ["kept"])
        group.settle()
        assert chain.state("deleted")[0]["state"] == "stable"
    commit(broker, "deleted", TopicPartition("kept", 0, 0))
    assert chain.state("deleted")[0]["state"] == "empty"
    assert offsets(chain, "deleted") == {("kept", 0): 0}
    admin = broker.admin()
    admin.delete_consumer_groups(["deleted"])["deleted"].result(10)
    until(lambda: not chain.state("deleted"), awaited="the group to be forgotten")
    assert offsets(chain, "deleted") == {}
    assert len(chain.rebalances("deleted")) == 1


def test_a_group_that_only_commits_has_its_lag(broker: EmbeddedBroker, chain: Chain) -> None:
    broker.create_topics({"lagging": 1})
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0})
    for number in range(7):
        producer.produce("lagging", str(number), partition=0)
    producer.flush()
    commit(broker, "only-commits", TopicPartition("lagging", 0, 3))
    (state,) = chain.state("only-commits")
    assert (state["state"], state["member_count"], state["lag"]) == ("empty", 0, 4)


def test_only_committed_transactions_count(broker: EmbeddedBroker, chain: Chain) -> None:
    broker.create_topics({"exactly-once": 1})
    servers = broker.bootstrap_servers
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "eos", "log_level": 0})
    consumer.assign([TopicPartition("exactly-once", 0)])
    producer = Producer({"bootstrap.servers": servers, "transactional.id": "t", "log_level": 0})
    producer.init_transactions(10)
    for offset, end in ((5, producer.commit_transaction), (9, producer.abort_transaction)):
        producer.begin_transaction()
        producer.send_offsets_to_transaction(
            [TopicPartition("exactly-once", 0, offset)], consumer.consumer_group_metadata(), 10
        )
        end(10)
    consumer.close()
    assert offsets(chain, "eos") == {("exactly-once", 0): 5}


def test_owners_carry_over_from_classic_to_kip_848(broker: EmbeddedBroker, chain: Chain) -> None:
    broker.create_topics({"migrating": 4})
    servers = broker.bootstrap_servers
    with Group(servers, "migrates", protocol="cooperative-sticky") as classic:
        classic.start("a", ["migrating"])
        classic.settle()
    with Group(servers, "migrates", protocol="consumer") as group:
        group.start("b", ["migrating"])
        group.settle()
        before, after = chain.rebalances("migrates")
    assert (before["group_type"], after["group_type"]) == ("classic", "consumer")
    assert after["cause"] == "protocol"
    assert (after["churn"], after["necessary_churn"]) == (4, 4)


def test_records_that_cannot_be_read_are_kept_and_the_stream_goes_on(
    broker: EmbeddedBroker, spark: SparkSession, tmp_path: Path
) -> None:
    broker.create_topics({"damaged": 1})
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0})
    records = [
        (None, b"no key"),
        (b"\x00\x02\x00\x01g", b"\x00\x63"),  # a version that no Kafka writes
        (b"\x00\x02\x7f\xff", b"\x00\x03"),  # a group id longer than the record
        (b"\x63\x63", b""),  # a type that no Kafka writes
        (b"\x00\x02\x00\x01h", None),  # a tombstone, which is fine
    ]
    for key, value in records:
        producer.produce("damaged", value, key, partition=0)
    producer.flush()
    reader = Chain(settings_of(broker, tmp_path, **{"source.topic": "damaged"}), spark).read()
    letters = reader.rows('SELECT * FROM dead_letters ORDER BY "offset"')
    assert [(row["offset"], row["key"], row["value"]) for row in letters] == [
        (offset, *record) for offset, record in enumerate(records[:4])
    ]
    assert [row["reason"] for row in letters] == [
        "missing_key",
        "unknown_version",
        "truncated",
        "unknown_type",
    ]
    assert {row["topic"] for row in letters} == {"damaged"}
    (row,) = reader.rows("SELECT SUM(events) AS events, SUM(dead_letters) AS dead FROM batches")
    assert row == {"events": 1, "dead": 4}


def offsets(chain: Chain, group: str) -> dict[tuple[str, int], int]:
    rows = chain.read().rows("SELECT * FROM offsets WHERE group_id = :group", group=group)
    return {(row["topic"], row["partition"]): row["committed_offset"] for row in rows}


def commit(broker: EmbeddedBroker, group: str, offset: TopicPartition) -> None:
    """Commit as a consumer that assigns itself its partitions, without joining the group."""
    consumer = Consumer(
        {"bootstrap.servers": broker.bootstrap_servers, "group.id": group, "log_level": 0}
    )
    consumer.assign([TopicPartition(offset.topic, offset.partition)])
    consumer.commit(offsets=[offset], asynchronous=False)
    consumer.close()
