"""What is remembered of a group's alerts from one micro-batch to the next."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import orjson

from streaming.settings.alerts import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An alert that fires.

    Attributes:
        alert_id: its identity.
        subject: the topic or member it was about when it opened; it keeps it.
        severity: the rule's when it opened; it keeps it.
        opened_ms: when the condition had held for the rule's duration, milliseconds of Unix time.
        sequence: of its last row.
        value: in its last row.
        told_ms: time of its last row, milliseconds of Unix time.
    """

    alert_id: str
    subject: str
    severity: Severity
    opened_ms: int
    sequence: int
    value: float
    told_ms: int


@dataclass(frozen=True, slots=True)
class Watched:
    """A condition that holds.

    Attributes:
        since_ms: since when, milliseconds of Unix time.
        opened: its alert, None while the rule's duration is not over.
    """

    since_ms: int
    opened: Opened | None = None


@dataclass(frozen=True, slots=True)
class AlertMemory:
    """The conditions of one group that hold, by rule; empty for a healthy group."""

    watched: Mapping[str, Watched] = field(default_factory=dict)

    def to_json(self) -> str:
        """Compact JSON, '' for a healthy group."""
        if not self.watched:
            return ""
        return orjson.dumps(
            {rule: _to_list(watched) for rule, watched in self.watched.items()}
        ).decode()

    @classmethod
    def from_json(cls, text: str) -> "AlertMemory":
        """Read what `to_json` wrote."""
        if not text:
            return HEALTHY
        return cls({rule: _from_list(entry) for rule, entry in orjson.loads(text).items()})

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> "AlertMemory":
        """Take up the alerts of one group from its rows of the ``alerts`` table.

        Args:
            rows: the last row of each alert; those resolved are passed over. Conditions whose
                duration was not over are not in the table: theirs begins anew.
        """
        return cls({row["rule"]: _from_row(row) for row in rows if row["status"] != "resolved"})


HEALTHY = AlertMemory()
"""Nothing holds."""


def _to_list(watched: Watched) -> list[Any]:
    opened = watched.opened
    if opened is None:
        return [watched.since_ms]
    return [
        watched.since_ms,
        opened.alert_id,
        opened.subject,
        opened.severity,
        opened.opened_ms,
        opened.sequence,
        opened.value,
        opened.told_ms,
    ]


def _from_list(entry: list[Any]) -> Watched:
    if len(entry) == 1:
        return Watched(entry[0])
    since_ms, alert_id, subject, severity, opened_ms, sequence, value, told_ms = entry
    return Watched(
        since_ms,
        Opened(
            alert_id=alert_id,
            subject=subject,
            severity=severity,
            opened_ms=opened_ms,
            sequence=sequence,
            value=value,
            told_ms=told_ms,
        ),
    )


def _from_row(row: Mapping[str, Any]) -> Watched:
    opened_ms = milliseconds(row["opened_time"])
    return Watched(
        opened_ms,
        Opened(
            alert_id=row["alert_id"],
            subject=row["subject"],
            severity=cast("Severity", row["severity"]),
            opened_ms=opened_ms,
            sequence=row["sequence"],
            value=row["value"],
            told_ms=milliseconds(row["event_time"]),
        ),
    )


def milliseconds(time: datetime) -> int:
    """Milliseconds of Unix time."""
    return round(time.timestamp() * 1000)
