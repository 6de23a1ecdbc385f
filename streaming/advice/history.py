"""What was recorded of one group: its settled generations, oldest first."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from streaming.groups.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class MemberName:
    """A member as the ``rebalances`` table names it.

    Attributes:
        member_id: id that the coordinator knew it by.
        instance_id: ``group.instance.id``, None for a dynamic member.
        client_id: ``client.id``.
        client_host: host as the coordinator saw it.
    """

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str

    @property
    def place(self) -> str:
        """Who it is across restarts: its instance id, else ``CLIENT_ID@HOST``."""
        return self.instance_id or f"{self.client_id}@{self.client_host}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One settled generation and the rebalance that led to it.

    Attributes:
        snapshot: members, subscriptions and owners.
        started_ms: first phase of the rebalance, milliseconds of Unix time.
        cause: main cause, a word of the ``rebalances`` table.
        causes: all causes seen.
        joined: members that were new.
        left: members that were gone.
        churn: partitions owned before and after, by different members.
        necessary_churn: least churn with which a fairest assignment was to be had.
        revoked: partitions taken from members that stayed.
        first: nothing was known of the group before it, so its churn says nothing.
    """

    snapshot: Snapshot
    started_ms: int
    cause: str
    causes: tuple[str, ...]
    joined: tuple[MemberName, ...]
    left: tuple[MemberName, ...]
    churn: int
    necessary_churn: int
    revoked: int
    first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The recorded life of one group.

    Attributes:
        cluster: name of the Kafka cluster.
        group_id: the group.
        generations: settled generations, oldest first.
        join_sets: topics that the group joins by partition number; None for those co-subscribed
            with equal partition counts.
        broker_assigns: whether the brokers offer KIP-848; None where it is not known.
    """

    cluster: str
    group_id: str
    generations: tuple[Generation, ...]
    join_sets: Sequence[Collection[str]] | None = None
    broker_assigns: bool | None = None

    @property
    def rebalances(self) -> tuple[Generation, ...]:
        """The generations that had one before them."""
        return tuple(generation for generation in self.generations if not generation.first)

    @property
    def latest(self) -> Generation | None:
        """The last settled generation."""
        return self.generations[-1] if self.generations else None
