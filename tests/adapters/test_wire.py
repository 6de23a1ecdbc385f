"""Members and their leader by what they say to each other: groups that live, without a broker."""

import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assignors import NOBODY, POLICIES, Member, Problem, measures
from assignors import assign as assign_problem
from assignors.adapters.wire import MEMORIES, Assignment, Memory, Subscription, assign
from assignors.user_data import (
    decode_epoch,
    decode_stream_join,
    encode_epoch,
    encode_sticky,
    encode_stream_join,
)

TOPICS = ("clicks", "impressions")
COUNTS = dict.fromkeys(TOPICS, 10)
STICKY = ("sticky", "fairest-sticky", "optimal", "optimal-join", "stream-join-sticky")
LAST = 2**31 - 1


class Group:
    """Members that join, miss rebalances and come back."""

    def __init__(self, policy: str, *names: str) -> None:
        self.policy = policy
        self.generation = 0
        self.memories: dict[str, Memory] = {}
        self.absent: set[str] = set()
        self.given: dict[str, Assignment] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        self.memories[name] = MEMORIES[self.policy]()

    @property
    def present(self) -> set[str]:
        return self.memories.keys() - self.absent

    def rebalance(self) -> dict[str, Assignment]:
        self.generation += 1
        joined = {
            name: Subscription(TOPICS, self.memories[name].user_data()) for name in self.present
        }
        leader = self.memories[min(self.present)]
        self.given = assign(self.policy, leader, lambda topic: range(COUNTS[topic]), joined)
        for name, assignment in self.given.items():
            self.memories[name].remember(assignment, self.generation)
        return self.given


def expected(policy: str, live: Mapping[str, Assignment], present: set[str]) -> Problem:
    """What the leader should have understood: the last live assignment, and nothing older."""
    members = {
        name: Member(TOPICS, live[name].partitions if name in live else (), 1) for name in present
    }
    assert policy in POLICIES
    return Problem.build(COUNTS, members)


def owners(problem: Problem, given: Mapping[str, Assignment]) -> list[int]:
    flat = {
        (topic, number): int(problem.first[index]) + number
        for index, topic in enumerate(problem.topics)
        for number in range(int(problem.counts[index]))
    }
    owner = [NOBODY] * problem.size
    for index, member in enumerate(problem.members):
        for partition in given[member].partitions:
            owner[flat[partition]] = index
    return owner


def test_every_policy_but_the_two_phased_one_is_offered() -> None:
    assert set(MEMORIES) == set(POLICIES) - {"cooperative-sticky"}


@pytest.mark.parametrize("policy", STICKY)
@pytest.mark.parametrize("seed", range(20))
def test_a_zombie_counts_as_a_newcomer_through_a_groups_life(policy: str, seed: int) -> None:
    rng = random.Random(seed)
    group = Group(policy, "a", "b", "c", "d")
    for step in range(12):
        live = {} if step == 0 else group.given
        problem = expected(policy, live, group.present)
        given = group.rebalance()
        assert owners(problem, given) == assign_problem(policy, problem).tolist()
        disturb(group, rng, f"new-{step}")


def disturb(group: Group, rng: random.Random, newcomer: str) -> None:
    """One joins, leaves for good, falls asleep, or wakes as a zombie; all are gone for a turn."""
    event = rng.choice(("join", "leave", "sleep", "wake"))
    if event == "join":
        group.add(newcomer)
    elif event == "wake" and group.absent:
        group.absent.remove(rng.choice(sorted(group.absent)))
    elif len(group.present) > 1:
        gone = rng.choice(sorted(group.present))
        group.absent.add(gone)
        if event == "leave":
            group.absent.remove(gone)
            del group.memories[gone]


