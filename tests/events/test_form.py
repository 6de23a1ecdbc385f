from __future__ import annotations

from typing import get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.events import Event, from_json, reader_of, to_json
from streaming.records import ReasonCode, UnreadableRecordError
from tests.events.samples import EVENTS


def test_there_is_a_sample_of_every_kind() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_survives_its_json_form(event: Event) -> None:
    assert from_json(to_json(event)) == event
    assert reader_of(json_events=True)(event.group_id.encode(), to_json(event)) == event


def test_the_json_form_names_the_event_and_keeps_its_fields() -> None:
    form = orjson.loads(to_json(EVENTS[0]))
    assert form["event"] == "classic_generation"
    assert form["data"]["members"][0]["assigned"] == {"orders": [0], "payments": [1]}
    assert form["data"]["members"][0]["user_data"] == "AP8="


def test_fields_of_newer_collectors_are_ignored() -> None:
    form = {"event": "offset_removed", "data": {"group_id": "g", "topic": "t", "partition": 0}}
    form["data"]["colour"] = "green"  # type: ignore[index] # a nested dictionary
    assert from_json(orjson.dumps(form)) == from_json(to_json(EVENTS[14]))


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"event":"offset_removed"}',
        b'{"event":"unheard_of","data":{}}',
        b'{"event":{},"data":{}}',
        b'{"event":"offset_removed","data":{"group_id":"g","topic":"t"}}',
        b'{"event":"offset_removed","data":{"group_id":"g","topic":"t","partition":"0"}}',
        b'{"event":"offset_removed","data":{"group_id":"g","topic":"t","partition":true}}',
        b'{"event":"target_assignment","data":{"group_id":"g","member_id":"m","partitions":[1]}}',
    ],
)
def test_what_is_no_event_is_unreadable(value: bytes) -> None:
    with pytest.raises(UnreadableRecordError) as caught:
        from_json(value)
    assert caught.value.reason is ReasonCode.BAD_EVENT


@given(st.binary() | st.text().map(str.encode))
def test_arbitrary_bytes_are_unreadable_and_nothing_else(value: bytes) -> None:
    with pytest.raises(UnreadableRecordError):
        from_json(value)


def test_a_tombstone_of_the_events_topic_says_nothing() -> None:
    assert reader_of(json_events=True)(b"g", None) is None
