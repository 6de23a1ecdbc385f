"""Read a group's recorded life from the Delta tables."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from streaming.advice.history import Generation, History, MemberName
from streaming.groups.snapshot import MemberView, Snapshot
from streaming.tables.reader import TableReader

_MOST_PARTITIONS = 400_000
"""Partitions read at most, summed over the generations: about a second of replays."""

_REBALANCES = """
SELECT generation, previous_generation, batch_id, group_type, protocol, assignor, cause, causes,
       joined, "left", churn, necessary_churn, revoked, partition_count, event_time, started_time
FROM rebalances
WHERE cluster = :cluster AND group_id = :group AND settled
ORDER BY event_time DESC, generation DESC
LIMIT :limit
"""
_MEMBERS = """
SELECT generation, batch_id, member_id, instance_id, client_id, client_host, rack, topics
FROM member_load
WHERE cluster = :cluster AND group_id = :group AND batch_id IN :batches
"""
_OWNERS = """
SELECT generation, batch_id, topic, member_id, array_agg(partition) AS partitions
FROM assignments
WHERE cluster = :cluster AND group_id = :group AND batch_id IN :batches
GROUP BY generation, batch_id, topic, member_id
"""

_Row = dict[str, Any]
_Key = tuple[int, int]


def load_history(
    reader: TableReader,
    *,
    cluster: str,
    group_id: str,
    generations: int = 200,
) -> History:
    """Read the last settled generations of a group.

    What the tables do not hold (`History.join_sets`, `History.broker_assigns`) the caller may add
    with `dataclasses.replace`.

    Args:
        reader: the tables.
        cluster: name of the Kafka cluster.
        group_id: the group.
        generations: how many at most; fewer for groups with very many partitions.

    Raises:
        TablesError: the tables cannot be read.
    """
    rows = _bounded(
        reader.rows(_REBALANCES, cluster=cluster, group=group_id, limit=generations + 1)
    )
    found: tuple[Generation, ...] = ()
    if rows:
        batches = sorted({row["batch_id"] for row in rows})
        members = reader.rows(_MEMBERS, cluster=cluster, group=group_id, batches=batches)
        owners = reader.rows(_OWNERS, cluster=cluster, group=group_id, batches=batches)
        found = _generations(rows, members, owners)
    return History(cluster=cluster, group_id=group_id, generations=found)


def _bounded(newest_first: Iterable[_Row]) -> list[_Row]:
    """As many of the newest as stay within the bound of partitions, oldest first."""
    kept: list[_Row] = []
    partitions = 0
    for row in newest_first:
        partitions += row["partition_count"] or 0
        if kept and partitions > _MOST_PARTITIONS:
            break
        kept.append(row)
    return kept[::-1]


def _generations(
    rows: list[_Row], members: list[_Row], owners: list[_Row]
) -> tuple[Generation, ...]:
    members_of = _by_key(members)
    owners_of = _by_key(owners)
    return tuple(
        _generation(
            row,
            _snapshot(row, members_of[_key(row)], owners_of[_key(row)]),
            first=number == 0 or row["previous_generation"] is None,
        )
        for number, row in enumerate(rows)
    )


def _key(row: _Row) -> _Key:
    # A group that was removed and made anew counts its generations from one again.
    return (row["batch_id"], row["generation"])


def _by_key(rows: list[_Row]) -> defaultdict[_Key, list[_Row]]:
    found: defaultdict[_Key, list[_Row]] = defaultdict(list)
    for row in rows:
        found[_key(row)].append(row)
    return found


def _generation(row: _Row, snapshot: Snapshot, *, first: bool) -> Generation:
    return Generation(
        snapshot=snapshot,
        started_ms=_milliseconds(row["started_time"] or row["event_time"]),
        cause=row["cause"] or "unknown",
        causes=tuple(row["causes"] or ()),
        joined=_names(row["joined"]),
        left=_names(row["left"]),
        churn=row["churn"] or 0,
        necessary_churn=row["necessary_churn"] or 0,
        revoked=row["revoked"] or 0,
        first=first,
    )


def _snapshot(row: _Row, members: list[_Row], owners: list[_Row]) -> Snapshot:
    counts: defaultdict[str, int] = defaultdict(int)
    assigned: defaultdict[str, dict[str, tuple[int, ...]]] = defaultdict(dict)
    for held in owners:
        counts[held["topic"]] = max(counts[held["topic"]], 1 + max(held["partitions"]))
        if held["member_id"] is not None:
            assigned[held["member_id"]][held["topic"]] = tuple(sorted(held["partitions"]))
    views = [_member(member, assigned[member["member_id"]]) for member in members]
    return Snapshot(
        generation=row["generation"],
        time_ms=_milliseconds(row["event_time"]),
        group_type=row["group_type"],
        protocol=row["protocol"] or "",
        assignor=row["assignor"] or "",
        members=tuple(sorted(views, key=lambda view: view.order)),
        counts=dict(counts),
    )


def _member(row: _Row, assigned: dict[str, tuple[int, ...]]) -> MemberView:
    return MemberView(
        member_id=row["member_id"],
        instance_id=row["instance_id"],
        client_id=row["client_id"] or "",
        client_host=row["client_host"] or "",
        rack=row["rack"],
        topics=tuple(row["topics"] or ()),
        session_timeout_ms=0,
        assigned=assigned,
    )


def _names(rows: list[_Row] | None) -> tuple[MemberName, ...]:
    return tuple(
        MemberName(
            row["member_id"],
            row["instance_id"],
            row["client_id"] or "",
            row["client_host"] or "",
        )
        for row in rows or ()
    )


def _milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)
