"""The answer to a scenario as JSON, in the words of `rebalance-monitor assign`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assignors.curve import Point
    from streaming.whatif.live import LiveGroup
    from streaming.whatif.outcome import Outcome


def as_json(group: LiveGroup, outcome: Outcome, curve: Sequence[Point]) -> dict[str, Any]:
    """The outcome as plain data.

    Args:
        group: the group it is about.
        outcome: the answer.
        curve: moves against fairness, for the scenario's members and partitions.
    """
    assignment: dict[str, list[list[Any]]] = {
        load.member_id: [] for load in outcome.loads if load.after is not None
    }
    unassigned: list[list[Any]] = []
    for partition, owner in outcome.assignment.items():
        (unassigned if owner is None else assignment[owner]).append(list(partition))
    return {
        "cluster": group.cluster,
        "group_id": group.group_id,
        "generation": group.generation,
        "scenario": asdict(outcome.scenario),
        "before": asdict(outcome.before),
        "after": asdict(outcome.after),
        "churn": outcome.churn,
        "revoked": outcome.revoked,
        "moves": [asdict(move) for move in outcome.moves],
        "loads": [asdict(load) for load in outcome.loads],
        "assignment": assignment,
        "unassigned": unassigned,
        "curve": [
            {
                "moves_count": point.moves_count,
                "balance_score": point.balance_score,
                "max_minus_min": point.max_minus_min,
                "sum_of_squares": point.sum_of_squares,
            }
            for point in curve
        ],
    }
