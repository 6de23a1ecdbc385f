"""A monitored group as the tables hold it: members, partitions, owners."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assignors import Member, Partition, Problem
from streaming.errors import MonitorError

if TYPE_CHECKING:
    from datetime import datetime

    from streaming.tables.reader import TableReader, Value

Owners = Mapping[Partition, str | None]
"""Owner of each partition by member id; None where there is none."""

_ASSIGNMENT = """
select topic, partition, member_id, previous_member_id, ideal_member_id, event_time
from assignments
where cluster = :cluster and group_id = :group_id and generation = :generation
order by topic, partition
"""
_MEMBERS = """
select member_id, instance_id, client_id, client_host, rack, topics, partition_count,
       ideal_partition_count, gained_count, lost_count, lag, event_time
from member_load
where cluster = :cluster and group_id = :group_id and generation = :generation
order by member_id
"""


class AssignmentMissingError(MonitorError):
    """The tables do not hold the assignment that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveMember:
    """One member of a settled generation; see ``member_load``.

    Attributes:
        member_id: member id.
        instance_id: ``group.instance.id`` of a static member.
        client_id: ``client.id``.
        client_host: host as the coordinator saw it.
        rack: ``client.rack``.
        topics: subscription.
        partition_count: partitions owned.
        ideal_partition_count: partitions under the reference policy's ideal.
        gained_count: partitions that it did not have before.
        lost_count: partitions that it had before.
        lag: records behind, None if unknown.
    """

    member_id: str
    instance_id: str | None
    client_id: str | None
    client_host: str | None
    rack: str | None
    topics: tuple[str, ...]
    partition_count: int
    ideal_partition_count: int
    gained_count: int
    lost_count: int
    lag: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveGroup:
    """A group at one settled generation.

    Attributes:
        cluster: its cluster.
        group_id: its id.
        generation: generation or target epoch.
        time: when it settled.
        members: its members, by member id.
        topics: partitions of each subscribed topic.
        live: owners now.
        previous: owners at the settled generation before.
        ideal: owners under the reference policy.
    """

    cluster: str
    group_id: str
    generation: int
    time: datetime
    members: tuple[LiveMember, ...]
    topics: Mapping[str, int]
    live: Owners
    previous: Owners
    ideal: Owners


def read_group(reader: TableReader, *, cluster: str, group_id: str, generation: int) -> LiveGroup:
    """Read a group's assignment at a settled generation.

    Raises:
        AssignmentMissingError: the tables hold no assignment of that generation.
    """
    key: dict[str, Value] = {"cluster": cluster, "group_id": group_id, "generation": generation}
    partitions = _newest(reader.rows(_ASSIGNMENT, **key))
    members = _newest(reader.rows(_MEMBERS, **key))
    if not partitions and not members:
        raise AssignmentMissingError(
            f"The tables hold no assignment of {group_id} at generation {generation}: it was "
            "never settled, or is older than `maintenance` keeps."
        )
    return LiveGroup(
        cluster=cluster,
        group_id=group_id,
        generation=generation,
        time=(partitions or members)[0]["event_time"],
        members=tuple(_member(row) for row in members),
        topics=_counts(partitions),
        live=_owners(partitions, "member_id"),
        previous=_owners(partitions, "previous_member_id"),
        ideal=_owners(partitions, "ideal_member_id"),
    )


def as_members(group: LiveGroup) -> dict[str, Member]:
    """The members as an assignor sees them, owning what they own now."""
    owned: dict[str, list[Partition]] = {member.member_id: [] for member in group.members}
    for partition, owner in group.live.items():
        if owner in owned:
            owned[owner].append(partition)
    return {
        member.member_id: Member(
            topics=member.topics,
            owned=tuple(owned[member.member_id]),
            generation=group.generation,
            instance_id=member.instance_id,
            rack=member.rack,
        )
        for member in group.members
    }


def as_problem(group: LiveGroup, *, join_sets: Sequence[Collection[str]] | None = None) -> Problem:
    """The problem of keeping what the group has: previous owners are the live ones."""
    return Problem.build(group.topics, as_members(group), join_sets=join_sets)


def _newest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the last writing: a group that was deleted begins again at generation 1."""
    last = max((row["event_time"] for row in rows), default=None)
    return [row for row in rows if row["event_time"] == last]


def _member(row: dict[str, Any]) -> LiveMember:
    return LiveMember(
        member_id=row["member_id"],
        instance_id=row["instance_id"],
        client_id=row["client_id"],
        client_host=row["client_host"],
        rack=row["rack"],
        topics=tuple(row["topics"] or ()),
        partition_count=row["partition_count"] or 0,
        ideal_partition_count=row["ideal_partition_count"] or 0,
        gained_count=row["gained_count"] or 0,
        lost_count=row["lost_count"] or 0,
        lag=row["lag"],
    )


def _counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["topic"]] = max(counts.get(row["topic"], 0), row["partition"] + 1)
    return counts


def _owners(rows: list[dict[str, Any]], column: str) -> dict[Partition, str | None]:
    return {(row["topic"], row["partition"]): row[column] for row in rows}
