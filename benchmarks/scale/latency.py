"""Seconds from a rebalance on the broker to its row in Delta, with real consumers."""

import time
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from benchmarks.scale.monitor import monitored, settings_for
from benchmarks.scale.report import Report
from streaming.embedded.broker import EmbeddedBroker
from streaming.embedded.consumer import AssignmentProtocol
from streaming.embedded.group import Group
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location

_PROTOCOLS: tuple[AssignmentProtocol, ...] = ("range", "cooperative-sticky", "consumer")
_TOPICS = {"latency-a": 10, "latency-b": 10}
_ROUNDS = 4
_LAST_TABLE = "group_state"


def measure_latency(
    broker: EmbeddedBroker, spark: SparkSession, folder: Path, report: Report
) -> None:
    """Have members join and leave, and see when each settled generation is in the tables.

    Args:
        broker: a running broker.
        spark: the session.
        folder: for the tables.
        report: told what was measured.
    """
    broker.create_topics(_TOPICS)
    settings = settings_for(broker.bootstrap_servers, folder, {})
    groups = [
        Group(broker.bootstrap_servers, f"latency-{name}", protocol=name) for name in _PROTOCOLS
    ]
    for group in groups:  # before the monitor starts, so that its topic exists
        group.start("first", tuple(_TOPICS))
        group.settle("first joins")
    committed: list[float] = []

    def note(table: str) -> None:
        if table == _LAST_TABLE:
            committed.append(time.time())

    with monitored(settings, spark, on_commit=note) as watched:
        watched.catch_up()
        began = time.time()
        for group in groups:
            _rebalance(group)
        watched.catch_up()
    waited = _waited(settings.query.tables, began, committed)
    report.add(
        f"rebalance settled on the broker until in Delta, 1 s trigger, median of {len(waited)}",
        f"{median(waited):.2f} s (largest {max(waited):.2f} s)",
        "≤ 3 s",
    )
    for group in groups:
        group.close()


def _rebalance(group: Group) -> None:
    for number in range(_ROUNDS):
        group.start(f"member-{number}", tuple(_TOPICS))
        group.settle(f"member {number} joins")
        group.leave(f"member-{number}")
        group.settle(f"member {number} leaves")


def _waited(tables: str, began: float, committed: list[float]) -> list[float]:
    """Seconds from the timestamp of the record that settled each rebalance to its last commit."""
    rows = TableReader(Location(tables)).rows(
        "SELECT event_time, processed_time FROM rebalances WHERE settled"
    )
    waited = []
    for row in rows:
        happened, batch = row["event_time"].timestamp(), row["processed_time"].timestamp()
        if happened >= began:
            waited.append(min(time for time in committed if time >= batch) - happened)
    return waited
