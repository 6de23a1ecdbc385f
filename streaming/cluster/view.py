"""What is known of the cluster at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.int64]
UNKNOWN_OFFSET = -1


@dataclass(frozen=True, slots=True)
class TopicInfo:
    """A topic.

    Attributes:
        topic_id: Kafka's text for it: URL-safe base64 without padding.
        partition_count: Partitions, numbered from 0.
        racks: (partition_count,) sorted racks of each partition's replicas; empty if the brokers
            have none.
    """

    topic_id: str
    partition_count: int
    racks: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """The cluster as it last answered.

    Attributes:
        cluster_id: Kafka's id of the cluster.
        topics: Topics by name, internal ones too.
        end_offsets: (partition_count,) end offset of each partition of each topic that was asked
            for, `UNKNOWN_OFFSET` where it did not say.
        stale: Whether the cluster did not answer the last time it was asked, so that this is what
            it said before.
        error: What went wrong then; empty if nothing did.
    """

    cluster_id: str
    topics: Mapping[str, TopicInfo] = field(default_factory=dict)
    end_offsets: Mapping[str, Offsets] = field(default_factory=dict)
    stale: bool = False
    error: str = ""

    @property
    def names(self) -> dict[str, str]:
        """Topic id to topic name."""
        return {topic.topic_id: name for name, topic in self.topics.items()}

    @property
    def partition_counts(self) -> dict[str, int]:
        """Topic name to partition count."""
        return {name: topic.partition_count for name, topic in self.topics.items()}
