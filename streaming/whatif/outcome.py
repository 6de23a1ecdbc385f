"""The answer to a scenario: who would have what, what would move, and how good that is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assignors import NOBODY, IntArray, Problem, assign, measures
from streaming.measuring.policies import is_joined
from streaming.whatif.live import LiveGroup, Owners, as_problem
from streaming.whatif.moves import Move, moves_between
from streaming.whatif.scenario import Scenario, changed_members, check

JoinSets = Sequence[Collection[str]] | None
COOPERATIVE = frozenset({"cooperative", "consumer"})
"""Protocols in which only what moves is revoked."""
_PHASES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Measures of one assignment; see ``docs/measures.md``."""

    member_count: int
    partition_count: int
    balance_score: int
    max_minus_min: int
    min_load: int
    max_load: int
    fair: bool
    fairest: bool
    moves_to_fairest: int
    join_violations: int
    topic_skew: float
    unassigned_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberLoad:
    """Load of a member before and after.

    Attributes:
        member_id: the member.
        before: partitions owned now; None for a member that joins.
        after: partitions it would own; None for a member that leaves.
    """

    member_id: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a scenario would do to a group.

    Attributes:
        scenario: the question.
        before: figures now.
        after: figures then.
        moves: partitions that get another owner, also those that had none.
        churn: partitions taken from one member and given to another.
        revoked: partitions taken from members that stay, while the group rebalances: all of them
            under an eager protocol.
        loads: load per member, before and after.
        assignment: owner of each partition then.
    """

    scenario: Scenario
    before: Figures
    after: Figures
    moves: tuple[Move, ...]
    churn: int
    revoked: int
    loads: tuple[MemberLoad, ...]
    assignment: Owners


def evaluate(
    group: LiveGroup, scenario: Scenario, *, protocol: str = "eager", join_sets: JoinSets = None
) -> Outcome:
    """Try a scenario on a group as it is now.

    Args:
        group: the group.
        scenario: what to change.
        protocol: the group's protocol: eager, cooperative or consumer.
        join_sets: topics to hold together; None for those co-subscribed with equal counts.

    Raises:
        ScenarioError: what is asked for cannot be tried on this group.
    """
    joined = is_joined(scenario.policy)
    now = as_problem(group, join_sets=join_sets)
    then = problem_then(group, scenario, join_sets=join_sets)
    owner = settled(scenario.policy, then)
    assignment = owners_of(then, owner)
    moves = moves_between(group.live, assignment)
    return Outcome(
        scenario=scenario,
        before=figures(now, now.previous, joined=joined),
        after=figures(then, owner, joined=joined),
        moves=tuple(moves),
        churn=sum(move.source is not None and move.target is not None for move in moves),
        revoked=_revoked(group, then, moves, eager=_is_eager(scenario.policy, protocol)),
        loads=_loads(group, then, owner),
        assignment=assignment,
    )


def problem_then(group: LiveGroup, scenario: Scenario, *, join_sets: JoinSets = None) -> Problem:
    """The group's problem with the scenario's members and partitions.

    Raises:
        ScenarioError: what is asked for cannot be tried on this group.
    """
    check(group, scenario)
    topics = {**group.topics, **scenario.partitions}
    return Problem.build(topics, changed_members(group, scenario), join_sets=join_sets)


def settled(policy: str, problem: Problem) -> IntArray:
    """(P,) owners once nothing is withheld any more: a cooperative policy takes two phases."""
    owner = assign(policy, problem)
    for _ in range(_PHASES):
        if not (problem.size and problem.members and (owner == NOBODY).any()):
            break
        owner = assign(policy, with_previous(problem, owner))
    return owner


def with_previous(problem: Problem, owner: IntArray) -> Problem:
    """The same members and topics, owning this."""
    return Problem.from_arrays(
        topics=problem.topics,
        counts=problem.counts,
        members=problem.members,
        class_of=problem.class_of,
        classes=problem.classes,
        previous=owner,
        instance_ids=problem.instance_ids,
        join_sets=problem.named_joins,
    )


def owners_of(problem: Problem, owner: IntArray) -> dict[tuple[str, int], str | None]:
    """The owners by name."""
    names: list[str | None] = [*problem.members, None]
    flat = iter(np.where(owner < 0, len(problem.members), owner).tolist())
    return {
        (topic, number): names[next(flat)]
        for topic, count in zip(problem.topics, problem.counts.tolist(), strict=True)
        for number in range(count)
    }


def figures(problem: Problem, owner: IntArray, *, joined: bool = False) -> Figures:
    """Measure an assignment.

    Args:
        problem: the group.
        owner: (P,) its owners.
        joined: count moves to a fairest assignment of the join form.
    """
    loads = measures.loads(problem, owner)
    return Figures(
        member_count=len(problem.members),
        partition_count=problem.size,
        balance_score=measures.balance_score(loads),
        max_minus_min=measures.max_minus_min(loads),
        min_load=int(loads.min()) if len(loads) else 0,
        max_load=int(loads.max()) if len(loads) else 0,
        fair=measures.is_fair(problem, owner),
        fairest=measures.is_fairest(problem, owner),
        moves_to_fairest=measures.moves_to_fairest(problem, owner, joined=joined),
        join_violations=measures.join_violations(problem, owner),
        topic_skew=measures.topic_skew(problem, owner),
        unassigned_count=measures.unassigned(problem, owner),
    )


def _is_eager(policy: str, protocol: str) -> bool:
    return policy != "cooperative-sticky" and protocol not in COOPERATIVE


def _revoked(group: LiveGroup, then: Problem, moves: Sequence[Move], *, eager: bool) -> int:
    staying = set(then.members)
    if eager:
        return sum(owner in staying for owner in group.live.values())
    return sum(move.source in staying for move in moves)


def _loads(group: LiveGroup, then: Problem, owner: IntArray) -> tuple[MemberLoad, ...]:
    before: Mapping[str, int] = {
        member.member_id: member.partition_count for member in group.members
    }
    after = dict(zip(then.members, measures.loads(then, owner).tolist(), strict=True))
    return tuple(
        MemberLoad(member_id=name, before=before.get(name), after=after.get(name))
        for name in sorted(before.keys() | after.keys())
    )
