"""A scripted workload: real groups under four protocols, with the faults that the monitor is for.

Every step waits until the group has settled, as seen by its real consumers, so that each step is
one rebalance and its result is on record.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from streaming.embedded.consumer import AssignmentProtocol
from streaming.embedded.group import Group, Settled
from streaming.embedded.join_group import JoinGroup
from streaming.embedded.traffic import Traffic
from streaming.session.jars import Say, quiet

JOINED = ("clicks", "impressions")
"""Co-partitioned, as in KIP-315: what belongs together has the same partition number in both."""

SENSORS = tuple(f"sensor-{number}" for number in range(8))
"""Many topics of an odd number of partitions: what range deals with worst."""

PARTITION_COUNTS = {
    **dict.fromkeys(JOINED, 10),
    "orders": 12,
    "payments": 12,
    "sessions": 7,
    **dict.fromkeys(SENSORS, 3),
}

Script = Callable[["Play"], None]


class Play:
    """One group and what happens to it, step by step."""

    def __init__(self, group: Group, record: Callable[[Settled], None]) -> None:
        self._group = group
        self._record = record

    def join(
        self,
        name: str,
        topics: Sequence[str],
        *,
        instance_id: str | None = None,
        mortal: bool = False,
    ) -> None:
        """A member joins; a mortal one can be killed later."""
        self._group.start(name, topics, instance_id=instance_id, own_process=mortal)
        self._settle(f"{name} joins")

    def leave(self, name: str) -> None:
        """A member leaves in order."""
        self._group.leave(name)
        self._settle(f"{name} leaves")

    def die(self, name: str) -> None:
        """A member dies without leaving."""
        self._group.kill(name)
        self._settle(f"{name} dies")

    def change(self, name: str, topics: Sequence[str]) -> None:
        """A member changes its subscription."""
        self._group.subscribe(name, topics)
        self._settle(f"{name} subscribes to {', '.join(topics)}")

    def _settle(self, step: str) -> None:
        self._record(self._group.settle(step))


def billing(play: Play) -> None:
    """Eager range: every change of members moves partitions that need not move."""
    topics = ("orders", "payments")
    play.join("billing-a", topics)
    play.join("billing-b", topics)
    play.join("billing-c", topics, mortal=True)
    play.join("billing-d", topics)
    play.die("billing-c")
    play.leave("billing-a")


def sensors(play: Play) -> None:
    """Range over many small topics: the first member has twice what the second has."""
    play.join("sensors-a", SENSORS)
    play.join("sensors-b", SENSORS)


def attribution(play: Play) -> None:
    """Round robin over topics that belong together: with three members none stays together."""
    play.join("attribution-a", JOINED)
    play.join("attribution-b", JOINED)
    play.join("attribution-c", JOINED)


def search(play: Play) -> None:
    """Cooperative: only what must move does; static members; one topic taken on later."""
    topics = ("orders", "sessions")
    play.join("search-a", topics, instance_id="search-a")
    play.join("search-b", topics, instance_id="search-b")
    play.join("search-c", topics)
    play.change("search-c", (*topics, "payments"))
    play.leave("search-c")


def fraud(play: Play) -> None:
    """KIP-848: the broker assigns."""
    topics = ("orders", "payments")
    play.join("fraud-a", topics)
    play.join("fraud-b", topics, mortal=True)
    play.join("fraud-c", topics)
    play.change("fraud-c", (*topics, "sessions"))
    play.die("fraud-b")


def enrichment(play: Play) -> None:
    """KIP-315: joined topics stay together, and when a member leaves only its numbers move."""
    for name in ("enrichment-a", "enrichment-b", "enrichment-c", "enrichment-d"):
        play.join(name, JOINED)
    play.leave("enrichment-d")


SCRIPTS: dict[str, tuple[AssignmentProtocol, Script]] = {
    "billing": ("range", billing),
    "sensors": ("range", sensors),
    "attribution": ("roundrobin", attribution),
    "search": ("cooperative-sticky", search),
    "fraud": ("consumer", fraud),
    "enrichment": ("stream-join-sticky", enrichment),
}


class Workload:
    """The groups of `SCRIPTS` on a broker; they go on running until the block ends.

    Attributes:
        groups: The groups by id.
        steps: What each group settled on, in order of time.
    """

    def __init__(self, servers: str, *, say: Say = quiet) -> None:
        """Set up the groups; the topics of `PARTITION_COUNTS` must exist.

        Args:
            servers: Bootstrap servers.
            say: Told of every step.
        """
        self.groups = {
            group_id: _group(servers, group_id, protocol)
            for group_id, (protocol, _) in SCRIPTS.items()
        }
        self.steps: list[Settled] = []
        self._say = say
        self._lock = threading.Lock()
        self._running = ExitStack()
        self._traffic = Traffic(servers, PARTITION_COUNTS)

    def __enter__(self) -> Self:
        self._running.enter_context(self._traffic)
        for group in self.groups.values():
            self._running.enter_context(group)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._running.__exit__(kind, error, trace)

    def play(self) -> None:
        """Play all scripts, the groups side by side; returns when all have settled.

        Raises:
            TimeoutError: A group does not settle.
        """
        with ThreadPoolExecutor(len(SCRIPTS)) as pool:
            plays = [pool.submit(self._play, group_id) for group_id in SCRIPTS]
        for play in plays:
            play.result()

    def _play(self, group_id: str) -> None:
        _, script = SCRIPTS[group_id]
        script(Play(self.groups[group_id], self._note))

    def _note(self, settled: Settled) -> None:
        with self._lock:
            self.steps.append(settled)
        self._say(f"{settled.group_id}: {settled.step}")


def _group(servers: str, group_id: str, protocol: AssignmentProtocol) -> Group:
    """The group of a protocol; librdkafka cannot keep joins, kafka-python with our assignor can."""
    if protocol == "stream-join-sticky":
        return JoinGroup(servers, group_id)
    return Group(servers, group_id, protocol=protocol)
