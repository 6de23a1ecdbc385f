"""One group: its standing, how it came there, and what each rebalance cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from streaming.tables.reader import TableReader, Value

Row = dict[str, Any]
PARTITIONS_SHOWN = 50

_REBALANCES = """
select generation, previous_generation, event_time, started_time, seconds_since_previous,
       duration_seconds, settled, protocol, assignor, phase_generations, phase_withheld, cause,
       causes, joined, "left", member_count, partition_count, policy, churn, necessary_churn,
       avoidable_churn, revoked, episode, episode_rebalances, episode_churn,
       episode_necessary_churn
from rebalances
where cluster = :cluster and group_id = :group_id and event_time >= :since
order by event_time desc, settled desc
"""
_DRIFT = """
select generation, event_time, drift_count, drift_share, moves_to_fairest, balance_score,
       max_minus_min, min_load, max_load, fair, fairest, unassigned_count, partition_count,
       member_count, lag, topic_skew, join_violations
from drift
where cluster = :cluster and group_id = :group_id and reference and event_time >= coalesce(
  (select max(event_time) from drift
   where cluster = :cluster and group_id = :group_id and reference and event_time < :since),
  :since)
order by event_time
"""
_POLICIES = """
select policy, reference, drift_count, drift_share, partition_count, ideal_balance_score,
       event_time
from drift
where cluster = :cluster and group_id = :group_id and generation = :generation
order by reference desc, policy
"""
_STANDING = """
select * from drift
where cluster = :cluster and group_id = :group_id and generation = :generation and reference
order by event_time desc limit 1
"""
_OFFSETS = """
select topic, partition, committed_offset, end_offset, lag, time_lag_seconds, member_id,
       commit_time
from offsets
where cluster = :cluster and group_id = :group_id
order by coalesce(lag, 0) desc, topic, partition
limit :limit
"""
_OFFSET_TOTALS = """
with topics as (
  select topic, count(*) as partitions, sum(lag) as lag, max(lag) as max_lag,
         max(time_lag_seconds) as time_lag_seconds, max(commit_time) as commit_time
  from offsets
  where cluster = :cluster and group_id = :group_id
  group by topic
)
select * from topics order by lag desc nulls last, topic
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What a group went through in a window.

    Attributes:
        since: begin of the window.
        until: its end.
        rebalances: rows of ``rebalances``, the newest first; one for each generation.
        drift: rows of ``drift`` for the reference policy, the oldest first; the first may lie
            before the window, so that it is known how the group came into it.
    """

    since: datetime
    until: datetime
    rebalances: Sequence[Row]
    drift: Sequence[Row]

    @property
    def settled(self) -> list[Row]:
        """The rebalances that settled, the newest first."""
        return [row for row in self.rebalances if row["settled"]]

    @property
    def churn(self) -> int:
        """Partitions that changed owner in the window."""
        return sum(row["churn"] or 0 for row in self.settled)

    @property
    def avoidable_churn(self) -> int:
        """Those of them that need not have, rebalance by rebalance."""
        return sum(row["avoidable_churn"] or 0 for row in self.settled)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offsets:
    """Commits and lag of a group.

    Attributes:
        topics: sums by topic, the largest lag first.
        partitions: the partitions with the largest lag, at most `PARTITIONS_SHOWN`.
    """

    topics: Sequence[Row]
    partitions: Sequence[Row]

    @property
    def partition_count(self) -> int:
        """Partitions with a commit."""
        return sum(row["partitions"] for row in self.topics)


@dataclass(frozen=True, slots=True)
class GroupTables:
    """Queries about one group.

    Attributes:
        reader: the tables.
        cluster: the group's cluster.
        group_id: the group.
    """

    reader: TableReader
    cluster: str
    group_id: str

    def history(self, *, since: datetime, until: datetime) -> History:
        """Rebalances and drift since a time."""
        return History(
            since=since,
            until=until,
            rebalances=_once(self._rows(_REBALANCES, since=since)),
            drift=self._rows(_DRIFT, since=since),
        )

    def policies(self, generation: int) -> list[Row]:
        """Distance from each policy's ideal at a generation, the reference policy's first."""
        rows = self._rows(_POLICIES, generation=generation)
        last = max((row["event_time"] for row in rows), default=None)
        return [row for row in rows if row["event_time"] == last]

    def standing(self, generation: int) -> Row | None:
        """The measures at a generation, under the reference policy."""
        return next(iter(self._rows(_STANDING, generation=generation)), None)

    def offsets(self) -> Offsets:
        """Commits and lag now."""
        return Offsets(
            topics=self._rows(_OFFSET_TOTALS),
            partitions=self._rows(_OFFSETS, limit=PARTITIONS_SHOWN),
        )

    def _rows(self, sql: str, **values: Value) -> list[Row]:
        return self.reader.rows(sql, cluster=self.cluster, group_id=self.group_id, **values)


def _once(rows: Sequence[Row]) -> list[Row]:
    """One row per generation: the settled one replaces the one written before it settled."""
    settled = {row["generation"] for row in rows if row["settled"]}
    return [row for row in rows if row["settled"] or row["generation"] not in settled]
