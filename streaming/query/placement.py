"""Spread shards evenly over tasks.

Spark places rows by a hash of the shard's number, which leaves some tasks with twice the shards of
others. Each task is found a number whose hash leads to it, and a shard goes by its task's number.
"""

from itertools import count

from pyspark.sql import Column
from pyspark.sql import functions as f

_SEED = 42
_WORD = 0xFFFFFFFF
_SIGN = 1 << 31


def placed(shard: Column, *, tasks: int) -> Column:
    """The column to repartition by, so that task t gets the shards s with s mod tasks = t.

    Args:
        shard: the shard's number.
        tasks: partitions of the repartition.
    """
    numbers = f.array(*(f.lit(number) for number in _numbers(tasks)))
    return f.element_at(numbers, (f.pmod(shard, f.lit(tasks)) + 1).cast("int"))


def _numbers(tasks: int) -> list[int]:
    """For each task the least number that Spark's hash partitioning sends there."""
    found: dict[int, int] = {}
    for number in count():
        found.setdefault(spark_hash(number) % tasks, number)
        if len(found) == tasks:
            return [found[task] for task in range(tasks)]
    raise AssertionError("unreachable")


def spark_hash(number: int) -> int:
    """Spark's ``hash`` of an int: Murmur3 (x86, 32 bits) of one word, signed."""
    mixed = _rotated(number * 0xCC9E2D51, 15) * 0x1B873593 & _WORD
    code = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _WORD
    code ^= 4  # bytes hashed
    code = (code ^ code >> 16) * 0x85EBCA6B & _WORD
    code = (code ^ code >> 13) * 0xC2B2AE35 & _WORD
    code ^= code >> 16
    return code - 2 * _SIGN if code & _SIGN else code


def _rotated(number: int, bits: int) -> int:
    word = number & _WORD
    return (word << bits | word >> (32 - bits)) & _WORD
