"""Spread shards evenly over tasks.

Spark places rows by a hash of the shard's number, which leaves some tasks with twice the shards of
others. Each task is found a number whose hash leads to it, and a shard goes by its task's number.
"""

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as f

_CANDIDATES_PER_TASK = 20


def placed(spark: SparkSession, shard: Column) -> Column:
    """The column to repartition by, so that task t gets the shards s with s mod tasks = t.

    Args:
        spark: the session; its ``spark.sql.shuffle.partitions`` is the number of tasks.
        shard: the shard's number.
    """
    tasks = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    numbers = f.array(*(f.lit(number) for number in _numbers(spark, tasks)))
    return f.element_at(numbers, (f.pmod(shard, f.lit(tasks)) + 1).cast("int"))


def _numbers(spark: SparkSession, tasks: int) -> list[int]:
    """For each task a number that Spark's hash partitioning sends there."""
    candidates = spark.range(_CANDIDATES_PER_TASK * tasks).select(f.col("id").cast("int"))
    task = f.pmod(f.hash("id"), f.lit(tasks))
    rows = candidates.select("id", task.alias("task")).groupBy("task").agg(f.min("id")).collect()
    found = {row[0]: row[1] for row in rows}
    # A task that no candidate leads to shares with another; that is uneven, not wrong.
    return [found.get(number, number) for number in range(tasks)]
