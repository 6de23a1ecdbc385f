"""What records say about groups, as one dataclass per kind of event."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from streaming.events.decode import event_of
from streaming.events.form import from_json, says_commit, to_json
from streaming.events.model import (
    ClassicGeneration,
    ConsumerGroupEpoch,
    ConsumerMember,
    CurrentAssignment,
    CurrentRemoved,
    Event,
    GroupEvent,
    GroupMember,
    GroupRemoved,
    MemberRemoved,
    OffsetCommit,
    OffsetRemoved,
    Partitions,
    RegexRemoved,
    ResolvedRegex,
    ShareGroupEpoch,
    ShareMember,
    SharePartitions,
    StreamsCurrentAssignment,
    StreamsGroupEpoch,
    StreamsMember,
    StreamsTargetAssignment,
    StreamsTopology,
    Subtopology,
    TargetAssignment,
    TargetEpoch,
    TargetRemoved,
)

EventReader: TypeAlias = Callable[[bytes | None, bytes | None], Event | None]
"""Makes an event of a record's key and value; raises `UnreadableRecordError`."""


def reader_of(*, json_events: bool) -> EventReader:
    """The reader of a source: of the events topic's JSON, or of ``__consumer_offsets``."""
    return _json_event if json_events else event_of


def _json_event(_key: bytes | None, value: bytes | None) -> Event | None:
    return None if value is None else from_json(value)


__all__ = [
    "ClassicGeneration",
    "ConsumerGroupEpoch",
    "ConsumerMember",
    "CurrentAssignment",
    "CurrentRemoved",
    "Event",
    "EventReader",
    "GroupEvent",
    "GroupMember",
    "GroupRemoved",
    "MemberRemoved",
    "OffsetCommit",
    "OffsetRemoved",
    "Partitions",
    "RegexRemoved",
    "ResolvedRegex",
    "ShareGroupEpoch",
    "ShareMember",
    "SharePartitions",
    "StreamsCurrentAssignment",
    "StreamsGroupEpoch",
    "StreamsMember",
    "StreamsTargetAssignment",
    "StreamsTopology",
    "Subtopology",
    "TargetAssignment",
    "TargetEpoch",
    "TargetRemoved",
    "event_of",
    "from_json",
    "reader_of",
    "says_commit",
    "to_json",
]
