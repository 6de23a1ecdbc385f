from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assignors.user_data import (
    decode_sticky,
    encode_cooperative_sticky,
    encode_sticky,
)
from streaming import events as e
from streaming.events import event_of
from streaming.records import (
    ReasonCode,
    UnreadableRecordError,
    write_assignment,
    write_key,
    write_subscription,
    write_value,
)
from streaming.records.schemas import RECORD_TYPES
from tests.events.samples import TOPIC_ID
from tests.records.strategies import records

KEYS: dict[int, dict[str, Any]] = {
    0: {"group": "g", "topic": "t", "partition": 3},
    1: {"group": "g", "topic": "t", "partition": 3},
    2: {"group": "g"},
    16: {"group_id": "g", "regular_expression": "t.*"},
}
MEMBER_KEY = {"group_id": "g", "member_id": "m"}


def decoded(
    number: int, version: int, key: dict[str, Any] | None = None, **fields: Any
) -> e.Event | None:
    written = write_key(number, key or KEYS.get(number, MEMBER_KEY))
    return event_of(written, write_value(number, version, fields))


def classic(
    members: list[dict[str, Any]], version: int = 3, protocol_type: str = "consumer"
) -> e.ClassicGeneration:
    event = decoded(
        2,
        version,
        protocol_type=protocol_type,
        generation=4,
        protocol="range",
        leader="m",
        current_state_timestamp=5,
        members=members,
    )
    assert isinstance(event, e.ClassicGeneration)
    return event


def member(**fields: Any) -> dict[str, Any]:
    return {
        "member_id": "m",
        "client_id": "c",
        "client_host": "/h",
        "session_timeout": 45_000,
        **fields,
    }


@pytest.mark.parametrize("version", range(5))
def test_an_offset_commit_of_every_version(version: int) -> None:
    event = decoded(
        1, version, offset=9, metadata="x", commit_timestamp=5, expire_timestamp=8, leader_epoch=2
    )
    assert event == e.OffsetCommit(
        "g",
        "t",
        3,
        offset=9,
        leader_epoch=2 if version >= 3 else -1,
        metadata="x",
        commit_time_ms=5,
        expire_time_ms=8 if version == 1 else None,
    )


def test_the_topic_id_of_a_commit() -> None:
    event = decoded(1, 4, offset=9, topic_id=TOPIC_ID)
    assert isinstance(event, e.OffsetCommit)
    assert event.topic_id == TOPIC_ID


def test_a_legacy_commit() -> None:
    assert decoded(0, 0, offset=9, metadata="", commit_timestamp=5) == e.OffsetCommit(
        "g", "t", 3, offset=9, leader_epoch=-1, metadata="", commit_time_ms=5
    )


@pytest.mark.parametrize("version", range(5))
def test_a_generation_of_every_version(version: int) -> None:
    subscription = write_subscription(
        3,
        {
            "topics": ["b", "a"],
            "user_data": b"u",
            "owned_partitions": [{"topic": "a", "partitions": [2, 1]}],
            "generation_id": 3,
            "rack_id": "r",
        },
    )
    assignment = write_assignment(0, {"assigned_partitions": [{"topic": "a", "partitions": [1]}]})
    event = classic(
        [
            member(
                group_instance_id="i",
                rebalance_timeout=300_000,
                subscription=subscription,
                assignment=assignment,
            )
        ],
        version,
    )
    assert event.state_time_ms == (5 if version >= 2 else None)
    assert event.members == (
        e.GroupMember(
            "m",
            "i" if version >= 3 else None,
            "c",
            "/h",
            rack="r",
            session_timeout_ms=45_000,
            rebalance_timeout_ms=300_000 if version >= 1 else -1,
            topics=("a", "b"),
            owned={"a": (1, 2)},
            owned_generation=3,
            assigned={"a": (1,)},
            user_data=b"u",
        ),
    )


def test_a_member_without_its_assignment_yet() -> None:
    (found,) = classic([member(subscription=write_subscription(0, {"topics": ["a"]}))]).members
    assert found.topics == ("a",)
    assert found.owned == {}
    assert found.assigned is None


def test_a_member_that_was_given_nothing() -> None:
    (found,) = classic([member(assignment=write_assignment(0, {}))]).members
    assert found.assigned == {}


def test_a_topic_named_twice_in_an_assignment() -> None:
    assignment = write_assignment(
        1,
        {
            "assigned_partitions": [
                {"topic": "a", "partitions": [2]},
                {"topic": "b", "partitions": []},
                {"topic": "a", "partitions": [0, 2]},
            ]
        },
    )
    (found,) = classic([member(assignment=assignment)]).members
    assert found.assigned == {"a": (0, 2), "b": ()}


def claims(protocol: str, user_data: bytes, version: int = 1) -> tuple[e.Partitions, int | None]:
    subscription = write_subscription(version, {"topics": ["a"], "user_data": user_data})
    members = [member(subscription=subscription)]
    event = decoded(2, 3, protocol_type="consumer", protocol=protocol, members=members)
    assert isinstance(event, e.ClassicGeneration)
    return event.members[0].owned, event.members[0].owned_generation


