"""The groups of Kafka's own assignor benchmark: 100 topics, 10 partitions a member."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assignors import DEPARTED, IntArray, Member, Problem, assign

TOPICS = 100
PARTITIONS_PER_MEMBER = 10
BUCKETS = 5
NAMES = tuple(f"topic{index:03}" for index in range(TOPICS))
KINDS = ("equal", "five buckets", "random 30 %")
EVENTS = ("fresh", "one leaves", "one joins")


@dataclass(frozen=True, slots=True)
class Case:
    """A group at one moment.

    Attributes:
        members_count: Members of the shape; one less or more after an event.
        kind: How subscriptions differ.
        event: What just happened.
        topics: Partitions by topic.
        members: Members by id, with what they own.
        problem: The same as arrays.
    """

    members_count: int
    kind: str
    event: str
    topics: dict[str, int]
    members: dict[str, Member]
    problem: Problem


def cases(members_count: int, kind: str) -> Iterator[Case]:
    """A shape from nothing, after one of its members left, and after one more joined.

    Args:
        members_count: Members M; there are 10 M partitions.
        kind: One of `KINDS`.
    """
    rng = np.random.default_rng(members_count)
    each = members_count * PARTITIONS_PER_MEMBER // TOPICS
    topics = dict.fromkeys(NAMES, each)
    wanted = [_subscription(rng, kind, index, members_count) for index in range(members_count + 1)]
    fresh = {_name(index): Member(wanted[index]) for index in range(members_count)}
    start = Problem.build(topics, fresh)
    yield Case(members_count, kind, "fresh", topics, fresh, start)
    owner = assign("sticky", start)
    settled = _owning(start, fresh, owner)
    left = {name: member for name, member in settled.items() if name != _name(members_count // 2)}
    yield _case(members_count, kind, "one leaves", topics, left)
    joined = {**settled, _name(members_count): Member(wanted[members_count])}
    yield _case(members_count, kind, "one joins", topics, joined)


def _case(
    members_count: int, kind: str, event: str, topics: dict[str, int], members: dict[str, Member]
) -> Case:
    built = Problem.build(topics, members)
    previous = built.previous
    if event == "one leaves":
        previous = np.where(previous < 0, np.int32(DEPARTED), previous)
    return Case(members_count, kind, event, topics, members, again(built, previous))


def again(problem: Problem, previous: IntArray) -> Problem:
    """A problem anew from its arrays, nothing derived yet."""
    return Problem.from_arrays(
        topics=problem.topics,
        counts=problem.counts,
        members=problem.members,
        class_of=problem.class_of,
        classes=problem.classes,
        previous=previous,
    )


def _subscription(
    rng: np.random.Generator, kind: str, index: int, members_count: int
) -> tuple[str, ...]:
    if kind == "equal":
        return NAMES
    if kind == "five buckets":
        bucket = min(index * BUCKETS // members_count, BUCKETS - 1)
        return NAMES[bucket * TOPICS // BUCKETS : (bucket + 1) * TOPICS // BUCKETS]
    chosen = np.sort(rng.choice(TOPICS, 30, replace=False)).tolist()
    return tuple([NAMES[topic] for topic in chosen])


def _name(index: int) -> str:
    return f"member{index:05}"


def _owning(problem: Problem, members: dict[str, Member], owner: IntArray) -> dict[str, Member]:
    owned: dict[str, list[tuple[str, int]]] = {name: [] for name in members}
    for topic, number, holder in zip(
        problem.topic_of.tolist(), problem.number_of.tolist(), owner.tolist(), strict=True
    ):
        owned[problem.members[holder]].append((problem.topics[topic], number))
    return {name: Member(member.topics, tuple(owned[name]), 1) for name, member in members.items()}
