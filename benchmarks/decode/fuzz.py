"""Hostile records: nothing but `UnreadableRecordError` may escape, and no memory may grow.

`python -m benchmarks.decode.fuzz` reads a million mutated records; the tests read fewer.
"""

from __future__ import annotations

import tracemalloc
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from benchmarks.decode.mutations import mutated
from benchmarks.decode.synthetic import classic_group, one_of_each
from streaming.events import event_of
from streaming.records import UnreadableRecordError, to_kafka_json
from streaming.records.footprint import memory_limit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.decode.mutations import Record

_RECORD_BYTES_WORTH_A_LOOK = 256


@dataclass(slots=True)
class FuzzReport:
    """What became of the records.

    Attributes:
        outcomes: records by what they gave: ``event``, ``nothing``, or a reason code.
        largest_share: most memory that reading a record took, as a share of what it may take.
        largest: the record that took it.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    largest_share: float = 0.0
    largest: tuple[str, str] = ("", "")


def fuzz(records: Iterable[Record], *, measure_every: int = 0) -> FuzzReport:
    """Read records as the monitor does.

    Args:
        records: keys and values.
        measure_every: measure the memory of every so many records; 0 for none.

    Raises:
        Exception: whatever escapes the reader besides `UnreadableRecordError`.
    """
    report = FuzzReport()
    for number, (key, value) in enumerate(records):
        report.outcomes[_outcome(key, value)] += 1
        if measure_every and number % measure_every == 0:
            share = memory_share(key, value)
            if share > report.largest_share:
                report.largest_share = share
                report.largest = (key.hex(), "null" if value is None else value.hex())
    return report


def memory_share(key: bytes, value: bytes | None) -> float:
    """Memory that reading a record takes at its peak, as a share of what it may take."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        _outcome(key, value)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (peak - before) / memory_limit(len(key) + len(value or b""))


def _outcome(key: bytes, value: bytes | None) -> str:
    try:
        event = event_of(key, value)
    except UnreadableRecordError as error:
        return str(error.reason)
    return "nothing" if event is None else "event"


def shown(key: bytes, value: bytes | None) -> bool:
    """Whether a record can be shown as JSON; nothing else may come of it."""
    try:
        to_kafka_json(key, value)
    except UnreadableRecordError:
        return False
    return True


def seeds() -> list[Record]:
    """Well-formed records to damage: every type and version, and groups as they are."""
    groups = [classic_group(members=size, partitions_per_member=5) for size in (1, 3, 20)]
    return [*one_of_each(1, rounds=8), *groups]


@click.command()
@click.option("--count", default=1_000_000, show_default=True, help="Records to read.")
@click.option("--seed", default=1, show_default=True, help="Another seed, other records.")
def main(count: int, seed: int) -> None:
    """Read mutated records and say what became of them."""
    report = fuzz(mutated(seeds(), count, seed=seed), measure_every=20)
    for outcome, records in report.outcomes.most_common():
        print(f"{outcome:16s} {records:>10,}")
    print(f"{'together':16s} {report.outcomes.total():>10,}")
    print(f"memory: at most {report.largest_share:.0%} of ten times the record + 64 KiB")


if __name__ == "__main__":
    main()
