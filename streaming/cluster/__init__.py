"""The Kafka cluster, seen through the AdminClient: topics, end offsets, groups."""

from streaming.cluster.view import ClusterView, TopicInfo
from streaming.cluster.watch import ClusterWatch

__all__ = ["ClusterView", "ClusterWatch", "TopicInfo"]
