"""The normalised events: what a record says about a group, one dataclass per kind.

Both sources give these: ``__consumer_offsets`` by `event_of`, the events topic by its JSON form.
Times are milliseconds since 1970 (UTC), from the record's fields; None where it does not say.
Topic ids are Kafka's text (URL-safe base64 without padding), resolved later.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Partitions: TypeAlias = dict[str, tuple[int, ...]]
"""Sorted partition numbers by topic name, topic id or subtopology id."""


@dataclass(frozen=True, slots=True)
class GroupMember:
    """One member of a classic group's generation.

    Attributes:
        member_id: member id.
        instance_id: group instance id of a static member (KIP-345).
        client_id: ``client.id``.
        client_host: host as the coordinator saw it.
        rack: ``client.rack`` (KIP-881), None if unknown.
        session_timeout_ms: session timeout.
        rebalance_timeout_ms: rebalance timeout, -1 in the oldest records.
        topics: topics subscribed to, sorted.
        owned: partitions that the member said it owned when it joined; under `sticky` by its
            user data.
        owned_generation: generation of which it owned them, None if it did not say.
        assigned: partitions given to it; None while its assignment has not arrived.
        user_data: what its assignor put into the subscription.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rack: str | None = None
    session_timeout_ms: int = -1
    rebalance_timeout_ms: int = -1
    topics: tuple[str, ...] = ()
    owned: Partitions = field(default_factory=dict)
    owned_generation: int | None = None
    assigned: Partitions | None = None
    user_data: bytes | None = None


@dataclass(frozen=True, slots=True)
class ClassicGeneration:
    """A classic group as it stands: its generation and members (record type 2).

    Members have topics and partitions only where ``protocol_type`` is ``consumer``; those of
    Connect and others are opaque.
    """

    group_id: str
    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    state_time_ms: int | None
    members: tuple[GroupMember, ...]


@dataclass(frozen=True, slots=True)
class GroupRemoved:
    """The group is gone (tombstone of types 2, 3, 11, 17)."""

    group_id: str
    group_type: str


@dataclass(frozen=True, slots=True)
class ConsumerGroupEpoch:
    """A KIP-848 group's epoch rose: members or subscriptions changed (type 3)."""

    group_id: str
    epoch: int


@dataclass(frozen=True, slots=True)
class ConsumerMember:
    """A member of a KIP-848 group (type 5).

    Attributes:
        classic_protocols: names of its assignors, if it still speaks the classic protocol.
    """

    group_id: str
    member_id: str
    instance_id: str | None
    rack: str | None
    client_id: str
    client_host: str
    topics: tuple[str, ...]
    topic_regex: str | None
    rebalance_timeout_ms: int
    server_assignor: str | None
    classic_protocols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedRegex:
    """Topics that a regular expression of a KIP-848 group matches (type 16)."""

    group_id: str
    regex: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RegexRemoved:
    """No member subscribes to this regular expression any more (tombstone of type 16)."""

    group_id: str
    regex: str


@dataclass(frozen=True, slots=True)
class TargetEpoch:
    """A target assignment was completed (types 6, 12, 20)."""

    group_id: str
    epoch: int
    time_ms: int | None = None
    group_type: str = "consumer"


@dataclass(frozen=True, slots=True)
class MemberRemoved:
    """The member is gone (tombstone of types 5, 10, 19)."""

    group_id: str
    member_id: str
    group_type: str = "consumer"


@dataclass(frozen=True, slots=True)
class TargetAssignment:
    """What a member is to have, by topic id (types 7, 13)."""

    group_id: str
    member_id: str
    partitions: Partitions
    group_type: str = "consumer"


@dataclass(frozen=True, slots=True)
class TargetRemoved:
    """The member has no target any more (tombstone of types 7, 13, 21)."""

    group_id: str
    member_id: str
    group_type: str = "consumer"


@dataclass(frozen=True, slots=True)
class CurrentAssignment:
    """What a member has, by topic id (types 8, 14).

    Attributes:
        state: ``stable``, ``unrevoked_partitions``, ``unreleased_partitions`` or ``unknown``.
        pending_revocation: partitions that it has been told to give up and has not yet.
    """

    group_id: str
    member_id: str
    member_epoch: int
    previous_member_epoch: int
    state: str
    assigned: Partitions
    pending_revocation: Partitions = field(default_factory=dict)
    group_type: str = "consumer"


