"""The exact ideal: lowest sum of squared loads first, then the most partitions kept.

For equal subscriptions that is the closed form of :mod:`assignors.quotas`. Where subscriptions
differ it is a flow (:mod:`assignors.flows`).
"""

import numpy as np

from assignors.problem import NOBODY, IntArray, Problem
from assignors.quotas import most_kept, share_out


def fairest(problem: Problem, claims: IntArray) -> IntArray:
    """The fairest assignment that keeps the most of `claims`.

    Args:
        problem: The group; its own previous owners are not looked at.
        claims: (P,) member that owns the partition and may keep it, or `NOBODY`.

    Returns:
        (P,) member index of each partition's owner.
    """
    if not problem.uniform:
        return _by_flow(problem, claims)
    if not problem.topics or not problem.members:
        return np.full(problem.size, NOBODY, dtype=np.int32)
    pool = problem.pool
    if pool is None:
        return share_out(claims, len(problem.members), problem.number_of)
    return pool[share_out(_in_pool(problem, pool, claims), len(pool), problem.number_of)]


def most_keepable(problem: Problem, owner: IntArray) -> int:
    """Partitions that can stay with `owner` (P,) in a fairest assignment."""
    claims = problem.claimable(owner)
    if not problem.uniform:
        return int(np.count_nonzero((fairest(problem, claims) == claims) & (claims >= 0)))
    if not problem.topics or not problem.members:
        return 0
    owned = np.bincount(claims + 2, minlength=len(problem.members) + 2)[2:]
    return most_kept(owned if problem.pool is None else owned[problem.pool], problem.size)


def _in_pool(problem: Problem, pool: IntArray, claims: IntArray) -> IntArray:
    """Members renumbered within the pool; the last two entries are met by negative indexes."""
    position = np.full(len(problem.members) + 2, NOBODY, dtype=np.int32)
    position[pool] = np.arange(len(pool), dtype=np.int32)
    return position[claims]


def _by_flow(problem: Problem, claims: IntArray) -> IntArray:
    # Late: it brings OR-tools, a tenth of a second that a run without such groups need not spend.
    from assignors.flows import fairest_by_flow  # noqa: PLC0415 - see above

    return fairest_by_flow(problem, claims)
