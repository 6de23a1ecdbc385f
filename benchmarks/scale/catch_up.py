"""Catch-up from nothing, memory, and the start: `rebalance-monitor run --once` by itself."""

import time
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.scale.groups import Load
from benchmarks.scale.memory import MEBIBYTE, PeakMemory
from benchmarks.scale.monitor import run_once
from benchmarks.scale.report import Report
from benchmarks.scale.topic import SourceTopic, load_of
from streaming.embedded.broker import EmbeddedBroker
from streaming.query.source import READER_OPTIONS
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location

_GROUPS = 1_000
_LOOK_SECONDS = 0.02


def measure_catch_up(  # noqa: PLR0913 - sizes beside what every measurement takes
    broker: EmbeddedBroker,
    spark: SparkSession,
    folder: Path,
    report: Report,
    *,
    commits: int,
    group_records: int,
) -> None:
    """Fill a topic, then let the monitor read it.

    Args:
        broker: a running broker.
        spark: a session, for counting the same records without doing anything with them.
        folder: for the tables.
        report: told what was measured.
        commits: offset commits in the topic.
        group_records: group records in it, at least.
    """
    topic = SourceTopic(broker, "catch-up")
    written = _fill(topic, load_of(broker, _GROUPS), commits, group_records)
    _, watch = _run(broker, folder, topic)
    (row,) = TableReader(Location(str(folder / "tables"))).rows(
        "SELECT SUM(records_read) AS records, SUM(seconds) AS seconds, COUNT(*) AS batches,"
        " SUM(groups_seconds) AS work, SUM(settled_generations) AS settled FROM batches"
    )
    report.add(
        f"catch-up: {commits:,} offset commits and {written:,} group records"
        f" ({row['settled']:,} settled generations), {row['batches']} batches",
        f"{row['records'] / row['seconds']:,.0f} records/s ({row['seconds']:.1f} s; with start and"
        f" end {watch.cpu_seconds:.0f} s of CPU)",
        "≥ 400,000 records/s",
    )
    bare = _bare_seconds(broker, spark, topic)
    report.add(
        "the same records counted by Spark's Kafka source and nothing else",
        f"{row['records'] / bare:,.0f} records/s, {row['seconds'] / bare:.1f} times as fast",
    )
    parts = ", ".join(
        f"{name} {size / MEBIBYTE:,.0f}" for name, size in sorted(watch.peak_by_name.items())
    )
    report.add(
        "its peak memory, driver, JVM and workers together",
        f"{watch.peak_bytes / MEBIBYTE:,.0f} MiB ({parts})",
        "< 4,096 MiB",
    )


def _bare_seconds(broker: EmbeddedBroker, spark: SparkSession, topic: SourceTopic) -> float:
    options = {
        **READER_OPTIONS,
        "kafka.bootstrap.servers": broker.bootstrap_servers,
        "subscribe": topic.name,
    }
    records = spark.read.format("kafka").options(**options).load()
    started = time.monotonic()
    records.agg({"offset": "count", "value": "count"}).collect()
    return time.monotonic() - started


def measure_start(broker: EmbeddedBroker, folder: Path, report: Report) -> None:
    """Start the monitor with its caches warm, until its first batch is in the tables."""
    topic = SourceTopic(broker, "start")
    _fill(topic, load_of(broker, 10), commits=1_000, group_records=100)
    for run in ("warm-up", "measured"):
        place = folder / run
        place.mkdir()
        seconds, _ = _run(broker, place, topic)
    report.add("start to first finished batch, caches warm", f"{seconds:.1f} s", "≤ 10 s")


def _run(broker: EmbeddedBroker, folder: Path, topic: SourceTopic) -> tuple[float, PeakMemory]:
    """Run the monitor until it has read all; seconds to its first batch, and its memory."""
    started = time.monotonic()
    first = None
    state = folder / "tables" / "group_state" / "_delta_log" / f"{1:020}.json"
    log = folder / "run.log"
    process = run_once(broker.bootstrap_servers, folder, topic=topic.name, log=log)
    with PeakMemory(process.pid) as watch:
        while process.poll() is None:
            if first is None and state.exists():
                first = time.monotonic() - started
            time.sleep(_LOOK_SECONDS)
    if process.returncode or first is None:
        raise RuntimeError(f"the monitor failed:\n{log.read_text()[-2000:]}")
    return first, watch


def _fill(topic: SourceTopic, load: Load, commits: int, group_records: int) -> int:
    """Write rounds of rebalances with rounds of commits between; how many group records it took."""
    everybody = range(load.groups)
    of_a_round = sum(1 for group in everybody for _ in load.rebalance(group, 2))
    rebalances = max(1, round(group_records / of_a_round))
    committed = max(1, commits // (load.groups * load.partition_count))
    written = 0
    for number in range(committed):
        with topic.at_once():
            if number * rebalances // committed != (number - 1) * rebalances // committed:
                generation = number * rebalances // committed + 1
                written += sum(topic.write(g, load.rebalance(g, generation)) for g in everybody)
            for group in everybody:
                topic.write(group, load.commits(group, number))
    return written
