"""Settings of the real consumers, and what all of them can be asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

AssignmentProtocol = Literal[
    "range", "roundrobin", "cooperative-sticky", "consumer", "stream-join-sticky"
]
"""A classic assignor of librdkafka, `consumer` for KIP-848, or KIP-315's, which is ours."""

Owned = tuple[tuple[str, int], ...]
"""Partitions as (topic, number), sorted."""

_BROKER_DECIDES = "consumer"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerPlan:
    """How a member is to behave.

    Attributes:
        servers: Bootstrap servers.
        group_id: Its group.
        name: Its `client.id`.
        protocol: How partitions are assigned in its group.
        topics: What it subscribes to; `^...` is a regular expression.
        instance_id: Makes it a static member (KIP-345).
        session_timeout_ms: After how long without a heartbeat it counts as dead; classic groups
            only, KIP-848 groups have the broker's.
        extra: More settings of librdkafka.
    """

    servers: str
    group_id: str
    name: str
    protocol: AssignmentProtocol
    topics: tuple[str, ...]
    instance_id: str | None = None
    session_timeout_ms: int = 6000
    extra: Mapping[str, str] = field(default_factory=dict)

    def settings(self) -> dict[str, str | int]:
        """Return the configuration for librdkafka."""
        common: dict[str, str | int] = {
            "bootstrap.servers": self.servers,
            "group.id": self.group_id,
            "client.id": self.name,
            "auto.offset.reset": "earliest",
            "auto.commit.interval.ms": 500,
            "fetch.wait.max.ms": 200,
            "topic.metadata.refresh.interval.ms": 2000,  # how soon new partitions are noticed
            "log_level": 0,
        }
        if self.instance_id is not None:
            common["group.instance.id"] = self.instance_id
        return {**common, **self._assignment(), **self.extra}

    def _assignment(self) -> dict[str, str | int]:
        if self.protocol == _BROKER_DECIDES:
            return {"group.protocol": _BROKER_DECIDES}
        return {
            "partition.assignment.strategy": self.protocol,
            "session.timeout.ms": self.session_timeout_ms,
            "heartbeat.interval.ms": 100,  # so that a rebalance is noticed at once
        }


class Member(Protocol):
    """A consumer that is running."""

    @property
    def plan(self) -> ConsumerPlan:
        """How it was set up; `topics` is what it subscribes to now."""

    @property
    def member_id(self) -> str:
        """The id it has in the group; empty before it joined."""

    @property
    def assignment(self) -> Owned:
        """What the consumer's own `assignment()` says."""

    def subscribe(self, topics: Sequence[str]) -> None:
        """Change its subscription."""

    def leave(self) -> None:
        """Leave the group in order, and end."""

    def kill(self) -> None:
        """Die without leaving."""
