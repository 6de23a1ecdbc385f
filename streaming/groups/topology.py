"""The topics as the cluster knows them, seen from a group: names of ids, partition counts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from streaming.groups.snapshot import MemberView


@dataclass(frozen=True, slots=True)
class Topology:
    """Topics of the cluster.

    Attributes:
        counts: topic name to partition count.
        names: topic id (URL-safe base64) to topic name.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


def partition_counts(members: Collection[MemberView], known: Mapping[str, int]) -> dict[str, int]:
    """Partitions of every subscribed topic that exists.

    A topic that the cluster does not show (deleted since, or not asked yet) counts as far as its
    partitions are assigned.
    """
    counts: dict[str, int] = {}
    subscribed = {topic for member in members for topic in member.topics}
    for member in members:
        for topic, numbers in member.assigned.items():
            if numbers and topic in subscribed:
                counts[topic] = max(counts.get(topic, 0), max(numbers) + 1)
    for topic in subscribed & known.keys():
        counts[topic] = max(counts.get(topic, 0), known[topic])
    return counts
