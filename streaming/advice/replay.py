"""What a group's recorded life would have cost under another assignor.

The recorded memberships, subscriptions and partition counts are gone through again, generation by
generation, and at each the policy answers. A group's own assignor is asked from the owners that
were recorded, because among answers that are equally good it once chose one; any other policy goes
on from its own answers, as it would have in earnest.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

import assignors
from assignors import cooperative_sticky, measures
from assignors.problem import DEPARTED, NOBODY, IntArray, Problem
from streaming.advice.history import Generation, History
from streaming.measuring.problems import live_problem

_OTHER_NAMES = {"uniform": "sticky"}
"""KIP-848's assignors that answer as a policy of another name does."""

_COOPERATIVE = "cooperative-sticky"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rebalance, replayed.

    Attributes:
        churn: partitions that change hands between members, or from members that are gone.
        held: partitions held before by members that stay.
        stopped: of these, what a consumer must let go of: all of them if the policy is eager, what
            moves if it is cooperative.
        balance_score: KIP-54's, after it.
        join_violations: KIP-315's, after it: partition numbers of a join that are split.
    """

    churn: int
    held: int
    stopped: int
    balance_score: int
    join_violations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A life of a group under one policy.

    Attributes:
        policy: the policy.
        steps: one for each of `History.rebalances`.
    """

    policy: str
    steps: tuple[Step, ...]

    @property
    def churn(self) -> int:
        """Partitions moved, over all rebalances."""
        return sum(step.churn for step in self.steps)

    @property
    def held(self) -> int:
        """Partitions held by members that stayed, over all rebalances."""
        return sum(step.held for step in self.steps)

    @property
    def stopped(self) -> int:
        """Partitions that members who stayed had to let go of, over all rebalances."""
        return sum(step.stopped for step in self.steps)

    @property
    def balance_score(self) -> int:
        """Balance score, summed over all rebalances; 0 is perfect."""
        return sum(step.balance_score for step in self.steps)

    @property
    def join_violations(self) -> int:
        """Split partition numbers of joins, summed over all rebalances; 0 is none."""
        return sum(step.join_violations for step in self.steps)


def policy_of(assignor: str) -> str | None:
    """The policy that answers as an assignor does; None for one that is not known here."""
    name = _OTHER_NAMES.get(assignor, assignor)
    return name if name in assignors.POLICIES else None


class Replayer:
    """Goes through one recorded life, as often as asked; its problems are set up once."""

    def __init__(self, history: History) -> None:
        """Set up the problems of all generations.

        Args:
            history: the recorded life.
        """
        self._stages = [_stage(generation, history) for generation in history.generations]

    def under(self, policy: str) -> Replay:
        """The life under a policy.

        Raises:
            assignors.UnknownPolicyError: there is no such policy.
        """
        return Replay(policy=policy, steps=tuple(_steps(self._stages, policy)))

    def recorded(self) -> Replay:
        """The life as it really was; ``policy`` is empty."""
        steps = [
            _step(now, _carry(before.live, before, now), now.live, cooperative=now.cooperative)
            for before, now in pairwise(self._stages)
            if not now.first
        ]
        return Replay(policy="", steps=tuple(steps))


def replay(history: History, policy: str) -> Replay:
    """Go through a recorded life under one policy.

    Raises:
        assignors.UnknownPolicyError: there is no such policy.
    """
    return Replayer(history).under(policy)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    """A generation in array form; ``keys`` are the members' identities across generations."""

    problem: Problem
    live: IntArray
    keys: tuple[str, ...]
    policy: str | None
    cooperative: bool
    first: bool


def _stage(generation: Generation, history: History) -> _Stage:
    snapshot = generation.snapshot
    live = live_problem(snapshot, None, join_sets=history.join_sets)
    return _Stage(
        problem=live.problem,
        live=live.live,
        keys=tuple(member.key for member in snapshot.members),
        policy=policy_of(snapshot.assignor),
        cooperative=snapshot.protocol != "eager",
        first=generation.first,
    )


def _steps(stages: list[_Stage], policy: str) -> Iterator[Step]:
    before: _Stage | None = None
    owners = np.empty(0, dtype=np.int32)
    for stage in stages:
        own = stage.policy == policy
        if before is None or stage.first:
            # As near to the recorded owners as the policy allows: the change of assignor is free.
            answer = _answer(stage, policy, stage.live)
        else:
            previous = _carry(owners, before, stage)
            answer = _answer(stage, policy, previous)
            cooperative = stage.cooperative if own else policy == _COOPERATIVE
            yield _step(stage, previous, answer, cooperative=cooperative)
        owners = stage.live if own else answer
        before = stage


def _answer(stage: _Stage, policy: str, previous: IntArray) -> IntArray:
    """What the group would settle on; a cooperative policy, after its second phase."""
    problem = replace(stage.problem, previous=previous)
    if policy == _COOPERATIVE:
        return cooperative_sticky.final_target(problem)
    return assignors.assign(policy, problem)


def _step(stage: _Stage, previous: IntArray, answer: IntArray, *, cooperative: bool) -> Step:
    stays = previous >= 0
    held = int(np.count_nonzero(stays))
    moved = int(np.count_nonzero(stays & (answer != previous)))
    return Step(
        churn=measures.churn(previous, answer),
        held=held,
        stopped=moved if cooperative else held,
        balance_score=measures.balance_score(measures.loads(stage.problem, answer)),
        join_violations=measures.join_violations(stage.problem, answer),
    )


def _carry(owners: IntArray, before: _Stage, now: _Stage) -> IntArray:
    """Owners at one generation as the previous owners at the next."""
    index = {key: place for place, key in enumerate(now.keys)}
    renamed = np.array([*(index.get(key, DEPARTED) for key in before.keys), NOBODY], dtype=np.int32)
    carried = renamed[owners]  # NOBODY is -1, the last entry
    old, new = before.problem, now.problem
    if old.topics == new.topics and np.array_equal(old.counts, new.counts):
        return carried
    return _realign(carried, old, new)


def _realign(owners: IntArray, old: Problem, new: Problem) -> IntArray:
    """Move owners to the flat places that their partitions have in another problem."""
    placed = np.full(new.size, NOBODY, dtype=np.int32)
    where = {topic: number for number, topic in enumerate(old.topics)}
    for number, topic in enumerate(new.topics):
        if topic not in where:
            continue
        source, target = int(old.first[where[topic]]), int(new.first[number])
        count = min(int(old.counts[where[topic]]), int(new.counts[number]))
        placed[target : target + count] = owners[source : source + count]
    return placed
