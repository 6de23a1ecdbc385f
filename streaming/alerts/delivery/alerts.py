"""The alerts as the table has them, folded from their rows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from streaming.tables.reader import TableReader, TablesNotFoundError

_OVERLAP = timedelta(minutes=10)
"""Read again behind the newest row, in case two micro-batches had the same clock."""

_FIRST = """
SELECT * FROM alerts
WHERE cluster = :cluster AND (event_time > :since OR alert_id IN (
    SELECT alert_id FROM alerts WHERE cluster = :cluster
    GROUP BY alert_id HAVING count(resolved_time) = 0
))
ORDER BY sequence
"""
_NEXT = "SELECT * FROM alerts WHERE cluster = :cluster AND event_time > :since ORDER BY sequence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One alert and how it stands.

    Attributes:
        cluster: name of the Kafka cluster.
        alert_id: its identity.
        rule: name of the rule.
        severity: info, warning or critical.
        group_id: the group; '' for the monitor itself.
        subject: topic or member, '' for the group.
        sequence: of its last row.
        value: in its last row.
        threshold: in its last row.
        summary: the last sentence that was written while it fired.
        outcome: the sentence of its resolution, '' while it fires.
        opened: when it opened.
        resolved: when it resolved, None while it fires.
    """

    cluster: str
    alert_id: str
    rule: str
    severity: str
    group_id: str
    subject: str
    sequence: int
    value: float
    threshold: float
    summary: str
    outcome: str
    opened: datetime
    resolved: datetime | None

    def after(self, newer: "Alert") -> "Alert":
        """This alert after a newer row of it."""
        if newer.resolved is None or newer.sequence <= self.sequence:
            return max(self, newer, key=lambda alert: alert.sequence)
        return replace(newer, summary=self.summary)


class AlertFeed:
    """Reads the ``alerts`` table: first whatever matters, then what is new."""

    def __init__(self, reader: TableReader, *, cluster: str) -> None:
        """Read nothing yet.

        Args:
            reader: the tables.
            cluster: name of the Kafka cluster.
        """
        self._reader = reader
        self._cluster = cluster
        self._version: int | None = None
        self._newest: datetime | None = None

    def poll(self, *, since: datetime) -> dict[str, Alert]:
        """The alerts with rows that were not polled before.

        Args:
            since: of the alerts that resolved before the first poll, those are read that resolved
                later than this.

        Raises:
            TablesError: the tables cannot be read.
        """
        try:
            version = self._reader.refresh().get("alerts")
        except TablesNotFoundError:
            return {}
        if version == self._version:
            return {}
        rows = self._rows(since)
        self._version = version
        times = [row["event_time"] for row in rows]
        self._newest = max(times, default=self._newest)
        return fold(rows)

    def _rows(self, since: datetime) -> list[dict[str, Any]]:
        if self._newest is None:
            return self._reader.rows(_FIRST, cluster=self._cluster, since=since)
        return self._reader.rows(_NEXT, cluster=self._cluster, since=self._newest - _OVERLAP)


def fold(rows: Iterable[Mapping[str, Any]]) -> dict[str, Alert]:
    """Alerts by id from their rows, which come in order of `sequence`."""
    found: dict[str, Alert] = {}
    for row in rows:
        alert = _from_row(row)
        known = found.get(alert.alert_id)
        found[alert.alert_id] = known.after(alert) if known else alert
    return found


def _from_row(row: Mapping[str, Any]) -> Alert:
    resolved = row["resolved_time"] is not None
    return Alert(
        cluster=row["cluster"],
        alert_id=row["alert_id"],
        rule=row["rule"],
        severity=row["severity"],
        group_id=row["group_id"] or "",
        subject=row["subject"] or "",
        sequence=row["sequence"],
        value=row["value"],
        threshold=row["threshold"],
        summary=row["summary"],
        outcome=row["summary"] if resolved else "",
        opened=row["opened_time"],
        resolved=row["resolved_time"],
    )
