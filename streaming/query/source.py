"""The source: one Kafka topic read without a consumer group of our own, and a clock beside it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

READER_OPTIONS = {
    # Left at its default of 500 ms, every small batch waits that long for more to come.
    "kafka.fetch.max.wait.ms": "5",
    "kafka.max.partition.fetch.bytes": "8388608",
    "kafka.max.poll.records": "5000",
    # A transactional commit that was aborted is no commit.
    "kafka.isolation.level": "read_committed",
    # Compaction and retention take records away; their absence must not stop the monitor.
    "failOnDataLoss": "false",
}
"""How the source reads, whatever the configuration says of the connection."""

ADMIN_SETTING = ("spark.sql.streaming.kafka.useDeprecatedOffsetFetching", "true")
"""Spark's other way of fetching offsets drops internal topics without a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaSource:
    """Where the records come from.

    Attributes:
        topic: ``__consumer_offsets``, or the topic of events.
        partitions: its partitions. They are assigned, not subscribed to: a subscription would make
            a consumer group, which would show up in what is monitored.
        options: ``kafka.``-prefixed client properties, connection and security.
        starting_offsets: ``earliest``, ``latest`` or Spark's JSON form; for a new checkpoint.
        max_records: most records of one batch; None for no bound.
    """

    topic: str
    partitions: tuple[int, ...]
    options: Mapping[str, str] = field(repr=False)
    starting_offsets: str = "earliest"
    max_records: int | None = None

    def stream(self, spark: SparkSession) -> DataFrame:
        """The records as a streaming DataFrame: key, value, partition, offset, timestamp.

        Rows without a partition are ticks of the clock: they make batches happen on a quiet
        cluster, in which deadlines fall due.
        """
        spark.conf.set(*ADMIN_SETTING)
        options = {
            **READER_OPTIONS,
            **self.options,
            "assign": json.dumps({self.topic: list(self.partitions)}),
            "startingOffsets": self.starting_offsets,
        }
        if self.max_records is not None:
            options["maxOffsetsPerTrigger"] = str(self.max_records)
        records = spark.readStream.format("kafka").options(**options).load()
        columns = ("key", "value", "partition", "offset", "timestamp")
        return records.select(*columns).unionAll(_ticks(spark))


def _ticks(spark: SparkSession) -> DataFrame:
    clock = spark.readStream.format("rate").options(rowsPerSecond=1, numPartitions=1).load()
    return clock.select(
        f.lit(None).cast("binary").alias("key"),
        f.lit(None).cast("binary").alias("value"),
        f.lit(None).cast("int").alias("partition"),
        f.lit(None).cast("bigint").alias("offset"),
        f.col("timestamp"),
    )


def without_ticks(batch: DataFrame) -> DataFrame:
    """The records of a batch."""
    return batch.where(f.col("partition").isNotNull())
