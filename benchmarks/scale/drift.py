"""Whether thousands of batches slow the monitor down, with maintenance on its schedule."""

import threading
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from benchmarks.scale.monitor import monitored, settings_for
from benchmarks.scale.report import Report
from benchmarks.scale.topic import SourceTopic, load_of
from streaming.embedded.broker import EmbeddedBroker

_GROUPS = 200
_REBALANCE_EVERY = 10
_UPKEEP_SECONDS = 60
_COMPARED = 200
_PAUSE_SECONDS = 0.05


def measure_drift(
    broker: EmbeddedBroker, spark: SparkSession, folder: Path, report: Report, *, batches: int
) -> None:
    """Run so many batches, each with commits and some with rebalances.

    Args:
        broker: a running broker.
        spark: the session.
        folder: for the tables.
        report: told what was measured.
        batches: how many.
    """
    topic = SourceTopic(broker, "drift")
    more = {
        "source.topic": topic.name,
        "query.trigger_seconds": 0.01,
        "maintenance.interval_seconds": _UPKEEP_SECONDS,
    }
    over = threading.Event()
    writer = threading.Thread(target=_write, args=(topic, broker, over))
    with monitored(settings_for(broker.bootstrap_servers, folder, more), spark) as watched:
        writer.start()
        seconds = [batch.seconds for batch in watched.run(batches + _COMPARED // 10)]
        over.set()
        writer.join()
    seconds = seconds[_COMPARED // 10 :]  # the JVM is warm then
    compared = min(_COMPARED, len(seconds) // 2)
    first, last = median(seconds[:compared]), median(seconds[-compared:])
    report.add(
        f"batch time after {len(seconds):,} batches: median of the last {compared} over that of"
        f" the first, maintained every {_UPKEEP_SECONDS} s",
        f"{last / first:.2f} ({first:.2f} s, {last:.2f} s)",
        "≤ 1.3",
    )


def _write(topic: SourceTopic, broker: EmbeddedBroker, over: threading.Event) -> None:
    """Write commits of one group after the other, and now and then a rebalance."""
    load = load_of(broker, _GROUPS)
    number = 0
    while not over.wait(_PAUSE_SECONDS):
        group, round_number = number % _GROUPS, number // _GROUPS
        with topic.at_once():
            if round_number == 0 or number % _REBALANCE_EVERY == 0:
                topic.write(group, load.rebalance(group, round_number + 1))
            topic.write(group, load.commits(group, number))
        number += 1
