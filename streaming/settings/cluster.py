"""Section `[cluster]`: which Kafka cluster, and how to reach it."""

from pathlib import Path

from pydantic import Field

from streaming.settings.section import Seconds, SecretProperties, Section


class ClusterSettings(Section):
    """The Kafka cluster that is monitored."""

    name: str = Field(
        default="kafka", min_length=1, description="how the cluster is called in tables and alerts"
    )
    bootstrap_servers: str = Field(
        default="localhost:9092", description="host:port, several separated by commas"
    )
    command_config: Path | None = Field(
        default=None,
        description="Kafka client properties file, as Kafka's own tools take it with "
        "--command-config",
        examples=["client.properties"],
    )
    properties: SecretProperties = Field(
        default={},
        description="Kafka client properties by their Java names, laid over those of the file",
        examples=[{"security.protocol": "SSL"}],
    )
    request_timeout_seconds: Seconds = Field(
        default=10, description="how long the cluster may take to answer, in seconds"
    )
