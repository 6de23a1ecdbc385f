from __future__ import annotations

import pytest

from streaming.records import (
    ReasonCode,
    UnreadableRecordError,
    to_kafka_json,
    write_assignment,
    write_key,
    write_subscription,
    write_value,
)
from streaming.records.schemas import RECORD_TYPES

SUBSCRIPTION = write_subscription(
    1,
    {
        "topics": ["t"],
        "user_data": b"\x01\xff",
        "owned_partitions": [{"topic": "t", "partitions": [1, 0]}],
    },
)
ASSIGNMENT = write_assignment(0, {"assigned_partitions": [{"topic": "t", "partitions": [0]}]})
TOPIC_ID = "Kq3jCGZ1T1q8hZpJ0Y3bBw"


def group(protocol_type: str) -> bytes:
    member = {
        "member_id": "m",
        "client_id": "c",
        "client_host": "/h",
        "rebalance_timeout": 2,
        "session_timeout": 1,
        "subscription": SUBSCRIPTION,
        "assignment": ASSIGNMENT,
    }
    fields = {
        "protocol_type": protocol_type,
        "generation": 3,
        "protocol": "range",
        "leader": "m",
        "current_state_timestamp": 7,
        "members": [member],
    }
    return write_value(2, 3, fields)


def test_a_group_with_what_consumers_embed_decoded_in_place() -> None:
    assert to_kafka_json(write_key(2, {"group": "g"}), group("consumer")) == {
        "key": {"type": 2, "data": {"group": "g"}},
        "value": {
            "version": 3,
            "data": {
                "protocolType": "consumer",
                "generation": 3,
                "protocol": "range",
                "leader": "m",
                "currentStateTimestamp": 7,
                "members": [
                    {
                        "memberId": "m",
                        "groupInstanceId": None,
                        "clientId": "c",
                        "clientHost": "/h",
                        "rebalanceTimeout": 2,
                        "sessionTimeout": 1,
                        "subscription": {
                            "topics": ["t"],
                            "userData": "Af8=",
                            "ownedPartitions": [{"topic": "t", "partitions": [1, 0]}],
                        },
                        "assignment": {
                            "assignedPartitions": [{"topic": "t", "partitions": [0]}],
                            "userData": None,
                        },
                    }
                ],
            },
        },
    }


@pytest.mark.parametrize(("protocol_type", "embedded"), [("consumer", False), ("connect", True)])
def test_a_group_as_kafka_prints_it(protocol_type: str, embedded: bool) -> None:  # noqa: FBT001 # a parameter
    json = to_kafka_json(write_key(2, {"group": "g"}), group(protocol_type), embedded=embedded)
    (member,) = json["value"]["data"]["members"]
    assert member["subscription"] == ("AAEAAAABAAF0AAAAAgH/AAAAAQABdAAAAAIAAAABAAAAAA==")
    assert member["assignment"] == "AAAAAAABAAF0AAAAAQAAAAD/////"


def test_a_tombstone() -> None:
    key = write_key(1, {"group": "g", "topic": "t", "partition": 4})
    assert to_kafka_json(key, None) == {
        "key": {"type": 1, "data": {"group": "g", "topic": "t", "partition": 4}},
        "value": None,
    }


def test_a_tagged_field_shows_only_where_it_is_not_its_default() -> None:
    key = write_key(1, {"group": "g", "topic": "t", "partition": 4})
    plain = to_kafka_json(key, write_value(1, 4, {"offset": 5}))
    assert plain["value"]["data"] == {
        "offset": 5,
        "leaderEpoch": -1,
        "metadata": "",
        "commitTimestamp": 0,
    }
    tagged = to_kafka_json(key, write_value(1, 4, {"offset": 5, "topic_id": TOPIC_ID}))
    assert tagged["value"]["data"]["topicId"] == TOPIC_ID


def test_the_protocols_of_a_member_in_migration() -> None:
    classic = {
        "session_timeout_ms": 6,
        "supported_protocols": [
            {"name": "range", "metadata": SUBSCRIPTION},
            {"name": "sticky", "metadata": b""},
            {"name": "odd", "metadata": b"\x00\x00\xff"},
        ],
    }
    key = write_key(5, {"group_id": "g", "member_id": "m"})
    json = to_kafka_json(key, write_value(5, 0, {"classic_member_metadata": classic}))
    protocols = json["value"]["data"]["classicMemberMetadata"]["supportedProtocols"]
    assert protocols[0]["metadata"]["topics"] == ["t"]
    assert protocols[1] == {"name": "sticky", "metadata": ""}
    assert protocols[2] == {"name": "odd", "metadata": "AAD/"}


def test_what_is_embedded_must_be_readable() -> None:
    member = {"member_id": "m", "subscription": b"\x00\x01\xff"}
    value = write_value(2, 3, {"protocol_type": "consumer", "members": [member]})
    with pytest.raises(UnreadableRecordError) as caught:
        to_kafka_json(write_key(2, {"group": "g"}), value)
    assert caught.value.reason is ReasonCode.TRUNCATED


@pytest.mark.parametrize("record", RECORD_TYPES, ids=lambda record: record.name)
def test_names_are_kafkas_own(record: object) -> None:
    number = record.number  # type: ignore[attr-defined] # a RecordType
    json = to_kafka_json(write_key(number, {}), write_value(number, 0, {}))
    names = [*json["key"]["data"], *json["value"]["data"]]
    assert all(name.isalnum() and name[0].islower() for name in names)
