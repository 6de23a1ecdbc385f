"""All groups at a glance: what is wrong first, then everything, sorted and searched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from streaming.dashboard.activity import Bucket, timeline
from streaming.dashboard.groups import ILL, SORTS, Page, Selection, Totals
from streaming.dashboard.health import Level
from streaming.dashboard.monitor import Monitor, dead_letters_last_day, monitors
from streaming.dashboard.query import choice, text, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from streaming.dashboard.site import Site

Row = dict[str, Any]
ATTENTION = 5
LEVELS = (ILL, *(level.word for level in reversed(Level)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the overview shows.

    Attributes:
        now: time of the answer.
        window: over which rebalances and moves are counted.
        selection: what was asked for.
        clusters: all clusters in the tables.
        totals: sums over the selected cluster.
        attention: the worst groups, if anything is wrong with them.
        page: the groups of this page.
        timeline: rebalances by time.
        alerts: open alerts.
        monitors: the monitors that write the tables.
        dead_letters_last_day: records that could not be read.
    """

    now: datetime
    window: str
    selection: Selection
    clusters: Sequence[str]
    totals: Totals
    attention: Sequence[Row]
    page: Page
    timeline: Sequence[Bucket]
    alerts: Sequence[Row]
    monitors: Sequence[Monitor]
    dead_letters_last_day: int


def overview(site: Site, query: Mapping[str, str]) -> Overview:
    """Make the overview.

    Args:
        site: the tables.
        query: q (search), cluster, level, sort, reverse, page, window.

    Raises:
        TablesError: the tables cannot be read.
    """
    window = site.window(query)
    groups = site.groups(window)
    selection = _selection(query, groups.clusters())
    cluster = selection.cluster
    ill = groups.page(Selection(cluster=cluster, level=ILL), size=ATTENTION)
    return Overview(
        now=site.clock(),
        window=window,
        selection=selection,
        clusters=groups.clusters(),
        totals=groups.totals(cluster),
        attention=ill.rows,
        page=groups.page(selection),
        timeline=_timeline(site, window, cluster),
        alerts=[row for row in site.alerts() if cluster in ("", row["cluster"])],
        monitors=[each for each in watched(site) if cluster in ("", each.cluster)],
        dead_letters_last_day=_dead_letters(site),
    )


def watched(site: Site) -> list[Monitor]:
    """The monitors, their age as of now."""
    found = site.kept(
        "monitors",
        lambda: monitors(site.reader, now=site.clock()),
        basis=site.basis("batches"),
    )
    now = site.clock()
    return [
        replace(each, age_seconds=max(0.0, (now - each.last_time).total_seconds()))
        for each in found
    ]


def _selection(query: Mapping[str, str], clusters: Sequence[str]) -> Selection:
    return Selection(
        search=text(query, "q"),
        cluster=choice(query, "cluster", clusters, ""),
        level=choice(query, "level", LEVELS, ""),
        sort=choice(query, "sort", SORTS, "worst"),
        reverse=query.get("reverse") == "1",
        page=max(1, whole(query, "page", 1)),
    )


def _timeline(site: Site, window: str, cluster: str) -> list[Bucket]:
    return site.kept(
        ("timeline", window, cluster),
        lambda: timeline(site.reader, window=window, now=site.clock(), cluster=cluster),
        basis=site.basis("rebalances"),
    )


def _dead_letters(site: Site) -> int:
    return site.kept(
        "dead letters",
        lambda: dead_letters_last_day(site.reader, now=site.clock()),
        basis=site.basis("dead_letters"),
    )
