"""What the tests of delivery share: alerts, rows of the table, a sink that notes what it got."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

from streaming.alerts.delivery.alerts import Alert
from streaming.alerts.delivery.outbox import Notice, Repeating
from streaming.alerts.delivery.sinks import SinkError
from streaming.tables.schemas import ALERTS

START = datetime(2026, 3, 14, 2, 0, tzinfo=UTC)
EVERY_MINUTE = Repeating(every=timedelta(seconds=60), at_least=timedelta(seconds=45))


def alert(
    number: int, *, opened: datetime = START, resolved: datetime | None = None, **changed: Any
) -> Alert:
    values = {
        "cluster": "shop",
        "alert_id": f"unfair-{number}",
        "rule": "unfair",
        "severity": "warning",
        "group_id": f"group-{number}",
        "subject": "",
        "sequence": 0 if resolved is None else 1,
        "value": 1.0,
        "threshold": 0.0,
        "summary": "It is unfair.",
        "outcome": "" if resolved is None else "Over after 3 min.",
        "opened": opened,
        "resolved": resolved,
    }
    return Alert(**(values | changed))


def row(number: int, *, at: datetime = START, **changed: Any) -> dict[str, Any]:
    """A row of the table; `at` is its time, and that of the opening unless changed."""
    values = {
        "cluster": "shop",
        "alert_id": f"unfair-{number}",
        "sequence": 0,
        "status": "opened",
        "rule": "unfair",
        "severity": "warning",
        "group_id": f"group-{number}",
        "subject": "",
        "value": 1.0,
        "threshold": 0.0,
        "summary": "It is unfair.",
        "opened_time": at,
        "resolved_time": None,
        "event_time": at,
        "processed_time": at,
        "batch_id": 0,
    }
    return values | changed


def resolution(number: int, *, opened: datetime, at: datetime, sequence: int = 1) -> dict[str, Any]:
    return row(
        number,
        at=at,
        opened_time=opened,
        resolved_time=at,
        sequence=sequence,
        status="resolved",
        summary="Over after 3 min.",
    )


def append(location: Path, *rows: dict[str, Any]) -> None:
    table = pa.Table.from_pylist(list(rows), schema=ALERTS.schema)
    write_deltalake(location / "alerts", table, mode="append")


class NotingSink:
    """Takes what it is sent while it is up."""

    name = "noting"

    def __init__(self, repeating: Repeating | None = None) -> None:
        self.repeating = repeating
        self.up = True
        self.restarted = False
        self.got: list[tuple[str, str]] = []

    def has_forgotten(self) -> bool:
        if not self.up:
            raise SinkError("down")
        forgotten, self.restarted = self.restarted, False
        return forgotten

    def lot(self, waiting: int) -> int:
        return min(waiting, 3)

    def send(self, notices: Sequence[Notice]) -> None:
        if not self.up:
            raise SinkError("down")
        self.got += [(notice.kind, notice.alert.alert_id) for notice in notices]

    def close(self) -> None:
        """Nothing to let go of."""
