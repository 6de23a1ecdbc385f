"""The committed offsets of single groups, for the measures and causes of their rebalances."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.groups.machine import GroupMachine
from streaming.groups.snapshot import MemberView, Settlement
from streaming.measuring.measures import Lags

Row = dict[str, Any]
Codes = npt.NDArray[np.int64]
Partition = tuple[str, int]


@dataclass(frozen=True)
class GroupCommits:
    """Offsets of one group; made into mappings when they are asked for.

    Attributes:
        partitions: (n,) topic and partition of each row.
        lag: (n,) records behind, -1 where it is not known.
        time_ms: (n,) time of the last commit.
    """

    topics: npt.NDArray[np.object_] = field(default_factory=lambda: np.empty(0, dtype=object))
    partitions: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    lag: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    time_ms: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @cached_property
    def lags(self) -> Lags:
        """Records behind by (topic, partition), where the end offset is known."""
        behind = zip(self._keys(), self.lag.tolist(), strict=True)
        return {key: lag for key, lag in behind if lag >= 0}

    @cached_property
    def committed_ms(self) -> Mapping[Partition, int]:
        """Time of the last commit by (topic, partition)."""
        return dict(zip(self._keys(), self.time_ms.tolist(), strict=True))

    def _keys(self) -> Iterator[Partition]:
        return zip(self.topics.tolist(), self.partitions.tolist(), strict=True)


NO_COMMITS = GroupCommits()


class CommitIndex:
    """The rows of ``offsets`` of some groups, found by group."""

    def __init__(self, table: pa.Table) -> None:
        """Begin with nothing found.

        Args:
            table: rows of ``offsets``.
        """
        self._table = table.select(_COLUMNS)
        self._found: dict[str, GroupCommits] = {}

    def find(self, groups: Collection[str]) -> None:
        """Find the rows of more groups."""
        new = pa.array([group for group in groups if group not in self._found], pa.string())
        if len(new) and self._table.num_rows:
            mask = pc.is_in(self._table["group_id"], value_set=new)
            self._found.update(_by_group(self._table.filter(mask)))

    def of(self, group_id: str) -> GroupCommits:
        """Offsets of one group; none if it has none, or was not found yet."""
        return self._found.get(group_id, NO_COMMITS)


_COLUMNS = ["group_id", "topic", "partition", "lag", "commit_time"]


def _by_group(rows: pa.Table) -> Iterator[tuple[str, GroupCommits]]:
    if not rows.num_rows:
        return
    codes, groups = _encoded(rows["group_id"])
    topic_codes, topics = _encoded(rows["topic"])
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(groups) + 1))
    names = np.array(topics, dtype=object)[topic_codes[order]]
    partitions = rows["partition"].to_numpy()[order]
    lag = pc.fill_null(rows["lag"], -1).to_numpy()[order]
    times = pc.fill_null(rows["commit_time"].cast(pa.int64()), 0).to_numpy()[order] // 1000
    for number, group in enumerate(groups):
        part = slice(bounds[number], bounds[number + 1])
        yield group, GroupCommits(names[part], partitions[part], lag[part], times[part])


def _encoded(column: pa.ChunkedArray) -> tuple[Codes, list[str]]:
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def last_signs(settlement: Settlement, *known: GroupCommits) -> dict[str, int]:
    """Last offset commit of each member that is gone, before the rebalance began.

    Commits after it are by the new owners and say nothing about the old.

    Args:
        settlement: the rebalance.
        known: offsets of the group, at several moments.

    Returns:
        Milliseconds of Unix time by `MemberView.key`.
    """
    if settlement.previous is None:
        return {}
    began_ms = settlement.phases[0].time_ms
    present = {member.key for member in settlement.snapshot.members}
    gone = [member for member in settlement.previous.members if member.key not in present]
    times = [commits.committed_ms for commits in known if gone and len(commits.time_ms)]
    signs = {
        member.key: max(
            (
                time_ms
                for committed_ms in times
                for partition in _owned(member)
                if (time_ms := committed_ms.get(partition, -1)) <= began_ms
            ),
            default=-1,
        )
        for member in gone
    }
    return {key: time_ms for key, time_ms in signs.items() if time_ms >= 0}


def lags_of_members(machine: GroupMachine, commits: GroupCommits) -> list[tuple[MemberView, int]]:
    """The members that a group has now, each with the records that it is behind."""
    members = machine.settled.members if machine.settled and not machine.emptied else ()
    lags = commits.lags
    return [(member, sum(lags.get(each, 0) for each in _owned(member))) for member in members]


def lag_columns(commits: GroupCommits, behind: Collection[tuple[MemberView, int]]) -> Row:
    """Lag columns of ``group_state``: of the group, and its skew over the members.

    Args:
        commits: of the group.
        behind: as `lags_of_members` gives it.
    """
    lags, shares = commits.lags, [lag for _, lag in behind]
    owned = sum(shares)
    return {
        "lag": sum(lags.values()) if lags else None,
        "lag_skew": max(shares) * len(shares) / owned if owned else (1.0 if shares else None),
        "last_commit_time": int(commits.time_ms.max()) * 1000 if len(commits.time_ms) else None,
    }


def slowest_of(behind: Collection[tuple[MemberView, int]]) -> str:
    """The member that is the furthest behind; '' if no record waits for a member."""
    member, lag = max(behind, key=itemgetter(1), default=(None, 0))
    return member.place if member and lag else ""


def _owned(member: MemberView) -> Iterator[Partition]:
    return ((topic, number) for topic, numbers in member.assigned.items() for number in numbers)
