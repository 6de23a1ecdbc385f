"""What every page needs: the tables, the time, and what was worked out before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from streaming.advice import Advice, advise, load_history
from streaming.dashboard.activity import WINDOWS, usual_window, window_start
from streaming.dashboard.alerts import Row, open_alerts
from streaming.dashboard.cache import VersionCache
from streaming.dashboard.groups import Groups, load_groups
from streaming.dashboard.query import choice
from streaming.tables.reader import TableReader

T = TypeVar("T")
JoinSets = Sequence[Collection[str]] | None
"""Sets of topics that a group joins; None for those co-subscribed with equal counts."""
Adviser = Callable[[TableReader, str, str, JoinSets], Sequence[Advice]]
"""(tables, cluster, group, its joins) to advice, the best first."""
JoinsOf = Callable[[str], JoinSets]
"""Group to the sets of topics it joins."""

REFRESH = timedelta(seconds=0.5)
"""The tables' logs are looked at no more often than this."""


def recorded_advice(
    reader: TableReader, cluster: str, group_id: str, join_sets: JoinSets
) -> Sequence[Advice]:
    """Advice from the group's recorded life."""
    history = load_history(reader, cluster=cluster, group_id=group_id)
    return advise(replace(history, join_sets=join_sets))


def no_joins(_group_id: str) -> None:
    """No sets of joined topics are configured."""


@dataclass(slots=True, kw_only=True)
class Site:
    """The tables behind the pages.

    Attributes:
        reader: the tables.
        clock: the time, UTC.
        advise: gives the advice on a group.
        joins_of: gives the topics that a group joins.
    """

    reader: TableReader
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    advise: Adviser = recorded_advice
    joins_of: JoinsOf = no_joins
    _cache: VersionCache = field(default_factory=VersionCache)
    _versions: dict[str, int] = field(default_factory=dict)
    _refreshed: datetime | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def versions(self) -> dict[str, int]:
        """Delta version of each table, as new as `REFRESH`.

        Raises:
            TablesError: there are no tables, or they cannot be read.
        """
        with self._lock:
            now = self.clock()
            if self._refreshed is None or abs(now - self._refreshed) >= REFRESH:
                self._versions = self.reader.refresh()
                self._refreshed = now
            return self._versions

    def kept(self, key: Hashable, make: Callable[[], T], *, basis: Hashable) -> T:
        """A value worked out before, unless its basis has changed since."""
        return self._cache.get(key, basis, make)

    def basis(self, *tables: str) -> Hashable:
        """Changes with the versions of these tables, and every minute."""
        versions = self.versions()
        minute = int(self.clock().timestamp() // 60)
        return minute, *(versions.get(table) for table in tables)

    def alerts(self) -> list[Row]:
        """Open alerts, the most urgent first."""
        return self.kept("alerts", lambda: open_alerts(self.reader), basis=self.basis("alerts"))

    def window(self, query: Mapping[str, str]) -> str:
        """The window that is asked for, else the usual one; key of `activity.WINDOWS`."""
        return choice(query, "window", WINDOWS, "") or self.usual_window()

    def usual_window(self) -> str:
        """The window of a page that was not asked for another."""
        return self.kept(
            "usual window",
            lambda: usual_window(self.reader, now=self.clock()),
            basis=self.basis("rebalances"),
        )

    def groups(self, window: str) -> Groups:
        """All groups, with what happened to them in a window."""

        def load() -> Groups:
            now = self.clock()
            return load_groups(
                self.reader,
                since=window_start(window, now),
                now=now,
                alerts=self.alerts(),
            )

        basis = self.basis("group_state", "rebalances", "alerts")
        return self.kept(("groups", window), load, basis=basis)
