"""Measures of one group's assignment.

`owner`, `live`, `ideal` and `previous` are (P,) member indexes over the problem's flat partitions,
`NOBODY` where a partition has no owner; `previous` may hold `DEPARTED`.
"""

import numpy as np

from assignors.fairest import most_keepable
from assignors.joined import fairest_joined
from assignors.problem import DEPARTED, NOBODY, IntArray, Problem


def loads(problem: Problem, owner: IntArray) -> IntArray:
    """(M,) partitions that each member owns."""
    counted = np.bincount(owner + 2, minlength=len(problem.members) + 2)[2:]
    return counted.astype(np.int32)


def balance_score(loads: IntArray) -> int:
    """Sum over all pairs of members of the difference of their loads; 0 is perfect (KIP-54)."""
    ordered = np.sort(loads).astype(np.int64)
    weights = np.arange(1 - len(ordered), len(ordered), 2)
    return int(weights @ ordered)


def max_minus_min(loads: IntArray) -> int:
    """Largest load minus smallest; 0 for an empty group."""
    return int(loads.max() - loads.min()) if len(loads) else 0


def is_fair(problem: Problem, owner: IntArray) -> bool:
    """KIP-54: no member could take a partition from one that has at least two more."""
    return _is_fair(problem, owner, loads(problem, owner))


def _is_fair(problem: Problem, owner: IntArray, load: IntArray) -> bool:
    if max_minus_min(load) <= 1:
        return True
    if problem.uniform:
        return max_minus_min(load if problem.pool is None else load[problem.pool]) <= 1
    least = np.full(len(problem.classes), np.iinfo(np.int32).max - 2, dtype=np.int64)
    np.minimum.at(least, problem.class_of, load)
    most = np.maximum.reduceat(np.append(load, [0, 0])[owner], problem.first[:-1])
    return not bool((problem.subscribes & (most[None, :] >= least[:, None] + 2)).any())


def is_fairest(problem: Problem, owner: IntArray) -> bool:
    """Whether no chain of moves lowers the sum of squared loads.

    Partitions without an owner do not count; :func:`moves_to_fairest` counts them.
    """
    load = loads(problem, owner)
    if problem.uniform or max_minus_min(load) <= 1:
        return _is_fair(problem, owner, load)
    return _no_chain(problem, owner, load)


def drift(live: IntArray, ideal: IntArray) -> int:
    """Partitions whose live owner differs from the ideal one."""
    return int(np.count_nonzero(live != ideal))


def churn(previous: IntArray, live: IntArray) -> int:
    """Partitions owned in both by different members; one that departed is a different one."""
    return int(np.count_nonzero((previous != live) & (previous != NOBODY) & (live >= 0)))


def preserved(previous: IntArray, owner: IntArray) -> int:
    """Partitions that stayed with their previous owner."""
    return int(np.count_nonzero((previous == owner) & (owner >= 0)))


def moves_to_fairest(problem: Problem, live: IntArray, *, joined: bool = False) -> int:
    """Least number of partitions that must change hands to reach a fairest assignment.

    A partition without an owner counts as one that must. 0: nothing to gain.

    Args:
        problem: The group.
        live: (P,) owners.
        joined: Reach a fairest assignment of the join form, in which a member has a partition
            number of all topics of a join set.
    """
    if joined:
        ideal = fairest_joined(problem, live)
        return int(np.count_nonzero((ideal != live) & (ideal >= 0)))
    if not problem.members or _settled(problem, live):
        return 0
    return problem.size - most_keepable(problem, live)


def necessary_churn(problem: Problem, *, joined: bool = False) -> int:
    """Least churn with which a fairest assignment could be reached from `problem.previous`.

    Partitions of departed members count, those that had no owner do not.

    Args:
        problem: The group with its previous owners.
        joined: Reach a fairest assignment of the join form, in which a member has a partition
            number of all topics of a join set.
    """
    if joined:
        return churn(problem.previous, fairest_joined(problem, problem.previous))
    return _least_churn(problem, problem.previous)


def join_violations(problem: Problem, owner: IntArray) -> int:
    """Partition numbers whose co-subscribed topics are not all with one member (KIP-315).

    Counted over the join sets, up to each set's smallest partition count: numbers that two members
    share, or of which the owner lacks a topic that it subscribes to.
    """
    return sum(_broken(problem, owner, join) for join in problem.join_sets)


