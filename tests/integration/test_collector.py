"""The collector over real groups: its events give what the consumers themselves say."""

from collections.abc import Iterator
from functools import partial

import pytest
from click.testing import CliRunner
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from streaming.cli.main import main
from streaming.cluster import ClusterWatch
from streaming.cluster.collector import Collector
from streaming.cluster.connection import Connection
from streaming.cluster.observation import GroupObserver
from streaming.cluster.topic import EventsTopic
from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.consumer import AssignmentProtocol, Owned
from streaming.embedded.group import Group, Settled
from streaming.embedded.traffic import Traffic
from streaming.embedded.waiting import until
from streaming.errors import ClusterError
from streaming.events import GroupRemoved, OffsetCommit, OffsetRemoved
from streaming.groups.apply import apply
from streaming.groups.machine import GroupMachine, Timing
from streaming.groups.snapshot import Settlement
from streaming.groups.topology import Topology
from streaming.settings.client import ClientProperties

pytestmark = pytest.mark.integration
COUNTS = {"collected-a": 4, "collected-b": 3}
PROTOCOLS: tuple[AssignmentProtocol, ...] = (
    "range",
    "roundrobin",
    "cooperative-sticky",
    "consumer",
)


class Bench:
    """A collector, and what a monitor makes of its events."""

    def __init__(self, broker: EmbeddedBroker, topic: str, *, timeout_seconds: float = 10) -> None:
        client = ClientProperties({"bootstrap.servers": broker.bootstrap_servers})
        connection = Connection(client, timeout_seconds=timeout_seconds)
        self.watch = ClusterWatch(connection)
        self.topic = EventsTopic(topic, connection, client)
        self.topic.make(partition_count=2)
        self.collector = Collector(
            watch=self.watch,
            observer=GroupObserver(connection),
            topic=self.topic,
            ignored_groups=("ignored-*",),
        )
        self.collector.recall()

    def settlements(self, group_id: str) -> list[Settlement]:
        view = self.watch.look(anew=True)
        topology = Topology(counts=view.partition_counts, names=view.names)
        machine = GroupMachine(group_id=group_id)
        found = []
        for event in self.topic.read():
            if event.group_id != group_id or isinstance(event, OffsetCommit | OffsetRemoved):
                continue
            settled = apply(machine, event, time_ms=0, topology=topology, timing=Timing())
            found += [settled] if settled else []
        return found


def all_committed(admin: AdminClient, group_id: str) -> bool:
    asked = [ConsumerGroupTopicPartitions(group_id)]
    answer = admin.list_consumer_group_offsets(asked)[group_id].result()
    return len(answer.topic_partitions) == sum(COUNTS.values())


def live(settlement: Settlement) -> dict[str, Owned]:
    return {
        member.member_id: tuple(
            sorted((topic, n) for topic, numbers in member.assigned.items() for n in numbers)
        )
        for member in settlement.snapshot.members
    }


def answers(bench: Bench) -> bool:
    """Whether a look succeeds; the client takes its time to connect again."""
    try:
        bench.collector.look()
    except ClusterError:
        return False
    return True


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    """A broker of our own: a collector sees all the groups there are."""
    with EmbeddedBroker() as running:
        running.create_topics(COUNTS)
        yield running


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_rebalance_that_was_looked_at_is_recounted(
    broker: EmbeddedBroker, protocol: AssignmentProtocol
) -> None:
    bench = Bench(broker, f"events-{protocol}")
    seen: list[Settled] = []
    with Group(broker.bootstrap_servers, f"g-{protocol}", protocol=protocol) as group:
        for name, topics in (("a", COUNTS), ("b", COUNTS), ("c", COUNTS)):
            group.start(name, tuple(topics))
            seen.append(group.settle())
            bench.collector.look()
        group.leave("b")
        seen.append(group.settle())
        bench.collector.look()
        assert bench.collector.look() == 0
    settled = bench.settlements(f"g-{protocol}")
    assert [live(each) for each in settled] == [step.assignments for step in seen]
    assert {topic for m in settled[-1].snapshot.members for topic in m.topics} == set(COUNTS)


def test_subscriptions_of_classic_members_are_their_own(broker: EmbeddedBroker) -> None:
    bench = Bench(broker, "events-subscriptions")
    with Group(broker.bootstrap_servers, "g-subscriptions", protocol="roundrobin") as group:
        group.start("a", ["collected-a"], instance_id="static-a")
        group.settle()
        group.start("b", ["collected-a", "collected-b"])
        group.settle()
        bench.collector.look()
    (settled,) = bench.settlements("g-subscriptions")
    assert {(m.client_id, m.instance_id, tuple(m.topics)) for m in settled.snapshot.members} == {
        ("a", "static-a", ("collected-a",)),
        ("b", None, ("collected-a", "collected-b")),
    }


def test_a_collector_started_again_says_nothing_twice(broker: EmbeddedBroker) -> None:
    with Group(broker.bootstrap_servers, "g-restart", protocol="range") as group:
        group.start("a", list(COUNTS))
        group.settle()
        first = Bench(broker, "events-restart")
        assert first.collector.look() > 0
        again = Bench(broker, "events-restart")
        assert again.collector.look() == 0
        group.start("b", list(COUNTS))
        group.settle()
        assert again.collector.look() == 1
    generations = [each.snapshot.generation for each in first.settlements("g-restart")]
    assert generations == sorted(set(generations))


def test_commits_and_deletions_are_followed_and_ignored_groups_are_not(
    broker: EmbeddedBroker,
) -> None:
    bench = Bench(broker, "events-commits")
    admin = broker.admin()
    with Traffic(broker.bootstrap_servers, COUNTS):
        for group_id in ("g-commits", "ignored-group"):
            with Group(broker.bootstrap_servers, group_id, protocol="range") as group:
                group.start("a", list(COUNTS))
                group.settle()
                until(partial(all_committed, admin, group_id), awaited="commits")
    bench.collector.look()
    events = list(bench.topic.read())
    commits = [e for e in events if isinstance(e, OffsetCommit) and e.group_id == "g-commits"]
    assert {(e.topic, e.partition) for e in commits} == {
        (topic, number) for topic, count in COUNTS.items() for number in range(count)
    }
    assert all(e.offset > 0 for e in commits)
    assert not any(e.group_id == "ignored-group" for e in events)
    admin.delete_consumer_groups(["g-commits"])["g-commits"].result(60)
    bench.collector.look()
    events = list(bench.topic.read())
    assert GroupRemoved("g-commits", "classic") in events
    assert sum(isinstance(e, OffsetRemoved) for e in events) == len(commits)


def test_the_command_looks_once(broker: EmbeddedBroker) -> None:
    answer = CliRunner().invoke(
        main, ["collect", "--once", "--bootstrap-servers", broker.bootstrap_servers]
    )
    assert answer.exit_code == 0, answer.output
    assert "rebalance-events" in broker.admin().list_topics(timeout=10).topics


def test_an_outage_is_an_error_that_says_so(broker: EmbeddedBroker) -> None:
    bench = Bench(broker, "events-outage", timeout_seconds=2)
    broker.stop()
    with pytest.raises(ClusterError, match="did not answer"):
        bench.collector.look()
    broker.start()
    until(partial(answers, bench), awaited="the cluster to answer again")
