"""What is to be said of a group, given what was said before: events in the coordinator's order.

A generation (an epoch) is the second in which it was seen, or the last one plus one: it rises
though the collector was away for a while and has forgotten.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from streaming.cluster.history import GroupHistory
from streaming.cluster.observation import (
    ClassicGroup,
    Observed,
    Offsets,
    ReconciledGroup,
    ReconcilingMember,
)
from streaming.events import (
    ClassicGeneration,
    ConsumerGroupEpoch,
    ConsumerMember,
    CurrentAssignment,
    CurrentRemoved,
    Event,
    GroupRemoved,
    MemberRemoved,
    OffsetCommit,
    OffsetRemoved,
    Partitions,
    TargetAssignment,
    TargetEpoch,
    TargetRemoved,
)

_UNSAID = -1


def group_changes(
    group: Observed, known: GroupHistory, *, topic_ids: Mapping[str, str], now_ms: int
) -> Iterator[Event]:
    """Yield what is new of a group.

    Args:
        group: The group as it is.
        known: What was said of it.
        topic_ids: Topic name to topic id.
        now_ms: Time of the observation, milliseconds of Unix time.
    """
    kind = "classic" if isinstance(group, ClassicGroup) else "consumer"
    if known.group_type not in ("", kind):
        yield GroupRemoved(group.group_id, known.group_type)
        known = GroupHistory(generation=known.generation)
    if isinstance(group, ClassicGroup):
        yield from _classic(group, known, now_ms)
    else:
        yield from _reconciled(group, known, topic_ids, now_ms)


def offset_changes(
    group_id: str,
    offsets: Offsets,
    known: GroupHistory,
    *,
    topic_ids: Mapping[str, str],
    now_ms: int,
) -> Iterator[Event]:
    """Yield the commits that are new, and those that are gone.

    The AdminClient does not say when an offset was committed: it is when it was first seen.
    """
    for (topic, partition), (offset, leader_epoch, metadata) in offsets.items():
        before = known.offsets.get((topic, partition))
        commit = OffsetCommit(
            group_id,
            topic,
            partition,
            offset=offset,
            leader_epoch=leader_epoch,
            metadata=metadata,
            commit_time_ms=before.commit_time_ms if before else now_ms,
            topic_id=topic_ids.get(topic),
        )
        if commit != before:
            yield replace(commit, commit_time_ms=now_ms)
    for topic, partition in known.offsets.keys() - offsets.keys():
        yield OffsetRemoved(group_id, topic, partition)


def departure(group_id: str, known: GroupHistory) -> Iterator[Event]:
    """Yield what a deleted group leaves to be said."""
    for topic, partition in known.offsets:
        yield OffsetRemoved(group_id, topic, partition)
    if known.group_type:
        yield GroupRemoved(group_id, known.group_type)


def _next(known: GroupHistory, now_ms: int) -> int:
    return max(known.generation + 1, now_ms // 1000)


def _classic(group: ClassicGroup, known: GroupHistory, now_ms: int) -> Iterator[Event]:
    before = known.classic
    generation = ClassicGeneration(
        group.group_id,
        group.protocol_type,
        generation=before.generation if before else _UNSAID,
        protocol=group.protocol or None,
        leader=None,
        state_time_ms=before.state_time_ms if before else None,
        members=group.members,
    )
    if generation != before:
        yield replace(generation, generation=_next(known, now_ms), state_time_ms=now_ms)


def _reconciled(
    group: ReconciledGroup, known: GroupHistory, topic_ids: Mapping[str, str], now_ms: int
) -> Iterator[Event]:
    topics = tuple(sorted({topic for member in group.members for topic in member.target}))
    members = {m.member_id: _member(group, m, topics) for m in group.members}
    targets = {
        m.member_id: TargetAssignment(group.group_id, m.member_id, _by_id(m.target, topic_ids))
        for m in group.members
    }
    epoch = known.generation
    if members != known.members or targets != known.targets or not known.group_type:
        epoch = _next(known, now_ms)
        yield from (each for name, each in members.items() if known.members.get(name) != each)
        yield from _departed(group.group_id, members, known)
        yield ConsumerGroupEpoch(group.group_id, epoch)
        yield from (each for name, each in targets.items() if known.targets.get(name) != each)
        yield TargetEpoch(group.group_id, epoch, time_ms=now_ms)
    for member in group.members:
        before = known.currents.get(member.member_id)
        current = _current(group.group_id, member, before, epoch, topic_ids)
        if current != before:
            yield current


def _member(
    group: ReconciledGroup, member: ReconcilingMember, topics: tuple[str, ...]
) -> ConsumerMember:
    """Return a member; what it subscribes to is not shown, so it is what the group reads."""
    return ConsumerMember(
        group.group_id,
        member.member_id,
        instance_id=member.instance_id,
        rack=None,
        client_id=member.client_id,
        client_host=member.client_host,
        topics=topics,
        topic_regex=None,
        rebalance_timeout_ms=_UNSAID,
        server_assignor=group.assignor or None,
    )


def _departed(
    group_id: str, members: Mapping[str, ConsumerMember], known: GroupHistory
) -> Iterator[Event]:
    for member_id in known.members.keys() - members.keys():
        yield CurrentRemoved(group_id, member_id)
        yield TargetRemoved(group_id, member_id)
        yield MemberRemoved(group_id, member_id)


def _current(
    group_id: str,
    member: ReconcilingMember,
    before: CurrentAssignment | None,
    epoch: int,
    topic_ids: Mapping[str, str],
) -> CurrentAssignment:
    """Return where a member stands on its way to its target."""
    revoking = _minus(member.assigned, member.target)
    missing = _minus(member.target, member.assigned)
    reached = epoch if not revoking and not missing else (before.member_epoch if before else 0)
    state = "unrevoked_partitions" if revoking else "unreleased_partitions" if missing else "stable"
    current = CurrentAssignment(
        group_id,
        member.member_id,
        member_epoch=reached,
        previous_member_epoch=before.previous_member_epoch if before else 0,
        state=state,
        assigned=_by_id(_minus(member.assigned, revoking), topic_ids),
        pending_revocation=_by_id(revoking, topic_ids),
    )
    if before is None or before.member_epoch == reached:
        return current
    return replace(current, previous_member_epoch=before.member_epoch)


def _minus(some: Partitions, others: Partitions) -> Partitions:
    left = {
        topic: tuple(number for number in numbers if number not in others.get(topic, ()))
        for topic, numbers in some.items()
    }
    return {topic: numbers for topic, numbers in left.items() if numbers}


def _by_id(partitions: Partitions, topic_ids: Mapping[str, str]) -> Partitions:
    """Return partitions by topic id, as the coordinator records them."""
    return {topic_ids[topic]: found for topic, found in partitions.items() if topic in topic_ids}