def topic_skew(problem: Problem, owner: IntArray) -> float:
    """Largest share of a topic that one member holds, over the largest if it were spread evenly.

    The evenly spread share is ceil(partitions / subscribers), so a topic that is as even as whole
    partitions can be has 1.0. The group's skew is that of its worst topic.
    """
    if not problem.size or not problem.members:
        return 1.0
    owned = owner >= 0
    keys = problem.topic_of[owned].astype(np.int64) * len(problem.members) + owner[owned]
    pairs, sizes = np.unique(keys, return_counts=True)  # most members own of few topics only
    held = np.zeros(len(problem.topics), dtype=np.int64)
    np.maximum.at(held, pairs // len(problem.members), sizes)
    sizes_of_classes = np.bincount(problem.class_of, minlength=len(problem.classes))
    subscribers = np.maximum(sizes_of_classes @ problem.subscribes, 1)
    return float((held / -(-problem.counts // subscribers)).max())


def unassigned(problem: Problem, owner: IntArray) -> int:
    """Partitions of subscribed topics that have no owner."""
    return problem.size - int(np.count_nonzero(owner >= 0))


def _settled(problem: Problem, owner: IntArray) -> bool:
    """Whether different subscriptions need no flow: all is owned, as fairly as can be."""
    if problem.uniform:
        return False
    return bool((problem.claimable(owner) >= 0).all()) and is_fairest(problem, owner)


def _least_churn(problem: Problem, previous: IntArray) -> int:
    if not problem.members:
        return 0
    return int(np.count_nonzero(previous != NOBODY)) - most_keepable(problem, previous)


def _broken(problem: Problem, owner: IntArray, join: tuple[int, ...]) -> int:
    starts = problem.first[list(join)].tolist()
    count = int(problem.counts[list(join)].min())
    rows = np.stack([owner[start : start + count] for start in starts])
    holder = rows.max(axis=0)
    differing = (rows != holder) & (holder >= 0)
    numbers = np.flatnonzero(differing.any(axis=0))
    if not len(numbers):
        return 0
    rows, holder = rows[:, numbers], holder[numbers]
    wanted = problem.subscribes[problem.class_of[holder]][:, list(join)].T
    shared = (rows != holder) & (rows >= 0)
    lacking = (rows < 0) & wanted
    return int(np.count_nonzero((shared | lacking).any(axis=0)))


def _no_chain(problem: Problem, owner: IntArray, load: IntArray) -> bool:
    """Walk backwards from the least loaded: whoever can pass partitions to them, and so on."""
    passed = np.zeros(len(problem.members), dtype=np.bool_)
    seen_class = np.zeros(len(problem.classes), dtype=np.bool_)
    seen_topic = np.zeros(len(problem.topics), dtype=np.bool_)
    for start in np.argsort(load, kind="stable").tolist():
        front = [start]
        while front:
            member = front.pop()
            passed[member] = True
            if seen_class[problem.class_of[member]]:
                continue
            seen_class[problem.class_of[member]] = True
            givers = _givers(problem, owner, seen_topic, int(problem.class_of[member]))
            givers = givers[~passed[givers]]
            if (load[givers] >= load[start] + 2).any():
                return False
            passed[givers] = True
            front.extend(givers.tolist())
    return True


def _givers(
    problem: Problem, owner: IntArray, seen_topic: np.ndarray, member_class: int
) -> IntArray:
    """Owners of partitions of topics of the class that were not looked at yet."""
    topics = problem.classes[member_class]
    fresh = topics[~seen_topic[topics]]
    seen_topic[fresh] = True
    if not len(fresh):
        return np.empty(0, dtype=np.int32)
    held = np.concatenate([owner[problem.first[t] : problem.first[t + 1]] for t in fresh.tolist()])
    owners: IntArray = np.unique(held[held >= 0])
    return owners


__all__ = [
    "DEPARTED",
    "NOBODY",
    "balance_score",
    "churn",
    "drift",
    "is_fair",
    "is_fairest",
    "join_violations",
    "loads",
    "max_minus_min",
    "moves_to_fairest",
    "necessary_churn",
    "preserved",
    "topic_skew",
    "unassigned",
]
