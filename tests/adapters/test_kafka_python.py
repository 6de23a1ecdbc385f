"""kafka-python's side: through its own encoding, and beside its own assignors."""

import subprocess
import sys

import pytest
from kafka import KafkaConsumer
from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafka.protocol.consumer.group import JoinGroupResponse
from kafka.protocol.consumer.metadata import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)

from assignors.adapters.kafka_python import (
    FairAssignor,
    FairestStickyAssignor,
    OptimalAssignor,
    OptimalJoinAssignor,
    RangeAssignor,
    RoundRobinAssignor,
    StickyAssignor,
    StickyStreamJoinAssignor,
)
from assignors.adapters.wire import MEMORIES
from assignors.user_data import decode_sticky, encode_stream_join

ALL = (
    FairAssignor,
    FairestStickyAssignor,
    OptimalAssignor,
    OptimalJoinAssignor,
    RangeAssignor,
    RoundRobinAssignor,
    StickyAssignor,
    StickyStreamJoinAssignor,
)
COUNTS = {"clicks": 10, "impressions": 10, "orders": 3}
Assigned = dict[str, ConsumerProtocolAssignment]


class Cluster:
    """The part of `ClusterMetadata` that assignors ask."""

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(COUNTS[topic])) if topic in COUNTS else None


def joined(
    name: str, assignor: AbstractPartitionAssignor, topics: set[str], instance_id: str | None = None
) -> JoinGroupResponse.JoinGroupResponseMember:
    """A member as the leader gets it, by way of the wire."""
    said = assignor.metadata(topics).encode()
    return JoinGroupResponse.JoinGroupResponseMember(
        member_id=name,
        group_instance_id=instance_id,
        metadata=ConsumerProtocolSubscription.decode(said),
    )


def rebalance(
    group: dict[str, AbstractPartitionAssignor], topics: set[str], generation: int
) -> Assigned:
    members = [joined(name, assignor, topics) for name, assignor in group.items()]
    given: Assigned = next(iter(group.values())).assign(Cluster(), members)
    for name, assignment in given.items():
        received = ConsumerProtocolAssignment.decode(assignment.encode())
        group[name].on_assignment(received, generation)
        given[name] = received
    return given


def test_one_class_for_each_policy_under_its_name() -> None:
    assert {assignor.name for assignor in ALL} == set(MEMORIES)


@pytest.mark.parametrize("kind", ALL)
def test_a_group_lives_through_the_wire(kind: type[AbstractPartitionAssignor]) -> None:
    group = {name: kind() for name in "abcd"}
    first = rebalance(group, {"clicks", "impressions"}, 1)
    del group["d"]
    second = rebalance(group, {"clicks", "impressions"}, 2)
    for given in (first, second):
        assert len({each for part in given.values() for each in part.partitions()}) == 20
    if kind not in (RangeAssignor, RoundRobinAssignor, FairAssignor):
        kept = sum(
            len({*first[name].partitions()} & {*second[name].partitions()}) for name in "abc"
        )
        assert kept == sum(len(first[name].partitions()) for name in "abc")


def test_consumers_in_one_process_do_not_share_what_they_were_given() -> None:
    one, other = StickyStreamJoinAssignor(), StickyStreamJoinAssignor()
    one.on_assignment(
        ConsumerProtocolAssignment(0, [("clicks", [4])], b"\x00\x00\x00\x07"), generation=3
    )
    assert one.metadata({"clicks"}).user_data == encode_stream_join({4}, 7)
    assert other.metadata({"clicks"}).user_data == b""
    assert not [name for name in vars(StickyStreamJoinAssignor) if "memory" in name]


def test_kafka_python_makes_an_assignor_for_each_consumer() -> None:
    settings = {
        "group_id": "g",
        "bootstrap_servers": [],
        "api_version": (2, 6),
        "partition_assignment_strategy": [StickyStreamJoinAssignor, RangeAssignor],
    }
    consumers = [KafkaConsumer(**settings) for _ in range(2)]
    made = [consumer._coordinator._assignors for consumer in consumers]
    for consumer in consumers:
        consumer.close(autocommit=False, timeout_ms=100)
    assert [list(each) for each in made] == [["stream-join-sticky", "range"]] * 2
    assert made[0]["stream-join-sticky"] is not made[1]["stream-join-sticky"]


def test_sticky_says_what_kafkas_own_says() -> None:
    assignor = StickyAssignor()
    assignor.on_assignment(ConsumerProtocolAssignment(0, [("orders", [0, 2])], b""), generation=6)
    said = assignor.metadata({"orders"})
    data = bytes.fromhex("00000001 0006 6f7264657273 00000002 00000000 00000002 00000006")
    assert said.user_data == data
    assert decode_sticky(data) is not None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (RangeAssignor, RangePartitionAssignor),
        (RoundRobinAssignor, RoundRobinPartitionAssignor),
    ],
)
def test_leaders_of_either_kind_agree(
    ours: type[AbstractPartitionAssignor], theirs: type[AbstractPartitionAssignor]
) -> None:
    assert ours.name == theirs.name
    kinds = {"m1": theirs, "m2": ours, "m3": ours}
    members = [joined(name, kind(), {"clicks", "orders", "gone"}) for name, kind in kinds.items()]
    mine, their = (kind().assign(Cluster(), members) for kind in (ours, theirs))
    assert {name: sorted(each.partitions()) for name, each in mine.items()} == {
        name: sorted(each.partitions()) for name, each in their.items()
    }


def test_without_the_library_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['kafka'] = None; import assignors.adapters.kafka_python"
    outcome = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 1
    assert "install the extra `adapters`" in outcome.stderr


def test_the_package_alone_imports_no_client_library() -> None:
    program = "import sys, assignors.adapters.wire; print(*sys.modules)"
    listed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not {"kafka", "aiokafka", "confluent_kafka"} & {*listed.stdout.split()}
