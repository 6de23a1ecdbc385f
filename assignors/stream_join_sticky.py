"""`stream-join-sticky`: a partition number of all topics goes to one member (KIP-315).

The KIP lets members select numbers one at a time: of their own previous ones first, then of those
that nobody has, then stealing from the member with the most previously owned. What each ends with
is what the closed form in :mod:`assignors.quotas` gives at once: the remainder's extra numbers to
those that owned most, everything kept that fits, the rest in turn (the tests play both).

Numbers go up to the smallest partition count of all topics; partitions above it stay without an
owner, and so do those of topics that the number's owner does not subscribe to. Racks are not
considered.
"""

from collections.abc import Iterable

import numpy as np

from assignors.problem import NOBODY, IntArray, Problem
from assignors.quotas import share_out
from assignors.units import in_units


def assign(problem: Problem) -> IntArray:
    """Share the partition numbers out over the members and hand each its topics' partitions.

    Returns:
        (P,) member index of each partition's owner, or `NOBODY`.
    """
    if not problem.topics or not problem.members:
        return np.full(problem.size, NOBODY, dtype=np.int32)
    units = in_units(problem, [range(len(problem.topics))])
    pool = problem.pool
    if pool is None:
        return units.expand(share_out(units.owners(problem.previous), len(problem.members)))
    position = np.full(len(problem.members) + 2, NOBODY, dtype=np.int32)
    position[pool] = np.arange(len(pool), dtype=np.int32)
    shared = share_out(position[units.owners(problem.previous)], len(pool))
    return units.expand(pool[shared])


def next_epoch(epochs: Iterable[int | None]) -> int:
    """Epoch that the leader hands out with an assignment, given those of the subscriptions."""
    return max((epoch for epoch in epochs if epoch is not None), default=0) + 1
