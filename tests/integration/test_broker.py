"""The embedded broker, for real."""

import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from streaming.embedded.broker import EmbeddedBroker
from streaming.errors import BrokerError

pytestmark = pytest.mark.integration
SOON_SECONDS = 60
ASKER = """
import sys
from streaming.embedded.broker import EmbeddedBroker
with EmbeddedBroker() as broker:
    print(broker.guardian_pid, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as running:
        yield running


def produce(broker: EmbeddedBroker, topic: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for number in range(count):
        producer.produce(topic, str(number).encode(), partition=0)
    assert producer.flush(SOON_SECONDS) == 0


def read_all(broker: EmbeddedBroker, topic: str, count: int) -> list[bytes]:
    consumer = Consumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": "unused"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    messages = consumer.consume(count, SOON_SECONDS)
    consumer.close()
    return [message.value() or b"" for message in messages]


def test_data_outlives_stop_and_start_and_power_cuts(broker: EmbeddedBroker) -> None:
    before = broker.bootstrap_servers
    broker.create_topics({"kept": 1})
    produce(broker, "kept", 5)
    broker.stop()
    broker.start()
    produce(broker, "kept", 5)
    broker.kill()
    broker.start()
    assert broker.bootstrap_servers == before
    assert read_all(broker, "kept", 10) == [b"0", b"1", b"2", b"3", b"4"] * 2


def test_topics_have_the_partitions_asked_for(broker: EmbeddedBroker) -> None:
    broker.create_topics({"three": 3, "ten": 10}, config={"retention.ms": "1000"})
    topics = broker.admin().list_topics(timeout=SOON_SECONDS).topics
    assert {name: len(topics[name].partitions) for name in ("three", "ten")} == {
        "three": 3,
        "ten": 10,
    }
    with pytest.raises(BrokerError, match=r"topic three could not be created.*exists"):
        broker.create_topics({"three": 3})


def test_a_setting_it_refuses_is_shown_with_the_log() -> None:
    with (
        pytest.raises(BrokerError, match=r"offsets\.retention\.minutes"),
        EmbeddedBroker(overrides={"offsets.retention.minutes": "never"}),
    ):
        pass


def test_it_is_gone_after_the_block_with_its_folder() -> None:
    with EmbeddedBroker() as broker:
        assert broker.guardian_pid is not None
        command = psutil.Process(broker.guardian_pid).children()[0]
        folder = broker.folder
        assert command.is_running()
    assert not command.is_running()
    assert not folder.exists()


def test_it_dies_with_its_parent() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ASKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as asker:
        assert asker.stdout is not None
        command = psutil.Process(int(asker.stdout.readline())).children()[0]
        asker.kill()
        gone, _ = psutil.wait_procs([command], timeout=SOON_SECONDS)
    assert gone == [command]
