"""What a group looks like at one moment: its members, and who owns what."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Partitions = Mapping[str, tuple[int, ...]]
"""Topic name to partition numbers."""

GROUP_TYPES = ("classic", "consumer", "share", "streams")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView:
    """One member at one moment.

    Attributes:
        member_id: id that the coordinator knows it by.
        instance_id: ``group.instance.id`` of a static member.
        client_id: ``client.id``.
        client_host: host as the coordinator saw it.
        rack: ``client.rack``.
        topics: topics subscribed to, sorted.
        session_timeout_ms: session time-out in milliseconds, 0 where it is not known.
        assigned: partitions owned, by topic name.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rack: str | None
    topics: tuple[str, ...]
    session_timeout_ms: int
    assigned: Partitions

    @property
    def key(self) -> str:
        """Identity across generations: a static member keeps its place under a new member id."""
        return self.member_id if self.instance_id is None else f"static:{self.instance_id}"

    @property
    def place(self) -> str:
        """Who it is to a person, across restarts: its instance id, else ``CLIENT_ID@HOST``."""
        return self.instance_id or f"{self.client_id}@{self.client_host}"

    @property
    def order(self) -> tuple[bool, str]:
        """Sort key of Kafka's ``AbstractPartitionAssignor.MemberInfo``: static members first."""
        if self.instance_id is not None:
            return (False, self.instance_id)
        return (True, self.member_id)

    @property
    def load(self) -> int:
        """Partitions owned."""
        return sum(map(len, self.assigned.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One assignment of one group.

    Attributes:
        generation: generation (classic) or target assignment epoch (KIP-848).
        time_ms: when it came about, milliseconds since the epoch of Unix time.
        group_type: classic, consumer, share or streams.
        protocol: eager, cooperative or consumer.
        assignor: protocol name of the group's own assignor.
        members: in Kafka's order (`MemberView.order`).
        counts: partitions of each subscribed topic that exists.
    """

    generation: int
    time_ms: int
    group_type: str
    protocol: str
    assignor: str
    members: tuple[MemberView, ...]
    counts: Mapping[str, int]

    def owned(self) -> int:
        """Partitions that have an owner."""
        return sum(member.load for member in self.members)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One generation or epoch on the way to a settled one.

    Attributes:
        generation: its number.
        time_ms: when it came about.
        withheld: partitions that had an owner and have none in it.
    """

    generation: int
    time_ms: int
    withheld: int


@dataclass(slots=True, kw_only=True)
class Episode:
    """Rebalances close together, counted as one event in the life of a group.

    Attributes:
        name: ``GENERATION@TIME_MS`` of its first rebalance.
        first: the assignment before its first rebalance, None if there was none.
        last_ms: when its latest rebalance settled.
        rebalances: rebalances so far.
        churn: partitions moved so far, summed over the rebalances.
    """

    name: str
    first: Snapshot | None
    last_ms: int
    rebalances: int = 0
    churn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """A rebalance that settled, or that did not in time and is written as it stands.

    Attributes:
        group_id: the group.
        snapshot: the assignment now.
        previous: the last settled assignment, None if there is none.
        settled: false for one written as it stands.
        phases: generations it took, the last one is the snapshot's.
        emptied: the group had no members in between.
        episode: the episode it belongs to.
    """

    group_id: str
    snapshot: Snapshot
    previous: Snapshot | None
    settled: bool
    phases: tuple[Phase, ...]
    emptied: bool
    episode: Episode = field(repr=False)
