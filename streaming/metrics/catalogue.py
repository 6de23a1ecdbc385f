"""Every metric that is served: name, kind, labels and meaning. `docs/metrics.md` is made from it.

Names of groups begin with ``kafka_consumergroup_``, as those of other exporters of consumer
groups do, so that their users find what they know; those of the monitor itself with
``rebalance_monitor_``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

GROUP = ("cluster", "group")
MEMBER = (*GROUP, "member", "client_id", "member_host")
TOPIC = (*GROUP, "topic")
CLUSTER = ("cluster",)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        name: as it is served; a counter's ends in ``_total``.
        meaning: its help text, with the unit.
        labels: label names, in order.
        kind: gauge or counter.
    """

    name: str
    meaning: str
    labels: tuple[str, ...]
    kind: Literal["gauge", "counter"] = "gauge"


@dataclass(frozen=True, slots=True)
class ColumnMetric:
    """One metric that is a column of a table.

    Attributes:
        metric: the metric.
        column: the column.
        convert: makes a number of its value.
    """

    metric: Metric
    column: str
    convert: Callable[[Any], float] = float


def _seconds(time: datetime) -> float:
    return time.timestamp()


def _group(
    name: str,
    column: str,
    meaning: str,
    *,
    convert: Callable[[Any], float] = float,
    kind: Literal["gauge", "counter"] = "gauge",
) -> ColumnMetric:
    metric = Metric(f"kafka_consumergroup_{name}", meaning, GROUP, kind)
    return ColumnMetric(metric, column, convert)


GROUP_COLUMNS = (
    _group("members", "member_count", "Members of the group."),
    _group("partitions", "partition_count", "Partitions of the topics that it subscribes to."),
    _group("generation", "generation", "Generation (classic) or target epoch (KIP-848)."),
    _group(
        "drift_partitions",
        "drift_count",
        "Partitions with another owner than the reference policy's ideal has.",
    ),
    _group("drift_ratio", "drift_share", "drift_partitions over partitions, 0 to 1."),
    _group(
        "moves_to_fairest",
        "moves_to_fairest",
        "Least number of partitions that must move to a fairest assignment.",
    ),
    _group(
        "balance_score",
        "balance_score",
        "KIP-54: sum over pairs of members of the difference of their loads, in partitions.",
    ),
    _group("ideal_balance_score", "ideal_balance_score", "balance_score of the policy's ideal."),
    _group(
        "max_minus_min_partitions", "max_minus_min", "Largest load of a member minus the smallest."
    ),
    _group("fair", "fair", "1 if the group is fair by KIP-54, 0 if not."),
    _group("fairest", "fairest", "1 if no chain of moves makes the group fairer, 0 if one does."),
    _group(
        "join_violations",
        "join_violations",
        "KIP-315: partition numbers whose co-subscribed topics are split between members.",
    ),
    _group(
        "topic_skew",
        "topic_skew",
        "Largest share of a topic with one member over the share if it were spread evenly.",
    ),
    _group(
        "unassigned_partitions", "unassigned_count", "Partitions of its topics without an owner."
    ),
    _group("group_sum_lag", "lag", "Records behind, over all partitions of the group."),
    _group("lag_skew", "lag_skew", "Largest lag of a member over the mean of the members."),
    _group(
        "rebalances_total",
        "rebalance_count",
        "Rebalances seen since the monitor began.",
        kind="counter",
    ),
    _group(
        "rebalances_last_hour",
        "rebalances_last_hour",
        "Rebalances in the hour before its last event.",
    ),
    _group("last_churn_partitions", "last_churn", "Partitions that the last rebalance moved."),
    _group(
        "last_necessary_churn_partitions",
        "last_necessary_churn",
        "Least that the last rebalance had to move.",
    ),
    _group(
        "last_avoidable_churn_partitions",
        "last_avoidable_churn",
        "What the last rebalance moved without need.",
    ),
    _group(
        "settled_timestamp_seconds",
        "settled_time",
        "When the last rebalance settled, in seconds of Unix time.",
        convert=_seconds,
    ),
    _group(
        "last_commit_timestamp_seconds",
        "last_commit_time",
        "When the group last committed an offset, in seconds of Unix time.",
        convert=_seconds,
    ),
)
"""Metrics of a group that are columns of ``group_state``."""

GROUP_INFO = Metric(
    "kafka_consumergroup_info",
    "Always 1; what kind of group it is.",
    (*GROUP, "type", "protocol", "assignor", "policy"),
)
GROUP_STATE = Metric(
    "kafka_consumergroup_state",
    "1 for the state that the group is in: stable, rebalancing, empty or unsettled.",
    (*GROUP, "state"),
)
GROUP_ALERT = Metric(
    "kafka_consumergroup_alert", "1 while an alert fires.", (*GROUP, "rule", "severity")
)
GROUP_MAX_LAG = Metric(
    "kafka_consumergroup_group_max_lag", "Records behind on the partition that is furthest.", GROUP
)
GROUP_MAX_LAG_SECONDS = Metric(
    "kafka_consumergroup_group_max_lag_seconds",
    "Estimated seconds behind on the partition that is furthest.",
    GROUP,
)
TOPIC_LAG = Metric("kafka_consumergroup_group_topic_sum_lag", "Records behind on one topic.", TOPIC)
MEMBER_PARTITIONS = Metric(
    "kafka_consumergroup_member_partitions", "Partitions that a member owns.", MEMBER
)
MEMBER_LAG = Metric(
    "kafka_consumergroup_member_lag", "Records behind on a member's partitions.", MEMBER
)

