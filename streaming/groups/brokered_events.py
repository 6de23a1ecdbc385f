"""What each event of a group that the broker assigns changes in what is known of it."""

from collections.abc import Callable
from typing import Any

from streaming.events import (
    ConsumerGroupEpoch,
    ConsumerMember,
    CurrentAssignment,
    CurrentRemoved,
    MemberRemoved,
    RegexRemoved,
    ResolvedRegex,
    ShareGroupEpoch,
    ShareMember,
    StreamsCurrentAssignment,
    StreamsGroupEpoch,
    StreamsMember,
    StreamsTargetAssignment,
    TargetAssignment,
    TargetEpoch,
    TargetRemoved,
)
from streaming.groups.reconciliation import Reconciliation

_TYPE_OF = {
    ConsumerGroupEpoch: "consumer",
    ConsumerMember: "consumer",
    ResolvedRegex: "consumer",
    RegexRemoved: "consumer",
    ShareGroupEpoch: "share",
    ShareMember: "share",
    StreamsGroupEpoch: "streams",
    StreamsMember: "streams",
    StreamsTargetAssignment: "streams",
    StreamsCurrentAssignment: "streams",
}


def group_type_of(event: Any) -> str:
    """Type of the group that an event is about; '' for an event of another kind of group."""
    return str(_TYPE_OF.get(type(event)) or getattr(event, "group_type", ""))


def change(group: Reconciliation, event: Any) -> bool:
    """Take an event in.

    Args:
        group: what is known of the group.
        event: any event; those that say nothing about members and epochs change nothing.

    Returns:
        Whether the event was of a kind that can change anything.
    """
    changer = _CHANGERS.get(type(event))
    if changer is None:
        return False
    changer(group, event)
    return True


def _epoch(
    group: Reconciliation, event: ConsumerGroupEpoch | ShareGroupEpoch | StreamsGroupEpoch
) -> None:
    group.epoch = event.epoch


def _target_epoch(group: Reconciliation, event: TargetEpoch) -> None:
    group.target_epoch = event.epoch
    group.lost.clear()


def _member(group: Reconciliation, event: ConsumerMember) -> None:
    member = group.member(event.member_id)
    group.replaced(event.instance_id)
    member.instance_id, member.rack = event.instance_id, event.rack
    member.client_id, member.client_host = event.client_id, event.client_host
    member.topics, member.regex = event.topics, event.topic_regex or ""
    member.assignor = event.server_assignor or ""


def _share_member(group: Reconciliation, event: ShareMember) -> None:
    member = group.member(event.member_id)
    member.rack, member.topics = event.rack, event.topics
    member.client_id, member.client_host = event.client_id, event.client_host


def _streams_member(group: Reconciliation, event: StreamsMember) -> None:
    member = group.member(event.member_id)
    group.replaced(event.instance_id)
    member.instance_id, member.rack = event.instance_id, event.rack
    member.client_id, member.client_host = event.client_id, event.client_host


def _member_removed(group: Reconciliation, event: MemberRemoved) -> None:
    group.remove(event.member_id)


def _regex(group: Reconciliation, event: ResolvedRegex) -> None:
    group.regexes[event.regex] = event.topics


def _regex_removed(group: Reconciliation, event: RegexRemoved) -> None:
    group.regexes.pop(event.regex, None)


def _target(group: Reconciliation, event: TargetAssignment) -> None:
    group.member(event.member_id).target = event.partitions


def _streams_target(group: Reconciliation, event: StreamsTargetAssignment) -> None:
    group.member(event.member_id).target = event.active


def _target_removed(group: Reconciliation, event: TargetRemoved) -> None:
    if event.member_id in group.members:
        group.members[event.member_id].target = None


def _current(group: Reconciliation, event: CurrentAssignment) -> None:
    member = group.member(event.member_id)
    member.epoch, member.state = event.member_epoch, event.state
    member.assigned, member.revoking = event.assigned, event.pending_revocation


def _streams_current(group: Reconciliation, event: StreamsCurrentAssignment) -> None:
    member = group.member(event.member_id)
    member.epoch, member.state = event.member_epoch, event.state
    member.assigned, member.revoking = event.active, event.active_pending_revocation


def _current_removed(group: Reconciliation, event: CurrentRemoved) -> None:
    if event.member_id in group.members:
        member = group.members[event.member_id]
        member.epoch, member.assigned, member.revoking = None, {}, {}


_CHANGERS: dict[type, Callable[[Reconciliation, Any], None]] = {
    ConsumerGroupEpoch: _epoch,
    ShareGroupEpoch: _epoch,
    StreamsGroupEpoch: _epoch,
    TargetEpoch: _target_epoch,
    ConsumerMember: _member,
    ShareMember: _share_member,
    StreamsMember: _streams_member,
    MemberRemoved: _member_removed,
    ResolvedRegex: _regex,
    RegexRemoved: _regex_removed,
    TargetAssignment: _target,
    StreamsTargetAssignment: _streams_target,
    TargetRemoved: _target_removed,
    CurrentAssignment: _current,
    StreamsCurrentAssignment: _streams_current,
    CurrentRemoved: _current_removed,
}
