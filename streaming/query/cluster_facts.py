"""What the cluster says, asked for beside the batches so that a slow cluster does not slow them."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from streaming.cluster import ClusterView, ClusterWatch
from streaming.cluster.connection import Connection
from streaming.errors import ClusterError
from streaming.groups.topology import Topology
from streaming.query.jobs import ClusterFacts
from streaming.settings.client import ClientProperties
from streaming.settings.model import Settings

log = structlog.get_logger(__name__)

Say = Callable[[str], None]

_PATIENCE_SECONDS = 1.0
"""How long a batch waits for an answer before it goes on with the one of before."""
_ASK_AGAIN_SECONDS = 1.0


class ClusterFeed:
    """Asks the cluster in a thread of its own, whenever a batch wants to know."""

    def __init__(self, watch: ClusterWatch) -> None:
        """Take the first look.

        Args:
            watch: the watch over the cluster.

        Raises:
            ClusterError: the cluster does not answer.
        """
        self._watch = watch
        self._view = watch.look()
        self._wanted = threading.Event()
        self._anew = False
        self._answered = threading.Condition()
        self._looks = 0
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._thread.start()

    @property
    def view(self) -> ClusterView:
        """The cluster as it last answered."""
        return self._view

    def facts(self, *, refresh: bool, anew: bool) -> ClusterFacts:
        """What a batch needs to know.

        Args:
            refresh: take end offsets anew.
            anew: ask for topics anew, because one is missing.
        """
        if refresh or anew:
            self._ask(anew=anew)
        view = self._view
        return ClusterFacts(Topology(view.partition_counts, view.names), view.end_offsets)

    def await_topic(self, topic: str, *, say: Say) -> tuple[int, ...]:
        """Partitions of a topic, as soon as it exists; says what it waits for."""
        waiting = threading.Event()
        told = False
        while topic not in (view := self._watch.look(anew=True)).topics:
            if not told:
                say(f"waiting for the topic {topic}: it is made when a group first commits")
                told = True
            waiting.wait(_ASK_AGAIN_SECONDS)
        return tuple(range(view.topics[topic].partition_count))

    def committed_ends(self, topic: str) -> dict[int, int]:
        """Offset of each partition up to which no transaction is open.

        Raises:
            ClusterError: the cluster does not answer.
        """
        return self._watch.committed_ends(topic)

    def close(self) -> None:
        """End the thread."""
        self._stopped = True
        self._wanted.set()
        self._thread.join(_PATIENCE_SECONDS)

    def _ask(self, *, anew: bool) -> None:
        with self._answered:
            before = self._looks
            self._anew |= anew
            self._wanted.set()
            self._answered.wait_for(lambda: self._looks > before, _PATIENCE_SECONDS)

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            if self._stopped:
                return
            self._wanted.clear()
            self._look()

    def _look(self) -> None:
        with self._answered:
            anew, self._anew = self._anew, False
        started = time.monotonic()
        try:
            view = self._watch.look(offsets=True, anew=anew)
        except ClusterError as error:
            log.warning("the cluster did not answer", reason=str(error))
            view = self._view
        if view.stale:
            log.warning("the cluster did not answer; going on with what it said", why=view.error)
        with self._answered:
            self._view = view
            self._looks += 1
            self._answered.notify_all()
        log.debug("cluster asked", seconds=round(time.monotonic() - started, 3))


@contextmanager
def open_feed(settings: Settings, client: ClientProperties) -> Iterator[ClusterFeed]:
    """Connect to the cluster.

    Raises:
        ClusterError: it does not answer.
        ConfigurationError: a client property is no good.
    """
    connection = Connection(client, timeout_seconds=settings.cluster.request_timeout_seconds)
    feed = ClusterFeed(ClusterWatch(connection))
    try:
        yield feed
    finally:
        feed.close()
