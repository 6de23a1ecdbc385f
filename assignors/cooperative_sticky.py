"""`cooperative-sticky`: the sticky assignment in two phases (KIP-429, `CooperativeStickyAssignor`).

A partition that changes hands is first withheld from its new owner, so that the old one gives it
up; the rebalance that follows hands it on. Racks are not considered.
"""

import numpy as np

from assignors.fairest import fairest
from assignors.problem import NOBODY, IntArray, Problem


def assign(problem: Problem) -> IntArray:
    """The first phase: the final target without what a present member must give up first.

    Returns:
        (P,) member index of each partition's owner, `NOBODY` where it is withheld.
    """
    target = final_target(problem)
    withheld = (problem.previous >= 0) & (problem.previous != target)
    withheld[list(problem.disputed)] = True
    return np.where(withheld, np.int32(NOBODY), target)


def final_target(problem: Problem) -> IntArray:
    """What the group will have after the second phase: the sticky assignment.

    Returns:
        (P,) member index of each partition's owner.
    """
    return fairest(problem, problem.claims)
