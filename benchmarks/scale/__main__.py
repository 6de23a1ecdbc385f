"""The monitor at scale: `python -m benchmarks.scale`.

Everything runs on this machine: an embedded broker, synthetic records of groups in the real binary
format, the monitor with its default configuration. Prints a Markdown table; a full run takes about
three quarters of an hour. `--quick` runs a tenth of everything.
"""

import argparse
import logging
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import structlog
from pyspark.sql import SparkSession

from benchmarks.scale.batches import measure_batches
from benchmarks.scale.catch_up import measure_catch_up, measure_start
from benchmarks.scale.drift import measure_drift
from benchmarks.scale.latency import measure_latency
from benchmarks.scale.report import Report
from streaming.embedded.broker import EmbeddedBroker
from streaming.session.spark import build_session

_BROKER = {"log.segment.bytes": "268435456", "message.max.bytes": "8388608"}


@dataclass(frozen=True)
class Run:
    """One run over all or some measurements."""

    arguments: argparse.Namespace
    broker: EmbeddedBroker
    folder: Path
    report: Report

    @cached_property
    def spark(self) -> SparkSession:
        """One session for all that runs in this process."""
        return build_session(conf={"spark.driver.memory": "2g"})

    def start(self) -> None:
        """Start to first batch."""
        measure_start(self.broker, self._place("start"), self.report)

    def catch_up(self) -> None:
        """A long topic from nothing."""
        wanted = self.arguments
        measure_catch_up(
            self.broker,
            self.spark,
            self._place("catch-up"),
            self.report,
            commits=wanted.commits,
            group_records=wanted.group_records,
        )

    def batches(self) -> None:
        """Groups changed and groups existing."""
        place, groups = self._place("batches"), self.arguments.groups
        measure_batches(self.broker, self.spark, place, self.report, groups=groups)

    def latency(self) -> None:
        """From the broker to Delta."""
        measure_latency(self.broker, self.spark, self._place("latency"), self.report)

    def drift(self) -> None:
        """Thousands of batches."""
        place, count = self._place("drift"), self.arguments.batches
        measure_drift(self.broker, self.spark, place, self.report, batches=count)

    def _place(self, name: str) -> Path:
        place = self.folder / name
        place.mkdir()
        return place


MEASUREMENTS: dict[str, Callable[[Run], None]] = {
    "start": Run.start,
    "catch-up": Run.catch_up,
    "batches": Run.batches,
    "latency": Run.latency,
    "drift": Run.drift,
}

SIZES = {"groups": 10_000, "commits": 10_000_000, "group-records": 100_000, "batches": 2_000}


def main() -> None:
    """Measure and print."""
    arguments = _arguments()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    print(f"{os.cpu_count()} cores; load average when it began {os.getloadavg()[0]:.1f}\n")
    with EmbeddedBroker(overrides=_BROKER) as broker, tempfile.TemporaryDirectory() as folder:
        run = Run(arguments, broker, Path(folder), Report())
        for name in arguments.only or MEASUREMENTS:
            MEASUREMENTS[name](run)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--only", nargs="+", choices=MEASUREMENTS, help="some measurements only")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    for name, default in SIZES.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=f"{default:,} if not given")
    found = parser.parse_args()
    for name, default in SIZES.items():
        key = name.replace("-", "_")
        if getattr(found, key) is None:
            setattr(found, key, default // 10 if found.quick else default)
    return found


if __name__ == "__main__":
    main()
