"""Classic groups: every generation is one record with all members."""

from collections.abc import Iterable, Mapping

from streaming.events import ClassicGeneration, GroupMember
from streaming.groups.machine import GroupMachine, Pending, Timing
from streaming.groups.snapshot import MemberView, Phase, Settlement, Snapshot
from streaming.groups.topology import Topology, partition_counts

CONSUMER_PROTOCOL_TYPE = "consumer"


def on_generation(
    machine: GroupMachine,
    event: ClassicGeneration,
    *,
    time_ms: int,
    topology: Topology,
    timing: Timing,
) -> Settlement | None:
    """Take in one generation of a classic group.

    Source: ``GroupMetadataManager`` of Kafka's group coordinator; KIP-429 for cooperative groups.
    """
    _become_classic(machine, event)
    if not event.members:
        machine.emptied = machine.settled is not None
        machine.pending = None
        return None
    if event.protocol_type != CONSUMER_PROTOCOL_TYPE:
        machine.opaque_members = len(event.members)
        return None
    if all(member.assigned is None for member in event.members):
        machine.begin(time_ms=time_ms)
        return None
    snapshot = _snapshot(event, time_ms=time_ms, topology=topology)
    if machine.refresh(snapshot):
        return None
    withheld = _withheld(machine, event, snapshot)
    pending = machine.begin(time_ms=time_ms)
    pending.standing = snapshot
    pending.phases.append(Phase(generation=event.generation, time_ms=time_ms, withheld=withheld))
    return None if withheld else machine.settle(snapshot, timing=timing)


def _become_classic(machine: GroupMachine, event: ClassicGeneration) -> None:
    was_removed = machine.removed_ms is not None and machine.group_type == "classic"
    machine.removed_ms = None
    machine.reconciliation = None
    machine.opaque_members = 0
    machine.protocol_type = event.protocol_type or machine.protocol_type
    settled = machine.settled
    if was_removed or (
        settled is not None
        and settled.group_type == "classic"
        and event.generation < settled.generation
    ):
        machine.forget_history()
    machine.group_type = "classic"


def _snapshot(event: ClassicGeneration, *, time_ms: int, topology: Topology) -> Snapshot:
    members = tuple(sorted(map(_view, event.members), key=lambda member: member.order))
    return Snapshot(
        generation=event.generation,
        time_ms=time_ms,
        group_type="classic",
        protocol="cooperative" if _is_cooperative(event) else "eager",
        assignor=event.protocol or "",
        members=members,
        counts=partition_counts(members, topology.counts),
    )


def _view(member: GroupMember) -> MemberView:
    return MemberView(
        member_id=member.member_id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rack=member.rack,
        topics=tuple(sorted(set(member.topics))),
        session_timeout_ms=member.session_timeout_ms,
        assigned=member.assigned or {},
    )


def _is_cooperative(event: ClassicGeneration) -> bool:
    """By its name, or because members that rejoin still hold partitions; eager ones do not."""
    if "cooperative" in (event.protocol or ""):
        return True
    return any(member.owned for member in event.members) and event.protocol not in _EAGER


_EAGER = frozenset({"range", "roundrobin", "sticky"})


def _withheld(machine: GroupMachine, event: ClassicGeneration, snapshot: Snapshot) -> int:
    """Partitions that had an owner before and, though still subscribed to, have none now."""
    if snapshot.protocol != "cooperative":
        return 0
    pending = machine.pending or Pending(started_ms=snapshot.time_ms)
    if not pending.owned:
        _add_owned(pending, _owned_before(machine, event))
    now = Pending(started_ms=0)
    _add_owned(now, (member.assigned for member in snapshot.members))
    count = sum(
        len({p for p in before if p < snapshot.counts.get(topic, 0)} - now.owned.get(topic, set()))
        for topic, before in pending.owned.items()
    )
    if count:
        _add_owned(pending, (member.assigned for member in snapshot.members))
        machine.pending = pending
    return count


def _owned_before(
    machine: GroupMachine, event: ClassicGeneration
) -> Iterable[Mapping[str, Iterable[int]]]:
    """Owners at the last settled generation; before the first, what the members say they own."""
    if machine.settled is not None and not machine.emptied:
        return (member.assigned for member in machine.settled.members)
    return (member.owned for member in event.members)


def _add_owned(pending: Pending, owned: Iterable[Mapping[str, Iterable[int]]]) -> None:
    for partitions in owned:
        for topic, numbers in partitions.items():
            pending.owned.setdefault(topic, set()).update(numbers)
