"""A group's assignment in the array form that `assignors` works on."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from assignors.problem import DEPARTED, NOBODY, IntArray, Problem
from streaming.groups.snapshot import Snapshot
from streaming.measuring.policies import JoinSets


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveProblem:
    """An assignment as it is, and the problem that it answers.

    Attributes:
        problem: members, subscriptions and previous owners.
        live: (P,) owner of each partition now, as member index, or `NOBODY`.
        snapshot: the assignment that `live` is.
    """

    problem: Problem
    live: IntArray
    snapshot: Snapshot


def live_problem(
    snapshot: Snapshot,
    previous: Snapshot | None,
    *,
    join_sets: JoinSets = None,
) -> LiveProblem:
    """The problem that an assignor had before it, and the answer that the group has.

    Args:
        snapshot: the assignment now; its members are in Kafka's order.
        previous: the last settled assignment; None if there is none.
        join_sets: names of topics to be held together; None for topics co-subscribed with equal
            partition counts.
    """
    topics = tuple(sorted(snapshot.counts))
    counts = [snapshot.counts[topic] for topic in topics]
    first: dict[str, int] = {}
    total = 0
    for topic, count in zip(topics, counts, strict=True):
        first[topic] = total
        total += count
    index = {member.key: number for number, member in enumerate(snapshot.members)}
    class_of, classes = _subscription_classes(snapshot, topics)
    problem = Problem.from_arrays(
        topics=topics,
        counts=np.array(counts, dtype=np.int32),
        members=tuple(member.member_id for member in snapshot.members),
        class_of=class_of,
        classes=classes,
        previous=_owners(previous, snapshot, first=first, index=index, total=total),
        instance_ids=tuple(member.instance_id for member in snapshot.members),
        join_sets=_join_indexes(join_sets, topics),
    )
    live = _owners(snapshot, snapshot, first=first, index=index, total=total)
    return LiveProblem(problem=problem, live=live, snapshot=snapshot)


def _join_indexes(
    join_sets: JoinSets, topics: tuple[str, ...]
) -> tuple[tuple[int, ...], ...] | None:
    if join_sets is None:
        return None
    number = {topic: place for place, topic in enumerate(topics)}
    present = (sorted(number[topic] for topic in names if topic in number) for names in join_sets)
    return tuple(tuple(joined) for joined in present if len(joined) > 1)


def _subscription_classes(
    snapshot: Snapshot, topics: Iterable[str]
) -> tuple[IntArray, tuple[IntArray, ...]]:
    number = {topic: place for place, topic in enumerate(topics)}
    known: dict[tuple[str, ...], int] = {}
    class_of = [known.setdefault(member.topics, len(known)) for member in snapshot.members]
    classes = tuple(
        np.array([number[topic] for topic in subscription if topic in number], dtype=np.int32)
        for subscription in known
    )
    return np.array(class_of, dtype=np.int32), classes


def _owners(
    source: Snapshot | None,
    bounds: Snapshot,
    *,
    first: dict[str, int],
    index: dict[str, int],
    total: int,
) -> IntArray:
    """Owner of each partition in ``source``, over the topics and partitions of ``bounds``."""
    owners = [NOBODY] * total
    for member in source.members if source else ():
        owner = index.get(member.key, DEPARTED)
        for topic, numbers in member.assigned.items():
            base, count = first.get(topic), bounds.counts.get(topic, 0)
            if base is None:
                continue
            for partition in numbers:
                if partition < count:
                    owners[base + partition] = owner
    return np.array(owners, dtype=np.int32)
