"""A member that polls in a thread of ours."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from confluent_kafka import Consumer

from streaming.embedded.consumer import ConsumerPlan, Owned

_POLL_SECONDS = 0.1


class ThreadMember:
    """A real consumer in this process; it can leave, but only a process can die without leaving."""

    def __init__(self, plan: ConsumerPlan) -> None:
        self.plan = plan
        self._state: tuple[str, Owned] = ("", ())
        self._consumer = Consumer(plan.settings())
        self._consumer.subscribe(list(plan.topics))
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._poll, name=plan.name, daemon=True)
        self._thread.start()

    @property
    def member_id(self) -> str:
        """The id it has in the group; empty before it joined."""
        return self._state[0]

    @property
    def assignment(self) -> Owned:
        """What the consumer's own `assignment()` said last, at most a poll ago."""
        return self._state[1]

    def subscribe(self, topics: Sequence[str]) -> None:
        """Change its subscription."""
        self.plan = replace(self.plan, topics=tuple(topics))
        self._consumer.subscribe(list(topics))

    def leave(self) -> None:
        """Leave the group in order, and end."""
        self._leaving.set()
        self._thread.join()
        self._consumer.close()

    def kill(self) -> None:
        """Refuse: librdkafka leaves in order whenever it ends within a living process."""
        raise NotImplementedError("start the member with own_process=True")

    def _poll(self) -> None:
        while not self._leaving.is_set():
            self._consumer.poll(_POLL_SECONDS)
            self._state = state_of(self._consumer)


def state_of(consumer: Consumer) -> tuple[str, Owned]:
    """Return a consumer's member id and assignment.

    Only for the thread that polls: asked from another one while a poll is under way, librdkafka's
    binding can stop for good.
    """
    owned = sorted((each.topic, each.partition) for each in consumer.assignment())
    return consumer.memberid() or "", tuple(owned)
