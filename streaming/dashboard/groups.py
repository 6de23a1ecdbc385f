"""All groups with their measures, ranked the worst first; searched, sorted and paged in memory.

`group_state` has one row per group, so one query gives them all; everything after that works on
columns and costs a few milliseconds for ten thousand groups.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.dashboard.alerts import alert_level
from streaming.dashboard.health import Level, judge, levels, problems
from streaming.tables.reader import like

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streaming.tables.reader import TableReader

PAGE_SIZE = 50
Key = tuple[str, str]
"""(cluster, group)."""
Row = dict[str, Any]

_GROUPS = """
with activity as (
  select cluster, group_id,
         count(*) as rebalances,
         count(*) filter (where event_time >= :hour_ago) as rebalances_last_hour,
         sum(churn) as churn,
         sum(necessary_churn) as necessary_churn,
         sum(avoidable_churn) as avoidable_churn
  from rebalances
  where settled and event_time >= :since
  group by cluster, group_id
)
select s.cluster, s.group_id, s.group_type, s.state, s.protocol, s.assignor, s.generation, s.policy,
       s.member_count, s.partition_count, s.drift_count, s.drift_share, s.moves_to_fairest,
       s.balance_score, s.max_minus_min, s.min_load, s.max_load, s.fair, s.fairest,
       s.join_violations, s.topic_skew, s.unassigned_count, s.lag, s.lag_skew,
       s.settled_time, s.last_cause, s.last_churn, s.last_avoidable_churn, s.last_commit_time,
       s.event_time, array_to_string(s.topics, ' ') as topic_names,
       coalesce(a.rebalances, 0) as rebalances,
       coalesce(a.rebalances_last_hour, 0) as rebalances_last_hour,
       cast(coalesce(a.churn, 0) as bigint) as churn,
       cast(coalesce(a.necessary_churn, 0) as bigint) as necessary_churn,
       cast(coalesce(a.avoidable_churn, 0) as bigint) as avoidable_churn
