"""The policies by name, Kafka's protocol names where Kafka has one."""

from collections.abc import Callable

from assignors import (
    cooperative_sticky,
    fair,
    fairest_sticky,
    optimal,
    round_robin,
    sticky,
    stream_join_sticky,
)
from assignors import range as by_range
from assignors.problem import IntArray, Problem


class UnknownPolicyError(ValueError):
    """A policy name that no assignor has."""


_ASSIGNORS: dict[str, Callable[[Problem], IntArray]] = {
    "range": by_range.assign,
    "roundrobin": round_robin.assign,
    "fair": fair.assign,
    "sticky": sticky.assign,
    "fairest-sticky": fairest_sticky.assign,
    "cooperative-sticky": cooperative_sticky.assign,
    "stream-join-sticky": stream_join_sticky.assign,
    "optimal": optimal.assign,
    "optimal-join": optimal.assign_joined,
}
POLICIES = tuple(_ASSIGNORS)


def assign(policy: str, problem: Problem) -> IntArray:
    """Assign a group's partitions.

    Args:
        policy: One of `POLICIES`.
        problem: The group.

    Returns:
        (P,) member index of each flat partition's owner, or `NOBODY`.

    Raises:
        UnknownPolicyError: If there is no such policy.
    """
    assignor = _ASSIGNORS.get(policy)
    if assignor is None:
        raise UnknownPolicyError(f"unknown assignor {policy!r}: use one of {', '.join(POLICIES)}")
    return assignor(problem)
