"""Schemas of the Delta tables, as data: the one place that says what each column holds.

Every table carries ``cluster`` (the monitored Kafka cluster), ``event_time`` (when it happened, by
the record's or the batch's clock) and ``processed_time`` (when the micro-batch wrote it), both
UTC with microseconds. Tables marked as *current state* hold one row per key and are rewritten shard
by shard; the others are histories that only grow. ``docs/tables.md`` is generated from here.
"""

from dataclasses import dataclass

import pyarrow as pa

TIMESTAMP = pa.timestamp("us", tz="UTC")
STRING_LIST = pa.list_(pa.string())

MEMBER_NAME = pa.struct(
    [
        pa.field("member_id", pa.string()),
        pa.field("instance_id", pa.string()),
        pa.field("client_id", pa.string()),
        pa.field("client_host", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """One Delta table.

    Attributes:
        name: folder name below the tables' location, and SQL name.
        comment: what one row is.
        columns: name, Arrow type and comment of each column, in order.
        keyed: true for current state (one row per ``key``), written shard by shard over the
            ``shard`` partition column; false for a history.
        key: columns that identify a row.
    """

    name: str
    comment: str
    columns: tuple[tuple[str, pa.DataType, str], ...]
    key: tuple[str, ...]
    keyed: bool = False

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema, column comments in the field metadata (as Delta keeps them)."""
        return pa.schema(
            [pa.field(name, kind, metadata={"comment": text}) for name, kind, text in self.columns]
        )

    @property
    def partition_by(self) -> tuple[str, ...]:
        """Delta partition columns."""
        return ("shard",) if self.keyed else ()


_CLUSTER = ("cluster", pa.string(), "name of the monitored Kafka cluster")
_GROUP = ("group_id", pa.string(), "consumer group")
_TYPE = ("group_type", pa.string(), "classic, consumer (KIP-848), share or streams")
_SHARD = ("shard", pa.int32(), "slice of the groups that is rewritten together")
_EVENT = ("event_time", TIMESTAMP, "when it happened, by the broker's record timestamp")
_PROCESSED = ("processed_time", TIMESTAMP, "when the micro-batch that wrote the row began")
_BATCH = ("batch_id", pa.int64(), "micro-batch that wrote the row")
_GENERATION = (
    "generation",
    pa.int64(),
    "generation (classic) or target assignment epoch (KIP-848)",
)
_ASSIGNOR = ("assignor", pa.string(), "the group's own assignor, by its protocol name")

_MEASURES: tuple[tuple[str, pa.DataType, str], ...] = (
    ("member_count", pa.int32(), "members of the group"),
    ("partition_count", pa.int64(), "partitions of the topics that the members subscribe to"),
    ("drift_count", pa.int64(), "partitions whose live owner differs from the policy's ideal"),
    ("drift_share", pa.float64(), "drift_count over partition_count, 0 to 1"),
    ("moves_to_fairest", pa.int64(), "least partitions to move from live to a fairest assignment"),
    ("balance_score", pa.int64(), "KIP-54: sum over pairs of members of the difference of loads"),
    ("ideal_balance_score", pa.int64(), "balance score of the policy's ideal"),
    ("max_minus_min", pa.int64(), "largest load minus smallest, in partitions"),
    ("min_load", pa.int64(), "smallest load of a member, in partitions"),
    ("max_load", pa.int64(), "largest load of a member, in partitions"),
    ("fair", pa.bool_(), "KIP-54: nobody can hand a partition to a member with two fewer"),
    ("fairest", pa.bool_(), "no chain of moves lowers the sum of squared loads"),
    ("join_violations", pa.int64(), "KIP-315: partition numbers whose topics are split"),
    ("topic_skew", pa.float64(), "largest share of a topic with one member over the even share"),
    ("unassigned_count", pa.int64(), "partitions of subscribed topics without an owner"),
    ("lag", pa.int64(), "end offset minus committed offset over the group, in records"),
    ("lag_skew", pa.float64(), "largest lag of a member over the mean"),
)

REBALANCES = TableSpec(
    name="rebalances",
    comment="one row per settled generation, and per rebalance that did not settle in time",
    key=("cluster", "group_id", "generation", "settled"),
    columns=(
        _CLUSTER,
        _GROUP,
        _TYPE,
        _GENERATION,
        ("previous_generation", pa.int64(), "last settled generation before, null at the first"),
        _EVENT,
        ("started_time", TIMESTAMP, "first phase of the rebalance"),
        ("seconds_since_previous", pa.float64(), "seconds since the last settled generation"),
        ("duration_seconds", pa.float64(), "seconds from the first phase until settled"),
        ("settled", pa.bool_(), "false: written as it stood after settle_seconds"),
        ("protocol", pa.string(), "eager, cooperative or consumer (KIP-848)"),
        _ASSIGNOR,
        ("phase_generations", pa.list_(pa.int64()), "generations or epochs it took, in order"),
        (
            "phase_withheld",
            pa.list_(pa.int64()),
            "per phase: partitions that had an owner, withheld",
        ),
        (
            "cause",
            pa.string(),
            "main cause: first, joined, left, timed_out, restarted, subscription, partitions, ...",
        ),
        ("causes", STRING_LIST, "all causes seen"),
        ("joined", pa.list_(MEMBER_NAME), "members that are new"),
        ("left", pa.list_(MEMBER_NAME), "members that are gone"),
        ("member_count", pa.int32(), "members after"),
        ("partition_count", pa.int64(), "partitions of the subscribed topics"),
        ("policy", pa.string(), "reference policy of the figures below"),
        ("churn", pa.int64(), "partitions owned before and after, by different members"),
        (
            "necessary_churn",
            pa.int64(),
            "least churn with which a fairest assignment was to be had",
        ),
        ("avoidable_churn", pa.int64(), "max(0, churn - necessary_churn)"),
        ("revoked", pa.int64(), "partitions taken from members that stayed"),
        ("episode", pa.string(), "rebalances closer together than episode_gap share one"),
        ("episode_rebalances", pa.int32(), "rebalances of the episode so far"),
        ("episode_churn", pa.int64(), "churn of the episode so far, summed"),
        (
            "episode_necessary_churn",
            pa.int64(),
            "least churn from the episode's first state to now",
        ),
        _PROCESSED,
        _BATCH,
    ),
)

DRIFT = TableSpec(
    name="drift",
    comment="one row per group, settled generation and policy: distance of live from ideal",
    key=("cluster", "group_id", "generation", "policy"),
    columns=(
        _CLUSTER,
        _GROUP,
        _TYPE,
        _GENERATION,
        ("policy", pa.string(), "policy whose ideal the live assignment is held against"),
        ("reference", pa.bool_(), "true for the group's reference policy"),
        _ASSIGNOR,
        *_MEASURES,
        _EVENT,
        _PROCESSED,
        _BATCH,
    ),
)

MEMBER_LOAD = TableSpec(
    name="member_load",
    comment="one row per member and settled generation",
    key=("cluster", "group_id", "generation", "member_id"),
    columns=(
        _CLUSTER,
        _GROUP,
        _TYPE,
        _GENERATION,
        ("member_id", pa.string(), "member id"),
        ("instance_id", pa.string(), "group.instance.id of a static member"),
        ("client_id", pa.string(), "client.id"),
        ("client_host", pa.string(), "host as the coordinator saw it"),
        ("rack", pa.string(), "client.rack"),
        ("topics", STRING_LIST, "topics subscribed to"),
        ("partition_count", pa.int64(), "load: partitions owned"),
        ("ideal_partition_count", pa.int64(), "load under the reference policy's ideal"),
        ("gained_count", pa.int64(), "partitions it owns now and did not before"),
        ("lost_count", pa.int64(), "partitions it owned before and does not now"),
        ("lag", pa.int64(), "records behind over its partitions"),
        _EVENT,
        _PROCESSED,
        _BATCH,
    ),
)

ASSIGNMENTS = TableSpec(
    name="assignments",
    comment="one row per partition and settled generation: live, previous and ideal owner",
    key=("cluster", "group_id", "generation", "topic", "partition"),
    columns=(
        _CLUSTER,
        _GROUP,
        _GENERATION,
        ("topic", pa.string(), "topic"),
        ("partition", pa.int32(), "partition number"),
        ("member_id", pa.string(), "live owner, null if unassigned"),
        ("previous_member_id", pa.string(), "owner at the last settled generation"),
        ("ideal_member_id", pa.string(), "owner under the reference policy"),
        _EVENT,
        _PROCESSED,
        _BATCH,
    ),
)

GROUP_STATE = TableSpec(
    name="group_state",
    comment="current state: one row per group, measures of its last settled generation",
    key=("cluster", "group_id"),
    keyed=True,
    columns=(
        _CLUSTER,
        _GROUP,
        _TYPE,
        ("state", pa.string(), "stable, rebalancing, empty or unsettled"),
        ("protocol_type", pa.string(), "consumer, connect, share, streams, ..."),
        ("protocol", pa.string(), "eager, cooperative or consumer (KIP-848)"),
        _ASSIGNOR,
        _GENERATION,
        ("policy", pa.string(), "reference policy of the measures"),
        *_MEASURES,
        (
            "members",
            pa.list_(
                pa.struct(
                    [
                        *MEMBER_NAME,
                        pa.field("topics", STRING_LIST),
                        pa.field("partition_count", pa.int64()),
                    ]
                )
            ),
            "members with their subscription and load",
        ),
        ("topics", STRING_LIST, "topics subscribed to by any member"),
        ("settled_time", TIMESTAMP, "when the generation settled"),
        ("rebalance_count", pa.int64(), "rebalances seen since the monitor began"),
        ("rebalances_last_hour", pa.int32(), "rebalances in the hour before event_time"),
        ("last_cause", pa.string(), "cause of the last rebalance"),
        ("last_churn", pa.int64(), "churn of the last rebalance"),
        ("last_necessary_churn", pa.int64(), "necessary churn of the last rebalance"),
        ("last_avoidable_churn", pa.int64(), "avoidable churn of the last rebalance"),
        ("last_commit_time", TIMESTAMP, "last offset commit of the group"),
        ("deadline_time", TIMESTAMP, "when the group must be looked at again without an event"),
        ("machine", pa.binary(), "what the monitor needs to go on from here, not for users"),
        ("alert_memory", pa.string(), "alerts of the group under way, not for users"),
        _EVENT,
        _PROCESSED,
        _BATCH,
        _SHARD,
    ),
)

OFFSETS = TableSpec(
    name="offsets",
    comment="current state: last commit and lag, one row per group and partition",
    key=("cluster", "group_id", "topic", "partition"),
    keyed=True,
    columns=(
        _CLUSTER,
        _GROUP,
        ("topic", pa.string(), "topic"),
        ("partition", pa.int32(), "partition number"),
        ("committed_offset", pa.int64(), "last committed offset"),
        ("leader_epoch", pa.int32(), "leader epoch of the commit, -1 if unknown"),
        ("commit_time", TIMESTAMP, "commit timestamp"),
        ("end_offset", pa.int64(), "end offset when the lag was last taken"),
        ("lag", pa.int64(), "end offset minus committed offset, in records"),
        ("time_lag_seconds", pa.float64(), "estimated seconds behind; see docs/measures.md"),
        ("member_id", pa.string(), "live owner of the partition"),
        ("record_offset", pa.int64(), "offset of the commit's record in its source topic"),
        _EVENT,
        _PROCESSED,
        _BATCH,
        _SHARD,
    ),
)

ALERTS = TableSpec(
    name="alerts",
    comment="one row per change of an alert: opened, changed, resolved; the last row is its state",
    key=("cluster", "alert_id", "sequence"),
    columns=(
        _CLUSTER,
        ("alert_id", pa.string(), "identity: rule, group and subject, and when it opened"),
        ("sequence", pa.int32(), "0 opened, then one more for each change"),
        ("status", pa.string(), "opened, open (still, with a new value) or resolved"),
        ("rule", pa.string(), "name of the rule"),
        ("severity", pa.string(), "info, warning or critical"),
        _GROUP,
        ("subject", pa.string(), "topic or member that it is about, empty for the group"),
        ("value", pa.float64(), "the measured value"),
        ("threshold", pa.float64(), "the rule's threshold"),
        ("summary", pa.string(), "one sentence for the person woken"),
        ("opened_time", TIMESTAMP, "when the condition had held for the rule's duration"),
        ("resolved_time", TIMESTAMP, "when it no longer held, null while open"),
        _EVENT,
        _PROCESSED,
        _BATCH,
    ),
)

DEAD_LETTERS = TableSpec(
    name="dead_letters",
    comment="records that could not be read, whole, with the reason",
    key=("cluster", "topic", "partition", "offset"),
    columns=(
        _CLUSTER,
        ("reason", pa.string(), "reason code; see docs/dead-letters.md"),
        ("detail", pa.string(), "what was wrong, for a person"),
        ("topic", pa.string(), "source topic"),
        ("partition", pa.int32(), "partition of the source topic"),
        ("offset", pa.int64(), "offset in the source topic"),
        ("key", pa.binary(), "record key"),
        ("value", pa.binary(), "record value, null for a tombstone"),
        _EVENT,
        _PROCESSED,
        _BATCH,
    ),
)

BATCHES = TableSpec(
    name="batches",
    comment="one row per micro-batch",
    key=("cluster", "batch_id"),
    columns=(
        _CLUSTER,
        _BATCH,
        ("start_offsets", pa.string(), "JSON of the source's offsets before, by partition"),
        ("end_offsets", pa.string(), "JSON of the source's offsets after, by partition"),
        ("records_read", pa.int64(), "records of the source in this batch"),
        ("events", pa.int64(), "records that changed or confirmed a state"),
        ("ignored", pa.int64(), "records left out by a rule (ignored groups, other types)"),
        ("dead_letters", pa.int64(), "records that could not be read"),
        ("groups_changed", pa.int64(), "groups with an event"),
        ("groups_total", pa.int64(), "groups in group_state"),
        ("settled_generations", pa.int64(), "settled generations written"),
        ("seconds", pa.float64(), "seconds from the batch's start until its last commit"),
        (
            "cluster_seconds",
            pa.float64(),
            "of these: asking the cluster for partitions and offsets",
        ),
        ("groups_seconds", pa.float64(), "of these: reading records, states, ideals and files"),
        ("commit_seconds", pa.float64(), "of these: Delta commits"),
        ("behind_records", pa.int64(), "records of the source not yet read when it began"),
        ("behind_seconds", pa.float64(), "age of the newest record read"),
        _EVENT,
        _PROCESSED,
    ),
)

TABLES: tuple[TableSpec, ...] = (
    REBALANCES,
    DRIFT,
    MEMBER_LOAD,
    ASSIGNMENTS,
    GROUP_STATE,
    OFFSETS,
    ALERTS,
    DEAD_LETTERS,
    BATCHES,
)
BY_NAME: dict[str, TableSpec] = {table.name: table for table in TABLES}
