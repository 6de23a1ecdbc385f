"""What the collector has said of each group so far."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

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
    TargetAssignment,
    TargetEpoch,
    TargetRemoved,
)

T = TypeVar("T")


@dataclass(slots=True)
class GroupHistory:
    """The last word on one group.

    Attributes:
        group_type: `classic`, `consumer`, or empty for a group of which only offsets are known.
        generation: The last generation or epoch that was given out.
        classic: The last generation of a classic group.
        members, targets, currents: By member id, of a KIP-848 group.
        offsets: By topic and partition.
    """

    group_type: str = ""
    generation: int = 0
    classic: ClassicGeneration | None = None
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    targets: dict[str, TargetAssignment] = field(default_factory=dict)
    currents: dict[str, CurrentAssignment] = field(default_factory=dict)
    offsets: dict[tuple[str, int], OffsetCommit] = field(default_factory=dict)


class History:
    """The last word on every group; made again from the events topic when a collector starts."""

    def __init__(self) -> None:
        self._groups: dict[str, GroupHistory] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._groups))

    def of(self, group_id: str) -> GroupHistory:
        """Return what was said of a group; an empty history if nothing was."""
        return self._groups.get(group_id) or GroupHistory()

    def note(self, event: Event) -> None:
        """Take in an event that was published."""
        change = _CHANGES.get(type(event))
        if change is None:
            return
        group = self._groups.setdefault(event.group_id, GroupHistory())
        change(group, event)
        if not group.group_type and not group.offsets:
            del self._groups[event.group_id]


def _classic(group: GroupHistory, event: ClassicGeneration) -> None:
    group.group_type, group.generation, group.classic = "classic", event.generation, event


def _epoch(group: GroupHistory, event: ConsumerGroupEpoch | TargetEpoch) -> None:
    group.group_type, group.generation = "consumer", event.epoch


def _member(group: GroupHistory, event: ConsumerMember) -> None:
    group.group_type = "consumer"
    group.members[event.member_id] = event


def _target(group: GroupHistory, event: TargetAssignment) -> None:
    group.targets[event.member_id] = event


def _current(group: GroupHistory, event: CurrentAssignment) -> None:
    group.currents[event.member_id] = event


def _member_removed(group: GroupHistory, event: MemberRemoved) -> None:
    group.members.pop(event.member_id, None)


def _target_removed(group: GroupHistory, event: TargetRemoved) -> None:
    group.targets.pop(event.member_id, None)


def _current_removed(group: GroupHistory, event: CurrentRemoved) -> None:
    group.currents.pop(event.member_id, None)


def _commit(group: GroupHistory, event: OffsetCommit) -> None:
    group.offsets[event.topic, event.partition] = event


def _offset_removed(group: GroupHistory, event: OffsetRemoved) -> None:
    group.offsets.pop((event.topic, event.partition), None)


def _removed(group: GroupHistory, _event: GroupRemoved) -> None:
    group.group_type, group.classic = "", None
    for known in (group.members, group.targets, group.currents):
        known.clear()


_CHANGES: dict[type, Callable[[GroupHistory, Any], None]] = {
    ClassicGeneration: _classic,
    ConsumerGroupEpoch: _epoch,
    TargetEpoch: _epoch,
    ConsumerMember: _member,
    TargetAssignment: _target,
    CurrentAssignment: _current,
    MemberRemoved: _member_removed,
    TargetRemoved: _target_removed,
    CurrentRemoved: _current_removed,
    OffsetCommit: _commit,
    OffsetRemoved: _offset_removed,
    GroupRemoved: _removed,
}
