"""A consumer group of real members, and when its assignment has settled."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from confluent_kafka import ConsumerGroupState
from confluent_kafka.admin import AdminClient

from streaming.embedded.consumer import AssignmentProtocol, ConsumerPlan, Member, Owned
from streaming.embedded.processes import ProcessMember
from streaming.embedded.threads import ThreadMember
from streaming.embedded.waiting import until

_ASK_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What a group settled on, by its real consumers.

    Attributes:
        group_id: The group.
        step: What led to it.
        assignments: Member id to the partitions that the consumer's `assignment()` gave.
        names: Member id to the member's name.
        began_ms: When the step began, milliseconds of Unix time.
        settled_ms: When it was seen to have settled.
    """

    group_id: str
    step: str
    assignments: Mapping[str, Owned]
    names: Mapping[str, str]
    began_ms: int
    settled_ms: int


class Group:
    """Starts and ends members; every change can be awaited.

    A group has settled when the coordinator calls it stable with exactly our members, every
    consumer's own `assignment()` is what the coordinator has for it, and each partition of every
    topic somebody subscribes to has exactly one owner.

    Attributes:
        group_id: Its id.
        members: Running members by name.
    """

    def __init__(
        self,
        servers: str,
        group_id: str,
        *,
        protocol: AssignmentProtocol,
        session_timeout_ms: int = 6000,
    ) -> None:
        """Set up a group without members.

        Args:
            servers: Bootstrap servers.
            group_id: Its id.
            protocol: How its partitions are assigned.
            session_timeout_ms: After how long a classic member that died is missed.
        """
        self.group_id = group_id
        self.members: dict[str, Member] = {}
        self._servers = servers
        self._protocol = protocol
        self._session_timeout_ms = session_timeout_ms
        self._admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        self._began_ms = _now_ms()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(
        self,
        name: str,
        topics: Sequence[str],
        *,
        instance_id: str | None = None,
        own_process: bool = False,
        extra: Mapping[str, str] | None = None,
    ) -> Member:
        """Start a member; it joins in its own time.

        Args:
            name: Its `client.id`; unique among those running.
            topics: What it subscribes to; `^...` is a regular expression.
            instance_id: Makes it a static member.
            own_process: Whether it can be killed.
            extra: More settings of librdkafka.
        """
        self._began_ms = _now_ms()
        plan = ConsumerPlan(
            servers=self._servers,
            group_id=self.group_id,
            name=name,
            protocol=self._protocol,
            topics=tuple(topics),
            instance_id=instance_id,
            session_timeout_ms=self._session_timeout_ms,
            extra=dict(extra or {}),
        )
        member = self._member(plan, own_process=own_process)
        self.members[name] = member
        return member

    def leave(self, name: str) -> None:
        """Have a member leave in order; a static member stays on the books until it times out."""
        self._began_ms = _now_ms()
        self.members.pop(name).leave()

    def kill(self, name: str) -> None:
        """Have a member die without leaving; it must have been started in a process of its own."""
        self._began_ms = _now_ms()
        self.members.pop(name).kill()

    def subscribe(self, name: str, topics: Sequence[str]) -> None:
        """Change a member's subscription."""
        self._began_ms = _now_ms()
        self.members[name].subscribe(topics)

    def settle(self, step: str = "", *, within_seconds: float = 60.0) -> Settled:
        """Return what the group settles on after what was last done to it.

        Args:
            step: What was done, for the record.
            within_seconds: How long that may take.

        Raises:
            TimeoutError: It does not settle in time.
        """
        seen: dict[str, Owned] = {}
        until(
            lambda: self._has_settled(seen),
            awaited=f"{self.group_id} to settle ({step}; {len(self.members)} members)",
            within_seconds=within_seconds,
        )
        return Settled(
            group_id=self.group_id,
            step=step,
            assignments=seen,
            names={member.member_id: name for name, member in self.members.items()},
            began_ms=self._began_ms,
            settled_ms=_now_ms(),
        )

    def close(self) -> None:
        """Have all members leave."""
        for name in list(self.members):
            self.leave(name)

    def _member(self, plan: ConsumerPlan, *, own_process: bool) -> Member:
        return ProcessMember(plan) if own_process else ThreadMember(plan)

    @property
    def _running(self) -> Sequence[Member]:
        return tuple(self.members.values())

    def _has_settled(self, seen: dict[str, Owned]) -> bool:
        """Look at the consumers; what they say is left in `seen`."""
        seen.clear()
        seen.update((member.member_id, member.assignment) for member in self._running)
        return self._each_partition_once(seen) and self._coordinator_agrees(seen)

    def _each_partition_once(self, ours: Mapping[str, Owned]) -> bool:
        given = sorted(partition for owned in ours.values() for partition in owned)
        patterns = [topic for member in self._running for topic in member.plan.topics]
        topics = self._admin.list_topics(timeout=_ASK_SECONDS).topics
        return given == sorted(
            (name, number)
            for name, topic in topics.items()
            if any(_matches(pattern, name) for pattern in patterns)
            for number in topic.partitions
        )

    def _coordinator_agrees(self, ours: Mapping[str, Owned]) -> bool:
        asked = self._admin.describe_consumer_groups([self.group_id], request_timeout=_ASK_SECONDS)
        group = asked[self.group_id].result()
        if not ours:
            return not group.members
        theirs = {member.member_id: _owned(member.assignment) for member in group.members}
        reached = all(
            member.target_assignment is None
            or _owned(member.target_assignment) == theirs[member.member_id]
            for member in group.members
        )
        return group.state == ConsumerGroupState.STABLE and theirs == ours and reached


def _owned(assignment: Any) -> Owned:
    return tuple(sorted((each.topic, each.partition) for each in assignment.topic_partitions))


def _matches(pattern: str, name: str) -> bool:
    return re.match(pattern, name) is not None if pattern.startswith("^") else pattern == name


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
