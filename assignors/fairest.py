"""The exact ideal: lowest sum of squared loads first, then the most partitions kept.

For equal subscriptions that is the closed form of :mod:`assignors.quotas`. Where subscriptions
differ, each connected part of the group is solved by itself: by the closed form if its own
subscriptions are equal, by :mod:`assignors.repair` where that is seen to be exact, else by flows
(:mod:`assignors.flows`).
"""

import numpy as np

from assignors.parts import Part, connected, whole
from assignors.problem import NOBODY, IntArray, Problem
from assignors.quotas import most_kept, share_out
from assignors.repair import repaired
from assignors.water import fill


def fairest(problem: Problem, claims: IntArray) -> IntArray:
    """The fairest assignment that keeps the most of `claims`.

    Args:
        problem: The group; its own previous owners are not looked at.
        claims: (P,) member that owns the partition and may keep it, or `NOBODY`.

    Returns:
        (P,) member index of each partition's owner.
    """
    if problem.uniform and problem.pool is None and problem.members:
        return share_out(claims, len(problem.members), problem.number_of)
    owner = np.full(problem.size, NOBODY, dtype=np.int32)
    for part in connected(whole(problem, claims)):
        owner[part.flats] = part.members[_fairest_part(part)]
    return owner


def fairest_keeping_all(problem: Problem, claims: IntArray) -> IntArray:
    """The fairest assignment that moves none of `claims`.

    Args:
        problem: The group; its own previous owners are not looked at.
        claims: (P,) member that owns the partition and keeps it, or `NOBODY`.

    Returns:
        (P,) member index of each partition's owner.
    """
    owner = np.full(problem.size, NOBODY, dtype=np.int32)
    for part in connected(whole(problem, claims)):
        owner[part.flats] = part.members[_fill_part(part)]
    return owner


def most_keepable(problem: Problem, owner: IntArray) -> int:
    """Partitions that can stay with `owner` (P,) in a fairest assignment."""
    claims = problem.claimable(owner)
    if problem.uniform and problem.pool is None and problem.members:
        owned = np.bincount(claims + 2, minlength=len(problem.members) + 2)[2:]
        return most_kept(owned, problem.size)
    return int(np.count_nonzero((fairest(problem, claims) == claims) & (claims >= 0)))


def _fairest_part(part: Part) -> IntArray:
    if len(part.subscribes) == 1:
        return share_out(part.claims, len(part.members), part.number_of)
    quick = repaired(part)
    if quick is not None:
        return quick
    # Late: it brings OR-tools, a tenth of a second that a run without such groups need not spend.
    from assignors.flows import fairest_by_flow  # noqa: PLC0415 - see above

    return fairest_by_flow(part)


def _fill_part(part: Part) -> IntArray:
    free = np.flatnonzero(part.claims < 0)
    if not len(free):
        return part.claims
    if len(part.subscribes) > 1:
        # Late, as above.
        from assignors.flows import filled_by_flow  # noqa: PLC0415 - see above

        return filled_by_flow(part)
    owner = part.claims.copy()
    load = np.bincount(owner[owner >= 0], minlength=len(part.members))
    owner[free] = fill(load, len(free))
    return owner
