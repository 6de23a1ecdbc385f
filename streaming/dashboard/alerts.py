"""Alerts: those that are open, and the history of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streaming.dashboard.health import SEVERITIES, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    return sorted(reader.rows(_OPEN), key=lambda row: (-_level(row), row["opened_time"]))


def alerts_of(reader: TableReader, *, cluster: str, group_id: str) -> list[Row]:
    """The last 20 alerts of a group, open or resolved, the newest first."""
    return reader.rows(_OF_GROUP, cluster=cluster, group_id=group_id)


def levels_by_group(alerts: Iterable[Row]) -> Mapping[tuple[str, str], Level]:
    """The most urgent open alert of each group."""
    levels: dict[tuple[str, str], Level] = {}
    for alert in alerts:
        key = alert["cluster"], alert["group_id"]
        levels[key] = max(levels.get(key, Level.NOTICE), _level(alert))
    return levels


def _level(alert: Row) -> Level:
    return SEVERITIES.get(alert["severity"], Level.WARNING)
