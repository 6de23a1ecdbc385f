"""The policies by name, Kafka's protocol names where Kafka has one."""

from collections.abc import Callable

from assignors import range as by_range
from assignors import round_robin, sticky, stream_join_sticky
from assignors.problem import IntArray, Problem


class UnknownPolicyError(ValueError):
    """A policy name that no assignor has."""


_ASSIGNORS: dict[str, Callable[[Problem], IntArray]] = {
    "range": by_range.assign,
    "roundrobin": round_robin.assign,
    "sticky": sticky.assign,
    "stream-join-sticky": stream_join_sticky.assign,
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
