"""Configuration of the embedded broker: one node, small, and quick to rebalance."""

from collections.abc import Mapping
from pathlib import Path

from streaming.embedded.ports import LOOPBACK

NODE_ID = 1

_ROLES = {
    "process.roles": "broker,controller",
    "node.id": str(NODE_ID),
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "auto.create.topics.enable": "false",
}

_ONE_REPLICA = {
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "2",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "2",
}

_SMALL = {
    "num.network.threads": "2",
    "num.io.threads": "2",
    "background.threads": "2",
    "group.coordinator.threads": "2",
    "group.coordinator.background.threads": "1",
    "log.cleaner.dedupe.buffer.size": "4194304",  # its default takes half of a 256 MB heap
    "log.segment.bytes": "16777216",
    "offsets.topic.segment.bytes": "16777216",
}

# Kafka's defaults wait seconds so that large groups form in one go; here somebody is watching.
_QUICK = {
    "broker.session.timeout.ms": "4000",  # how long a killed broker blocks its own return
    "broker.heartbeat.interval.ms": "500",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "500",
    "group.consumer.min.session.timeout.ms": "500",
    "group.consumer.session.timeout.ms": "6000",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "300",
    "group.consumer.assignment.interval.ms": "0",
    "group.consumer.regex.refresh.interval.ms": "10000",
    "group.share.min.session.timeout.ms": "500",
    "group.share.session.timeout.ms": "6000",
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.heartbeat.interval.ms": "300",
    "group.share.assignment.interval.ms": "0",
    "group.share.initialize.retry.interval.ms": "1000",
    "group.streams.min.session.timeout.ms": "500",
    "group.streams.session.timeout.ms": "6000",
    "group.streams.min.heartbeat.interval.ms": "100",
    "group.streams.heartbeat.interval.ms": "300",
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
}


def server_properties(
    *,
    data: Path,
    port: int,
    controller_port: int,
    offsets_partition_count: int,
    overrides: Mapping[str, str],
) -> str:
    """Return the text of `server.properties`.

    Args:
        data: Folder of the logs.
        port: Where consumers and producers connect, on loopback.
        controller_port: Where the broker talks to its own controller, on loopback.
        offsets_partition_count: Partitions of `__consumer_offsets`, once it is made.
        overrides: Broker settings laid over ours.
    """
    places = {
        "listeners": f"PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}",
        "controller.quorum.voters": f"{NODE_ID}@{LOOPBACK}:{controller_port}",
        "log.dirs": str(data),
        "offsets.topic.num.partitions": str(offsets_partition_count),
    }
    settings = _ROLES | _ONE_REPLICA | _SMALL | _QUICK | places | dict(overrides)
    return "".join(f"{key}={value}\n" for key, value in settings.items())
