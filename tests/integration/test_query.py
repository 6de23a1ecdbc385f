"""The whole chain on a real broker: real consumers in, exact rows out, through crashes too."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.consumer import AssignmentProtocol
from streaming.embedded.group import Group, Settled
from streaming.query.service import running
from streaming.settings.loading import load_settings
from streaming.settings.model import Settings
from streaming.tables.reader import TableReader
from streaming.tables.schemas import TABLES
from streaming.tables.storage import Location

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("spark")]

TOPICS = {"x": 4, "y": 4}
PROTOCOLS: tuple[AssignmentProtocol, ...] = (
    "range",
    "roundrobin",
    "cooperative-sticky",
    "consumer",
)
# What differs from run to run though the records are the same.
CLOCKS = {
    "processed_time",
    "batch_id",
    "deadline_time",
    "alert_memory",
    "time_lag_seconds",
    "start_offsets",
    "behind_seconds",
    "behind_records",
    "seconds",
    "cluster_seconds",
    "groups_seconds",
    "commit_seconds",
}
# These tables tell of the run itself: an alert opens, and a batch begins, when they do.
OWN_CLOCKS = {
    "alerts": {"alert_id", "event_time", "opened_time"},
    "batches": {"event_time"},
}


@dataclass(frozen=True)
class Recorded:
    """A broker whose groups have done what they were to do."""

    broker: EmbeddedBroker
    steps: list[Settled]


@pytest.fixture(scope="module")
def recorded() -> Iterator[Recorded]:
    """One group per protocol: a joins, b joins, c joins, a leaves; each step awaited."""
    with EmbeddedBroker() as broker:
        broker.create_topics(TOPICS)
        steps: list[Settled] = []
        groups = {
            name: Group(broker.bootstrap_servers, name, protocol=name, session_timeout_ms=6000)
            for name in PROTOCOLS
        }
        for group in groups.values():
            for name in "abc":
                group.start(name, tuple(TOPICS))
                steps.append(group.settle(f"{name} joins"))
            group.leave("a")
            steps.append(group.settle("a leaves"))
        yield Recorded(broker, steps)
        for group in groups.values():
            group.close()


def settings_for(recorded: Recorded, folder: Path) -> Settings:
    return load_settings(
        None,
        env={},
        overrides={
            "cluster.name": "test",
            "cluster.bootstrap_servers": recorded.broker.bootstrap_servers,
            "query.tables": str(folder / "tables"),
            "query.checkpoint": str(folder / "checkpoint"),
            "query.shards": 3,
            "metrics.enabled": False,
        },
    )


def read_once(
    settings: Settings, spark: SparkSession, on_commit: Callable[[str], None] = lambda _: None
) -> TableReader:
    """Read what is there into the tables."""
    with running(
        settings, say=print, once=True, spark=lambda: spark, on_commit=on_commit
    ) as service:
        assert service.wait(seconds=120)
    return TableReader(Location.of(settings.query))


@pytest.fixture(scope="module")
def read(
    recorded: Recorded, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> TableReader:
    return read_once(settings_for(recorded, tmp_path_factory.mktemp("read")), spark)


def test_a_known_sequence_of_members_gives_exactly_these_rebalances(read: TableReader) -> None:
    rows = read.rows(
        "SELECT * FROM rebalances WHERE group_id = 'range' ORDER BY event_time, generation"
    )
    found = [
        (
            row["cause"],
            [member["client_id"] for member in row["joined"]],
            [member["client_id"] for member in row["left"]],
            row["member_count"],
            row["churn"],
            row["necessary_churn"],
            row["avoidable_churn"],
            row["revoked"],
        )
        for row in rows
    ]
    assert found == [
        ("first", ["a"], [], 1, 0, 0, 0, 0),
        ("joined", ["b"], [], 2, 4, 4, 0, 8),
        ("joined", ["c"], [], 3, 2, 2, 0, 8),
        # Range hands x2 and y2 from b to c though only what a had needed a new owner.
        ("left", [], ["a"], 2, 6, 4, 2, 4),
    ]
    assert all(row["settled"] and row["assignor"] == "range" for row in rows)
    assert [row["protocol"] for row in rows] == ["eager"] * 4
    generations = [row["generation"] for row in rows]
    assert [row["previous_generation"] for row in rows] == [None, *generations[:-1]]
    assert [row["episode_churn"] for row in rows] == [0, 4, 6, 12]


def test_cooperative_phases_are_one_rebalance(read: TableReader) -> None:
    rows = read.rows(
        "SELECT * FROM rebalances WHERE group_id = 'cooperative-sticky' ORDER BY event_time"
    )
    assert [row["cause"] for row in rows] == ["first", "joined", "joined", "left"]
    assert [len(row["phase_generations"]) for row in rows] == [1, 2, 2, 1]
    assert [row["phase_withheld"][-1] for row in rows] == [0, 0, 0, 0]
    assert [row["avoidable_churn"] for row in rows] == [0, 0, 0, 0]
    assert [row["revoked"] for row in rows] == [0, 4, 2, 0]


def test_the_live_assignment_is_what_every_consumer_said(
    read: TableReader, recorded: Recorded
) -> None:
    for step in recorded.steps:
        rows = read.rows(
            "SELECT generation, topic, partition, member_id, event_time FROM assignments"
            " WHERE group_id = :group AND member_id IS NOT NULL",
            group=step.group_id,
        )
        before = [row for row in rows if row["event_time"].timestamp() * 1000 <= step.settled_ms]
        last = max(row["generation"] for row in before)
        live: dict[str, list[tuple[str, int]]] = {}
        for row in before:
            if row["generation"] == last:
                live.setdefault(row["member_id"], []).append((row["topic"], row["partition"]))
        said = {member: sorted(owned) for member, owned in step.assignments.items() if owned}
        assert {member: sorted(owned) for member, owned in live.items()} == said, step


def test_a_kip_848_group_has_its_members_and_measures(read: TableReader) -> None:
    (row,) = read.rows("SELECT * FROM group_state WHERE group_id = 'consumer'")
    assert (row["group_type"], row["state"], row["assignor"]) == ("consumer", "stable", "uniform")
    assert sorted(member["client_id"] for member in row["members"]) == ["b", "c"]
    assert [member["partition_count"] for member in row["members"]] == [4, 4]
    assert (row["moves_to_fairest"], row["rebalance_count"]) == (0, 4)


def test_every_record_is_accounted_for(read: TableReader) -> None:
    (row,) = read.rows(
        "SELECT SUM(records_read) AS read, SUM(events) AS events, SUM(ignored) AS ignored,"
        " SUM(dead_letters) AS dead FROM batches"
    )
    assert row["read"] > 0
    assert row["read"] == row["events"] + row["ignored"] + row["dead"]
    assert row["dead"] == 0


def test_the_monitor_adds_no_group(read: TableReader, recorded: Recorded) -> None:
    assert read.rows("SELECT * FROM batches")
    admin = recorded.broker.admin()
    listed = admin.list_consumer_groups().result(10)
    assert {group.group_id for group in listed.valid} == set(PROTOCOLS)


class CrashError(Exception):
    """What stops a batch in its middle."""


@pytest.mark.parametrize("table", ["dead_letters", "rebalances", "offsets", "batches"])
def test_a_batch_cut_between_two_tables_is_made_good(
    table: str, recorded: Recorded, spark: SparkSession, tmp_path: Path, read: TableReader
) -> None:
    settings = settings_for(recorded, tmp_path)

    def crash(committed: str) -> None:
        if committed == table:
            raise CrashError

    with pytest.raises(StreamingQueryException):
        read_once(settings, spark, on_commit=crash)
    assert not TableReader(Location.of(settings.query)).rows("SELECT * FROM group_state")
    again = read_once(settings, spark)
    assert contents(again) == contents(read)
    # And once more with nothing new: nothing is written twice.
    assert contents(read_once(settings, spark)) == contents(read)


def contents(reader: TableReader) -> dict[str, list[dict[str, Any]]]:
    """What is in the tables, without the clocks; of `batches` those that had records."""
    reader.refresh()
    found = {}
    for spec in TABLES:
        rows = reader.rows(f"SELECT * FROM {spec.name}")  # noqa: S608 - a name of our own
        if spec.name == "batches":
            rows = [row for row in rows if row["records_read"]]
        left_out = CLOCKS | OWN_CLOCKS.get(spec.name, set())
        kept = [{name: row[name] for name in sorted(row.keys() - left_out)} for row in rows]
        found[spec.name] = sorted(kept, key=str)
    return found