GROUPS = Metric("rebalance_monitor_groups", "Groups by state, all of them.", (*CLUSTER, "state"))
GROUPS_EXPORTED = Metric(
    "rebalance_monitor_groups_exported",
    "Groups with metrics of their own here: the worst, and those chosen by pattern.",
    CLUSTER,
)
GROUPS_UNFAIR = Metric(
    "rebalance_monitor_groups_unfair", "Groups that are unfair by KIP-54, of all.", CLUSTER
)
CLUSTER_MOVES = Metric(
    "rebalance_monitor_moves_to_fairest", "moves_to_fairest, summed over all groups.", CLUSTER
)
CLUSTER_UNASSIGNED = Metric(
    "rebalance_monitor_unassigned_partitions",
    "Partitions without an owner, summed over all groups.",
    CLUSTER,
)
CLUSTER_LAG = Metric("rebalance_monitor_lag", "Records behind, summed over all groups.", CLUSTER)
ALERTS = Metric(
    "rebalance_monitor_alerts",
    "Alerts that fire, over all groups.",
    (*CLUSTER, "rule", "severity"),
)


def _sum(name: str, column: str, meaning: str) -> ColumnMetric:
    return ColumnMetric(Metric(f"rebalance_monitor_{name}", meaning, CLUSTER, "counter"), column)


def _last(name: str, column: str, meaning: str) -> ColumnMetric:
    return ColumnMetric(Metric(f"rebalance_monitor_{name}", meaning, CLUSTER), column)


BATCH_SUMS = (
    _sum("batches_total", "batches", "Micro-batches."),
    _sum("records_total", "records_read", "Records of the source that were read."),
    _sum("events_total", "events", "Records that changed or confirmed a state."),
    _sum("ignored_records_total", "ignored", "Records left out by a rule."),
    _sum("dead_letters_total", "dead_letters", "Records that could not be read."),
    _sum("settled_generations_total", "settled_generations", "Settled generations written."),
    _sum("busy_seconds_total", "seconds", "Seconds spent in micro-batches."),
)
"""Counters over the rows of ``batches``."""

BATCH_LAST = (
    _last("batch_seconds", "seconds", "Seconds that the last micro-batch took."),
    _last("batch_cluster_seconds", "cluster_seconds", "Of these: asking the Kafka cluster."),
    _last("batch_groups_seconds", "groups_seconds", "Of these: records, states, ideals, files."),
    _last("batch_commit_seconds", "commit_seconds", "Of these: Delta commits."),
    _last("records_per_second", "records_per_second", "Records read per second of that batch."),
    _last("groups_changed", "groups_changed", "Groups with an event in the last micro-batch."),
    _last("behind_records", "behind_records", "Records not yet read when the last batch began."),
    _last("behind_seconds", "behind_seconds", "Age of the newest record read, in seconds."),
    _last(
        "last_batch_timestamp_seconds",
        "last_batch_seconds",
        "When the last micro-batch began, in seconds of Unix time.",
    ),
)
"""Gauges of the last row of ``batches``."""

STATE_BYTES = Metric(
    "rebalance_monitor_state_bytes", "Size of the state's files in bytes.", ("table",)
)
STATE_FILES = Metric("rebalance_monitor_state_files", "Files of the state.", ("table",))
STATE_ROWS = Metric("rebalance_monitor_state_rows", "Rows of the state.", ("table",))
SINK_WAITING = Metric(
    "rebalance_monitor_alert_sink_waiting", "Notices that a sink has not taken yet.", ("sink",)
)
SINK_FAILURES = Metric(
    "rebalance_monitor_alert_sink_failures", "Failed attempts since the last success.", ("sink",)
)
SINK_SENT = Metric(
    "rebalance_monitor_alert_sink_notices_total",
    "Notices that a sink has taken since the start.",
    ("sink",),
    "counter",
)
READABLE = Metric(
    "rebalance_monitor_tables_readable", "1 if the tables could be read for this answer.", ()
)

CATALOGUE: tuple[Metric, ...] = (
    *(each.metric for each in GROUP_COLUMNS),
    GROUP_INFO,
    GROUP_STATE,
    GROUP_ALERT,
    GROUP_MAX_LAG,
    GROUP_MAX_LAG_SECONDS,
    TOPIC_LAG,
    MEMBER_PARTITIONS,
    MEMBER_LAG,
    GROUPS,
    GROUPS_EXPORTED,
    GROUPS_UNFAIR,
    CLUSTER_MOVES,
    CLUSTER_UNASSIGNED,
    CLUSTER_LAG,
    ALERTS,
    *(each.metric for each in BATCH_SUMS),
    *(each.metric for each in BATCH_LAST),
    STATE_BYTES,
    STATE_FILES,
    STATE_ROWS,
    SINK_WAITING,
    SINK_FAILURES,
    SINK_SENT,
    READABLE,
)
"""Everything that is served, in order."""
