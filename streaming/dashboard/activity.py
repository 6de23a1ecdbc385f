"""What happened over a window of time: rebalances and moves, over all groups and by time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streaming.tables.reader import TableReader

WINDOWS: dict[str, tuple[timedelta, timedelta]] = {
    "1h": (timedelta(hours=1), timedelta(minutes=1)),
    "6h": (timedelta(hours=6), timedelta(minutes=5)),
    "24h": (timedelta(hours=24), timedelta(minutes=15)),
    "7d": (timedelta(days=7), timedelta(hours=2)),
}
"""Windows that a page can show: length, and the width of one bar of its timeline."""
LONGEST_DEFAULT = "24h"

# A rebalance that did not settle in time has a second row once it has; only that one counts.
_TIMELINE = """
select cast(floor((extract(epoch from event_time) - :start) / :width) as bigint) as bucket,
       count(*) as rebalances,
       count(*) filter (where avoidable_churn > 0) as wasteful,
       count(distinct group_id) as groups,
       cast(coalesce(sum(churn), 0) as bigint) as churn,
       cast(coalesce(sum(avoidable_churn), 0) as bigint) as avoidable_churn
from rebalances
where settled and event_time >= :since and event_time < :until
  and (:cluster = '' or cluster = :cluster)
group by 1
"""


_FIRST = "select min(event_time) as first_time from rebalances"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Rebalances within one stretch of time.

    Attributes:
        start: begin of the stretch, UTC.
        end: its end.
        rebalances: settled rebalances.
        wasteful: those of them with avoidable churn.
        groups: groups they happened in.
        churn: partitions that changed owner.
        avoidable_churn: those that need not have.
    """

    start: datetime
    end: datetime
    rebalances: int = 0
    wasteful: int = 0
    groups: int = 0
    churn: int = 0
    avoidable_churn: int = 0


def usual_window(reader: TableReader, *, now: datetime) -> str:
    """The shortest window that holds all that is recorded, but not beyond `LONGEST_DEFAULT`."""
    [row] = reader.rows(_FIRST)
    first = row["first_time"] or now
    for window in WINDOWS:
        if window == LONGEST_DEFAULT or first >= window_start(window, now):
            return window
    return LONGEST_DEFAULT


def window_start(window: str, now: datetime) -> datetime:
    """Begin of a window that ends with the bar in which ``now`` lies."""
    length, width = WINDOWS[window]
    return _next_edge(now, width) - length


def timeline(reader: TableReader, *, window: str, now: datetime, cluster: str) -> list[Bucket]:
    """Rebalances of the window, bar by bar, also where there were none.

    Args:
        reader: the tables.
        window: key of `WINDOWS`.
        now: end of the window.
        cluster: only this one; '' for all.
    """
    length, width = WINDOWS[window]
    since = window_start(window, now)
    rows = reader.rows(
        _TIMELINE,
        since=since,
        until=since + length,
        start=since.timestamp(),
        width=width.total_seconds(),
        cluster=cluster,
    )
    found = {row.pop("bucket"): row for row in rows}
    edges = [since + width * place for place in range(length // width + 1)]
    return [
        Bucket(start=start, end=end, **found.get(place, {}))
        for place, (start, end) in enumerate(pairwise(edges))
    ]


def _next_edge(now: datetime, width: timedelta) -> datetime:
    seconds = width.total_seconds()
    return datetime.fromtimestamp((now.timestamp() // seconds + 1) * seconds, now.tzinfo)
