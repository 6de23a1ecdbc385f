"""Section `[query]`: the streaming query and where its tables lie."""

from typing import Annotated

from pydantic import Field

from streaming.settings.section import Properties, Seconds, SecretProperties, Section


class QuerySettings(Section):
    """The streaming query."""

    tables: str = Field(
        default="tables",
        min_length=1,
        description="where the Delta tables lie: a folder, or s3://, abfss://, gs://",
    )
    checkpoint: str = Field(
        default="checkpoint",
        min_length=1,
        description="where Spark keeps the progress of the stream: a folder or a URI Spark can "
        "write to; never share it between two monitors",
    )
    trigger_seconds: Seconds = Field(
        default=10, description="interval of the micro-batches, in seconds"
    )
    shards: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=16,
        description="slices of the groups that are processed and rewritten independently; fixed "
        "once tables exist",
    )
    master: str = Field(
        default="local[*]",
        description="Spark master; not used under spark-submit or where a session exists",
    )
    settle_seconds: Seconds = Field(
        default=30,
        description="a rebalance that has not settled after this is written as it stands, in "
        "seconds",
    )
    episode_gap_seconds: Seconds = Field(
        default=60,
        description="rebalances of a group that are closer than this count as one episode, in "
        "seconds",
    )
    lag_refresh_seconds: Seconds = Field(
        default=30,
        description="how often end offsets, and with them all lags, are taken anew, in seconds",
    )
    storage_options: SecretProperties = Field(
        default={},
        description="options of delta-rs for an object store: credentials, region, endpoint",
        examples=[{"AWS_REGION": "eu-central-1"}],
    )
    spark: Properties = Field(
        default={},
        description="Spark settings laid over ours",
        examples=[{"spark.driver.memory": "4g"}],
    )
