from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.records import (
    read_assignment,
    read_key,
    read_subscription,
    read_value,
    write_assignment,
    write_key,
    write_subscription,
    write_value,
)
from streaming.records.schemas import ASSIGNMENT, SUBSCRIPTION
from tests.records.strategies import fields_of, records

if TYPE_CHECKING:
    from streaming.records.fields import RecordType


def plain(value: Any) -> Any:
    """Rows as dictionaries, sequences as lists."""
    if hasattr(value, "_asdict"):
        return {name: plain(field) for name, field in value._asdict().items()}
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value


def assert_holds(fields: Any, expected: dict[str, Any]) -> None:
    read = plain(fields)
    assert {name: read[name] for name in expected} == {
        name: shaped(value, read[name]) for name, value in expected.items()
    }


def shaped(expected: Any, read: Any) -> Any:
    """What is expected, with the defaults of the fields that its version does not have."""
    if isinstance(expected, dict):
        return {
            name: shaped(expected[name], value) if name in expected else value
            for name, value in read.items()
        }
    if isinstance(expected, list) and isinstance(read, list) and len(expected) == len(read):
        return [shaped(e, r) for e, r in zip(expected, read, strict=True)]
    return expected


@given(records())
@settings(max_examples=400, deadline=None)
def test_what_is_written_is_read(
    record: tuple[RecordType, dict[str, Any], int, dict[str, Any]],
) -> None:
    kind, key, version, fields = record
    read = read_key(write_key(kind.number, key))
    assert read.type is kind
    assert_holds(read.fields, key)
    value = read_value(kind.number, write_value(kind.number, version, fields))
    assert value.version == version
    assert_holds(value.fields, fields)


@given(st.integers(0, 3).flatmap(lambda v: st.tuples(st.just(v), fields_of(SUBSCRIPTION, v))))
@settings(deadline=None)
def test_a_subscription_is_read_as_written(case: tuple[int, dict[str, Any]]) -> None:
    version, fields = case
    assert_holds(read_subscription(write_subscription(version, fields)).fields, fields)


@given(st.integers(0, 3).flatmap(lambda v: st.tuples(st.just(v), fields_of(ASSIGNMENT, v))))
@settings(deadline=None)
def test_an_assignment_is_read_as_written(case: tuple[int, dict[str, Any]]) -> None:
    version, fields = case
    assert_holds(read_assignment(write_assignment(version, fields)).fields, fields)