@dataclass(frozen=True, slots=True)
class CurrentRemoved:
    """The member has nothing any more (tombstone of types 8, 14, 22)."""

    group_id: str
    member_id: str
    group_type: str = "consumer"


@dataclass(frozen=True, slots=True)
class OffsetCommit:
    """A committed offset (types 0, 1).

    Attributes:
        leader_epoch: leader epoch of the commit, -1 if unknown.
        expire_time_ms: when it expires, in records of value version 1 alone.
        topic_id: id of the topic, where the record says it.
    """

    group_id: str
    topic: str
    partition: int
    offset: int
    leader_epoch: int
    metadata: str
    commit_time_ms: int
    expire_time_ms: int | None = None
    topic_id: str | None = None


@dataclass(frozen=True, slots=True)
class OffsetRemoved:
    """A committed offset expired or was deleted (tombstone of types 0, 1)."""

    group_id: str
    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class ShareGroupEpoch:
    """A share group's epoch rose (KIP-932, type 11)."""

    group_id: str
    epoch: int


@dataclass(frozen=True, slots=True)
class ShareMember:
    """A member of a share group (type 10)."""

    group_id: str
    member_id: str
    rack: str | None
    client_id: str
    client_host: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharePartitions:
    """Partitions that a share group reads, by topic name (type 15)."""

    group_id: str
    partitions: Partitions


@dataclass(frozen=True, slots=True)
class StreamsGroupEpoch:
    """A streams group's epoch rose (KIP-1071, type 17)."""

    group_id: str
    epoch: int
    validated_topology_epoch: int = -1


@dataclass(frozen=True, slots=True)
class StreamsMember:
    """A member of a streams group (type 19).

    Attributes:
        process_id: the process that it is a thread of.
        client_tags: tags by which standby tasks are spread.
    """

    group_id: str
    member_id: str
    instance_id: str | None
    rack: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    topology_epoch: int
    process_id: str
    client_tags: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamsTargetAssignment:
    """Tasks that a member is to have, by subtopology id (type 21)."""

    group_id: str
    member_id: str
    active: Partitions
    standby: Partitions
    warmup: Partitions


@dataclass(frozen=True, slots=True)
class StreamsCurrentAssignment:
    """Tasks that a member has, by subtopology id (type 22).

    Attributes:
        state: ``stable``, ``unrevoked_tasks``, ``unreleased_tasks`` or ``unknown``.
    """

    group_id: str
    member_id: str
    member_epoch: int
    previous_member_epoch: int
    state: str
    active: Partitions
    standby: Partitions
    warmup: Partitions
    active_pending_revocation: Partitions = field(default_factory=dict)
    standby_pending_revocation: Partitions = field(default_factory=dict)
    warmup_pending_revocation: Partitions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subtopology:
    """Part of a streams topology whose topics are read together.

    Attributes:
        source_topics: topics that it reads.
        source_topic_regexes: patterns of topics that it reads.
        repartition_source_topics: internal topics that it reads.
        changelog_topics: internal topics of its state.
    """

    subtopology_id: str
    source_topics: tuple[str, ...]
    source_topic_regexes: tuple[str, ...] = ()
    repartition_source_topics: tuple[str, ...] = ()
    changelog_topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamsTopology:
    """The topology of a streams group (type 23)."""

    group_id: str
    epoch: int
    subtopologies: tuple[Subtopology, ...]


GroupEvent: TypeAlias = (
    ClassicGeneration
    | GroupRemoved
    | ConsumerGroupEpoch
    | ConsumerMember
    | ResolvedRegex
    | RegexRemoved
    | TargetEpoch
    | MemberRemoved
    | TargetAssignment
    | TargetRemoved
    | CurrentAssignment
    | CurrentRemoved
    | ShareGroupEpoch
    | ShareMember
    | SharePartitions
    | StreamsGroupEpoch
    | StreamsMember
    | StreamsTargetAssignment
    | StreamsCurrentAssignment
    | StreamsTopology
)
"""Events that move a group's state."""

Event: TypeAlias = GroupEvent | OffsetCommit | OffsetRemoved
"""All events; each has a ``group_id``."""
