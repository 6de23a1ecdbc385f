"""A real group that joins streams: kafka-python consumers under `stream-join-sticky` (KIP-315)."""

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer

from assignors.adapters.kafka_python import StickyStreamJoinAssignor
from streaming.embedded.consumer import ConsumerPlan, Member, Owned
from streaming.embedded.group import Group

# Long, because kafka-python 3.0.12 forgets a join that ends between two polls, and joins again.
_POLL_MS = 1000


class JoinGroup(Group):
    """A `Group` whose members have the same partition numbers of all their topics, and keep them.

    A member can stall, as work that takes too long makes it: after `max_poll_interval_ms` it is out
    of the group without noticing, and what comes back is KIP-315's zombie.
    """

    def __init__(
        self,
        servers: str,
        group_id: str,
        *,
        session_timeout_ms: int = 6000,
        max_poll_interval_ms: int = 60_000,
    ) -> None:
        """Set up a group without members.

        Args:
            servers: Bootstrap servers.
            group_id: Its id.
            session_timeout_ms: After how long a member that died is missed.
            max_poll_interval_ms: After how long a member that stalls is out of the group.
        """
        super().__init__(
            servers,
            group_id,
            protocol="stream-join-sticky",
            session_timeout_ms=session_timeout_ms,
        )
        self._max_poll_interval_ms = max_poll_interval_ms
        self._gates: dict[str, threading.Event] = {}
        self._stalled: dict[str, Member] = {}

    def stall(self, name: str) -> None:
        """Keep a member from polling; the group is to settle without it."""
        self._stalled[name] = self.members.pop(name)
        self._gates[name].clear()

    def resume(self, name: str) -> None:
        """Let a stalled member poll again; it joins anew."""
        self.members[name] = self._stalled.pop(name)
        self._gates[name].set()

    def close(self) -> None:
        """Have all members leave, the stalled ones too."""
        for name in list(self._stalled):
            self.resume(name)
        super().close()

    def _member(self, plan: ConsumerPlan, *, own_process: bool) -> Member:
        if own_process:
            raise NotImplementedError("members of a JoinGroup live in threads: they can only stall")
        gate = self._gates[plan.name] = threading.Event()
        gate.set()
        return _JoinMember(plan, gate=gate, max_poll_interval_ms=self._max_poll_interval_ms)


class _JoinMember:
    """A kafka-python consumer that polls in a thread of ours.

    Attributes:
        plan: How it was set up; `topics` is what it subscribes to now.
        now: The id it has in the group, and its partitions.
    """

    def __init__(
        self, plan: ConsumerPlan, *, gate: threading.Event, max_poll_interval_ms: int
    ) -> None:
        self.plan = plan
        self.now: tuple[str, Owned] = ("", ())
        self._gate = gate
        self._max_poll_interval_ms = max_poll_interval_ms
        self._leaving = False
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name=plan.name, daemon=True)
        self._thread.start()

    @property
    def member_id(self) -> str:
        """The id it has in the group; empty before it joined."""
        return self.now[0]

    @property
    def assignment(self) -> Owned:
        """What the consumer was assigned last; raises what ended the consumer."""
        if self._failure is not None:
            raise self._failure
        return self.now[1]

    def subscribe(self, topics: Sequence[str]) -> None:
        """Change its subscription; the thread does it, since the consumer belongs to it."""
        self.plan = replace(self.plan, topics=tuple(topics))

    def leave(self) -> None:
        """Leave the group in order, and end."""
        self._leaving = True
        self._thread.join()

    def kill(self) -> None:
        """Refuse: it could only be killed in a process of its own."""
        raise NotImplementedError("members of a JoinGroup live in threads: they can only stall")

    def _run(self) -> None:
        try:
            self._poll(KafkaConsumer(**self._settings()))
        except Exception as error:  # noqa: BLE001 - raised where somebody looks, see assignment
            self._failure = error

    def _poll(self, consumer: KafkaConsumer) -> None:
        subscribed: tuple[str, ...] = ()
        try:
            while not self._leaving:
                if subscribed != self.plan.topics:
                    subscribed = self.plan.topics
                    consumer.subscribe(list(subscribed), listener=_Listener(self, consumer))
                consumer.poll(timeout_ms=_POLL_MS)
                self._gate.wait()
        finally:
            consumer.close()

    def _settings(self) -> dict[str, Any]:
        plan = self.plan
        common = {
            "bootstrap_servers": plan.servers,
            "group_id": plan.group_id,
            "group_instance_id": plan.instance_id,
            "client_id": plan.name,
            "auto_offset_reset": "earliest",
            "auto_commit_interval_ms": 500,
            "metadata_max_age_ms": 2000,  # how soon new partitions are noticed
            "heartbeat_interval_ms": 100,  # so that a rebalance is noticed at once
            "session_timeout_ms": plan.session_timeout_ms,
            "max_poll_interval_ms": self._max_poll_interval_ms,
            "partition_assignment_strategy": [StickyStreamJoinAssignor],
        }
        return {**common, **plan.extra}


# kafka-python comes without types, so its base class is Any to mypy.
class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]
    """Says at once what a member has, not only when its poll returns."""

    def __init__(self, member: _JoinMember, consumer: KafkaConsumer) -> None:
        self._member = member
        self._consumer = consumer

    def on_partitions_revoked(self, revoked: Collection[tuple[str, int]]) -> None:
        """Everything is given up before each rebalance."""
        del revoked
        self._tell(())

    def on_partitions_assigned(self, assigned: Collection[tuple[str, int]]) -> None:
        """What the member has until the next."""
        self._tell(assigned)

    def _tell(self, partitions: Iterable[tuple[str, int]]) -> None:
        owned = tuple(sorted((topic, number) for topic, number in partitions))
        self._member.now = (self._consumer.group_metadata().member_id, owned)
