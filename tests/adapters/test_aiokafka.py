"""aiokafka's side: through its own encoding, and what kafka-python makes of it."""

import pytest
from aiokafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment,
    ConsumerProtocolMemberMetadata,
)
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription

from assignors.adapters import aiokafka, kafka_python
from assignors.adapters.aiokafka import (
    FairAssignor,
    FairestStickyAssignor,
    OptimalAssignor,
    OptimalJoinAssignor,
    RangeAssignor,
    RoundRobinAssignor,
    StickyStreamJoinAssignor,
    _PolicyAssignor,
)
from assignors.adapters.wire import MEMORIES
from assignors.user_data import encode_stream_join

ALL = (
    FairAssignor,
    FairestStickyAssignor,
    OptimalAssignor,
    OptimalJoinAssignor,
    RangeAssignor,
    RoundRobinAssignor,
    StickyStreamJoinAssignor,
)
TOPICS = ("impressions", "clicks")


class Cluster:
    """The part of `ClusterMetadata` that assignors ask."""

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(10)) if topic in TOPICS else None


def test_all_but_kafkas_sticky_whose_generation_is_not_told() -> None:
    assert {assignor.name for assignor in ALL} == MEMORIES.keys() - {"sticky"}
    assert not hasattr(aiokafka, "StickyAssignor")


@pytest.mark.parametrize("kind", [StickyStreamJoinAssignor, OptimalAssignor, FairestStickyAssignor])
def test_a_group_lives_through_the_wire(kind: type[_PolicyAssignor]) -> None:
    group = {name: kind() for name in "abcd"}
    first = rebalance(group)
    del group["d"]
    second = rebalance(group)
    for name in "abc":
        assert first[name] <= second[name]


def rebalance(group: dict[str, _PolicyAssignor]) -> dict[str, set[tuple[str, int]]]:
    said = {
        name: ConsumerProtocolMemberMetadata.decode(assignor.metadata(TOPICS).encode())
        for name, assignor in group.items()
    }
    leader = next(iter(group.values()))
    given = {
        name: ConsumerProtocolMemberAssignment.decode(each.encode())
        for name, each in leader.assign(Cluster(), said).items()
    }
    for name, assignment in given.items():
        group[name].on_assignment(assignment)
    return {name: {*each.partitions()} for name, each in given.items()}


def test_instances_do_not_share_what_they_were_given() -> None:
    one, other = StickyStreamJoinAssignor(), StickyStreamJoinAssignor()
    one.on_assignment(ConsumerProtocolMemberAssignment(0, [("clicks", [4])], b"\0\0\0\7"))
    assert one.metadata(["clicks"]).user_data == encode_stream_join({4}, 7)
    assert other.metadata(["clicks"]).user_data == b""


def test_both_libraries_members_say_the_same() -> None:
    said = StickyStreamJoinAssignor().metadata(TOPICS).encode()
    assert said == kafka_python.StickyStreamJoinAssignor().metadata({*TOPICS}).encode()
    assert ConsumerProtocolSubscription.decode(said).topics == sorted(TOPICS)
