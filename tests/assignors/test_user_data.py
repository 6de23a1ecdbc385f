"""The KIPs' user data; the bytes are those that Kafka's schemas give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assignors.user_data import (
    StickyData,
    StreamJoinData,
    decode_cooperative_sticky,
    decode_epoch,
    decode_sticky,
    decode_stream_join,
    encode_cooperative_sticky,
    encode_epoch,
    encode_sticky,
    encode_stream_join,
)

NUMBERS = st.integers(0, 2**31 - 1)
GENERATIONS = st.integers(-(2**31), 2**31 - 1)
CLAIMS = st.dictionaries(st.text(max_size=8), st.lists(NUMBERS, max_size=5), max_size=4).map(
    lambda topics: tuple((topic, number) for topic, numbers in topics.items() for number in numbers)
)
V1 = bytes.fromhex("00000001 0002 7430 00000002 00000000 00000003 00000007")


def test_sticky_v1_as_kafka_writes_it() -> None:
    assert encode_sticky([("t0", 0), ("t0", 3)], 7) == V1
    assert decode_sticky(V1) == StickyData((("t0", 0), ("t0", 3)), 7)


def test_sticky_v0_has_no_generation() -> None:
    assert encode_sticky([("t0", 0), ("t0", 3)], None) == V1[:-4]
    assert decode_sticky(V1[:-4]) == StickyData((("t0", 0), ("t0", 3)), None)


def test_stream_join_as_the_kip_writes_it() -> None:
    data = bytes.fromhex("00000002 00000001 00000004 00000009")
    assert encode_stream_join({4, 1}, 9) == data
    decoded = decode_stream_join(data)
    assert decoded == StreamJoinData(frozenset({1, 4}), 9)
    assert decoded is not None
    assert decoded.owned(("s", "t")) == (("s", 1), ("s", 4), ("t", 1), ("t", 4))


@given(CLAIMS, st.none() | GENERATIONS)
def test_sticky_comes_back(owned: tuple[tuple[str, int], ...], generation: int | None) -> None:
    assert decode_sticky(encode_sticky(owned, generation)) == StickyData(owned, generation)


@given(st.frozensets(NUMBERS, max_size=9), GENERATIONS)
def test_stream_join_comes_back(numbers: frozenset[int], epoch: int) -> None:
    assert decode_stream_join(encode_stream_join(numbers, epoch)) == StreamJoinData(numbers, epoch)


@given(GENERATIONS)
def test_single_numbers_come_back(generation: int) -> None:
    assert decode_cooperative_sticky(encode_cooperative_sticky(generation)) == generation
    assert decode_epoch(encode_epoch(generation)) == generation


@given(CLAIMS, GENERATIONS, st.data())
def test_cut_short_says_nothing_about_a_previous_assignment(
    owned: tuple[tuple[str, int], ...], generation: int, data: st.DataObject
) -> None:
    whole = encode_sticky(owned, generation)
    cut = data.draw(st.integers(0, len(whole) - 1))
    if cut != len(whole) - 4:  # without the last four bytes it is version 0
        assert decode_sticky(whole[:cut]) is None
    joined = encode_stream_join([number for _, number in owned], generation)
    assert decode_stream_join(joined[: data.draw(st.integers(0, len(joined) - 1))]) is None


@given(st.binary(max_size=60))
def test_foreign_bytes_never_raise(data: bytes) -> None:
    decode_sticky(data)
    decode_stream_join(data)
    decode_cooperative_sticky(data)
    decode_epoch(data)


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"\xff" * 20,
        b"garbage",
        bytes.fromhex("7fffffff"),
        bytes.fromhex("00000001 ffff 00000000 00000001"),
        bytes.fromhex("00000001 0001 ff 00000000 00000001"),
        bytes.fromhex("00000001 0001 74 00000001 ffffffff 00000001"),
        V1 + b"\x00",
    ],
)
def test_what_is_no_sticky_data_is_no_previous_assignment(data: bytes | None) -> None:
    assert decode_sticky(data) is None
    assert decode_stream_join(data) is None


def test_wrong_sizes_are_no_generation() -> None:
    assert decode_cooperative_sticky(None) is None
    assert decode_epoch(b"\x00\x00\x01") is None
    assert decode_epoch(b"\x00\x00\x00\x00\x01") is None
