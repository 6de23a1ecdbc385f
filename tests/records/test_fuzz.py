from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from benchmarks.decode.fuzz import fuzz, memory_share, seeds, shown
from benchmarks.decode.mutations import mutated
from benchmarks.decode.synthetic import classic_group
from streaming.events import event_of
from streaming.records import (
    ReasonCode,
    UnreadableRecordError,
    write_assignment,
    write_key,
    write_subscription,
    write_value,
)
from streaming.records.wire import uuid_text

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMBER_KEY = write_key(7, {"group_id": "g", "member_id": "m"})


def test_nothing_but_unreadable_escapes_from_damaged_records() -> None:
    report = fuzz(mutated(seeds(), 50_000, seed=7), measure_every=25)
    assert report.outcomes.total() == 50_000
    reasons = set(ReasonCode) - {
        ReasonCode.MISSING_KEY,
        ReasonCode.BAD_EVENT,
        ReasonCode.TOO_LARGE,
    }
    assert reasons <= set(report.outcomes)
    assert report.outcomes["event"] > 5_000
    assert report.largest_share < 1


def test_damaged_records_are_shown_or_refused() -> None:
    outcomes = Counter(shown(*record) for record in mutated(seeds(), 5_000, seed=8))
    assert outcomes[True] > 500
    assert outcomes[False] > 500


def test_undamaged_records_are_all_read() -> None:
    assert set(fuzz(seeds()).outcomes) == {"event", "nothing"}


def id_of(number: int) -> str:
    return uuid_text(number.to_bytes(16, "big"))


def large_records() -> Iterator[tuple[str, bytes, bytes]]:
    """Records that are as dear as they can be, and some that only are large."""
    yield "group", *classic_group(members=2_000, partitions_per_member=50)
    for count, each in ((8_000, 1), (4_000, 0), (3_000, 3), (10, 20_000), (1, 200_000)):
        rows = [
            {"topic_id": id_of(number), "partitions": range(300, 300 + each)}
            for number in range(count)
        ]
        yield f"target {count} x {each}", MEMBER_KEY, write_value(7, 0, {"topic_partitions": rows})
    for name in ("t{}", "topic-with-a-name-{}"):
        rows = [{"topic": name.format(number), "partitions": [number]} for number in range(3_000)]
        assignment = write_assignment(0, {"assigned_partitions": rows})
        topics = [row["topic"] for row in rows]
        subscription = write_subscription(1, {"topics": topics, "owned_partitions": rows})
        members = [
            {"member_id": str(number), "subscription": subscription, "assignment": assignment}
            for number in range(5)
        ]
        fields = {"protocol_type": "consumer", "members": members}
        yield f"group of {name}", write_key(2, {"group": "g"}), write_value(2, 3, fields)


@pytest.mark.parametrize("record", list(large_records()), ids=lambda record: record[0])
def test_a_large_record_is_read_within_ten_times_its_size(record: tuple[str, bytes, bytes]) -> None:
    _, key, value = record
    assert event_of(key, value) is not None
    assert memory_share(key, value) < 1


def zeros(size: int) -> bytes:
    """Count of elements as large as the bytes behind it allow."""
    count, digits = size, bytearray()
    while count > 0x7F:
        digits.append(count & 0x7F | 0x80)
        count >>= 7
    return bytes([*digits, count]) + bytes(size)


@pytest.mark.parametrize(
    ("number", "head"),
    [
        (5, b"\x00\x00\x01\x01\x01\x01"),
        (10, b"\x00\x00\x01\x01\x01"),
        (16, b"\x00\x00"),
        (19, b"\x00\x00\x01\x01\x01\x01" + bytes(8) + b"\x01\xff"),
        (21, b"\x00\x00"),
        (23, b"\x00\x00" + bytes(4)),
    ],
)
def test_millions_of_tiny_elements_are_refused_before_they_are_read(
    number: int, head: bytes
) -> None:
    key = write_key(number, {"group_id": "g"})
    value = head + zeros(1_000_000)
    with pytest.raises(UnreadableRecordError):
        event_of(key, value)
    assert memory_share(key, value) < 1


def test_numbers_that_nobody_can_share_are_refused_in_great_number() -> None:
    rows = [{"topic_id": id_of(1), "partitions": range(2**31 - 1, 2**31 - 100_001, -1)}]
    value = write_value(7, 0, {"topic_partitions": rows})
    with pytest.raises(UnreadableRecordError) as caught:
        event_of(MEMBER_KEY, value)
    assert caught.value.reason is ReasonCode.TOO_LARGE
    assert memory_share(MEMBER_KEY, value) < 1


@pytest.mark.parametrize("count", [-1, -2, 2**31 - 1, 1_000_000])
def test_a_giant_count_of_members_costs_nothing(count: int) -> None:
    whole = write_value(2, 3, {"protocol_type": "consumer"})
    value = whole[:-4] + (count & 0xFFFFFFFF).to_bytes(4, "big")
    key = write_key(2, {"group": "g"})
    with pytest.raises(UnreadableRecordError):
        event_of(key, value)
    assert memory_share(key, value) < 0.1
