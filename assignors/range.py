"""`range`: topic by topic, consecutive partitions to the members in order (`RangeAssignor`).

Honours racks as Kafka 4.3.1 does (KIP-881): see :mod:`assignors.range_racks`.
"""

import numpy as np
import numpy.typing as npt

from assignors.problem import NOBODY, IntArray, Problem
from assignors.range_racks import aligned


def assign(problem: Problem) -> IntArray:
    """Give each subscriber of a topic an equal run of its partitions, the first ones one more.

    Returns:
        (P,) member index of each partition's owner.
    """
    if not problem.members:
        return np.full(problem.size, NOBODY, dtype=np.int32)
    if problem.partition_racks is not None and problem.racks is not None:
        with_racks = aligned(problem)
        if with_racks is not None:
            return with_racks
    if problem.uniform:
        everybody = len(problem.members) if problem.pool is None else len(problem.pool)
        ranks = _ranks(problem, np.full(len(problem.topics), everybody, dtype=np.int64))
        return ranks if problem.pool is None else problem.pool[ranks]
    lists = [problem.subscribers(topic) for topic in range(len(problem.topics))]
    sizes = np.array([len(subscribers) for subscribers in lists], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    ranks = _ranks(problem, sizes)
    return np.concatenate(lists)[np.repeat(starts, problem.counts) + ranks]


def _ranks(problem: Problem, subscribers: npt.NDArray[np.int64]) -> IntArray:
    """(P,) rank of the owner among the topic's subscribers, given the (T,) number of those."""
    size, extra = np.divmod(problem.counts, np.maximum(subscribers, 1))
    longer = np.repeat(extra * (size + 1), problem.counts)
    size, extra = np.repeat(size, problem.counts), np.repeat(extra, problem.counts)
    number = problem.number_of
    late = extra + (number - longer) // np.maximum(size, 1)
    ranks: IntArray = np.where(number < longer, number // (size + 1), late).astype(np.int32)
    return ranks
