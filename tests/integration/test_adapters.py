"""`stream-join-sticky` used: real consumers of two libraries on a real broker."""

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Iterator

import pytest
from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer, TopicPartition

from assignors.adapters.aiokafka import StickyStreamJoinAssignor
from assignors.user_data import decode_stream_join
from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.join_group import JoinGroup
from streaming.embedded.waiting import until
from streaming.events import ClassicGeneration, event_of
from streaming.groups.apply import apply
from streaming.groups.machine import GroupMachine, Timing
from streaming.groups.topology import Topology
from streaming.measuring.measures import Measured, measure
from streaming.measuring.policies import Policies

pytestmark = pytest.mark.integration
TOPICS = ("clicks", "impressions")
FEW = ("few-clicks", "few-impressions")
STALL_MS = 3000
SOON_SECONDS = 30.0
Shares = dict[str, frozenset[int]]


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(offsets_partition_count=1) as broker:
        broker.create_topics({**dict.fromkeys(TOPICS, 10), **dict.fromkeys(FEW, 3)})
        yield broker.bootstrap_servers


def settle(group: JoinGroup) -> Shares:
    """The partition numbers of each member, by name; joins must hold."""
    settled = group.settle(within_seconds=SOON_SECONDS)
    return {settled.names[member]: shared(owned) for member, owned in settled.assignments.items()}


def shared(owned: tuple[tuple[str, int], ...]) -> frozenset[int]:
    by_topic: dict[str, set[int]] = {}
    for topic, number in owned:
        by_topic.setdefault(topic, set()).add(number)
    numbers, *others = by_topic.values() or [set()]
    assert all(other == numbers for other in others)
    assert len(by_topic) in {0, 2}
    return frozenset(numbers)


def moved(before: Shares, after: Shares) -> set[int]:
    """Numbers that have another member than before."""
    owner = {number: name for name, numbers in before.items() for number in numbers}
    return {n for name, numbers in after.items() for n in numbers if owner.get(n) != name}


def test_a_group_keeps_its_joins_and_a_zombie_takes_nothing(servers: str) -> None:
    with JoinGroup(servers, "ads", max_poll_interval_ms=STALL_MS) as group:
        for name in "abcd":
            group.start(name, TOPICS)
            four = settle(group)
        assert sorted(map(len, four.values())) == [2, 2, 3, 3]

        leaver = min(four, key=lambda name: len(four[name]))
        group.leave(leaver)
        three = settle(group)
        assert moved(four, three) == four[leaver]
        assert sorted(map(len, three.values())) == [3, 3, 4]

        group.start("e", TOPICS)
        joined = settle(group)
        assert moved(three, joined) == joined["e"]
        assert sorted(map(len, joined.values())) == [2, 2, 3, 3]

        zombie = max(joined, key=lambda name: (len(joined[name]), name))
        group.stall(zombie)
        without = settle(group)
        assert moved(joined, without) == joined[zombie]

        group.resume(zombie)
        back = settle(group)
        assert moved(without, back) == back[zombie]
        assert len(back[zombie]) == 2

        generations = generations_of("ads", servers)
        assert any(outdated(zombie, generation) for generation in generations)
        seen = measured(generations)
        assert {each.reference.policy for each in seen} == {"stream-join-sticky"}
        assert {each.reference.drift_count for each in seen} == {0}
        assert {each.cost.avoidable_churn for each in seen} == {0}
        assert not any(each.standing.join_violations for each in seen)


def test_a_zombie_gets_nothing_at_all_where_each_member_has_its_share(servers: str) -> None:
    with JoinGroup(servers, "few", max_poll_interval_ms=STALL_MS) as group:
        for name in "abc":
            group.start(name, FEW)
            settle(group)
        group.stall("a")
        settle(group)
        group.start("d", FEW)
        full = settle(group)
        assert sorted(map(len, full.values())) == [1, 1, 1]
        group.resume("a")
        assert settle(group) == {**full, "a": frozenset()}


def test_members_of_both_libraries_lead_each_other(servers: str) -> None:
    asyncio.run(lead_each_other(servers))


async def lead_each_other(servers: str) -> None:
    """The first member leads; when it leaves, one of the other library has to."""
    leader = AIOKafkaConsumer(
        *TOPICS,
        bootstrap_servers=servers,
        group_id="both",
        heartbeat_interval_ms=100,
        partition_assignment_strategy=[StickyStreamJoinAssignor()],
    )
    async with leader:
        await asyncio.to_thread(until, lambda: len(numbers_of(leader)) == 10, awaited="the leader")
        await asyncio.to_thread(lead_and_leave, leader, servers, asyncio.get_running_loop())


def lead_and_leave(leader: AIOKafkaConsumer, servers: str, loop: AbstractEventLoop) -> None:
    with JoinGroup(servers, "both") as group:
        for name in "bc":
            group.start(name, TOPICS)
        until(lambda: sizes(leader, group) == [3, 3, 4], awaited="three members")
        before = {name: shared(member.assignment) for name, member in group.members.items()}
        left = numbers_of(leader)
        asyncio.run_coroutine_threadsafe(leader.stop(), loop).result(SOON_SECONDS)
        after = settle(group)
    assert moved(before, after) == left
    assert sorted(map(len, after.values())) == [5, 5]


def numbers_of(consumer: AIOKafkaConsumer) -> frozenset[int]:
    return shared(tuple((topic, number) for topic, number in consumer.assignment()))


def sizes(leader: AIOKafkaConsumer, group: JoinGroup) -> list[int]:
    """Numbers a member, where all ten are given out once; nothing while they are not."""
    shares = [numbers_of(leader), *(shared(each.assignment) for each in group.members.values())]
    given = sorted(number for share in shares for number in share)
    return sorted(map(len, shares)) if given == list(range(10)) else []


def generations_of(group_id: str, servers: str) -> list[ClassicGeneration]:
    """The group's generations with assignments, as the monitor reads them."""
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "unused", "enable.auto.commit": False}
    )
    _, end = consumer.get_watermark_offsets(TopicPartition("__consumer_offsets", 0))
    consumer.assign([TopicPartition("__consumer_offsets", 0, 0)])
    events = []
    for message in iter(lambda: consumer.poll(SOON_SECONDS), None):
        events.append(event_of(message.key(), message.value()))
        if message.offset() == end - 1:
            break
    consumer.close()
    return [
        event
        for event in events
        if isinstance(event, ClassicGeneration) and event.group_id == group_id and event.members
    ]


def outdated(name: str, generation: ClassicGeneration) -> bool:
    """Whether a member said a lower epoch than another when it joined."""
    said = {each.client_id: decode_stream_join(each.user_data) for each in generation.members}
    epochs = {client_id: data.epoch for client_id, data in said.items() if data is not None}
    return name in epochs and epochs[name] < max(epochs.values())


def measured(generations: list[ClassicGeneration]) -> list[Measured]:
    """What the monitor finds in each generation but the first."""
    machine = GroupMachine(group_id=generations[0].group_id)
    topology = Topology(counts=dict.fromkeys(TOPICS, 10), names={})
    timing = Timing(settle_ms=30_000, episode_gap_ms=60_000)
    found = [
        apply(machine, each, time_ms=each.generation, topology=topology, timing=timing)
        for each in generations
    ]
    return [measure(one, Policies(), lags={}) for one in found if one and one.previous]
