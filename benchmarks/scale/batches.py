"""Batch time against groups changed and against groups existing, and of an idle batch."""

from collections import Counter
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from benchmarks.scale.groups import Load
from benchmarks.scale.monitor import Watched, monitored, settings_for
from benchmarks.scale.report import Report
from benchmarks.scale.topic import SourceTopic, load_of
from streaming.embedded.broker import EmbeddedBroker

_REPEATS = 5
_IDLE_BATCHES = 12
_FEW = 100
_WANTED = {
    ("idle", 10_000): "≤ 1.0 s",
    (10, 10_000): "≤ 1.0 s",
    (_FEW, 10_000): "≤ 3 s",
    (10_000, 10_000): "≤ 60 s",
}


class Cluster:
    """Groups that have come so far, and their generations."""

    def __init__(self, topic: SourceTopic, load: Load, watched: Watched) -> None:
        """Begin with no groups."""
        self._topic, self._load, self._watched = topic, load, watched
        self._generations: Counter[int] = Counter()

    def grow(self, groups: int) -> None:
        """Have groups join until there are so many, each with commits for all partitions."""
        before = len(self._generations)
        with self._topic.at_once():
            for group in range(before, groups):
                self._rebalance(group)
                self._topic.write(group, self._load.commits(group, 10))
        self._watched.settled(groups - before)

    def change(self, groups: int) -> float:
        """Have groups rebalance, all in one batch; seconds of that batch."""
        step = len(self._generations) // groups
        with self._topic.at_once():
            for group in range(0, groups * step, step):
                self._rebalance(group)
        batches = self._watched.settled(groups)
        if len(batches) > 1:
            raise RuntimeError(f"{groups:,} rebalances came in {len(batches)} batches, not in one")
        return batches[0].seconds

    def _rebalance(self, group: int) -> None:
        self._generations[group] += 1
        self._topic.write(group, self._load.rebalance(group, self._generations[group]))


def measure_batches(
    broker: EmbeddedBroker, spark: SparkSession, folder: Path, report: Report, *, groups: int
) -> None:
    """Grow a cluster to so many groups, and measure on the way.

    Args:
        broker: a running broker.
        spark: the session.
        folder: for the tables.
        report: told what was measured.
        groups: at the end.
    """
    topic = SourceTopic(broker, "batches")
    more = {"source.topic": topic.name, "query.lag_refresh_seconds": 30}
    with monitored(settings_for(broker.bootstrap_servers, folder, more), spark) as watched:
        cluster = Cluster(topic, load_of(broker, groups), watched)
        for existing in (size for size in (100, 1_000, 10_000) if size <= groups):
            cluster.grow(existing)
            _report_idle(watched, report, existing)
            for changed in _steps(existing, groups):
                _report_changed(cluster, report, changed, existing)


def _steps(existing: int, groups: int) -> tuple[int, ...]:
    """At the end the curve over what changes, before it one point of the other curve."""
    return (10, 100, 1_000, 10_000)[: len(str(groups)) - 1] if existing == groups else (_FEW,)


def _report_idle(watched: Watched, report: Report, existing: int) -> None:
    seconds = [batch.seconds for batch in watched.idle(_IDLE_BATCHES)]
    report.add(
        f"idle batch, {existing:,} groups with {existing * 100:,} partitions, median",
        f"{median(seconds):.2f} s",
        _WANTED.get(("idle", existing), ""),
    )


def _report_changed(cluster: Cluster, report: Report, changed: int, existing: int) -> None:
    repeats = _REPEATS if changed < 10_000 else 1
    seconds = median(cluster.change(changed) for _ in range(repeats))
    report.add(
        f"batch in which {changed:,} of {existing:,} groups rebalance, 20 members and 100"
        " partitions each",
        f"{seconds:.2f} s",
        _WANTED.get((changed, existing), ""),
    )
