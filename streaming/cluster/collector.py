"""The collector: look at the groups, and write what is new of them to the events topic.

For clusters whose `__consumer_offsets` cannot be read. As little as can be is made up of what the
AdminClient does not show: generations and epochs are counted by change, several rebalances between
two looks are one, commits bear the time they were seen at, and KIP-848 members are taken to
subscribe to all that their group reads.
"""

import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from streaming.cluster.changes import departure, group_changes, offset_changes
from streaming.cluster.history import History
from streaming.cluster.observation import GroupObserver, Observation
from streaming.cluster.topic import EventsTopic
from streaming.cluster.watch import ClusterWatch
from streaming.events import Event


class Collector:
    """Looks again and again; what it has said before it does not say again, not even restarted."""

    def __init__(
        self,
        *,
        watch: ClusterWatch,
        observer: GroupObserver,
        topic: EventsTopic,
        ignored_groups: tuple[str, ...] = (),
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """Set up a collector; call `recall` before the first look.

        Args:
            watch: Gives topic ids.
            observer: Gives groups and offsets.
            topic: Where events go.
            ignored_groups: Shell-style patterns of groups that are left out.
            now_ms: The clock, milliseconds of Unix time.
        """
        self._watch = watch
        self._observer = observer
        self._topic = topic
        self._ignored = ignored_groups
        self._now_ms = now_ms
        self._history = History()

    def recall(self) -> None:
        """Read from the topic what was said before.

        Raises:
            ClusterError: The topic cannot be read.
        """
        for event in self._topic.read():
            self._history.note(event)

    def look(self) -> int:
        """Look once; returns how many events were written.

        Raises:
            ClusterError: The cluster does not answer, or did not take the events: what was not
                taken is said again at the next look.
        """
        events = list(self._changes(self._observer.look()))
        written = self._topic.write(events)
        for event in events:
            self._history.note(event)
        return written

    def _changes(self, observation: Observation) -> Iterator[Event]:
        now_ms = self._now_ms()
        topic_ids = self._topic_ids(observation)
        for group in observation.groups:
            if self._wanted(group.group_id):
                known = self._history.of(group.group_id)
                yield from group_changes(group, known, topic_ids=topic_ids, now_ms=now_ms)
        wanted = filter(self._wanted, sorted(observation.present))
        for group_id, offsets in self._observer.offsets(wanted):
            known = self._history.of(group_id)
            yield from offset_changes(group_id, offsets, known, topic_ids=topic_ids, now_ms=now_ms)
        if observation.complete:
            for group_id in set(self._history) - observation.present:
                yield from departure(group_id, self._history.of(group_id))

    def _topic_ids(self, observation: Observation) -> dict[str, str]:
        """Return topic name to topic id, asked anew if a group has a topic made since."""
        view = self._watch.look()
        if not observation.topics <= view.topics.keys():
            view = self._watch.look(anew=True)
        return {name: topic.topic_id for name, topic in view.topics.items()}

    def _wanted(self, group_id: str) -> bool:
        return not any(fnmatchcase(group_id, pattern) for pattern in self._ignored)
