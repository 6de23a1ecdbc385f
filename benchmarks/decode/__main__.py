"""Figures of decoding: `python -m benchmarks.decode`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from benchmarks.decode.end_to_end import fill, measure
from benchmarks.decode.synthetic import classic_group, commits
from streaming.embedded.broker import EmbeddedBroker
from streaming.events import event_of
from streaming.records import read_assignment, read_key, read_subscription, read_value
from streaming.session.spark import build_session

if TYPE_CHECKING:
    from collections.abc import Callable

_REPEATS, _ROUND_SECONDS = 7, 0.3


def decode(key: bytes, value: bytes) -> None:
    """Read a group record with what its members embed."""
    body = read_value(read_key(key).type.number, value)
    for member in body.fields.members:
        read_subscription(member.subscription, body.memory_left)
        read_assignment(member.assignment, body.memory_left)


def per_second(run: Callable[[], object]) -> float:
    """Runs a second on one core, by the quickest of some rounds."""
    return max(_round(run) for _ in range(_REPEATS))


def _round(run: Callable[[], object]) -> float:
    runs, started = 0, time.process_time()
    while (spent := time.process_time() - started) < _ROUND_SECONDS:
        run()
        runs += 1
    return runs / spent


def in_python() -> None:
    """Print what one core reads in a second."""
    key, value = classic_group(members=20, partitions_per_member=10)
    _, commit_key, commit = next(commits(1, key_count=1, partition_count=1))
    print("One core of Python, records/s")
    for what, run in (
        ("group of 20 members x 10 partitions, decoded", lambda: decode(key, value)),
        ("the same, as an event", lambda: event_of(key, value)),
        ("offset commit, as an event", lambda: event_of(commit_key, commit)),
    ):
        print(f"  {what:46s} {per_second(run):>12,.0f}")


def on_the_jvm(count: int, key_count: int, rounds: int) -> None:
    """Print what Spark reads in a second, with both shares that matter."""
    with EmbeddedBroker() as broker:
        fill(broker, count, key_count)
        spark = build_session()
        timings = measure(spark, broker, count, rounds)
        spark.stop()
    print(f"Spark, {count:,} offset commits of {key_count:,} partitions from Kafka, commits/s")
    for way, seconds in timings.seconds.items():
        every = " ".join(f"{second:.2f}" for second in seconds)
        print(f"  {way:46s} {timings.per_second(way):>12,.0f}   s: {every}")
    way = "decoded and reduced"
    for of in ("count, tuned source", "count, default source"):
        quickest, typical = timings.share(way, of), timings.typical_share(way, of)
        print(f"  {way} / {of:24s} {quickest:>13.2f}   by medians {typical:.2f}")


@click.command()
@click.option("--count", default=2_000_000, show_default=True, help="Offset commits.")
@click.option("--keys", default=10_000, show_default=True, help="Partitions that they are of.")
@click.option("--rounds", default=6, show_default=True, help="Timed rounds of each way.")
@click.option("--python-only", is_flag=True, help="Leave Spark and the broker out.")
def main(count: int, keys: int, rounds: int, python_only: bool) -> None:  # noqa: FBT001 # click's way
    """Measure how fast records are decoded, in Python and end to end through Spark."""
    in_python()
    if not python_only:
        on_the_jvm(count, keys, rounds)


if __name__ == "__main__":
    main()
