"""Columns of ``group_state``: what a group is now, and how its last settled generation measures."""

from typing import Any

from streaming.groups.causes import Cause
from streaming.groups.machine import GroupMachine
from streaming.groups.snapshot import MemberView, Snapshot
from streaming.measuring.measures import Measured
from streaming.measuring.rows import measure_columns, member_name, microseconds

Row = dict[str, Any]

_HOUR_MS = 3_600_000
_MEASURES = (
    "partition_count",
    "drift_count",
    "drift_share",
    "moves_to_fairest",
    "balance_score",
    "ideal_balance_score",
    "max_minus_min",
    "min_load",
    "max_load",
    "fair",
    "fairest",
    "join_violations",
    "topic_skew",
    "unassigned_count",
)


def measured_columns(measured: Measured, cause: Cause) -> Row:
    """Columns that a settlement sets."""
    cost = measured.cost
    return {
        "policy": measured.reference.policy,
        **measure_columns(measured, measured.reference),
        "last_cause": cause.main,
        "last_churn": cost.churn,
        "last_necessary_churn": cost.necessary_churn,
        "last_avoidable_churn": cost.avoidable_churn,
    }


def current_columns(machine: GroupMachine, *, now_ms: int) -> Row:
    """Columns that follow from the group's state.

    Args:
        machine: the state.
        now_ms: the batch's clock, milliseconds of Unix time.
    """
    shown = _shown(machine)
    columns: Row = {
        "group_id": machine.group_id,
        "group_type": machine.group_type,
        "state": state_name(machine),
        "protocol_type": machine.protocol_type or machine.group_type,
        "protocol": shown.protocol if shown else None,
        "assignor": shown.assignor if shown else None,
        "generation": shown.generation if shown else None,
        "member_count": member_count(machine),
        "members": [_member(member) for member in shown.members] if shown else [],
        "topics": sorted({t for m in shown.members for t in m.topics}) if shown else [],
        "settled_time": microseconds(machine.settled.time_ms) if machine.settled else None,
        "rebalance_count": machine.rebalances,
        "rebalances_last_hour": rebalances_last_hour(machine, now_ms=now_ms),
    }
    if columns["state"] in ("empty", "removed"):
        columns.update(dict.fromkeys(_MEASURES), members=[], topics=[])
    return columns


def state_name(machine: GroupMachine) -> str:
    """One word for where the group stands."""
    if machine.removed_ms is not None:
        return "removed"
    if not member_count(machine):
        return "empty"
    if machine.pending is None:
        return "stable"
    return "unsettled" if machine.pending.reported else "rebalancing"


def member_count(machine: GroupMachine) -> int:
    """Members of the group, as far as they are known."""
    if machine.emptied or machine.removed_ms is not None:
        return 0
    if machine.reconciliation is not None:
        return len(machine.reconciliation.members)
    shown = _shown(machine)
    return len(shown.members) if shown else machine.opaque_members


def rebalances_last_hour(machine: GroupMachine, *, now_ms: int) -> int:
    """Rebalances in the hour before ``now_ms``."""
    return sum(rebalance.time_ms > now_ms - _HOUR_MS for rebalance in machine.recent)


def hour_passes_ms(machine: GroupMachine, *, now_ms: int) -> int | None:
    """When `rebalances_last_hour` changes by time alone."""
    times = (rebalance.time_ms + _HOUR_MS for rebalance in machine.recent)
    return next((time_ms for time_ms in times if time_ms > now_ms), None)


def _shown(machine: GroupMachine) -> Snapshot | None:
    """What stands: the assignment of the rebalance under way if it has one, else the settled."""
    pending = machine.pending
    return pending.standing if pending and pending.standing else machine.settled


def _member(member: MemberView) -> Row:
    return {
        **member_name(member),
        "topics": list(member.topics),
        "partition_count": member.load,
    }
