"""Every record type of ``__consumer_offsets``, as data.

A new Kafka version is taken up here: raise ``latest`` of a message, add its fields with ``since``,
or add a record type. Reader, writer and JSON form follow. Source: the message definitions of
Kafka's group coordinator, version 4.3.1. ``docs/records.md`` says what each type means.
"""

from __future__ import annotations

from streaming.records.fields import (
    BYTES,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    UINT16,
    UUID,
    Array,
    Field,
    Message,
    RecordType,
    Struct,
    message,
)

_GROUP_ID = Field("group_id", STRING)
_MEMBER_ID = Field("member_id", STRING)
_TOPIC_ID = Field("topic_id", UUID)
_PARTITIONS = Field("partitions", Array(INT32))
_CLIENT = (Field("client_id", STRING), Field("client_host", STRING))
_TOPIC_PARTITIONS = Struct("TopicPartitions", (_TOPIC_ID, _PARTITIONS))
_EPOCHS = Field("assignment_epochs", Array(INT32), nullable=True, tag=0, default=())
_TOPIC_EPOCHS = Struct("TopicPartitions", (_TOPIC_ID, _PARTITIONS, _EPOCHS))
_TASK_IDS = Struct("TaskIds", (Field("subtopology_id", STRING), _PARTITIONS))
_TASK_EPOCHS = Struct("TaskIds", (Field("subtopology_id", STRING), _PARTITIONS, _EPOCHS))
_MEMBER_EPOCHS = (
    Field("member_epoch", INT32),
    Field("previous_member_epoch", INT32),
    Field("state", INT8),
)
_KEY_VALUE = (Field("key", STRING), Field("value", STRING))
_SUBSCRIBED = Field("subscribed_topic_names", Array(STRING))
_IDENTITY = (
    Field("instance_id", STRING, nullable=True),
    Field("rack_id", STRING, nullable=True),
    *_CLIENT,
)


def _group_key(name: str) -> Message:
    return message(f"{name}Key", _GROUP_ID)


def _member_key(name: str) -> Message:
    return message(f"{name}Key", _GROUP_ID, _MEMBER_ID)


def _flexible(name: str, *fields: Field) -> Message:
    return message(f"{name}Value", *fields, flexible_since=0)


def _commit_key(name: str) -> Message:
    return message(
        f"{name}Key", Field("group", STRING), Field("topic", STRING), Field("partition", INT32)
    )


def _target_epoch(name: str) -> Message:
    timestamp = Field("assignment_timestamp", INT64, tag=0, default=0)
    return _flexible(name, Field("assignment_epoch", INT32), timestamp)


_LEGACY_COMMIT = message(
    "LegacyOffsetCommitValue",
    Field("offset", INT64),
    Field("metadata", STRING),
    Field("commit_timestamp", INT64),
)

_COMMIT = message(
    "OffsetCommitValue",
    Field("offset", INT64),
    Field("leader_epoch", INT32, since=3, default=-1),
    Field("metadata", STRING),
    Field("commit_timestamp", INT64),
    Field("expire_timestamp", INT64, since=1, until=1, default=-1),
    Field("topic_id", UUID, since=4, tag=0),
    latest=4,
    flexible_since=4,
)

_GROUP = message(
    "GroupMetadataValue",
    Field("protocol_type", STRING),
    Field("generation", INT32),
    Field("protocol", STRING, nullable=True),
    Field("leader", STRING, nullable=True),
    Field("current_state_timestamp", INT64, since=2, default=-1),
    Field(
        "members",
        Array(
            Struct(
                "MemberMetadata",
                (
                    _MEMBER_ID,
                    Field("group_instance_id", STRING, nullable=True, since=3),
                    *_CLIENT,
                    Field("rebalance_timeout", INT32, since=1, default=-1),
                    Field("session_timeout", INT32),
                    Field("subscription", BYTES),
                    Field("assignment", BYTES),
                ),
            )
        ),
    ),
    latest=4,
    flexible_since=4,
)

_CLASSIC_MEMBER = Struct(
    "ClassicMemberMetadata",
    (
        Field("session_timeout_ms", INT32),
        Field(
            "supported_protocols",
            Array(Struct("ClassicProtocol", (Field("name", STRING), Field("metadata", BYTES)))),
        ),
    ),
)

_TOPIC_METADATA = Struct(
    "TopicMetadata",
    (
        _TOPIC_ID,
        Field("topic_name", STRING),
        Field("num_partitions", INT32),
        Field(
            "partition_metadata",
            Array(
                Struct(
                    "PartitionMetadata", (Field("partition", INT32), Field("racks", Array(STRING)))
                )
            ),
        ),
    ),
)

_TOPIC_INFO = Struct(
    "TopicInfo",
    (
        Field("name", STRING),
        Field("partitions", INT32),
        Field("replication_factor", INT16),
        Field("topic_configs", Array(Struct("TopicConfig", _KEY_VALUE))),
    ),
)

