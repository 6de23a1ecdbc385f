"""Section `[source]`: where group events come from, and `[collect]`: how they get there."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.settings.section import Seconds, Section

OFFSETS_TOPIC = "__consumer_offsets"


class SourceSettings(Section):
    """The topic that the stream reads."""

    kind: Literal["consumer_offsets", "events"] = Field(
        default="consumer_offsets",
        description="consumer_offsets: Kafka's internal topic, read directly; events: the JSON "
        "topic that `rebalance-monitor collect` fills, for clusters whose internal topic cannot be "
        "read",
    )
    topic: str = Field(
        default="",
        description=f"topic to read; empty: {OFFSETS_TOPIC}, or for events that of [collect]",
    )
    starting_offsets: Literal["earliest", "latest"] = Field(
        default="earliest", description="where a first start begins; later ones go on"
    )
    max_offsets_per_trigger: Annotated[int, Field(ge=1)] = Field(
        default=5_000_000, description="most records of one micro-batch"
    )
    ignore_groups: tuple[str, ...] = Field(
        default=("spark-kafka-*",), description="patterns (* and ?) of groups that are left out"
    )


class CollectSettings(Section):
    """The collector, which asks the cluster about its groups and writes events."""

    topic: str = Field(
        default="rebalance-events", min_length=1, description="topic that the events are written to"
    )
    partition_count: Annotated[int, Field(ge=1)] = Field(
        default=4, description="partitions of that topic, if it is not there and is made"
    )
    interval_seconds: Seconds = Field(
        default=5, description="pause between two looks at the groups, in seconds"
    )
