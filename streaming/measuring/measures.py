"""The measures of one settlement: distance from the ideal, and what the rebalance cost."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import assignors
from assignors import measures
from assignors.problem import IntArray, Problem
from streaming.groups.snapshot import Settlement, Snapshot
from streaming.measuring.policies import JoinSets, Policies, is_joined
from streaming.measuring.problems import LiveProblem, live_problem

Lags = Mapping[tuple[str, int], int]
"""(topic, partition) to records behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a live assignment stands, whatever it is compared with.

    Attributes:
        loads: (M,) partitions of each member.
        moves_to_fairest: under the reference policy.
        balance_score, max_minus_min, fair, fairest, join_violations, topic_skew, unassigned_count:
            see ``docs/measures.md``.
        member_lag: (M,) records behind of each member; None if no lag is known.
    """

    loads: IntArray
    moves_to_fairest: int
    balance_score: int
    max_minus_min: int
    fair: bool
    fairest: bool
    join_violations: int
    topic_skew: float
    unassigned_count: int
    member_lag: npt.NDArray[np.float64] | None

    @property
    def lag(self) -> int | None:
        """Records behind over the group."""
        return None if self.member_lag is None else int(self.member_lag.sum())

    @property
    def lag_skew(self) -> float | None:
        """Largest lag of a member over the mean; 1.0 where there is no lag."""
        if self.member_lag is None or not len(self.member_lag):
            return None
        mean = float(self.member_lag.mean())
        return float(self.member_lag.max()) / mean if mean > 0 else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """How far the live assignment is from one policy's ideal.

    Attributes:
        policy: the policy.
        ideal: (P,) its owners.
        drift_count: partitions whose live owner differs.
        ideal_balance_score: balance score of the ideal.
    """

    policy: str
    ideal: IntArray
    drift_count: int
    ideal_balance_score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a rebalance moved.

    Attributes:
        churn: partitions owned before and after, by different members.
        necessary_churn: least with which a fairest assignment was to be had.
        revoked: partitions taken from members that stayed.
        episode_churn: churn of the episode, this rebalance included.
        episode_necessary_churn: least churn from the episode's first state to this one.
    """

    churn: int
    necessary_churn: int
    revoked: int
    episode_churn: int
    episode_necessary_churn: int

    @property
    def avoidable_churn(self) -> int:
        """What need not have moved."""
        return max(0, self.churn - self.necessary_churn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Everything measured of one settlement; ``distances[0]`` is the reference policy's."""

    settlement: Settlement
    live: LiveProblem
    standing: Standing
    distances: tuple[Distance, ...]
    cost: Cost

    @property
    def reference(self) -> Distance:
        """Distance from the reference policy's ideal."""
        return self.distances[0]


def measure(settlement: Settlement, policies: Policies, *, lags: Lags) -> Measured:
    """Take every measure of one settlement.

    Args:
        settlement: the rebalance.
        policies: policies of the configuration.
        lags: records behind by partition, as far as known.
    """
    snapshot = settlement.snapshot
    reference = policies.reference(settlement.group_id, snapshot.assignor)
    join_sets = policies.join_sets(settlement.group_id)
    live = live_problem(snapshot, settlement.previous, join_sets=join_sets)
    distances = tuple(_distance(policy, live) for policy in policies.measured(reference))
    joined = is_joined(reference)
    return Measured(
        settlement=settlement,
        live=live,
        standing=_standing(live, lags, joined=joined),
        distances=distances,
        cost=_cost(settlement, live, join_sets=join_sets, joined=joined),
    )


def _distance(policy: str, live: LiveProblem) -> Distance:
    problem = live.problem
    ideal = assignors.assign(policy, problem)
    return Distance(
        policy=policy,
        ideal=ideal,
        drift_count=measures.drift(live.live, ideal),
        ideal_balance_score=measures.balance_score(measures.loads(problem, ideal)),
    )


def _standing(live: LiveProblem, lags: Lags, *, joined: bool) -> Standing:
    problem, owner = live.problem, live.live
    loads = measures.loads(problem, owner)
    moves = measures.moves_to_fairest(problem, owner, joined=joined)
    return Standing(
        loads=loads,
        moves_to_fairest=moves,
        balance_score=measures.balance_score(loads),
        max_minus_min=measures.max_minus_min(loads),
        fair=measures.is_fair(problem, owner),
        fairest=measures.is_fairest(problem, owner),
        join_violations=measures.join_violations(problem, owner),
        topic_skew=measures.topic_skew(problem, owner),
        unassigned_count=measures.unassigned(problem, owner),
        member_lag=member_lags(problem, owner, lags),
    )


def member_lags(problem: Problem, owner: IntArray, lags: Lags) -> npt.NDArray[np.float64] | None:
    """(M,) records behind of each member; None if no lag of the group is known."""
    if not lags:
        return None
    lag = np.fromiter(
        (
            lags.get((topic, partition), 0)
            for topic, count in zip(problem.topics, problem.counts, strict=True)
            for partition in range(count)
        ),
        dtype=np.float64,
        count=len(owner),
    )
    owned = owner >= 0
    totals = np.bincount(owner[owned], weights=lag[owned], minlength=len(problem.members))
    return totals.astype(np.float64)


def _cost(settlement: Settlement, live: LiveProblem, *, join_sets: JoinSets, joined: bool) -> Cost:
    churn = measures.churn(live.problem.previous, live.live)
    necessary = measures.necessary_churn(live.problem, joined=joined) if settlement.previous else 0
    episode = settlement.episode
    episode_necessary = necessary
    if episode.rebalances and episode.first is not None:
        whole = live_problem(settlement.snapshot, episode.first, join_sets=join_sets)
        episode_necessary = measures.necessary_churn(whole.problem, joined=joined)
    return Cost(
        churn=churn,
        necessary_churn=necessary,
        revoked=_revoked(settlement, live),
        episode_churn=episode.churn + churn,
        episode_necessary_churn=episode_necessary,
    )


def _revoked(settlement: Settlement, live: LiveProblem) -> int:
    previous = settlement.previous
    if previous is None:
        return 0
    if settlement.snapshot.protocol == "eager":
        return _held_by_stayers(previous, settlement.snapshot)
    before = live.problem.previous
    return int(np.count_nonzero((before >= 0) & (before != live.live)))


def _held_by_stayers(previous: Snapshot, now: Snapshot) -> int:
    staying = {member.key for member in now.members}
    return sum(member.load for member in previous.members if member.key in staying)
