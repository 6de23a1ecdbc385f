"""Keep a view of the cluster, as new as is needed and as cheap as can be."""

import time
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from confluent_kafka import IsolationLevel, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import ConfigResource, OffsetSpec, TopicDescription

from streaming.cluster.connection import Connection
from streaming.cluster.view import UNKNOWN_OFFSET, ClusterView, Offsets, TopicInfo
from streaming.errors import ClusterError

_METADATA_AGE_SECONDS = 30.0
_SPARE_SECONDS = 3.0
"""After a failure, how long the view of before is given without asking: a request may hang."""

_PARTITIONS_A_REQUEST = 10_000
_LATEST: Any = OffsetSpec.latest()
_PROTOCOLS = "group.coordinator.rebalance.protocols"


class ClusterWatch:
    """Asks the cluster and keeps what it said.

    The first look must succeed. After that a cluster that does not answer gives the view of before,
    marked stale, so that a monitor outlives the outage of what it watches.
    """

    def __init__(
        self, connection: Connection, *, metadata_age_seconds: float = _METADATA_AGE_SECONDS
    ) -> None:
        """Set up a watch; nothing is asked yet.

        Args:
            connection: The way to the cluster.
            metadata_age_seconds: How old topics may be before they are asked for anew.
        """
        self._connection = connection
        self._metadata_age_seconds = metadata_age_seconds
        self._asked_at = self._spared_until = -float("inf")
        self._view: ClusterView | None = None

    def look(
        self, *, offsets: bool = False, only: Collection[str] | None = None, anew: bool = False
    ) -> ClusterView:
        """Return the cluster as it is.

        Args:
            offsets: Take end offsets too; else those of the last time stay.
            only: Topics whose end offsets are wanted; all if not given.
            anew: Ask for topics however new the ones we have are.

        Raises:
            ClusterError: At the first look only.
        """
        known = self._view
        if known is not None and time.monotonic() < self._spared_until:
            return known
        try:
            view = self._topics(anew=anew)
            if offsets:
                view = replace(view, end_offsets=self._end_offsets(view, only))
        except ClusterError as error:
            if known is None:
                raise
            self._spared_until = time.monotonic() + _SPARE_SECONDS
            view = replace(known, stale=True, error=str(error))
        self._view = view
        return view

    def committed_ends(self, topic: str) -> dict[int, int]:
        """Return per partition the offset up to which no transaction is open.

        Raises:
            ClusterError: The cluster did not answer.
        """
        view = self.look()
        partitions = tuple(_partitions(view, [topic]))
        return self._connection.ask("reading end offsets", partial(self._committed, partitions))

    def _committed(self, partitions: Collection[TopicPartition]) -> dict[int, int]:
        answers = self._connection.admin.list_offsets(
            dict.fromkeys(partitions, _LATEST),
            isolation_level=IsolationLevel.READ_COMMITTED,
            request_timeout=self._connection.timeout_seconds,
        )
        return {
            partition.partition: self._connection.answer(answer).offset
            for partition, answer in answers.items()
        }

    def offers_kip_848(self) -> bool | None:
        """Return whether brokers coordinate `consumer` groups; None if they may not be asked."""
        try:
            return self._connection.ask("reading the brokers' configuration", self._protocols)
        except ClusterError:
            return None

    def _topics(self, *, anew: bool) -> ClusterView:
        known = self._view
        fresh = time.monotonic() - self._asked_at < self._metadata_age_seconds
        if known is not None and fresh and not anew and not known.stale:
            return known
        view = self._connection.ask("reading the topics", self._describe)
        self._asked_at = time.monotonic()
        if known is None:
            return view
        kept = {name: ends for name, ends in known.end_offsets.items() if name in view.topics}
        return replace(view, end_offsets=kept)

    def _describe(self) -> ClusterView:
        connection = self._connection
        metadata = connection.admin.list_topics(timeout=connection.timeout_seconds)
        topics: dict[str, TopicInfo] = {}
        if metadata.topics:
            answers = connection.admin.describe_topics(
                TopicCollection(list(metadata.topics)),
                request_timeout=connection.timeout_seconds,
            )
            for name, answer in answers.items():
                info = _info(self._or_none(answer))
                if info is not None:
                    topics[name] = info
        return ClusterView(cluster_id=metadata.cluster_id or "", topics=topics)

    def _or_none(self, answer: Any) -> Any:
        """Return the answer for one topic or partition; None if it failed, as one just deleted."""
        try:
            return self._connection.answer(answer)
        except (KafkaException, FutureTimeoutError):
            return None

    def _end_offsets(
        self, view: ClusterView, only: Collection[str] | None
    ) -> Mapping[str, Offsets]:
        wanted = view.topics if only is None else view.topics.keys() & set(only)
        found = {name: self._last_known(view, name) for name in wanted}
        remaining = _partitions(view, wanted)
        while partitions := tuple(islice(remaining, _PARTITIONS_A_REQUEST)):
            self._connection.ask("reading end offsets", partial(self._take, partitions, found))
        return found

    def _take(self, partitions: Collection[TopicPartition], found: dict[str, Offsets]) -> None:
        answers = self._connection.admin.list_offsets(
            dict.fromkeys(partitions, _LATEST),
            request_timeout=self._connection.timeout_seconds,
        )
        results = {partition: self._or_none(answer) for partition, answer in answers.items()}
        if answers and not any(results.values()):
            self._connection.answer(next(iter(answers.values())))  # not one of them, but all: raise
        for partition, result in results.items():
            if result is not None:
                found[partition.topic][partition.partition] = result.offset

    def _last_known(self, view: ClusterView, name: str) -> Offsets:
        """Return the offsets that stand for partitions which do not answer."""
        topic = view.topics[name]
        ends = np.full(topic.partition_count, UNKNOWN_OFFSET, dtype=np.int64)
        before = self._view
        if before and name in before.topics and before.topics[name].topic_id == topic.topic_id:
            known = before.end_offsets.get(name, ends)[: len(ends)]
            ends[: len(known)] = known
        return ends

    def _protocols(self) -> bool:
        connection = self._connection
        metadata = connection.admin.list_topics(timeout=connection.timeout_seconds)
        broker = ConfigResource(ConfigResource.Type.BROKER, str(next(iter(metadata.brokers))))
        answers = connection.admin.describe_configs(
            [broker], request_timeout=connection.timeout_seconds
        )
        entries = connection.answer(answers[broker])
        return _PROTOCOLS in entries and "consumer" in entries[_PROTOCOLS].value.split(",")


def _info(described: TopicDescription | None) -> TopicInfo | None:
    if described is None:
        return None
    partitions = sorted(described.partitions, key=lambda partition: partition.id)
    racks = tuple(
        tuple(sorted({replica.rack for replica in partition.replicas if replica.rack}))
        for partition in partitions
    )
    return TopicInfo(
        topic_id=topic_id_text(described.topic_id),
        partition_count=len(partitions),
        racks=racks if any(racks) else (),
    )


def topic_id_text(topic_id: object) -> str:
    """Return a topic id as Kafka writes it; librdkafka uses the other base-64 alphabet."""
    return str(topic_id).replace("+", "-").replace("/", "_")


def _partitions(view: ClusterView, names: Collection[str]) -> Iterator[TopicPartition]:
    for name in names:
        for number in range(view.topics[name].partition_count):
            yield TopicPartition(name, number)
