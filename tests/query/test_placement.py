from collections import Counter

import pytest

from streaming.query.placement import _numbers, spark_hash


def test_it_is_the_hash_that_spark_computes() -> None:
    # SELECT hash(0), hash(1), hash(42), hash(1000) on Spark 4.0.0
    assert [spark_hash(number) for number in (0, 1, 42, 1000)] == [
        933211791,
        -559580957,
        29417773,
        -14577491,
    ]


@pytest.mark.parametrize("tasks", [1, 2, 3, 8, 50])
def test_every_task_gets_one_number(tasks: int) -> None:
    placed = Counter(spark_hash(number) % tasks for number in _numbers(tasks))
    assert placed == dict.fromkeys(range(tasks), 1)
