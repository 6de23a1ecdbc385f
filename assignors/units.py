"""The join form of a problem, in which a unit is a partition number across the topics of a join.

KIP-315: a member that has a number has that partition of every topic of the join it subscribes to;
numbers go up to the smallest partition count of the join, the rest stays without an owner.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assignors.problem import DEPARTED, NOBODY, IntArray, Problem

JoinSets = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Units:
    """A problem whose topics are joins, and the way back.

    Attributes:
        source: The problem as it was.
        joins: Per virtual topic the topic indexes it joins.
        problem: The problem over units: one virtual topic per join, and per topic in no join.
    """

    source: Problem
    joins: tuple[tuple[int, ...], ...]
    problem: Problem

    def owners(self, owner: IntArray) -> IntArray:
        """(U,) the one owner of each unit's partitions; `DEPARTED` where they are several."""
        columns = [_owner_of_units(rows) for rows in self.rows(owner)]
        return np.concatenate(columns) if columns else np.empty(0, dtype=np.int32)

    def rows(self, owner: IntArray) -> Iterator[IntArray]:
        """Join after join (topics, numbers) owners of its partitions."""
        for join, count in zip(self.joins, self.problem.counts.tolist(), strict=True):
            starts = self.source.first[list(join)].tolist()
            yield np.stack([owner[start : start + count] for start in starts])

    def expand(self, owner: IntArray) -> IntArray:
        """(P,) owners of partitions from (U,) owners of units."""
        source = self.source
        partitions = np.full(source.size, NOBODY, dtype=np.int32)
        for index, join in enumerate(self.joins):
            start, end = self.problem.first[index : index + 2].tolist()
            for topic in join:
                at = int(source.first[topic])
                partitions[at : at + end - start] = owner[start:end]
        return source.claimable(partitions)


def in_units(problem: Problem, join_sets: JoinSets) -> Units:
    """Turn a problem into its join form.

    A member may have any number of a join of which it subscribes to a topic, as KIP-315's
    transformation over each member's own subscription has it.

    Args:
        problem: The problem over partitions.
        join_sets: Sets of topic indexes; a topic in none of them is a join of its own, sets that
            have a topic in common are one join.
    """
    alone = ((topic,) for topic in range(len(problem.topics)))
    joins = _disjoint([*join_sets, *alone])
    join_of = np.zeros(len(problem.topics), dtype=np.int32)
    for index, join in enumerate(joins):
        join_of[list(join)] = index
    counts = [int(problem.counts[list(join)].min()) for join in joins]
    classes, class_of = _merge([np.unique(join_of[topics]) for topics in problem.classes])
    virtual = Problem.from_arrays(
        topics=tuple("+".join(problem.topics[topic] for topic in join) for join in joins),
        counts=counts,
        members=problem.members,
        class_of=class_of[problem.class_of],
        classes=classes,
        previous=np.full(sum(counts), NOBODY, dtype=np.int32),
        instance_ids=problem.instance_ids,
        join_sets=(),
    )
    return Units(problem, joins, virtual)


def _disjoint(join_sets: JoinSets) -> tuple[tuple[int, ...], ...]:
    """Sets with common topics brought together, in order."""
    joins: dict[int, set[int]] = {}
    for join in join_sets:
        parts = [joins[topic] for topic in join if topic in joins]
        united = set(join).union(*parts)
        joins.update(dict.fromkeys(united, united))
    return tuple(sorted({tuple(sorted(join)) for join in joins.values()}))


def _merge(classes: list[IntArray]) -> tuple[list[IntArray], IntArray]:
    """Distinct classes, and the new index of each old one."""
    index: dict[bytes, int] = {}
    distinct: list[IntArray] = []
    renumbered = np.empty(len(classes), dtype=np.int32)
    for old, topics in enumerate(classes):
        renumbered[old] = index.setdefault(topics.tobytes(), len(index))
        if renumbered[old] == len(distinct):
            distinct.append(topics)
    return distinct, renumbered


def _owner_of_units(rows: IntArray) -> IntArray:
    """A partition without owner does not break a unit, it only joins it (a topic just added)."""
    if len(rows) == 1:
        only: IntArray = rows[0]
        return only
    highest = rows.max(axis=0)
    lowest = np.where(rows == NOBODY, highest, rows).min(axis=0)
    return np.where(lowest == highest, highest, np.int32(DEPARTED))
