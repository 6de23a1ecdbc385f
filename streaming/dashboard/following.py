"""Rebalances as they are written: what is new since the last look."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streaming.tables.reader import TableReader, Value, like

if TYPE_CHECKING:
    from datetime import datetime

Row = dict[str, Any]

_NEW = """
select cluster, group_id, group_type, generation, event_time, processed_time, duration_seconds,
       settled, protocol, assignor, cause, causes, joined, "left", member_count, partition_count,
       policy, churn, necessary_churn, avoidable_churn, revoked, episode, episode_rebalances
from rebalances
where group_id like :group escape '\\' and ({new})
order by processed_time, event_time, cluster, group_id, settled
"""


@dataclass(slots=True)
class Follower:
    """Gives each rebalance once, in the order in which they were written.

    A look that finds the table's Delta version unchanged reads nothing.

    Attributes:
        reader: the tables.
        since: rebalances written later than this are new.
        group: pattern of group ids, with ``*`` and ``?``.
    """

    reader: TableReader
    since: datetime
    group: str = "*"
    _version: int | None = None
    _seen: dict[str, datetime] = field(default_factory=dict)

    def look(self) -> list[Row]:
        """The rebalances that are new, the oldest first.

        Raises:
            TablesError: there are no tables, or they cannot be read.
        """
        version = self.reader.refresh().get("rebalances")
        if version is None or version == self._version:
            return []
        self._version = version
        rows = self._read()
        self._seen |= {row["cluster"]: row["processed_time"] for row in rows}
        return rows

    def _read(self) -> list[Row]:
        # Each cluster has a monitor with a clock of its own: one mark per cluster.
        values: dict[str, Value] = {"since": self.since, "group": like(self.group)}
        known = "cluster not in :clusters and processed_time > :since"
        conditions = [known if self._seen else "processed_time > :since"]
        values["clusters"] = tuple(self._seen)
        for place, (cluster, mark) in enumerate(self._seen.items()):
            conditions.append(f"cluster = :c{place} and processed_time > :t{place}")
            values |= {f"c{place}": cluster, f"t{place}": mark}
        return self.reader.rows(_NEW.format(new=" or ".join(conditions)), **values)
