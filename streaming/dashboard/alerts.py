"""Alerts: those that are open, and the history of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streaming.dashboard.health import SEVERITIES, Level

if TYPE_CHECKING:
    from streaming.tables.reader import TableReader

Row = dict[str, Any]

_OPEN = """
with last as (
  select *, row_number() over (partition by cluster, alert_id order by sequence desc) as place
  from alerts
)
select cluster, alert_id, status, rule, severity, group_id, subject, value, threshold, summary,
       opened_time, event_time
from last
where place = 1 and status <> 'resolved'
"""
_OF_GROUP = """
with last as (
  select *, row_number() over (partition by alert_id order by sequence desc) as place
  from alerts where cluster = :cluster and group_id = :group_id
)
select alert_id, status, rule, severity, subject, value, threshold, summary, opened_time,
       resolved_time
from last where place = 1 order by opened_time desc limit 20
"""


def open_alerts(reader: TableReader) -> list[Row]:
    """Alerts that are not resolved, the most urgent and then the oldest first."""
    return sorted(reader.rows(_OPEN), key=lambda row: (-alert_level(row), row["opened_time"]))


def alerts_of(reader: TableReader, *, cluster: str, group_id: str) -> list[Row]:
    """The last 20 alerts of a group, open or resolved, the newest first."""
    return reader.rows(_OF_GROUP, cluster=cluster, group_id=group_id)


def alert_level(alert: Row) -> Level:
    """How urgent an alert is."""
    return SEVERITIES.get(alert["severity"], Level.WARNING)
