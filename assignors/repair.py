"""A quick way to the exact ideal, taken where its answer can be seen to be exact.

Most groups can be perfectly even although their subscriptions differ, and after a rebalance they
nearly are. So: keep what is owned, hand the rest to the least loaded, then let single partitions
pass from members with too many to members with too few. The answer stands only if every load is b
or b + 1, so that no assignment is fairer, and as much is kept as those loads allow any assignment
to keep.
"""

from dataclasses import dataclass

import numpy as np

from assignors.parts import Longs, Part
from assignors.problem import IntArray
from assignors.quotas import most_kept
from assignors.water import fill

_PASSES = 256
"""Members that may be brought to their share one by one; beyond, a flow is quicker."""


def repaired(part: Part) -> IntArray | None:
    """The fairest assignment that keeps the most of a part's claims, if found quickly.

    Returns:
        (p,) member that owns each partition; None where that takes a flow.
    """
    claimed = np.bincount(part.claims[part.claims >= 0], minlength=len(part.members))
    draft = _Draft(part, part.claims.copy(), claimed.copy(), len(part.flats) // len(part.members))
    draft.place_free()
    if not draft.even_out():
        return None
    kept = int(np.count_nonzero(draft.owner == part.claims))
    return draft.owner if kept == most_kept(claimed, len(part.flats)) else None


@dataclass(slots=True)
class _Draft:
    """An assignment while it is made.

    Attributes:
        part: What is assigned.
        owner: (p,) owners so far.
        load: (m,) their loads.
        base: The load b that everybody must reach; b + 1 is the most.
    """

    part: Part
    owner: IntArray
    load: Longs
    base: int

    def place_free(self) -> None:
        """Topic by topic, those with the fewest subscribers first, to the least loaded."""
        part = self.part
        free = np.flatnonzero(self.owner < 0)
        waiting = np.bincount(part.topic_of[free], minlength=len(part.counts))
        ends = np.cumsum(waiting)
        sizes = np.bincount(part.class_of, minlength=len(part.subscribes))
        subscribers = sizes @ part.subscribes
        topics = np.flatnonzero(waiting)
        for topic in topics[np.argsort(subscribers[topics], kind="stable")].tolist():
            members = part.subscribers(topic)
            takers = members[fill(self.load[members], int(waiting[topic]))]
            self.owner[free[ends[topic] - waiting[topic] : ends[topic]]] = takers
            self.load += np.bincount(takers, minlength=len(self.load))

    def even_out(self) -> bool:
        """Move single partitions.

        Returns:
            Whether all loads are now `base` or `base` + 1.
        """
        low = np.flatnonzero(self.load < self.base)
        high = np.flatnonzero(self.load > self.base + 1)
        if len(low) + len(high) > _PASSES:
            return False
        for member in low.tolist():
            self._fill_up(member)
        for member in high.tolist():
            self._pass_on(member)
        return bool(self.load.min() >= self.base and self.load.max() <= self.base + 1)

    def _fill_up(self, member: int) -> None:
        """Bring a member up to `base` with partitions of those that have more."""
        wanted = self.part.subscribes[self.part.class_of[member]][self.part.topic_of]
        offered = np.flatnonzero((self.load > self.base)[self.owner] & wanted)
        taken = self._cheapest(offered)[: self.base - int(self.load[member])]
        self.load -= np.bincount(self.owner[taken], minlength=len(self.load))
        self.load[member] += len(taken)
        self.owner[taken] = member

    def _cheapest(self, offered: Longs) -> Longs:
        """The offered partitions in the order in which they had best be moved.

        Those that were not kept anyway come first, then those of the most loaded. No member gives
        more than it has above `base`.
        """
        order = np.lexsort((self._kept(offered), self.owner[offered]))
        offered = offered[order]
        giver = self.owner[offered]
        rank = np.arange(len(giver)) - np.searchsorted(giver, giver)
        above = self.load[giver] - self.base
        given = rank < above
        offered, height = offered[given], (above - rank)[given]
        return offered[np.lexsort((-height, self._kept(offered)))]

    def _pass_on(self, member: int) -> None:
        """Bring a member down to `base` + 1, partition by partition, to whoever may have them."""
        held = np.flatnonzero(self.owner == member)
        for flat in held[np.argsort(self._kept(held), kind="stable")].tolist():
            if self.load[member] <= self.base + 1:
                return
            able = self.part.subscribers(int(self.part.topic_of[flat]))
            taker = int(able[np.argmin(self.load[able])])
            if self.load[taker] <= self.base:
                self.owner[flat] = taker
                self.load[taker] += 1
                self.load[member] -= 1

    def _kept(self, flats: Longs) -> IntArray:
        """1 where a partition is with the member that claims it."""
        kept: IntArray = (self.part.claims[flats] == self.owner[flats]).astype(np.int32)
        return kept
