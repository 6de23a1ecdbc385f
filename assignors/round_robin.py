"""`roundrobin`: all partitions in turn over all members (Kafka's `RoundRobinAssignor`).

Racks are not considered.
"""

import numpy as np

from assignors.problem import NOBODY, IntArray, Problem


def assign(problem: Problem) -> IntArray:
    """Deal partitions, by topic and number, to the members in order, skipping non-subscribers.

    Returns:
        (P,) member index of each partition's owner.
    """
    if not problem.members:
        return np.full(problem.size, NOBODY, dtype=np.int32)
    if problem.uniform:
        return _in_turn(problem)
    owner = np.full(problem.size, NOBODY, dtype=np.int32)
    turn = 0
    for topic, count in enumerate(problem.counts.tolist()):
        subscribers = problem.subscribers(topic)
        start = int(np.searchsorted(subscribers, turn))
        dealt = subscribers[(start + np.arange(count)) % len(subscribers)]
        owner[problem.first[topic] : problem.first[topic + 1]] = dealt
        turn = (int(dealt[-1]) + 1) % len(problem.members)
    return owner


def _in_turn(problem: Problem) -> IntArray:
    pool = problem.pool
    turns: IntArray = np.arange(problem.size, dtype=np.int32)
    turns %= np.int32(len(problem.members) if pool is None else len(pool))
    return turns if pool is None else pool[turns]
