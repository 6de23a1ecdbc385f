"""Offset commits from Kafka through Spark: read, decoded, reduced, beside a bare count."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from confluent_kafka import Producer

from benchmarks.decode.synthetic import commits
from streaming.query.source import ADMIN_SETTING, READER_OPTIONS
from streaming.records.commits import CommitReduction
from streaming.records.numbers import numbers_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from streaming.embedded.broker import EmbeddedBroker

TOPIC, PARTITION_COUNT = "commits", 4
_BATCH = 10_000
_WARM_UP_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of each way over all commits, round by round."""

    count: int
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def per_second(self, way: str) -> float:
        """Commits a second, by the quickest round: what disturbs only ever makes slower."""
        return self.count / min(self.seconds[way])

    def share(self, way: str, of: str) -> float:
        """Speed of one way over that of another, quickest rounds."""
        return self.per_second(way) / self.per_second(of)

    def typical_share(self, way: str, of: str) -> float:
        """The same by the medians."""
        return median(self.seconds[of]) / median(self.seconds[way])


def fill(broker: EmbeddedBroker, count: int, key_count: int) -> None:
    """Write commits to a topic that stands in for ``__consumer_offsets``."""
    broker.create_topics({TOPIC: PARTITION_COUNT}, config={"segment.bytes": "268435456"})
    producer = Producer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "linger.ms": 20,
            "batch.size": 1_000_000,
            "queue.buffering.max.messages": 10 * _BATCH,
        }
    )
    written = commits(count, key_count=key_count, partition_count=PARTITION_COUNT)
    for number, (partition, key, value) in enumerate(written):
        while True:
            try:
                producer.produce(TOPIC, value, key, partition=partition)
                break
            except BufferError:
                producer.poll(0.1)
        if number % _BATCH == 0:
            producer.poll(0)
    producer.flush()


def measure(spark: SparkSession, broker: EmbeddedBroker, count: int, rounds: int) -> Timings:
    """Time each way as often as asked, by turns, after some turns to warm up."""
    spark.conf.set(*ADMIN_SETTING)
    plain, tuned = source(spark, broker, {}), source(spark, broker, READER_OPTIONS)
    reduced = CommitReduction(numbers_of(tuned.sparkSession)).decode(tuned)
    check(reduced, count)
    ways: dict[str, Callable[[], object]] = {
        "count, default source": plain.count,
        "count, tuned source": tuned.count,
        "decoded and reduced": lambda: to_nowhere(reduced),
    }
    timings = Timings(count, {way: [] for way in ways})
    for number in range(rounds + _WARM_UP_ROUNDS):
        for way, run in ways.items():
            started = time.perf_counter()
            run()
            if number >= _WARM_UP_ROUNDS:
                timings.seconds[way].append(time.perf_counter() - started)
    return timings


def source(spark: SparkSession, broker: EmbeddedBroker, options: dict[str, str]) -> DataFrame:
    """The commits, as the monitor's source reads them."""
    reader = spark.read.format("kafka").options(
        **{"kafka.bootstrap.servers": broker.bootstrap_servers},
        assign=json.dumps({TOPIC: list(range(PARTITION_COUNT))}),
        startingOffsets="earliest",
        **options,
    )
    return reader.load().select("key", "value", "partition", "offset", "timestamp")


def check(reduced: DataFrame, count: int) -> None:
    """Make sure that what is measured is right: every commit is there, and its last one decoded."""
    found = reduced.selectExpr(
        "sum(record_count) as read", "max(committed_offset) as last", "count(group_id) as decoded"
    ).first()
    if found is None or (found["read"], found["last"]) != (count, count - 1):
        raise RuntimeError(f"the reduction lost commits: {found}")


def to_nowhere(frame: DataFrame) -> None:
    """Carry a plan out and drop the rows."""
    frame.write.format("noop").mode("overwrite").save()
