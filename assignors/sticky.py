"""`sticky`: as fair as can be, then as sticky as can be (KIP-54, Kafka's `StickyAssignor`).

Kafka's own is greedy: pairwise fair where subscriptions differ, and on rare inputs without end.
This one is exact: no assignment has a lower sum of squared loads, and no equally fair one keeps
more partitions, so it is never less fair than Kafka's and, where equally fair, never less sticky.
Racks are not considered.
"""

from assignors.fairest import fairest
from assignors.problem import IntArray, Problem


def assign(problem: Problem) -> IntArray:
    """Keep what a fairest assignment lets the previous owners keep, and move the rest.

    Returns:
        (P,) member index of each partition's owner.
    """
    return fairest(problem, problem.claims)
