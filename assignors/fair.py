"""`fair`: each partition to its least loaded subscriber, the hardest topics first (KIP-49).

Topics come in the order of their subscribers, fewest first, then by partition count, largest
first, then by name. Racks are not considered.
"""

import numpy as np

from assignors.problem import NOBODY, IntArray, Problem
from assignors.water import fill


def assign(problem: Problem) -> IntArray:
    """Hand out partitions to whoever has the fewest so far, members in order where equal.

    Returns:
        (P,) member index of each partition's owner.
    """
    owner = np.full(problem.size, NOBODY, dtype=np.int32)
    load = np.zeros(len(problem.members), dtype=np.int64)
    subscribers = [problem.subscribers(topic) for topic in range(len(problem.topics))]
    counts = problem.counts.tolist()
    for topic in sorted(range(len(counts)), key=lambda t: (len(subscribers[t]), -counts[t], t)):
        if not len(subscribers[topic]):
            continue
        takers = subscribers[topic][fill(load[subscribers[topic]], counts[topic])]
        owner[problem.first[topic] : problem.first[topic + 1]] = takers
        load += np.bincount(takers, minlength=len(load))
    return owner
