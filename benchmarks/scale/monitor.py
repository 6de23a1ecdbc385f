"""The monitor as it runs anywhere, and what its batches took."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from streaming.query.service import Service, running
from streaming.settings.loading import load_settings
from streaming.settings.model import Settings
from streaming.tables.reader import TableReader

_KEPT_BATCHES = ("spark.sql.streaming.numRecentProgressUpdates", "5000")
_PATIENCE_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Batch:
    """One micro-batch: its number, rows it read, and seconds from its trigger to its end."""

    number: int
    rows: int
    seconds: float


@dataclass(slots=True)
class Watched:
    """A running monitor.

    Attributes:
        service: the monitor.
        seen: the last batch that was looked at.
    """

    service: Service
    seen: int = field(default=-1)

    def new_batches(self) -> list[Batch]:
        """Batches since the last call."""
        progress: Any = self.service.query.recentProgress
        found = [_batch(each) for each in progress]
        found = [batch for batch in found if batch.number > self.seen]
        self.seen = max((batch.number for batch in found), default=self.seen)
        return found

    def catch_up(self) -> None:
        """Wait until all is read that is there."""
        if not self.service.catch_up(seconds=_PATIENCE_SECONDS):
            raise TimeoutError("the monitor does not catch up")

    def settled(self, generations: int) -> list[Batch]:
        """Wait until so many generations have settled; the batches in which they did.

        What was written in a transaction is seen a moment after its end, so reading to the end is
        no sign of it.
        """
        found: dict[int, int] = {}
        while sum(found.values()) < generations:
            time.sleep(0.5)
            rows = TableReader(self.service.tables).rows(
                "SELECT batch_id, settled_generations AS settled FROM batches"
                " WHERE batch_id > :seen AND settled_generations > 0",
                seen=self.seen,
            )
            found = {row["batch_id"]: row["settled"] for row in rows}
        batches = self.run(max(found) - self.seen)
        return [batch for batch in batches if batch.number in found]

    def run(self, count: int) -> list[Batch]:
        """Wait for some batches; Spark is asked for all of them once, since that takes it time."""
        last = self.seen + count
        while self._last_told() < last:
            time.sleep(0.5)
        return self.new_batches()

    def _last_told(self) -> int:
        """The last batch that Spark tells of, which it does a moment after its end."""
        progress: Any = self.service.query.lastProgress
        return progress["batchId"] if progress else -1

    def idle(self, count: int) -> list[Batch]:
        """Wait for some batches in which nothing comes."""
        self.new_batches()
        batches: list[Batch] = []
        while len(batches) < count:
            time.sleep(1.0)
            batches += self.new_batches()
        return batches


def _batch(progress: Any) -> Batch:
    seconds = progress["durationMs"].get("triggerExecution", 0) / 1000
    return Batch(progress["batchId"], progress["numInputRows"], seconds)


def settings_for(servers: str, folder: Path, more: Mapping[str, object]) -> Settings:
    """The default configuration over a broker, tables in a folder."""
    return load_settings(
        None,
        env={},
        overrides={
            "cluster.name": "benchmark",
            "cluster.bootstrap_servers": servers,
            "query.tables": str(folder / "tables"),
            "query.checkpoint": str(folder / "checkpoint"),
            "query.trigger_seconds": 1,
            "metrics.enabled": False,  # another monitor may have the port
            **more,
        },
    )


@contextmanager
def monitored(
    settings: Settings,
    spark: SparkSession,
    *,
    on_commit: Callable[[str], None] = lambda _table: None,
) -> Iterator[Watched]:
    """Run the monitor in this process."""
    spark.conf.set(*_KEPT_BATCHES)
    with running(settings, say=_say, spark=lambda: spark, on_commit=on_commit) as service:
        yield Watched(service)


def run_once(servers: str, folder: Path, *, topic: str, log: Path) -> subprocess.Popen[bytes]:
    """Start `rebalance-monitor run --once` in a process of its own."""
    config = folder / "monitor.toml"
    config.write_text(f'[source]\ntopic = "{topic}"\n[metrics]\nenabled = false\n')
    arguments = [
        *("run", "--once", "--config", str(config), "--bootstrap-servers", servers),
        *("--tables", str(folder / "tables"), "--checkpoint", str(folder / "checkpoint")),
    ]
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "streaming.cli.main", *arguments],
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
