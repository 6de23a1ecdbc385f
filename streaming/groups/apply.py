"""One event, one step of a group's state; and what time alone brings about."""

from streaming.events import (
    ClassicGeneration,
    CurrentRemoved,
    GroupEvent,
    GroupRemoved,
    MemberRemoved,
    RegexRemoved,
    TargetRemoved,
)
from streaming.groups import brokered, classic
from streaming.groups.brokered_events import change, group_type_of
from streaming.groups.machine import GroupMachine, Timing
from streaming.groups.snapshot import Settlement, Snapshot
from streaming.groups.topology import Topology

_REMOVALS = (MemberRemoved, TargetRemoved, CurrentRemoved, RegexRemoved)


def apply(
    machine: GroupMachine,
    event: GroupEvent,
    *,
    time_ms: int,
    topology: Topology,
    timing: Timing,
) -> Settlement | None:
    """Move a group's state by one event.

    Args:
        machine: the state, changed in place.
        event: the event.
        time_ms: timestamp of its record, milliseconds of Unix time.
        topology: topics of the cluster.
        timing: durations of the configuration.

    Returns:
        The rebalance that settled with this event, if one did.
    """
    if isinstance(event, ClassicGeneration):
        return classic.on_generation(
            machine, event, time_ms=time_ms, topology=topology, timing=timing
        )
    if isinstance(event, GroupRemoved):
        _remove(machine, event, time_ms=time_ms)
        return None
    group_type = group_type_of(event)
    if not group_type or _is_late(machine, event, group_type):
        return None
    if not change(brokered.reconciliation(machine, group_type), event):
        return None
    return brokered.conclude(machine, time_ms=time_ms, topology=topology, timing=timing)


def expire(
    machine: GroupMachine, *, now_ms: int, topology: Topology, timing: Timing
) -> Settlement | None:
    """What time alone brings about: a rebalance that ran out of time, or a name that is known now.

    Args:
        machine: the state, changed in place.
        now_ms: the batch's clock, milliseconds of Unix time.
        topology: topics of the cluster.
        timing: durations of the configuration.
    """
    pending = machine.pending
    if pending is None or machine.removed_ms is not None:
        return None
    if machine.reconciliation is not None:
        settlement = brokered.conclude(machine, time_ms=now_ms, topology=topology, timing=timing)
        if settlement is not None:
            return settlement
    if pending.reported or now_ms < pending.started_ms + timing.settle_ms:
        return None
    standing = _standing(machine, now_ms=now_ms, topology=topology)
    if standing is None:
        pending.reported = True
        return None
    return machine.run_out(standing, timing=timing)


def deadline_ms(machine: GroupMachine, *, timing: Timing) -> int | None:
    """When the group must be looked at again though no event comes."""
    if machine.removed_ms is not None:
        return machine.removed_ms + timing.settle_ms
    pending = machine.pending
    if pending is None or pending.reported:
        return None
    return pending.started_ms + timing.settle_ms


def waits_for_names(machine: GroupMachine) -> bool:
    """Whether the group has settled but for the name of a topic id."""
    group = machine.reconciliation
    return machine.pending is not None and group is not None and group.has_settled()


def is_gone(machine: GroupMachine, *, now_ms: int, timing: Timing) -> bool:
    """Whether a removed group can be forgotten.

    It is kept for a while, because a group that changes its protocol is removed and made again, and
    its owners before and after belong together.
    """
    removed_ms = machine.removed_ms
    return removed_ms is not None and now_ms >= removed_ms + timing.settle_ms


def _remove(machine: GroupMachine, event: GroupRemoved, *, time_ms: int) -> None:
    """Mark the group as removed, unless it lives on under another protocol already."""
    if machine.group_type == event.group_type:
        machine.removed_ms = time_ms
        machine.pending = None


def _is_late(machine: GroupMachine, event: GroupEvent, group_type: str) -> bool:
    """Whether an event takes away from what the group no longer is."""
    return machine.group_type != group_type and isinstance(event, _REMOVALS)


def _standing(machine: GroupMachine, *, now_ms: int, topology: Topology) -> Snapshot | None:
    pending = machine.pending
    if machine.reconciliation is not None:
        return brokered.standing(machine, time_ms=now_ms, topology=topology, unresolved=True)
    return pending.standing if pending else None
