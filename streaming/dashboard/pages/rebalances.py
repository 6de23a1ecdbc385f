"""Rebalances of all groups in a window, the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streaming.dashboard.activity import Bucket, timeline, window_start
from streaming.dashboard.query import choice, text, whole
from streaming.tables.reader import Value, like

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from streaming.dashboard.site import Site

Row = dict[str, Any]
PAGE_SIZE = 50
CAUSES = (
    "first",
    "joined",
    "left",
    "timed_out",
    "restarted",
    "subscription",
    "partitions",
    "assignor",
    "protocol",
    "emptied",
    "unknown",
)

_WHERE = """
from rebalances
where event_time >= :since
  and (:cluster = '' or cluster = :cluster)
  and (:cause = '' or cause = :cause)
  and (:wasteful = false or avoidable_churn > 0)
  and lower(group_id) like :group escape '\\'
"""
_COUNT = f"select count(*) as n {_WHERE}"
_ROWS = f"""
select cluster, group_id, generation, event_time, duration_seconds, settled, protocol, assignor,
       cause, causes, joined, "left", member_count, partition_count, policy, churn,
       necessary_churn, avoidable_churn, revoked, episode, episode_rebalances
{_WHERE}
order by event_time desc, cluster, group_id
limit :limit offset :offset
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebalances:
    """What the page of rebalances shows.

    Attributes:
        now: time of the answer.
        window: how far back it goes.
        search: part of the group's id.
        cluster: only this one; '' for all.
        cause: only this one; '' for all.
        wasteful: only those with avoidable churn.
        clusters: all clusters.
        timeline: rebalances by time, whatever the search.
        rows: rebalances of this page.
        found: rebalances over all pages.
        page: number of this page, from 1.
        pages: number of pages, at least 1.
    """

    now: datetime
    window: str
    search: str
    cluster: str
    cause: str
    wasteful: bool
    clusters: Sequence[str]
    timeline: Sequence[Bucket]
    rows: Sequence[Row]
    found: int
    page: int
    pages: int


def rebalances(site: Site, query: Mapping[str, str]) -> Rebalances:
    """Make the page.

    Args:
        site: the tables.
        query: q (part of a group's id), cluster, cause, wasteful, window, page.

    Raises:
        TablesError: the tables cannot be read.
    """
    window = site.window(query)
    clusters = site.groups(window).clusters()
    cluster = choice(query, "cluster", clusters, "")
    cause = choice(query, "cause", CAUSES, "")
    search, wasteful = text(query, "q"), query.get("wasteful") == "1"
    values: dict[str, Value] = {
        "since": window_start(window, site.clock()),
        "cluster": cluster,
        "cause": cause,
        "wasteful": wasteful,
        "group": like(f"*{search.lower()}*"),
    }
    found, page, rows = _page(site, values, max(1, whole(query, "page", 1)))
    return Rebalances(
        now=site.clock(),
        window=window,
        search=search,
        cluster=cluster,
        cause=cause,
        wasteful=wasteful,
        clusters=clusters,
        timeline=_timeline(site, window, cluster),
        rows=rows,
        found=found,
        page=page,
        pages=_pages(found),
    )


def _page(site: Site, values: dict[str, Value], wanted: int) -> tuple[int, int, list[Row]]:
    basis = site.basis("rebalances")

    def count() -> int:
        return int(site.reader.rows(_COUNT, **values)[0]["n"])

    found = site.kept(("rebalances", *values.items()), count, basis=basis)
    page = min(wanted, _pages(found))

    def load() -> list[Row]:
        offset = (page - 1) * PAGE_SIZE
        return site.reader.rows(_ROWS, limit=PAGE_SIZE, offset=offset, **values)

    rows = site.kept(("rebalances", page, *values.items()), load, basis=basis)
    return found, page, rows


def _pages(found: int) -> int:
    return max(1, -(-found // PAGE_SIZE))


def _timeline(site: Site, window: str, cluster: str) -> list[Bucket]:
    return site.kept(
        ("timeline", window, cluster),
        lambda: timeline(site.reader, window=window, now=site.clock(), cluster=cluster),
        basis=site.basis("rebalances"),
    )
