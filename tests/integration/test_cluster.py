"""The view of the cluster, against a broker that comes and goes."""

from collections.abc import Iterator, Mapping

import pytest
from confluent_kafka import Producer

from streaming.cluster import ClusterWatch
from streaming.cluster.connection import Connection
from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.ports import LOOPBACK, free_ports
from streaming.embedded.waiting import until
from streaming.errors import ClusterError, ConfigurationError
from streaming.settings.client import ClientProperties

pytestmark = pytest.mark.integration
SOON_SECONDS = 60


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    """A broker of our own, since it is stopped in between."""
    with EmbeddedBroker(overrides={"broker.rack": "rack-a"}) as running:
        yield running


def watch(
    servers: str, *, timeout_seconds: float = 5, properties: Mapping[str, str] | None = None
) -> ClusterWatch:
    values = {"bootstrap.servers": servers, **(properties or {})}
    connection = Connection(ClientProperties(values), timeout_seconds=timeout_seconds)
    return ClusterWatch(connection)


def produce(broker: EmbeddedBroker, topic: str, counts: dict[int, int]) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for partition, count in counts.items():
        for _ in range(count):
            producer.produce(topic, b"value", partition=partition)
    assert producer.flush(SOON_SECONDS) == 0


def id_on_disk(broker: EmbeddedBroker, topic: str) -> str:
    text = (broker.folder / "data" / f"{topic}-0" / "partition.metadata").read_text()
    return text.split("topic_id: ")[1].strip()


def test_topics_and_end_offsets_are_those_of_the_broker(broker: EmbeddedBroker) -> None:
    names = [f"view-{number}" for number in range(20)]  # some ids have a - or _ in them
    broker.create_topics(dict.fromkeys(names, 3))
    produce(broker, "view-0", {0: 4, 2: 1})
    cluster = watch(broker.bootstrap_servers)
    view = cluster.look(offsets=True)
    assert len(view.cluster_id) == 22
    assert not view.stale
    for name in names:
        assert view.topics[name].topic_id == id_on_disk(broker, name)
        assert view.names[view.topics[name].topic_id] == name
        assert view.partition_counts[name] == 3
        assert view.topics[name].racks == (("rack-a",),) * 3
    assert view.end_offsets["view-0"].tolist() == [4, 0, 1]
    assert cluster.offers_kip_848() is True


def test_offsets_are_taken_when_asked_for_and_only_where_asked_for(broker: EmbeddedBroker) -> None:
    broker.create_topics({"asked": 1, "not-asked": 1})
    cluster = watch(broker.bootstrap_servers)
    assert cluster.look().end_offsets == {}
    produce(broker, "asked", {0: 2})
    first = cluster.look(offsets=True, only=["asked", "no-such-topic"])
    assert {name: ends.tolist() for name, ends in first.end_offsets.items()} == {"asked": [2]}
    produce(broker, "asked", {0: 1})
    assert cluster.look().end_offsets["asked"].tolist() == [2]
    assert cluster.look(offsets=True, only=["asked"]).end_offsets["asked"].tolist() == [3]


def test_a_topic_made_again_is_another(broker: EmbeddedBroker) -> None:
    broker.create_topics({"again": 2})
    produce(broker, "again", {0: 5})
    cluster = watch(broker.bootstrap_servers)
    before = cluster.look(offsets=True)
    admin = broker.admin()
    admin.delete_topics(["again"])["again"].result(SOON_SECONDS)
    until(lambda: "again" not in cluster.look(anew=True).topics, awaited="the deletion")
    broker.create_topics({"again": 4})
    after = cluster.look(offsets=True, anew=True)
    assert after.topics["again"].topic_id != before.topics["again"].topic_id
    assert after.end_offsets["again"].tolist() == [0, 0, 0, 0]


def test_an_outage_gives_the_view_of_before_marked_stale(broker: EmbeddedBroker) -> None:
    broker.create_topics({"outlived": 1})
    produce(broker, "outlived", {0: 3})
    cluster = watch(broker.bootstrap_servers, timeout_seconds=1)
    cluster.look(offsets=True)
    broker.stop()
    down = cluster.look(offsets=True)
    assert down.stale
    assert down.error.startswith("reading ")
    assert down.end_offsets["outlived"].tolist() == [3]
    assert "outlived" in down.topics
    broker.start()
    until(lambda: not cluster.look(offsets=True).stale, awaited="the cluster to answer again")
    produce(broker, "outlived", {0: 1})
    assert cluster.look(offsets=True).end_offsets["outlived"].tolist() == [4]


def test_the_first_look_says_what_to_do() -> None:
    (port,) = free_ports(1)
    cluster = watch(f"{LOOPBACK}:{port}", timeout_seconds=1)
    with pytest.raises(ClusterError, match=r"did not answer in 1 s.*check cluster\.bootstrap"):
        cluster.look()


def test_a_wrong_password_shows_as_such_and_not_itself(broker: EmbeddedBroker) -> None:
    cluster = watch(
        broker.bootstrap_servers,
        timeout_seconds=2,
        properties={
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": 'x.PlainLoginModule required username="me" password="hunter2!";',
        },
    )
    with pytest.raises(ClusterError) as caught:
        cluster.look()
    assert "security properties" in str(caught.value)
    assert "hunter2!" not in str(caught.value)
    assert cluster.offers_kip_848() is None


def test_a_value_librdkafka_refuses_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"security\.protocol"):
        watch("localhost:1", properties={"security.protocol": "NONE"})
