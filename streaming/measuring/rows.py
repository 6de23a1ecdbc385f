"""Rows of the tables, from what was measured; columns as in `streaming.tables.schemas`.

Columns that every row of a micro-batch shares (cluster, batch, processing time) are added where the
rows are written. Times are microseconds of Unix time.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from assignors import measures
from assignors.problem import IntArray
from streaming.groups.causes import Cause
from streaming.groups.snapshot import MemberView, Snapshot
from streaming.measuring.measures import Distance, Measured

Row = dict[str, Any]


def microseconds(time_ms: int) -> int:
    """Milliseconds of Unix time as the microseconds that the tables hold."""
    return time_ms * 1000


def member_name(member: MemberView) -> Row:
    """A member as the ``joined`` and ``left`` columns name it."""
    return {
        "member_id": member.member_id,
        "instance_id": member.instance_id,
        "client_id": member.client_id,
        "client_host": member.client_host,
    }


def rebalance_row(measured: Measured, cause: Cause) -> Row:
    """The row of ``rebalances``."""
    settlement, cost = measured.settlement, measured.cost
    now, before = settlement.snapshot, settlement.previous
    started_ms = settlement.phases[0].time_ms
    return {
        **identity_columns(measured),
        "previous_generation": before.generation if before else None,
        "started_time": microseconds(started_ms),
        "seconds_since_previous": (now.time_ms - before.time_ms) / 1000 if before else None,
        "duration_seconds": (now.time_ms - started_ms) / 1000,
        "settled": settlement.settled,
        "protocol": now.protocol,
        "phase_generations": [phase.generation for phase in settlement.phases],
        "phase_withheld": [phase.withheld for phase in settlement.phases],
        "cause": cause.main,
        "causes": list(cause.every),
        "joined": [member_name(member) for member in cause.joined],
        "left": [member_name(member) for member in cause.left],
        "member_count": len(now.members),
        "partition_count": len(measured.live.live),
        "policy": measured.reference.policy,
        "churn": cost.churn,
        "necessary_churn": cost.necessary_churn,
        "avoidable_churn": cost.avoidable_churn,
        "revoked": cost.revoked,
        "episode": settlement.episode.name,
        "episode_rebalances": settlement.episode.rebalances + 1,
        "episode_churn": cost.episode_churn,
        "episode_necessary_churn": cost.episode_necessary_churn,
    }


def drift_rows(measured: Measured) -> Iterator[Row]:
    """The rows of ``drift``: one per policy."""
    for distance in measured.distances:
        yield {
            **identity_columns(measured),
            "policy": distance.policy,
            "reference": distance is measured.reference,
            **measure_columns(measured, distance),
        }


def measure_columns(measured: Measured, distance: Distance) -> Row:
    """The measures, as ``drift`` and ``group_state`` hold them."""
    standing = measured.standing
    partition_count = len(measured.live.live)
    loads = standing.loads
    return {
        "member_count": len(measured.live.snapshot.members),
        "partition_count": partition_count,
        "drift_count": distance.drift_count,
        "drift_share": distance.drift_count / partition_count if partition_count else 0.0,
        "moves_to_fairest": standing.moves_to_fairest,
        "balance_score": standing.balance_score,
        "ideal_balance_score": distance.ideal_balance_score,
        "max_minus_min": standing.max_minus_min,
        "min_load": int(loads.min()) if len(loads) else 0,
        "max_load": int(loads.max()) if len(loads) else 0,
        "fair": standing.fair,
        "fairest": standing.fairest,
        "join_violations": standing.join_violations,
        "topic_skew": standing.topic_skew,
        "unassigned_count": standing.unassigned_count,
        "lag": standing.lag,
        "lag_skew": standing.lag_skew,
    }


def member_columns(measured: Measured) -> Mapping[str, Sequence[Any]]:
    """The columns of ``member_load`` that differ from member to member, each (M,) long."""
    live, previous = measured.live.live, measured.live.problem.previous
    moved = live != previous
    members, standing = measured.live.snapshot.members, measured.standing
    ideal_loads = measures.loads(measured.live.problem, measured.reference.ideal)
    lags = standing.member_lag
    return {
        "member_id": [member.member_id for member in members],
        "instance_id": [member.instance_id for member in members],
        "client_id": [member.client_id for member in members],
        "client_host": [member.client_host for member in members],
        "rack": [member.rack for member in members],
        "topics": [member.topics for member in members],
        "partition_count": standing.loads.tolist(),
        "ideal_partition_count": ideal_loads.tolist(),
        "gained_count": _count(live[moved], measured).tolist(),
        "lost_count": _count(previous[moved], measured).tolist(),
        "lag": [None] * len(members) if lags is None else lags.astype(np.int64).tolist(),
    }


def assignment_columns(measured: Measured) -> Mapping[str, Sequence[Any]]:
    """The columns of ``assignments`` that differ from partition to partition, each (P,) long."""
    problem = measured.live.problem
    counts = problem.counts.tolist()
    names: list[str | None] = [*problem.members, None]
    return {
        "topic": [
            topic for topic, count in zip(problem.topics, counts, strict=True) for _ in range(count)
        ],
        "partition": [number for count in counts for number in range(count)],
        "member_id": [names[owner] for owner in measured.live.live.tolist()],
        "previous_member_id": _previous_owners(measured),
        "ideal_member_id": [names[owner] for owner in measured.reference.ideal.tolist()],
    }


def identity_columns(measured: Measured) -> Row:
    """The columns that name a settlement."""
    snapshot = measured.settlement.snapshot
    return {
        "group_id": measured.settlement.group_id,
        "group_type": snapshot.group_type,
        "generation": snapshot.generation,
        "assignor": snapshot.assignor,
        "event_time": microseconds(snapshot.time_ms),
    }


def _count(owners: IntArray, measured: Measured) -> IntArray:
    members = len(measured.live.snapshot.members)
    return np.bincount(owners[owners >= 0], minlength=members).astype(np.int32)


def _previous_owners(measured: Measured) -> list[str | None]:
    """Owners before, by the ids that they had then."""
    problem = measured.live.problem
    owners: list[str | None] = [None] * len(measured.live.live)
    before: Snapshot | None = measured.settlement.previous
    base = dict(zip(problem.topics, problem.first.tolist(), strict=False))
    counts = measured.live.snapshot.counts
    for member in before.members if before else ():
        for topic, numbers in member.assigned.items():
            if topic in base:
                for number in numbers:
                    if number < counts[topic]:
                        owners[base[topic] + number] = member.member_id
    return owners
