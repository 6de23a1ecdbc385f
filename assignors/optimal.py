"""`optimal`: the exact ideal, and its join form `optimal-join`.

The lowest sum of squared loads that the subscriptions allow, and among the assignments that have
it one that moves the fewest partitions. In the join form a unit is a partition number across the
topics of a join set: loads are counted in units, and no join is ever broken. Racks are
not considered.
"""

from assignors.fairest import fairest
from assignors.joined import fairest_joined
from assignors.problem import IntArray, Problem


def assign(problem: Problem) -> IntArray:
    """The fairest assignment with the fewest moves.

    Returns:
        (P,) member index of each partition's owner.
    """
    return fairest(problem, problem.claims)


def assign_joined(problem: Problem) -> IntArray:
    """The fairest assignment of units with the fewest moved partitions.

    Of a join set whose topics have different partition counts, which only the caller can name, the
    partitions above the smallest count stay without an owner, as in KIP-315.

    Returns:
        (P,) member index of each partition's owner, or `NOBODY`.
    """
    return fairest_joined(problem, problem.claims)