_SUBTOPOLOGY = Struct(
    "Subtopology",
    (
        Field("subtopology_id", STRING),
        Field("source_topics", Array(STRING)),
        Field("source_topic_regex", Array(STRING)),
        Field("state_changelog_topics", Array(_TOPIC_INFO)),
        Field("repartition_sink_topics", Array(STRING)),
        Field("repartition_source_topics", Array(_TOPIC_INFO)),
        Field(
            "copartition_groups",
            Array(
                Struct(
                    "CopartitionGroup",
                    (
                        Field("source_topics", Array(INT16)),
                        Field("source_topic_regex", Array(INT16)),
                        Field("repartition_source_topics", Array(INT16)),
                    ),
                )
            ),
        ),
    ),
)

_STATE_TOPIC = Struct("TopicPartitionsInfo", (_TOPIC_ID, Field("topic_name", STRING), _PARTITIONS))

RECORD_TYPES: tuple[RecordType, ...] = (
    RecordType(0, "LegacyOffsetCommit", _commit_key("LegacyOffsetCommit"), _LEGACY_COMMIT),
    RecordType(1, "OffsetCommit", _commit_key("OffsetCommit"), _COMMIT),
    RecordType(2, "GroupMetadata", message("GroupMetadataKey", Field("group", STRING)), _GROUP),
    RecordType(
        3,
        "ConsumerGroupMetadata",
        _group_key("ConsumerGroupMetadata"),
        _flexible(
            "ConsumerGroupMetadata",
            Field("epoch", INT32),
            Field("metadata_hash", INT64, tag=0, default=0),
        ),
    ),
    RecordType(
        4,
        "ConsumerGroupPartitionMetadata",
        _group_key("ConsumerGroupPartitionMetadata"),
        _flexible("ConsumerGroupPartitionMetadata", Field("topics", Array(_TOPIC_METADATA))),
    ),
    RecordType(
        5,
        "ConsumerGroupMemberMetadata",
        _member_key("ConsumerGroupMemberMetadata"),
        _flexible(
            "ConsumerGroupMemberMetadata",
            *_IDENTITY,
            _SUBSCRIBED,
            Field("subscribed_topic_regex", STRING, nullable=True),
            Field("rebalance_timeout_ms", INT32, default=-1),
            Field("server_assignor", STRING, nullable=True),
            Field(
                "classic_member_metadata",
                _CLASSIC_MEMBER,
                nullable=True,
                tag=0,
                default=_CLASSIC_MEMBER.row(0, []),
            ),
        ),
    ),
    RecordType(
        6,
        "ConsumerGroupTargetAssignmentMetadata",
        _group_key("ConsumerGroupTargetAssignmentMetadata"),
        _target_epoch("ConsumerGroupTargetAssignmentMetadata"),
    ),
    RecordType(
        7,
        "ConsumerGroupTargetAssignmentMember",
        _member_key("ConsumerGroupTargetAssignmentMember"),
        _flexible(
            "ConsumerGroupTargetAssignmentMember",
            Field("topic_partitions", Array(_TOPIC_PARTITIONS)),
        ),
    ),
    RecordType(
        8,
        "ConsumerGroupCurrentMemberAssignment",
        _member_key("ConsumerGroupCurrentMemberAssignment"),
        _flexible(
            "ConsumerGroupCurrentMemberAssignment",
            *_MEMBER_EPOCHS,
            Field("assigned_partitions", Array(_TOPIC_EPOCHS)),
            Field("partitions_pending_revocation", Array(_TOPIC_EPOCHS)),
        ),
    ),
    RecordType(
        10,
        "ShareGroupMemberMetadata",
        _member_key("ShareGroupMemberMetadata"),
        _flexible(
            "ShareGroupMemberMetadata",
            Field("rack_id", STRING, nullable=True),
            *_CLIENT,
            _SUBSCRIBED,
        ),
    ),
    RecordType(
        11,
        "ShareGroupMetadata",
        _group_key("ShareGroupMetadata"),
        _flexible("ShareGroupMetadata", Field("epoch", INT32), Field("metadata_hash", INT64)),
    ),
    RecordType(
        12,
        "ShareGroupTargetAssignmentMetadata",
        _group_key("ShareGroupTargetAssignmentMetadata"),
        _target_epoch("ShareGroupTargetAssignmentMetadata"),
    ),
    RecordType(
        13,
        "ShareGroupTargetAssignmentMember",
        _member_key("ShareGroupTargetAssignmentMember"),
        _flexible(
            "ShareGroupTargetAssignmentMember",
            Field("topic_partitions", Array(_TOPIC_PARTITIONS)),
        ),
    ),
    RecordType(
        14,
        "ShareGroupCurrentMemberAssignment",
        _member_key("ShareGroupCurrentMemberAssignment"),
        _flexible(
            "ShareGroupCurrentMemberAssignment",
            *_MEMBER_EPOCHS,
            Field("assigned_partitions", Array(_TOPIC_PARTITIONS)),
        ),
    ),
    RecordType(
        15,
        "ShareGroupStatePartitionMetadata",
        _group_key("ShareGroupStatePartitionMetadata"),
        _flexible(
            "ShareGroupStatePartitionMetadata",
            Field("initializing_topics", Array(_STATE_TOPIC)),
            Field("initialized_topics", Array(_STATE_TOPIC)),
            Field(
                "deleting_topics",
                Array(Struct("TopicInfo", (_TOPIC_ID, Field("topic_name", STRING)))),
            ),
        ),
    ),
    RecordType(
        16,
        "ConsumerGroupRegularExpression",
        message(
            "ConsumerGroupRegularExpressionKey", _GROUP_ID, Field("regular_expression", STRING)
        ),
        _flexible(
            "ConsumerGroupRegularExpression",
            Field("topics", Array(STRING)),
            Field("version", INT64),
            Field("timestamp", INT64),
        ),
    ),
    RecordType(
        17,
        "StreamsGroupMetadata",
        _group_key("StreamsGroupMetadata"),
        _flexible(
            "StreamsGroupMetadata",
            Field("epoch", INT32),
            Field("metadata_hash", INT64),
            Field("validated_topology_epoch", INT32, tag=0, default=-1),
            Field(
                "last_assignment_configs",
                Array(Struct("LastAssignmentConfig", _KEY_VALUE)),
                nullable=True,
                tag=1,
                default=(),
            ),
        ),
    ),
    RecordType(
        19,
        "StreamsGroupMemberMetadata",
        _member_key("StreamsGroupMemberMetadata"),
        _flexible(
            "StreamsGroupMemberMetadata",
            *_IDENTITY,
            Field("rebalance_timeout_ms", INT32, default=-1),
            Field("topology_epoch", INT32),
            Field("process_id", STRING),
            Field(
                "user_endpoint",
                Struct("Endpoint", (Field("host", STRING), Field("port", UINT16))),
                nullable=True,
            ),
            Field("client_tags", Array(Struct("KeyValue", _KEY_VALUE))),
        ),
    ),
    RecordType(
        20,
        "StreamsGroupTargetAssignmentMetadata",
        _group_key("StreamsGroupTargetAssignmentMetadata"),
        _target_epoch("StreamsGroupTargetAssignmentMetadata"),
    ),
    RecordType(
        21,
        "StreamsGroupTargetAssignmentMember",
        _member_key("StreamsGroupTargetAssignmentMember"),
        _flexible(
            "StreamsGroupTargetAssignmentMember",
            Field("active_tasks", Array(_TASK_IDS)),
            Field("standby_tasks", Array(_TASK_IDS)),
            Field("warmup_tasks", Array(_TASK_IDS)),
        ),
    ),
    RecordType(
        22,
        "StreamsGroupCurrentMemberAssignment",
        _member_key("StreamsGroupCurrentMemberAssignment"),
        _flexible(
            "StreamsGroupCurrentMemberAssignment",
            *_MEMBER_EPOCHS,
            Field("active_tasks", Array(_TASK_EPOCHS)),
            Field("standby_tasks", Array(_TASK_EPOCHS)),
            Field("warmup_tasks", Array(_TASK_EPOCHS)),
            Field("active_tasks_pending_revocation", Array(_TASK_EPOCHS)),
            Field("standby_tasks_pending_revocation", Array(_TASK_EPOCHS)),
            Field("warmup_tasks_pending_revocation", Array(_TASK_EPOCHS)),
        ),
    ),
    RecordType(
        23,
        "StreamsGroupTopology",
        _group_key("StreamsGroupTopology"),
        _flexible(
            "StreamsGroupTopology",
            Field("epoch", INT32),
            Field("subtopologies", Array(_SUBTOPOLOGY)),
        ),
    ),
)
BY_NUMBER: dict[int, RecordType] = {record.number: record for record in RECORD_TYPES}

OWNED_PARTITIONS = Struct("TopicPartition", (Field("topic", STRING), _PARTITIONS))
SUBSCRIPTION = message(
    "ConsumerProtocolSubscription",
    Field("topics", Array(STRING)),
    Field("user_data", BYTES, nullable=True),
    Field("owned_partitions", Array(OWNED_PARTITIONS), since=1),
    Field("generation_id", INT32, since=2, default=-1),
    Field("rack_id", STRING, nullable=True, since=3),
    latest=3,
)
"""What a classic consumer says when it joins (KIP-429, KIP-792, KIP-881)."""

ASSIGNMENT = message(
    "ConsumerProtocolAssignment",
    Field("assigned_partitions", Array(OWNED_PARTITIONS)),
    Field("user_data", BYTES, nullable=True),
    latest=3,
)
"""What the leader of a classic group gives to a consumer."""

STICKY_USER_DATA = message(
    "StickyAssignorUserData",
    Field("previous_assignment", Array(OWNED_PARTITIONS)),
    Field("generation", INT32, since=1, default=-1),
    latest=1,
)
"""What Kafka's `StickyAssignor` puts into a subscription (KIP-54; the generation: KIP-341).

It has no version of its own: version 1 is what has the generation at its end.
"""
