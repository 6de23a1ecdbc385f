"""The work of one shard, from bytes of the coordinator to rows, without Spark."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from streaming.events import (
    ClassicGeneration,
    Event,
    GroupMember,
    GroupRemoved,
    OffsetCommit,
    OffsetRemoved,
    Partitions,
    to_json,
)
from streaming.groups.topology import Topology
from streaming.query.job import BatchJob
from streaming.query.outputs import Outputs
from streaming.query.shard import ShardWork
from streaming.tables.files import read_files
from streaming.tables.schemas import BY_NAME, GROUP_STATE, OFFSETS, TableSpec
from streaming.tables.storage import Location

Rows = list[dict[str, Any]]

RECORDS = pa.schema(
    {
        "partition": pa.int32(),
        "offset": pa.int64(),
        "time_ms": pa.int64(),
        "key": pa.binary(),
        "value": pa.binary(),
        "count": pa.int64(),
    }
)


def without_shard(spec: TableSpec) -> pa.Table:
    return pa.schema([field for field in spec.schema if field.name != "shard"]).empty_table()


class Bench:
    """Carries a shard from batch to batch, as the tables do."""

    def __init__(self, location: Location) -> None:
        self.location = location
        self.state = without_shard(GROUP_STATE)
        self.offsets = without_shard(OFFSETS)
        self.batch_id = 0
        self._next_offset = 0

    def batch(
        self,
        events: Iterable[Event | bytes | None],
        *,
        now_seconds: float,
        refresh: bool = False,
        **more: Any,
    ) -> tuple[ShardWork, dict[str, Rows]]:
        """Run one batch; the events happen one second apart before its end."""
        listed = list(events)
        job = BatchJob(
            cluster="c",
            batch_id=self.batch_id,
            now_ms=round(now_seconds * 1000),
            source_topic="__consumer_offsets",
            location=self.location,
            state_files={},
            offset_files={},
            json_events=True,
            refresh=refresh,
            topology=Topology(counts={"t": 6}),
            **more,
        )
        outputs = Outputs(job)
        work = ShardWork(job, outputs, state=self.state, committed=self.offsets)
        first_ms = job.now_ms - 1000 * len(listed)
        work.run(self._records(listed, first_ms))
        state, offsets = work.state(), work.offsets()
        self.state = self.state if state is None else state
        self.offsets = self.offsets if offsets is None else offsets
        self.batch_id += 1
        return work, self._rows(outputs)

    def _records(
        self, events: Sequence[Event | bytes | None], first_ms: int
    ) -> Iterator[pa.RecordBatch]:
        """Two records at a time, so that commits stand behind what is measured with them."""
        begin, self._next_offset = self._next_offset, self._next_offset + len(events)
        rows = [
            {
                "partition": 0,
                "offset": begin + number,
                "time_ms": first_ms + 1000 * number,
                "key": b"key",
                "value": event if event is None or isinstance(event, bytes) else to_json(event),
                "count": 1,
            }
            for number, event in enumerate(events)
        ]
        for start in range(0, len(rows), 2):
            yield pa.RecordBatch.from_pylist(rows[start : start + 2], schema=RECORDS)

    def _rows(self, outputs: Outputs) -> dict[str, Rows]:
        found: dict[str, Rows] = {}
        for file in outputs.finish():
            table = read_files(self.location, BY_NAME[file.table], [file.path])
            found.setdefault(file.table, []).extend(table.to_pylist())
        return found


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(Location(str(tmp_path)))


def generation(
    number: int, assigned: dict[str, tuple[int, ...]], group: str = "g"
) -> ClassicGeneration:
    def member(name: str, numbers: tuple[int, ...]) -> GroupMember:
        partitions: Partitions = {"t": numbers}
        return GroupMember(
            name, None, name, "/h", session_timeout_ms=10_000, topics=("t",), assigned=partitions
        )

    members = tuple(member(name, numbers) for name, numbers in assigned.items())
    return ClassicGeneration(group, "consumer", number, "range", None, None, members)


def commit(partition: int, offset: int, time_ms: int = 0, group: str = "g") -> OffsetCommit:
    return OffsetCommit(group, "t", partition, offset, -1, "", time_ms)


def test_every_record_is_an_event_or_ignored_or_a_dead_letter(bench: Bench) -> None:
    events: list[Event | bytes | None] = [
        generation(1, {"a": (0, 1, 2, 3, 4, 5)}),
        None,
        generation(1, {"a": (0,)}, group="spark-kafka-source"),
        b"{",
        commit(0, 7),
    ]
    work, rows = bench.batch(events, now_seconds=100, ignored_groups=("spark-kafka-*",))
    tally = work.tally
    assert (tally.read, tally.events, tally.ignored, tally.dead_letters) == (5, 2, 2, 1)
    (letter,) = rows["dead_letters"]
    assert letter["reason"] == "bad_event"
    assert (letter["topic"], letter["partition"], letter["offset"]) == ("__consumer_offsets", 0, 3)
    assert (letter["key"], letter["value"]) == (b"key", b"{")


def test_all_generations_of_a_batch_are_counted_in_order(bench: Bench) -> None:
    events = [
        generation(1, {"a": (0, 1, 2, 3, 4, 5)}),
        generation(2, {"a": (0, 1, 2), "b": (3, 4, 5)}),
        generation(3, {"b": (0, 1, 2, 3, 4, 5)}),
    ]
    work, rows = bench.batch(events, now_seconds=100)
    assert work.tally.settled_generations == 3
    found = [
        (row["generation"], row["previous_generation"], row["cause"], row["churn"])
        for row in rows["rebalances"]
    ]
    assert found == [(1, None, "first", 0), (2, 1, "joined", 3), (3, 2, "left", 3)]
    assert len(rows["assignments"]) == 18
    assert [row["episode_churn"] for row in rows["rebalances"]] == [0, 3, 6]


def test_state_goes_on_in_the_next_batch(bench: Bench) -> None:
    bench.batch([generation(1, {"a": (0, 1, 2, 3, 4, 5)})], now_seconds=100)
    _, rows = bench.batch([generation(2, {"a": (0, 1, 2), "b": (3, 4, 5)})], now_seconds=110)
    (row,) = rows["rebalances"]
    assert (row["previous_generation"], row["churn"], row["seconds_since_previous"]) == (1, 3, 10.0)
    (group,) = bench.state.to_pylist()
    assert (group["generation"], group["member_count"], group["rebalance_count"]) == (2, 2, 2)
    assert [member["member_id"] for member in group["members"]] == ["a", "b"]


def test_records_read_again_from_a_new_checkpoint_change_nothing(bench: Bench) -> None:
    events = [generation(1, {"a": (0, 1, 2, 3, 4, 5)}), generation(2, {"a": (0,), "b": (3,)})]
    bench.batch(events, now_seconds=100)
    before = bench.state.to_pylist()[0]["machine"]
    bench._next_offset = 0
    work, rows = bench.batch(events, now_seconds=100)
    assert (work.tally.events, work.tally.ignored) == (0, 2)
    assert "rebalances" not in rows
    assert bench.state.to_pylist()[0]["machine"] == before


def test_lag_follows_commits_and_grows_without_them(bench: Bench) -> None:
    ends = {"t": np.array([10, 10, 10, 10, 10, 10], dtype=np.int64)}
    events: list[Event] = [
        generation(1, {"a": (0, 1, 2), "b": (3, 4, 5)}),
        commit(0, 4),
        commit(3, 10),
    ]
    bench.batch(events, now_seconds=100, end_offsets=ends, refresh=True)
    rows = {row["partition"]: row for row in bench.offsets.to_pylist()}
    assert (rows[0]["lag"], rows[0]["member_id"]) == (6, "a")
    assert (rows[3]["lag"], rows[3]["member_id"]) == (0, "b")
    assert bench.state.to_pylist()[0]["lag"] == 6
    later = {"t": np.array([25, 0, 0, 12, 0, 0], dtype=np.int64)}
    bench.batch([], now_seconds=160, end_offsets=later, refresh=True)
    rows = {row["partition"]: row for row in bench.offsets.to_pylist()}
    assert (rows[0]["lag"], rows[3]["lag"]) == (21, 2)
    group = bench.state.to_pylist()[0]
    assert (group["lag"], round(group["lag_skew"], 3)) == (23, round(21 * 2 / 23, 3))


def test_a_commit_keeps_the_owner_and_a_removed_offset_goes(bench: Bench) -> None:
    bench.batch([generation(1, {"a": (0, 1)}), commit(0, 1), commit(1, 1)], now_seconds=100)
    bench.batch([commit(0, 2), OffsetRemoved("g", "t", 1)], now_seconds=101)
    (row,) = bench.offsets.to_pylist()
    assert (row["partition"], row["committed_offset"], row["member_id"]) == (0, 2, "a")


def test_a_group_that_only_commits_is_shown_too(bench: Bench) -> None:
    bench.batch([commit(0, 5, time_ms=99_000, group="assigned")], now_seconds=100, refresh=True)
    (group,) = bench.state.to_pylist()
    assert (group["group_id"], group["state"], group["member_count"]) == ("assigned", "empty", 0)
    assert group["last_commit_time"].timestamp() == 99


def test_a_member_silent_for_its_session_timeout_timed_out(bench: Bench) -> None:
    bench.batch(
        [
            generation(1, {"a": (0, 1, 2), "b": (3, 4, 5)}),
            commit(0, 1, 99_000),
            commit(3, 1, 50_000),
        ],
        now_seconds=100,
    )
    _, rows = bench.batch([generation(2, {"a": (0, 1, 2, 3, 4, 5)})], now_seconds=102)
    (row,) = rows["rebalances"]
    assert row["cause"] == "timed_out"
    assert row["causes"] == ["timed_out", "left"]
    assert [member["member_id"] for member in row["left"]] == ["b"]


def test_a_removed_group_leaves_the_state_when_its_time_is_over(bench: Bench) -> None:
    bench.batch([generation(1, {"a": (0,)}), GroupRemoved("g", "classic")], now_seconds=100)
    assert bench.state.to_pylist()[0]["state"] == "removed"
    bench.batch([], now_seconds=140)
    assert bench.state.num_rows == 0


def test_a_lopsided_group_opens_an_alert_and_resolves_it(bench: Bench) -> None:
    lopsided = {"a": (0, 1, 2, 3, 4), "b": (5,)}
    bench.batch([generation(1, lopsided)], now_seconds=100)
    _, rows = bench.batch([], now_seconds=1000, refresh=True)
    assert {row["rule"]: row["status"] for row in rows["alerts"]}["unfair"] == "opened"
    _, rows = bench.batch([generation(2, {"a": (0, 1, 2), "b": (3, 4, 5)})], now_seconds=1010)
    assert {row["rule"]: row["status"] for row in rows["alerts"]}["unfair"] == "resolved"


def behind(*partitions: int) -> dict[str, npt.NDArray[np.int64]]:
    ends = np.full(6, 10, dtype=np.int64)
    ends[list(partitions)] = 100_000
    return {"t": ends}


def even_and_committed() -> list[Event]:
    commits = (commit(partition, 10) for partition in range(6))
    return [generation(1, {"a": (0, 1, 2), "b": (3, 4, 5)}), *commits]


def test_lags_taken_anew_leave_a_healthy_group_closed(bench: Bench) -> None:
    bench.batch(
        even_and_committed(),
        now_seconds=100,
        end_offsets=behind(),
        refresh=True,
        every_group=True,
    )
    work, _ = bench.batch([], now_seconds=130, end_offsets=behind(), refresh=True)
    assert not work._groups.open_groups
    assert (work.state(), work.offsets()) == (None, None)


def test_a_group_that_falls_behind_on_one_member_is_seen_without_an_event(bench: Bench) -> None:
    bench.batch(even_and_committed(), now_seconds=100, end_offsets=behind(), refresh=True)
    bench.batch([], now_seconds=130, end_offsets=behind(0), refresh=True)
    (group,) = bench.state.to_pylist()
    assert (group["lag"], group["lag_skew"]) == (99_990, 2.0)
    _, rows = bench.batch([], now_seconds=2000, end_offsets=behind(0))
    assert "commits_stopped" in {row["rule"] for row in rows["alerts"]}


def test_an_alert_on_uneven_lag_names_the_slowest_member(bench: Bench) -> None:
    alone = generation(1, {name: (number,) for number, name in enumerate("abcdef")})
    commits = (commit(partition, 10) for partition in range(6))
    bench.batch([alone, *commits], now_seconds=100, end_offsets=behind(3), refresh=True)
    _, rows = bench.batch([], now_seconds=800, end_offsets=behind(3), refresh=True)
    [alert] = [row for row in rows["alerts"] if row["rule"] == "lag_skew"]
    assert alert["subject"].startswith("d@")
    assert alert["subject"] in alert["summary"]


def test_the_owner_of_a_partition_first_committed_later_is_looked_up(bench: Bench) -> None:
    bench.batch([generation(1, {"a": (0, 1)})], now_seconds=100, end_offsets=behind())
    bench.batch([commit(1, 5)], now_seconds=101, end_offsets=behind())
    bench.batch([], now_seconds=130, end_offsets=behind(), refresh=True)
    assert [row["member_id"] for row in bench.offsets.to_pylist()] == ["a"]


def test_the_rate_of_the_last_hour_falls_without_an_event(bench: Bench) -> None:
    bench.batch([generation(1, {"a": (0, 1)})], now_seconds=100)
    assert bench.state.to_pylist()[0]["rebalances_last_hour"] == 1
    bench.batch([], now_seconds=3701)
    assert bench.state.to_pylist()[0]["rebalances_last_hour"] == 0
