"""The state of one group, and how a rebalance in it begins, settles or runs out of time.

Settled generations are defined in ``docs/measures.md``: eager, every generation with members;
cooperative, the first in which nothing that had an owner is withheld; KIP-848, when every member
has reached the target epoch and holds its target.
"""

from dataclasses import dataclass, field, replace

from streaming.groups.reconciliation import Reconciliation
from streaming.groups.snapshot import Episode, Phase, Settlement, Snapshot

RECENT_LIMIT = 200
"""Rebalances remembered per group for the rate of the last hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Durations of the configuration, in milliseconds.

    Attributes:
        settle_ms: a rebalance longer than this is written as it stands.
        episode_gap_ms: rebalances closer together share an episode.
    """

    settle_ms: int = 30_000
    episode_gap_ms: int = 60_000


@dataclass(slots=True, kw_only=True)
class Pending:
    """A rebalance under way.

    Attributes:
        started_ms: when its first phase was seen.
        phases: phases so far.
        standing: the assignment of the last phase, None if there is none yet.
        owned: partitions that had an owner before or in any phase, by topic; cooperative only.
        reported: it ran out of time and was written as it stood.
    """

    started_ms: int
    phases: list[Phase] = field(default_factory=list)
    standing: Snapshot | None = None
    owned: dict[str, set[int]] = field(default_factory=dict)
    reported: bool = False


@dataclass(slots=True, kw_only=True)
class Recent:
    """One rebalance of the recent past: when, and the member that set it off ('' if unknown)."""

    time_ms: int
    culprit: str


@dataclass(slots=True, kw_only=True)
class GroupMachine:
    """All that is remembered of one group.

    Attributes:
        group_id: the group.
        group_type: classic, consumer, share or streams.
        protocol_type: ``consumer``, ``connect``, ... of a classic group; the group type otherwise.
        settled: the last settled assignment.
        pending: the rebalance under way.
        episode: the current or last episode.
        emptied: it lost all its members since the last settled assignment.
        removed_ms: when the coordinator removed it; None while it exists.
        reconciliation: members, targets and epochs of a group that the broker assigns.
        opaque_members: members of a group whose assignment is not ours to read (Connect).
        recent: the last rebalances, oldest first.
        rebalances: rebalances since the monitor began.
        record_offset: offset of the last record applied, in its source partition.
        record_time_ms: timestamp of that record.
    """

    group_id: str
    group_type: str = "classic"
    protocol_type: str = ""
    settled: Snapshot | None = None
    pending: Pending | None = None
    episode: Episode | None = None
    emptied: bool = False
    removed_ms: int | None = None
    reconciliation: Reconciliation | None = None
    opaque_members: int = 0
    recent: list[Recent] = field(default_factory=list)
    rebalances: int = 0
    record_offset: int = -1
    record_time_ms: int = -1

    def already_applied(self, *, offset: int, time_ms: int) -> bool:
        """Whether a record was applied before: a new checkpoint over old tables reads it again."""
        return offset <= self.record_offset and time_ms <= self.record_time_ms

    def begin(self, *, time_ms: int) -> Pending:
        """The rebalance under way, begun now if there was none."""
        if self.pending is None:
            self.pending = Pending(started_ms=time_ms)
        return self.pending

    def forget_history(self) -> None:
        """Begin a new life: the group was removed and made again, its generations start over."""
        self.settled = None
        self.pending = None
        self.episode = None
        self.emptied = False

    def settle(self, snapshot: Snapshot, *, timing: Timing) -> Settlement:
        """Close the rebalance under way with the assignment that it led to."""
        pending = self.begin(time_ms=snapshot.time_ms)
        settlement = self._settlement(snapshot, pending, settled=True, timing=timing)
        self.settled = snapshot
        self.pending = None
        self.emptied = False
        return settlement

    def run_out(self, standing: Snapshot, *, timing: Timing) -> Settlement:
        """Write the rebalance under way as it stands."""
        pending = self.begin(time_ms=standing.time_ms)
        pending.reported = True
        return self._settlement(standing, pending, settled=False, timing=timing)

    def refresh(self, snapshot: Snapshot) -> bool:
        """Take over new member ids of the settled assignment; False if it is another assignment.

        Subscriptions stay as they were when it settled: a change of them calls for a rebalance, and
        is its cause.
        """
        settled = self.settled
        if settled is None or snapshot.generation != settled.generation:
            return False
        if _owners(snapshot) != _owners(settled):
            return False
        topics = {member.key: member.topics for member in settled.members}
        members = tuple(replace(member, topics=topics[member.key]) for member in snapshot.members)
        self.settled = replace(settled, members=members)
        self.pending = None
        self.emptied = False
        return True

    def remember(self, *, time_ms: int, culprit: str) -> None:
        """Count a rebalance."""
        self.rebalances += 1
        self.recent.append(Recent(time_ms=time_ms, culprit=culprit))
        del self.recent[:-RECENT_LIMIT]

    def _settlement(
        self, snapshot: Snapshot, pending: Pending, *, settled: bool, timing: Timing
    ) -> Settlement:
        if not pending.phases:
            pending.phases.append(
                Phase(generation=snapshot.generation, time_ms=snapshot.time_ms, withheld=0)
            )
        return Settlement(
            group_id=self.group_id,
            snapshot=snapshot,
            previous=self.settled,
            settled=settled,
            phases=tuple(pending.phases),
            emptied=self.emptied,
            episode=self._episode(pending, snapshot.time_ms, timing=timing),
        )

    def _episode(self, pending: Pending, time_ms: int, *, timing: Timing) -> Episode:
        last = self.episode
        if last is None or pending.started_ms - last.last_ms > timing.episode_gap_ms:
            phase = pending.phases[0]
            last = Episode(
                name=f"{phase.generation}@{phase.time_ms}", first=self.settled, last_ms=time_ms
            )
            self.episode = last
        last.last_ms = time_ms
        return last


def _owners(snapshot: Snapshot) -> dict[str, dict[str, frozenset[int]]]:
    return {
        member.key: {topic: frozenset(owned) for topic, owned in member.assigned.items() if owned}
        for member in snapshot.members
    }
