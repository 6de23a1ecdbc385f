"""Random groups for the properties: hypothesis strategies, and seeded plain ones for long runs."""

import random
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from assignors import IntArray, Member, Problem

Longs = npt.NDArray[np.int64]
TOPICS = tuple(f"t{index}" for index in range(5))


@st.composite
def groups(
    draw: st.DrawFn, *, most_partitions: int = 6
) -> tuple[dict[str, int], dict[str, Member]]:
    """Topics and members with claims of all kinds, false ones among them."""
    topics = draw(st.dictionaries(st.sampled_from(TOPICS), st.integers(0, most_partitions)))
    subscription = st.lists(st.sampled_from((*TOPICS, "gone")), max_size=4).map(tuple)
    claim = st.tuples(st.sampled_from((*TOPICS, "gone")), st.integers(0, most_partitions))
    shared = draw(st.none() | subscription)
    member = st.builds(
        Member,
        topics=subscription if shared is None else st.just(shared),
        owned=st.lists(claim, max_size=8).map(tuple),
        generation=st.none() | st.integers(1, 3),
        instance_id=st.none() | st.sampled_from("xyz"),
    )
    members = draw(st.dictionaries(st.sampled_from("abcdefg"), member, max_size=6))
    return topics, _instance_ids_once(members)


def problems(*, most_partitions: int = 6) -> st.SearchStrategy[Problem]:
    return groups(most_partitions=most_partitions).map(lambda group: Problem.build(*group))


def _instance_ids_once(members: dict[str, Member]) -> dict[str, Member]:
    """The coordinator lets no two members have one instance id."""
    seen: set[str] = set()
    checked = {}
    for name, member in members.items():
        instance_id = None if member.instance_id in seen else member.instance_id
        seen |= {instance_id} if instance_id else set()
        checked[name] = Member(member.topics, member.owned, member.generation, instance_id)
    return checked


def small_problems(seed: int, count: int) -> Iterator[Problem]:
    """Groups small enough to try every assignment: at most 4 members and 7 partitions."""
    rng = random.Random(seed)
    for _ in range(count):
        topics = {f"t{index}": rng.randint(1, 3) for index in range(rng.randint(1, 4))}
        while sum(topics.values()) > 7:
            topics.popitem()
        partitions = [(topic, n) for topic, size in topics.items() for n in range(size)]
        rng.shuffle(partitions)
        shared = _some(rng, topics) if rng.random() < 0.2 else None
        members = {}
        for index in range(rng.randint(1, 4)):
            claims = tuple(partitions[: rng.randint(0, 5)])
            partitions = partitions[len(claims) :]
            members[f"m{index}"] = Member(shared or _some(rng, topics), claims, 1)
        yield Problem.build(topics, members)


def every_assignment(problem: Problem) -> IntArray:
    """(N, P): all assignments of every partition to one of its subscribers."""
    able = [problem.subscribers(topic) for topic in problem.topic_of.tolist()]
    columns = np.meshgrid(*able, indexing="ij")
    count = int(np.prod([len(owners) for owners in able]))
    rows = [column.reshape(count) for column in columns]
    return np.array(rows, dtype=np.int32).T.reshape(count, problem.size)


def squares_of(problem: Problem, owners: IntArray) -> Longs:
    """(N,) sum of squared loads of each row of (N, P) owners."""
    members = np.arange(len(problem.members))
    load = (owners[:, :, None] == members).sum(axis=1)
    squares: Longs = (load**2).sum(axis=1)
    return squares


def sum_of_squares(problem: Problem, owner: IntArray) -> int:
    load = np.bincount(owner[owner >= 0], minlength=len(problem.members))
    return int((load**2).sum())


def again(problem: Problem, owner: IntArray) -> Problem:
    """The problem whose previous owners are those of an assignment."""
    return Problem.from_arrays(
        topics=problem.topics,
        counts=problem.counts,
        members=problem.members,
        class_of=problem.class_of,
        classes=problem.classes,
        previous=owner,
        join_sets=problem.named_joins,
    )


def _some(rng: random.Random, topics: dict[str, int]) -> tuple[str, ...]:
    return tuple(topic for topic in topics if rng.random() < 0.6)
