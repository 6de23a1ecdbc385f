"""`fairest-sticky`: stickiness first, then fairness («sticky yet fair», KIP-54's alternative).

Every valid previous ownership stays; only partitions without an owner are given out, so that the
sum of squared loads becomes as low as it can. Racks are not considered.
"""

from assignors.fairest import fairest_keeping_all
from assignors.problem import IntArray, Problem


def assign(problem: Problem) -> IntArray:
    """Keep all that is owned and hand out the rest as fairly as that allows.

    Returns:
        (P,) member index of each partition's owner.
    """
    return fairest_keeping_all(problem, problem.claims)