OWNED = (("a", 1), ("a", 0), ("b", 7))


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("generation", [None, 6])
def test_claims_of_the_sticky_assignor(version: int, generation: int | None) -> None:
    expected = ({"a": (0, 1), "b": (7,)}, generation)
    assert claims("sticky", encode_sticky(OWNED, generation), version) == expected


@pytest.mark.parametrize("protocol", ["range", "cooperative-sticky"])
def test_other_assignors_have_no_such_claims(protocol: str) -> None:
    assert claims(protocol, encode_sticky(OWNED, 6)) == ({}, None)


def test_the_generation_of_cooperative_sticky() -> None:
    assert claims("cooperative-sticky", encode_cooperative_sticky(6)) == ({}, 6)
    assert claims("cooperative-sticky", encode_cooperative_sticky(-1)) == ({}, None)


@given(st.binary(max_size=64))
def test_foreign_user_data_claims_nothing_and_is_no_error(data: bytes) -> None:
    theirs = decode_sticky(data)
    owned, generation = claims("sticky", data)
    if theirs is None:
        assert generation is None or generation >= 0
    else:
        assert {(topic, n) for topic, numbers in owned.items() for n in numbers} == {*theirs.owned}


def test_members_of_other_protocol_types_stay_opaque() -> None:
    raw = member(subscription=b"\x00\x09junk", assignment=b"\xff")
    (found,) = classic([raw], protocol_type="connect").members
    assert (found.topics, found.assigned) == ((), None)


def test_a_damaged_subscription_names_its_member() -> None:
    with pytest.raises(UnreadableRecordError, match="member m:") as caught:
        classic([member(subscription=b"\x00\x01\x00")])
    assert caught.value.reason is ReasonCode.TRUNCATED


def test_a_group_in_migration() -> None:
    event = decoded(
        5,
        0,
        client_id="c",
        client_host="/h",
        subscribed_topic_names=["b", "a", "b"],
        rebalance_timeout_ms=5,
        classic_member_metadata={
            "session_timeout_ms": 6,
            "supported_protocols": [{"name": "range", "metadata": b""}],
        },
    )
    assert event == e.ConsumerMember(
        "g", "m", None, None, "c", "/h", ("a", "b"), None, 5, None, ("range",)
    )


def test_a_current_assignment() -> None:
    event = decoded(
        8,
        0,
        member_epoch=3,
        previous_member_epoch=2,
        state=1,
        assigned_partitions=[
            {"topic_id": TOPIC_ID, "partitions": [1, 0], "assignment_epochs": [3, 3]}
        ],
        partitions_pending_revocation=[{"topic_id": TOPIC_ID, "partitions": [2]}],
    )
    assert event == e.CurrentAssignment(
        "g", "m", 3, 2, "unrevoked_partitions", {TOPIC_ID: (0, 1)}, {TOPIC_ID: (2,)}
    )


def test_a_streams_assignment() -> None:
    tasks = [{"subtopology_id": "0", "partitions": [1, 0]}]
    assert decoded(22, 0, member_epoch=3, state=3, active_tasks=tasks) == (
        e.StreamsCurrentAssignment("g", "m", 3, 0, "unreleased_tasks", {"0": (0, 1)}, {}, {})
    )


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, e.OffsetRemoved("g", "t", 3)),
        (1, e.OffsetRemoved("g", "t", 3)),
        (2, e.GroupRemoved("g", "classic")),
        (3, e.GroupRemoved("g", "consumer")),
        (4, None),
        (5, e.MemberRemoved("g", "m")),
        (6, None),
        (7, e.TargetRemoved("g", "m")),
        (8, e.CurrentRemoved("g", "m")),
        (10, e.MemberRemoved("g", "m", "share")),
        (11, e.GroupRemoved("g", "share")),
        (12, None),
        (13, e.TargetRemoved("g", "m", "share")),
        (14, e.CurrentRemoved("g", "m", "share")),
        (15, None),
        (16, e.RegexRemoved("g", "t.*")),
        (17, e.GroupRemoved("g", "streams")),
        (19, e.MemberRemoved("g", "m", "streams")),
        (20, None),
        (21, e.TargetRemoved("g", "m", "streams")),
        (22, e.CurrentRemoved("g", "m", "streams")),
        (23, None),
    ],
)
def test_a_tombstone(number: int, expected: e.Event | None) -> None:
    assert event_of(write_key(number, KEYS.get(number, MEMBER_KEY)), None) == expected


@given(records().filter(lambda record: record[0].number != 2))
@settings(max_examples=300, deadline=None)
def test_every_record_type_has_its_event(record: tuple[Any, dict[str, Any], int, Any]) -> None:
    kind, key, version, fields = record
    event = event_of(write_key(kind.number, key), write_value(kind.number, version, fields))
    assert (event is None) == (kind.number == 4)
    assert event is None or event.group_id == (key.get("group") or key.get("group_id") or "")


def test_all_record_types_are_known() -> None:
    assert [kind.number for kind in RECORD_TYPES] == [*range(9), *range(10, 18), *range(19, 24)]
