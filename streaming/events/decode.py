"""Events from records of ``__consumer_offsets``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from streaming.events.classic import generation_of
from streaming.events.model import (
    ConsumerGroupEpoch,
    ConsumerMember,
    CurrentAssignment,
    CurrentRemoved,
    Event,
    GroupRemoved,
    MemberRemoved,
    OffsetCommit,
    OffsetRemoved,
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
from streaming.events.normal import known_time, take_partitions, unique
from streaming.records.fields import ZERO_UUID
from streaming.records.reader import Value, read_key, read_value

_Maker: TypeAlias = Callable[[Any, Value], Event]
_Remover: TypeAlias = Callable[[Any], Event]

_PARTITION_STATES = {0: "stable", 1: "unrevoked_partitions", 2: "unreleased_partitions"}
_TASK_STATES = {1: "stable", 2: "unrevoked_tasks", 3: "unreleased_tasks"}


def event_of(key: bytes | None, value: bytes | None) -> Event | None:
    """The event that a record of ``__consumer_offsets`` stands for.

    Args:
        key: record key.
        value: record value, None for a tombstone.

    Returns:
        The event, or None for a record that carries nothing for the monitor (types 4 and the
        tombstones that only follow another one).

    Raises:
        UnreadableRecordError: the record, or what is embedded in it, is damaged or unknown.
    """
    read = read_key(key)
    number = read.type.number
    if value is None:
        remove = _REMOVERS.get(number)
        return remove(read.fields) if remove else None
    body = read_value(number, value)
    make = _MAKERS.get(number)
    return make(read.fields, body) if make else None


def _offset_commit(key: Any, value: Value) -> OffsetCommit:
    fields = value.fields
    return OffsetCommit(
        key.group,
        key.topic,
        key.partition,
        offset=fields.offset,
        leader_epoch=fields.leader_epoch,
        metadata=fields.metadata,
        commit_time_ms=fields.commit_timestamp,
        expire_time_ms=known_time(fields.expire_timestamp),
        topic_id=None if fields.topic_id == ZERO_UUID else fields.topic_id,
    )


def _legacy_commit(key: Any, value: Value) -> OffsetCommit:
    fields = value.fields
    return OffsetCommit(
        key.group,
        key.topic,
        key.partition,
        offset=fields.offset,
        leader_epoch=-1,
        metadata=fields.metadata,
        commit_time_ms=fields.commit_timestamp,
    )


def _consumer_member(key: Any, value: Value) -> ConsumerMember:
    fields = value.fields
    classic = fields.classic_member_metadata
    return ConsumerMember(
        key.group_id,
        key.member_id,
        instance_id=fields.instance_id,
        rack=fields.rack_id,
        client_id=fields.client_id,
        client_host=fields.client_host,
        topics=unique(fields.subscribed_topic_names),
        topic_regex=fields.subscribed_topic_regex or None,
        rebalance_timeout_ms=fields.rebalance_timeout_ms,
        server_assignor=fields.server_assignor,
        classic_protocols=tuple(p.name for p in classic.supported_protocols) if classic else (),
    )


def _share_member(key: Any, value: Value) -> ShareMember:
    fields = value.fields
    return ShareMember(
        key.group_id,
        key.member_id,
        rack=fields.rack_id,
        client_id=fields.client_id,
        client_host=fields.client_host,
        topics=unique(fields.subscribed_topic_names),
    )


def _streams_member(key: Any, value: Value) -> StreamsMember:
    fields = value.fields
    return StreamsMember(
        key.group_id,
        key.member_id,
        instance_id=fields.instance_id,
        rack=fields.rack_id,
        client_id=fields.client_id,
        client_host=fields.client_host,
        rebalance_timeout_ms=fields.rebalance_timeout_ms,
        topology_epoch=fields.topology_epoch,
        process_id=fields.process_id,
        client_tags={tag.key: tag.value for tag in fields.client_tags},
    )


def _current(group_type: str) -> _Maker:
    def make(key: Any, value: Value) -> CurrentAssignment:
        fields = value.fields
        pending = getattr(fields, "partitions_pending_revocation", [])
        return CurrentAssignment(
            key.group_id,
            key.member_id,
            member_epoch=fields.member_epoch,
            previous_member_epoch=fields.previous_member_epoch,
            state=_PARTITION_STATES.get(fields.state, "unknown"),
            assigned=take_partitions(fields.assigned_partitions),
            pending_revocation=take_partitions(pending),
            group_type=group_type,
        )

    return make


def _target(group_type: str) -> _Maker:
    return lambda key, value: TargetAssignment(
        key.group_id,
        key.member_id,
        partitions=take_partitions(value.fields.topic_partitions),
        group_type=group_type,
    )


def _target_epoch(group_type: str) -> _Maker:
    return lambda key, value: TargetEpoch(
        key.group_id,
        value.fields.assignment_epoch,
        time_ms=value.fields.assignment_timestamp or None,
        group_type=group_type,
    )


def _share_partitions(key: Any, value: Value) -> SharePartitions:
    topics = value.fields.initialized_topics
    return SharePartitions(
        key.group_id, {t.topic_name: tuple(sorted(t.partitions)) for t in topics}
    )


def _streams_target(key: Any, value: Value) -> StreamsTargetAssignment:
    fields = value.fields
    return StreamsTargetAssignment(
        key.group_id,
        key.member_id,
        active=take_partitions(fields.active_tasks),
        standby=take_partitions(fields.standby_tasks),
        warmup=take_partitions(fields.warmup_tasks),
    )


def _streams_current(key: Any, value: Value) -> StreamsCurrentAssignment:
    fields = value.fields
    return StreamsCurrentAssignment(
        key.group_id,
        key.member_id,
        member_epoch=fields.member_epoch,
        previous_member_epoch=fields.previous_member_epoch,
        state=_TASK_STATES.get(fields.state, "unknown"),
        active=take_partitions(fields.active_tasks),
        standby=take_partitions(fields.standby_tasks),
        warmup=take_partitions(fields.warmup_tasks),
        active_pending_revocation=take_partitions(fields.active_tasks_pending_revocation),
        standby_pending_revocation=take_partitions(fields.standby_tasks_pending_revocation),
        warmup_pending_revocation=take_partitions(fields.warmup_tasks_pending_revocation),
    )


def _topology(key: Any, value: Value) -> StreamsTopology:
    parts = tuple(map(_subtopology, value.fields.subtopologies))
    return StreamsTopology(key.group_id, value.fields.epoch, parts)


def _subtopology(row: Any) -> Subtopology:
    return Subtopology(
        row.subtopology_id,
        source_topics=unique(row.source_topics),
        source_topic_regexes=unique(row.source_topic_regex),
        repartition_source_topics=unique(t.name for t in row.repartition_source_topics),
        changelog_topics=unique(t.name for t in row.state_changelog_topics),
    )


_MAKERS: dict[int, _Maker] = {
    0: _legacy_commit,
    1: _offset_commit,
    2: generation_of,
    3: lambda key, value: ConsumerGroupEpoch(key.group_id, value.fields.epoch),
    5: _consumer_member,
    6: _target_epoch("consumer"),
    7: _target("consumer"),
    8: _current("consumer"),
    10: _share_member,
    11: lambda key, value: ShareGroupEpoch(key.group_id, value.fields.epoch),
    12: _target_epoch("share"),
    13: _target("share"),
    14: _current("share"),
    15: _share_partitions,
    16: lambda key, value: ResolvedRegex(
        key.group_id, key.regular_expression, unique(value.fields.topics)
    ),
    17: lambda key, value: StreamsGroupEpoch(
        key.group_id, value.fields.epoch, value.fields.validated_topology_epoch
    ),
    19: _streams_member,
    20: _target_epoch("streams"),
    21: _streams_target,
    22: _streams_current,
    23: _topology,
}


def _offset_removed(key: Any) -> OffsetRemoved:
    return OffsetRemoved(key.group, key.topic, key.partition)


def _group_removed(group_type: str) -> _Remover:
    return lambda key: GroupRemoved(key[0], group_type)


def _of_member(event: type[MemberRemoved | TargetRemoved | CurrentRemoved], kind: str) -> _Remover:
    return lambda key: event(key.group_id, key.member_id, kind)


_REMOVERS: dict[int, _Remover] = {
    0: _offset_removed,
    1: _offset_removed,
    2: _group_removed("classic"),
    3: _group_removed("consumer"),
    5: _of_member(MemberRemoved, "consumer"),
    7: _of_member(TargetRemoved, "consumer"),
    8: _of_member(CurrentRemoved, "consumer"),
    10: _of_member(MemberRemoved, "share"),
    11: _group_removed("share"),
    13: _of_member(TargetRemoved, "share"),
    14: _of_member(CurrentRemoved, "share"),
    16: lambda key: RegexRemoved(key.group_id, key.regular_expression),
    17: _group_removed("streams"),
    19: _of_member(MemberRemoved, "streams"),
    21: _of_member(TargetRemoved, "streams"),
    22: _of_member(CurrentRemoved, "streams"),
}
