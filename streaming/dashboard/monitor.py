"""Whether the monitor itself keeps up: what is on the pages is as old as its last batch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from streaming.dashboard.words import counted, duration, number

if TYPE_CHECKING:
    from streaming.tables.reader import TableReader

SILENT_SECONDS = 60.0
"""Without a batch for so long, the monitor counts as stopped."""
BEHIND_SECONDS = 60.0
"""Records read so long after they were written, the monitor counts as behind."""

# `batches` grows by one small file per batch: the nearest look-back that holds one is enough.
_LOOKBACKS = (timedelta(minutes=10), timedelta(days=1), timedelta(days=36_500))
_BATCHES = """
select cluster,
       max(event_time) as last_time,
       first_value(seconds order by event_time desc) as seconds,
       first_value(behind_seconds order by event_time desc) as behind_seconds,
       first_value(behind_records order by event_time desc) as behind_records
from batches
where event_time >= :since
group by cluster order by cluster
"""
_DEAD_LETTERS = "select count(*) as n from dead_letters where processed_time >= :since"


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """The monitor of one cluster, by its last batch.

    Attributes:
        cluster: monitored cluster.
        last_time: when its last batch began.
        age_seconds: seconds since then.
        seconds: how long that batch took.
        behind_seconds: age of the newest record it read; None if it read none.
        behind_records: records not yet read when it began.
    """

    cluster: str
    last_time: datetime
    age_seconds: float
    seconds: float
    behind_seconds: float | None
    behind_records: int | None

    @property
    def warning(self) -> str:
        """What is wrong with it and what to do, in words; '' if nothing is."""
        if self.age_seconds > SILENT_SECONDS:
            return (
                f"The monitor of {self.cluster} has written nothing for "
                f"{duration(self.age_seconds)}: everything here is as of then. See whether "
                "`rebalance-monitor run` is still running; `rebalance-monitor check` says more."
            )
        if (self.behind_seconds or 0) > BEHIND_SECONDS:
            return (
                f"The monitor of {self.cluster} is {duration(self.behind_seconds)} behind, with "
                f"{counted(self.behind_records or 0, 'record')} to read. Its batches take "
                f"{number(round(self.seconds, 1))} s: give it more cores, or fewer, larger batches."
            )
        return ""


def monitors(reader: TableReader, *, now: datetime) -> list[Monitor]:
    """The monitors that wrote these tables, by cluster."""
    rows: list[dict[str, Any]] = []
    for lookback in _LOOKBACKS:
        rows = rows or reader.rows(_BATCHES, since=now - lookback)
    return [
        Monitor(
            cluster=row["cluster"],
            last_time=row["last_time"],
            age_seconds=max(0.0, (now - row["last_time"]).total_seconds()),
            seconds=row["seconds"] or 0.0,
            behind_seconds=row["behind_seconds"],
            behind_records=row["behind_records"],
        )
        for row in rows
    ]


def dead_letters_last_day(reader: TableReader, *, now: datetime) -> int:
    """Records that could not be read within the last 24 hours."""
    return int(reader.rows(_DEAD_LETTERS, since=now - timedelta(days=1))[0]["n"])