def test_the_group_of_the_kip() -> None:
    group = Group("stream-join-sticky", "a", "b", "c", "d")
    first = group.rebalance()
    assert sorted(len(each.partitions) for each in first.values()) == [4, 4, 6, 6]
    assert {decode_epoch(each.user_data) for each in first.values()} == {1}
    del group.memories["d"]
    second = group.rebalance()
    for name in "abc":
        assert set(first[name].partitions) <= set(second[name].partitions)
    said = decode_stream_join(group.memories["a"].user_data())
    assert said is not None
    assert said.epoch == 2
    assert said.numbers == {number for _, number in second["a"].partitions}


def test_a_zombie_takes_nothing_where_all_have_their_share() -> None:
    counts = dict.fromkeys(TOPICS, 3)
    live = {name: encode_stream_join({index}, 5) for index, name in enumerate("abc")}
    joined = {name: Subscription(TOPICS, data) for name, data in live.items()}
    joined["0-zombie"] = Subscription(TOPICS, encode_stream_join({0, 1, 2}, 4))
    memory = MEMORIES["stream-join-sticky"]()
    given = assign("stream-join-sticky", memory, lambda topic: range(counts[topic]), joined)
    assert given["0-zombie"].partitions == ()
    for index, name in enumerate("abc"):
        assert given[name].partitions == tuple((topic, index) for topic in TOPICS)
    assert decode_epoch(given["a"].user_data) == 6


@pytest.mark.parametrize("policy", MEMORIES)
@given(data=st.lists(st.none() | st.binary(max_size=40), min_size=1, max_size=4))
def test_foreign_user_data_never_ends_a_group(policy: str, data: list[bytes | None]) -> None:
    joined = {str(index): Subscription(TOPICS, said) for index, said in enumerate(data)}
    memory = MEMORIES[policy]()
    given = assign(policy, memory, lambda topic: range(COUNTS[topic]), joined)
    assert sum(len(each.partitions) for each in given.values()) == sum(COUNTS.values())
    for assignment in given.values():
        memory.remember(assignment, 1)
        memory.user_data()


@pytest.mark.parametrize("policy", ["optimal", "stream-join-sticky"])
def test_the_last_epoch_is_not_passed(policy: str) -> None:
    said = encode_stream_join({1}, LAST) if policy != "optimal" else encode_sticky([], LAST)
    joined = {"a": Subscription(TOPICS, said)}
    given = assign(policy, MEMORIES[policy](), lambda _: range(2), joined)
    assert given["a"].user_data == encode_epoch(LAST)


def test_an_assignment_without_an_epoch_is_remembered_as_older_than_all() -> None:
    memory = MEMORIES["stream-join-sticky"]()
    memory.remember(Assignment((("clicks", 3),), None), 9)
    assert memory.user_data() == encode_stream_join({3}, 0)


def test_a_topic_the_leader_does_not_know_is_left_out() -> None:
    joined = {"a": Subscription(("clicks", "unknown"))}
    known = {"clicks": {0, 1}}
    given = assign("stream-join-sticky", MEMORIES["stream-join-sticky"](), known.get, joined)
    assert given["a"].partitions == (("clicks", 0), ("clicks", 1))
    assert given["a"].by_topic == [("clicks", [0, 1])]


def test_static_members_come_first_as_in_kafka() -> None:
    joined = {
        "1": Subscription(("t",)),
        "2": Subscription(("t",), instance_id="b"),
        "3": Subscription(("t",), instance_id="a"),
    }
    given = assign("range", MEMORIES["range"](), lambda _: range(3), joined)
    assert [given[member].partitions for member in "321"] == [(("t", n),) for n in range(3)]


def test_joins_hold_for_members_with_part_of_the_topics() -> None:
    joined = {"a": Subscription(TOPICS), "b": Subscription(("clicks",))}
    policy = "stream-join-sticky"
    given = assign(policy, MEMORIES[policy](), lambda topic: range(COUNTS[topic]), joined)
    problem = Problem.build(COUNTS, {name: Member(each.topics) for name, each in joined.items()})
    assert owners(problem, given) == assign_problem(policy, problem).tolist()
    clicks, impressions = given["a"].by_topic
    assert clicks[1] == impressions[1]
    assert measures.unassigned(problem, assign_problem(policy, problem)) == 5