from group_state s
left join activity a on a.cluster = s.cluster and a.group_id = s.group_id
"""

SORTS: dict[str, tuple[str, bool]] = {
    "worst": ("", True),
    "group": ("group_id", False),
    "members": ("member_count", True),
    "partitions": ("partition_count", True),
    "drift": ("drift_share", True),
    "moves": ("moves_to_fairest", True),
    "avoidable": ("avoidable_churn", True),
    "rebalances": ("rebalances_last_hour", True),
    "lag": ("lag", True),
    "settled": ("settled_time", True),
}
"""Sort keys: the column, and whether the natural order is descending."""
ILL = "ill"
"""Level filter: everything from `NOTICE` up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which groups to show, and how.

    Attributes:
        search: words that group, topics or assignor must contain, upper or lower case.
        pattern: pattern of the group's id, with ``*`` and ``?``; '' for all.
        cluster: only this cluster; '' for all.
        level: only groups of this `Level` (its word), or `ILL`; '' for all.
        sort: key of `SORTS`.
        reverse: against the natural order of the sort key.
        page: from 1.
    """

    search: str = ""
    pattern: str = ""
    cluster: str = ""
    level: str = ""
    sort: str = "worst"
    reverse: bool = False
    page: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over the groups of a selection's cluster.

    Attributes:
        groups: groups.
        by_level: groups of each level, by its word.
        members: members.
        partitions: partitions that members subscribe to, counted once per group.
        moves_to_fairest: moves that would make every group fairest.
        unassigned_count: partitions without an owner.
        rebalances: settled rebalances in the window.
        churn: partitions that changed owner in the window.
        avoidable_churn: those that need not have.
        lag: records behind.
    """

    groups: int
    by_level: Mapping[str, int]
    members: int
    partitions: int
    moves_to_fairest: int
    unassigned_count: int
    rebalances: int
    churn: int
    avoidable_churn: int
    lag: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a selection.

    Attributes:
        rows: the groups with their columns, ``level`` and ``problems``.
        found: groups that match, over all pages.
        page: number of this page, from 1.
        pages: number of pages, at least 1.
    """

    rows: list[Row]
    found: int
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class Groups:
    """All groups, in the columns of `_GROUPS`.

    Attributes:
        table: one row per group.
        columns: its columns as arrays, nulls as 0, false or ''.
        verdicts: health rules by code, a boolean per group.
        level: (G,) `Level` of each group, open alerts included.
        alerts: open alerts by group.
    """

    table: pa.Table
    columns: Mapping[str, npt.NDArray[Any]]
    verdicts: Mapping[str, npt.NDArray[np.bool_]]
    level: npt.NDArray[np.int8]
    alerts: Mapping[Key, Sequence[Row]]

    def clusters(self) -> list[str]:
        """Names of the clusters, sorted."""
        return sorted(set(self.columns["cluster"].tolist()))

    def totals(self, cluster: str) -> Totals:
        """Sums over one cluster, or over all with ''."""
        chosen = self._in_cluster(cluster)
        by_level = Counter(self.level[chosen].tolist())

        def total(column: str) -> int:
            return int(self.columns[column][chosen].sum())

        return Totals(
            groups=int(chosen.sum()),
            by_level={level.word: by_level[level] for level in reversed(Level)},
            members=total("member_count"),
            partitions=total("partition_count"),
            moves_to_fairest=total("moves_to_fairest"),
            unassigned_count=total("unassigned_count"),
            rebalances=total("rebalances"),
            churn=total("churn"),
            avoidable_churn=total("avoidable_churn"),
            lag=total("lag"),
        )

    def page(self, selection: Selection, *, size: int = PAGE_SIZE) -> Page:
        """The groups of one page; a page beyond the last gives the last."""
        found = np.flatnonzero(self._matching(selection))
        order = found[self._order(selection, found)]
        pages = max(1, -(-len(order) // size))
        page = min(max(selection.page, 1), pages)
        return Page(
            rows=self.rows(order[(page - 1) * size : page * size]),
            found=len(order),
            page=page,
            pages=pages,
        )

    def rows(self, indexes: Iterable[int]) -> list[Row]:
        """The groups at these positions, with level, problems and open alerts."""
        places = np.asarray(list(indexes), dtype=np.int64)
        rows = cast("list[Row]", self.table.take(pa.array(places)).to_pylist())
        for row, place in zip(rows, places.tolist(), strict=True):
            codes = frozenset(code for code, holds in self.verdicts.items() if holds[place])
            row["level"] = Level(int(self.level[place]))
            row["problems"] = problems(_without_nulls(row), codes)
            row["alerts"] = self.alerts.get((row["cluster"], row["group_id"]), ())
        return rows

    def find(self, key: Key) -> Row | None:
        """One group, or None."""
        mine = (self.columns["cluster"] == key[0]) & (self.columns["group_id"] == key[1])
        return next(iter(self.rows(np.flatnonzero(mine)[:1])), None)

    def _in_cluster(self, cluster: str) -> npt.NDArray[np.bool_]:
        clusters = self.columns["cluster"]
        return clusters == cluster if cluster else np.ones(len(clusters), dtype=np.bool_)

    def _matching(self, selection: Selection) -> npt.NDArray[np.bool_]:
        chosen = self._in_cluster(selection.cluster)
        if selection.level == ILL:
            chosen &= self.level >= Level.NOTICE
        elif selection.level:
            chosen &= self.level == Level[selection.level.upper()]
        if selection.pattern:
            matches = pc.match_like(self.table["group_id"], like(selection.pattern))
            chosen &= matches.to_numpy(zero_copy_only=False)
        for word in selection.search.split():
            chosen &= self._contains(word)
        return chosen

    def _contains(self, word: str) -> npt.NDArray[np.bool_]:
        found = np.zeros(len(self.level), dtype=np.bool_)
        for column in ("group_id", "topic_names", "assignor"):
            matches = pc.match_substring(self.table[column], word, ignore_case=True)
            found |= pc.fill_null(matches, fill_value=False).to_numpy(zero_copy_only=False)
        return found

    def _order(self, selection: Selection, found: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        column, descending = SORTS[selection.sort]
        keys = self._badness(found)
        if column:
            values = self.columns[column][found]
            rank = np.unique(values, return_inverse=True)[1]
            keys = (-rank if descending != selection.reverse else rank, *keys)
        elif selection.reverse:
            keys = tuple(-key for key in keys)
        # lexsort takes the most significant key last.
        return np.lexsort((self.columns["group_id"][found].astype(str), *reversed(keys)))

    def _badness(self, found: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], ...]:
        """Sort keys, the most significant first; the smaller the worse."""
        columns = {name: values[found] for name, values in self.columns.items()}
        partitions = np.maximum(columns["partition_count"], 1)
        return (
            -self.level[found],
            -(columns["unassigned_count"] / partitions),
            -(columns["moves_to_fairest"] / partitions),
            -columns["avoidable_churn"],
            -columns["rebalances_last_hour"],
            -columns["lag"],
        )


def load_groups(
    reader: TableReader, *, since: datetime, now: datetime, alerts: Iterable[Row]
) -> Groups:
    """Read all groups.

    Args:
        reader: the tables.
        since: begin of the window over which rebalances and churn are summed.
        now: for the rebalances of the last hour.
        alerts: open alerts, the most urgent first.
    """
    hour_ago = now - timedelta(hours=1)
    table = reader.query(_GROUPS, since=min(since, hour_ago), hour_ago=hour_ago)
    columns = {name: _array(table[name]) for name in table.schema.names}
    verdicts = judge(columns)
    level = levels(columns, verdicts)
    by_group = _by_group(alerts)
    for place, key in enumerate(_keys(columns)) if by_group else ():
        if key in by_group:
            level[place] = max(level[place], alert_level(by_group[key][0]))
    return Groups(table, columns, verdicts, level, by_group)


def _by_group(alerts: Iterable[Row]) -> dict[Key, list[Row]]:
    found: dict[Key, list[Row]] = {}
    for alert in alerts:
        found.setdefault((alert["cluster"], alert["group_id"]), []).append(alert)
    return found


def _keys(columns: Mapping[str, npt.NDArray[Any]]) -> Iterable[Key]:
    return zip(columns["cluster"].tolist(), columns["group_id"].tolist(), strict=True)


def _array(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    kind = column.type
    if pa.types.is_timestamp(kind):
        return _filled(column.cast(pa.int64()), 0)
    return _filled(column, _NOTHING.get(kind, 0))


_NOTHING = {pa.string(): "", pa.bool_(): False, pa.float64(): 0.0}


def _filled(column: pa.ChunkedArray, nothing: object) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = pc.fill_null(column, nothing).to_numpy(zero_copy_only=False)
    return array


def _without_nulls(row: Row) -> Row:
    return {name: 0 if value is None else value for name, value in row.items()}
