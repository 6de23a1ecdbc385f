"""Groups that the broker assigns: consumer (KIP-848), share (KIP-932) and streams (KIP-1071)."""

from collections.abc import Mapping

from streaming.groups.machine import GroupMachine, Timing
from streaming.groups.reconciliation import (
    Reconciliation,
    ReconcilingMember,
    withheld_count,
)
from streaming.groups.snapshot import MemberView, Phase, Settlement, Snapshot
from streaming.groups.topology import Topology, partition_counts

DEFAULT_ASSIGNORS = {"consumer": "uniform", "share": "simple", "streams": "sticky"}
"""The broker's own choice where no member asks for an assignor, by group type."""


def reconciliation(machine: GroupMachine, group_type: str) -> Reconciliation:
    """The members and epochs of a group, begun anew when it becomes one of this type."""
    if machine.group_type != group_type or machine.removed_ms is not None:
        if machine.removed_ms is not None and machine.group_type == group_type:
            machine.forget_history()
        machine.group_type = group_type
        machine.reconciliation = None
        machine.pending = None
        machine.removed_ms = None
        machine.opaque_members = 0
    machine.protocol_type = group_type
    if machine.reconciliation is None:
        machine.reconciliation = Reconciliation()
    return machine.reconciliation


def conclude(
    machine: GroupMachine, *, time_ms: int, topology: Topology, timing: Timing
) -> Settlement | None:
    """See what the last record led to: a rebalance that began, went on, or settled."""
    group = machine.reconciliation
    if group is None or group.target_epoch is None:
        return None
    if not group.members:
        machine.emptied = machine.settled is not None
        machine.pending = None
        return None
    if not group.has_settled():
        _go_on(machine, group, time_ms=time_ms)
        return None
    snapshot = standing(machine, time_ms=time_ms, topology=topology)
    if snapshot is None:
        machine.begin(time_ms=time_ms)
        return None
    if _is_settled_already(machine, group):
        _stay(machine, group, snapshot, time_ms=time_ms)
        return None
    settlement = machine.settle(snapshot, timing=timing)
    if (group.epoch or 0) > group.target_epoch:
        machine.begin(time_ms=time_ms)
    return settlement


def standing(
    machine: GroupMachine, *, time_ms: int, topology: Topology, unresolved: bool = False
) -> Snapshot | None:
    """The assignment as the members hold it now.

    Args:
        machine: the group.
        time_ms: time of the snapshot.
        topology: gives topic ids their names.
        unresolved: let a topic id stand for its name where the cluster does not know it.

    Returns:
        None if a topic id has no name yet and ``unresolved`` is false.
    """
    group = machine.reconciliation
    if group is None:
        return None
    names = _Names(group, topology, by_id=machine.group_type != "streams")
    members = [
        _view(group, member, names, group_type=machine.group_type)
        for member in group.members.values()
    ]
    if names.missing and not unresolved:
        return None
    members.sort(key=lambda member: member.order)
    return Snapshot(
        generation=group.target_epoch or 0,
        time_ms=time_ms,
        group_type=machine.group_type,
        protocol=machine.group_type,
        assignor=group.assignor(default=DEFAULT_ASSIGNORS[machine.group_type]),
        members=tuple(members),
        counts=partition_counts(members, topology.counts),
    )


def _is_settled_already(machine: GroupMachine, group: Reconciliation) -> bool:
    settled = machine.settled
    if settled is None or group.target_epoch is None:
        return False
    if group.target_epoch < settled.generation:
        machine.forget_history()
        return False
    return settled.generation == group.target_epoch


def _stay(
    machine: GroupMachine, group: Reconciliation, snapshot: Snapshot, *, time_ms: int
) -> None:
    """Nothing moved, but member ids may be new, or the next rebalance may have been called for."""
    if (group.epoch or 0) > snapshot.generation:
        machine.begin(time_ms=time_ms)
    else:
        machine.refresh(snapshot)


def _go_on(machine: GroupMachine, group: Reconciliation, *, time_ms: int) -> None:
    pending = machine.begin(time_ms=time_ms)
    epoch = group.target_epoch or 0
    if not pending.phases or pending.phases[-1].generation != epoch:
        withheld = withheld_count(group.members.values())
        pending.phases.append(Phase(generation=epoch, time_ms=time_ms, withheld=withheld))


class _Names:
    """Names of topic ids; remembers whether one was missing."""

    def __init__(self, group: Reconciliation, topology: Topology, *, by_id: bool) -> None:
        self._group, self._topology, self._by_id = group, topology, by_id
        self.missing = False

    def resolve(self, partitions: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        if not self._by_id:
            return dict(partitions)
        return {self._name(topic): numbers for topic, numbers in partitions.items()}

    def _name(self, topic_id: str) -> str:
        name = self._group.topics.get(topic_id) or self._topology.names.get(topic_id)
        if name is None:
            self.missing = True
            return topic_id
        # Kept with the group: the topic may be deleted while the group still holds it.
        self._group.topics[topic_id] = name
        return name


def _view(
    group: Reconciliation, member: ReconcilingMember, names: _Names, *, group_type: str
) -> MemberView:
    assigned = names.resolve(member.assigned)
    topics = group.subscription(member)
    if group_type == "streams":
        topics = tuple(sorted({t for each in group.members.values() for t in each.target or {}}))
    return MemberView(
        member_id=member.member_id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rack=member.rack,
        topics=topics,
        session_timeout_ms=0,
        assigned=assigned,
    )
