"""The connected parts of a group: topics and members that share nothing with the rest of it.

Within a part everything is numbered from 0, so that it can be solved by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assignors.problem import NOBODY, IntArray, Problem

Mask = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Part:
    """Some topics of a problem, all the members that subscribe to them, and nothing else.

    With t topics, m members, k subscription classes and p partitions:

    Attributes:
        flats: (p,) flat index of each partition in the problem.
        members: (m,) member indexes in the problem.
        counts: (t,) partitions of each topic.
        topic_of: (p,) topic of each partition.
        number_of: (p,) its number.
        class_of: (m,) class of each member.
        subscribes: (k, t) whether a class subscribes to a topic.
        claims: (p,) member that may keep the partition, or `NOBODY`.
    """

    flats: Longs
    members: IntArray
    counts: IntArray
    topic_of: IntArray
    number_of: IntArray
    class_of: IntArray
    subscribes: Mask
    claims: IntArray

    def subscribers(self, topic: int) -> Longs:
        """Members that subscribe to a topic."""
        return np.flatnonzero(self.subscribes[:, topic][self.class_of])

    def narrowed(self, topics: Mask, classes: Mask) -> "Part":
        """The part of some topics and classes; claims that cross its border are dropped."""
        members = np.flatnonzero(classes[self.class_of]).astype(np.int32)
        held = np.flatnonzero(topics[self.topic_of])
        chosen = np.flatnonzero(topics)
        return Part(
            flats=self.flats[held],
            members=self.members[members],
            counts=self.counts[chosen],
            topic_of=np.repeat(np.arange(len(chosen), dtype=np.int32), self.counts[chosen]),
            number_of=self.number_of[held],
            class_of=_positions(np.flatnonzero(classes), len(classes))[self.class_of[members]],
            subscribes=self.subscribes[np.ix_(classes, topics)],
            claims=_positions(members, len(self.members))[self.claims[held]],
        )


def whole(problem: Problem, claims: IntArray) -> Part:
    """All of a problem as one part."""
    return Part(
        flats=np.arange(problem.size),
        members=np.arange(len(problem.members), dtype=np.int32),
        counts=problem.counts,
        topic_of=problem.topic_of,
        number_of=problem.number_of,
        class_of=problem.class_of,
        subscribes=problem.subscribes,
        claims=claims,
    )


def connected(part: Part) -> Iterator[Part]:
    """Split into parts that share neither topics nor members; what has no counterpart is left out.

    Every topic is visited once.
    """
    label = np.full(part.subscribes.shape[1], -1, dtype=np.int32)
    wanting = part.subscribes.any(axis=1)
    seen: Mask = np.logical_not(wanting)
    parts = 0
    for start in np.flatnonzero(part.subscribes.any(axis=0)).tolist():
        if label[start] < 0:
            _mark(part.subscribes, label, seen, start, parts)
            parts += 1
    if not parts:
        return
    if parts == 1 and wanting.all() and label.min() == 0:
        yield part
        return
    class_label = np.where(wanting, label[np.argmax(part.subscribes, axis=1)], -1)
    for number in range(parts):
        yield part.narrowed(label == number, class_label == number)


def _mark(subscribes: Mask, label: IntArray, seen: Mask, start: int, number: int) -> None:
    """Label all topics that are connected with one through the subscriptions."""
    label[start] = number
    front = [start]
    while front:
        classes = np.flatnonzero(subscribes[:, front.pop()] & ~seen)
        seen[classes] = True
        reached = np.flatnonzero(subscribes[classes].any(axis=0) & (label < 0))
        label[reached] = number
        front.extend(reached.tolist())


def _positions(chosen: npt.NDArray[np.integer], size: int) -> IntArray:
    """New index of each old one, `NOBODY` if not chosen; -1 and -2 meet the last two entries."""
    position = np.full(size + 2, NOBODY, dtype=np.int32)
    position[chosen] = np.arange(len(chosen), dtype=np.int32)
    return position
