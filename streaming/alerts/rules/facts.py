"""What the rules look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from streaming.groups.machine import Recent
from streaming.groups.snapshot import Snapshot


class Facts(Protocol):
    """What every rule needs to know."""

    @property
    def cluster(self) -> str:
        """Name of the Kafka cluster."""

    @property
    def group_id(self) -> str:
        """The group; '' for the monitor itself."""

    @property
    def now_ms(self) -> int:
        """The micro-batch's clock, milliseconds of Unix time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFacts:
    """One group at one moment. None stands for what is not known: it neither opens nor resolves.

    The measures are those of the last settled generation, or of a rebalance that ran out of time
    and was measured as it stands, under the reference policy.

    Attributes:
        cluster: name of the Kafka cluster.
        group_id: the group.
        now_ms: the micro-batch's clock, milliseconds of Unix time.
        member_count: members; 0 for a group that is empty or removed, which resolves its alerts.
        partition_count: partitions of the topics subscribed to.
        policy: the reference policy.
        joined: whether the group is held to KIP-315's joins.
        drift_count: partitions that the policy would give to another member.
        moves_to_fairest: partitions that must move to a fairest assignment.
        fair: by KIP-54.
        min_load: smallest load, in partitions.
        max_load: largest load, in partitions.
        join_violations: partition numbers whose topics are split.
        topic_skew: largest share of a topic with one member over the even share.
        settled: the last settled assignment, looked at only to name the topic of `topic_skew`.
        unassigned_count: partitions without an owner.
        lag: records behind.
        lag_skew: largest lag of a member over the mean.
        slowest_member: the member of the largest lag; '' where it is not known.
        rebalanced_ms: when the last rebalance settled, milliseconds; None if there was none.
        cause: cause of the last rebalance.
        churn: partitions it moved.
        avoidable_churn: of these, what need not have moved.
        recent: the rebalances of the last hour at least, oldest first.
        unsettled_ms: since when a rebalance is under way, milliseconds; None if none is.
        last_commit_ms: last offset commit, milliseconds; None if there was none.
    """

    cluster: str
    group_id: str
    now_ms: int
    member_count: int
    partition_count: int
    policy: str = "sticky"
    joined: bool = False
    drift_count: int | None = None
    moves_to_fairest: int | None = None
    fair: bool | None = None
    min_load: int = 0
    max_load: int = 0
    join_violations: int | None = None
    topic_skew: float | None = None
    settled: Snapshot | None = None
    unassigned_count: int | None = None
    lag: int | None = None
    lag_skew: float | None = None
    slowest_member: str = ""
    rebalanced_ms: int | None = None
    cause: str = ""
    churn: int = 0
    avoidable_churn: int = 0
    recent: Sequence[Recent] = ()
    unsettled_ms: int | None = None
    last_commit_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorFacts:
    """The monitor itself, as its last micro-batch left it.

    Attributes:
        cluster: name of the Kafka cluster.
        now_ms: the micro-batch's clock, milliseconds of Unix time.
        behind_seconds: age of the newest record read; None if none was read.
        behind_records: records not yet read; 0 on a quiet topic, however old its last record.
        group_id: always ''.
    """

    cluster: str
    now_ms: int
    behind_seconds: float | None
    behind_records: int | None
    group_id: str = ""
