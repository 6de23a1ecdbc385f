"""Rows gathered in runs come out as rows."""

from hypothesis import given
from hypothesis import strategies as st

from streaming.tables.buffers import TableBuffer
from streaming.tables.schemas import ASSIGNMENTS, DRIFT

SHARED = {"cluster": "shop", "batch_id": 7}
RUNS = st.lists(st.tuples(st.text(max_size=3), st.lists(st.integers(0, 99), max_size=5)))


@given(RUNS)
def test_runs_come_out_row_by_row(runs: list[tuple[str, list[int]]]) -> None:
    buffer = TableBuffer(ASSIGNMENTS, SHARED)
    for group, partitions in runs:
        topics = [f"t{number}" for number in partitions]
        buffer.extend({"topic": topics, "partition": partitions}, {"group_id": group})
    expected = [(group, f"t{number}", number) for group, numbers in runs for number in numbers]
    assert len(buffer) == len(expected)
    rows = buffer.take().to_pylist()
    assert [(row["group_id"], row["topic"], row["partition"]) for row in rows] == expected
    assert all((row["cluster"], row["batch_id"]) == ("shop", 7) for row in rows)
    assert len(buffer) == buffer.take().num_rows == 0


def test_a_row_has_nulls_for_what_it_does_not_name() -> None:
    buffer = TableBuffer(DRIFT, SHARED)
    buffer.add({"group_id": "a", "drift_count": 3, "no column": 1})
    buffer.add({"group_id": "b"})
    rows = buffer.take().to_pylist()
    assert [(row["group_id"], row["drift_count"]) for row in rows] == [("a", 3), ("b", None)]
