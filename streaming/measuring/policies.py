"""Which policies a group is held against, and which of them is its reference."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

JOIN_POLICY = "stream-join-sticky"
DEFAULT_POLICY = "sticky"
JoinSets = Sequence[Collection[str]] | None
"""Sets of topics held together; None for topics co-subscribed with equal partition counts."""

_JOINED = frozenset({JOIN_POLICY, "optimal-join"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRule:
    """Reference policy of the groups that match.

    Attributes:
        groups: shell-style pattern of group ids.
        policy: name of a policy of `assignors`.
    """

    groups: str
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinRule:
    """Groups that join topics by partition number (KIP-315).

    Attributes:
        groups: shell-style pattern of group ids.
        topics: sets of topics held together; empty for topics co-subscribed with equal counts.
    """

    groups: str
    topics: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """The policies of the configuration.

    Attributes:
        drift: policies for which drift is written.
        references: rules of reference policies, the first that matches holds.
        joins: rules of joins, the first that matches holds.
    """

    drift: tuple[str, ...] = (DEFAULT_POLICY, JOIN_POLICY)
    references: tuple[ReferenceRule, ...] = ()
    joins: tuple[JoinRule, ...] = ()

    def reference(self, group_id: str, assignor: str) -> str:
        """Reference policy of a group: by rule, else for joins, else ``sticky``."""
        for rule in self.references:
            if fnmatchcase(group_id, rule.groups):
                return rule.policy
        if assignor == JOIN_POLICY or self._join(group_id) is not None:
            return JOIN_POLICY
        return DEFAULT_POLICY

    def join_sets(self, group_id: str) -> JoinSets:
        """Sets of topics that a group joins; None for all with equal partition counts."""
        rule = self._join(group_id)
        return rule.topics or None if rule else None

    def measured(self, reference: str) -> tuple[str, ...]:
        """Policies for which drift is written, the reference first."""
        return (reference, *(policy for policy in self.drift if policy != reference))

    def _join(self, group_id: str) -> JoinRule | None:
        return next((rule for rule in self.joins if fnmatchcase(group_id, rule.groups)), None)


def is_joined(policy: str) -> bool:
    """Whether a policy moves partition numbers across topics as one unit."""
    return policy in _JOINED
