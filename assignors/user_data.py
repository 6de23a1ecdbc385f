"""The user data by which members tell the leader what they owned, as bytes in and out.

Kafka's types: numbers are big-endian, an array is its 32-bit length and its items, a string its
16-bit length and UTF-8. Bytes that are cut short, or are something else, say nothing about a
previous assignment: decoding gives None then and never fails, so that a zombie with unreadable
data takes nothing (KIP-341, KIP-315).
"""

import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from assignors.claims import Partition

_INT = struct.Struct(">i")
_SHORT = struct.Struct(">h")


@dataclass(frozen=True, slots=True)
class StickyData:
    """User data of `sticky` (KIP-54; version 1, with the generation, KIP-341).

    Attributes:
        owned: The previous assignment.
        generation: Generation it was given in; None in version 0.
    """

    owned: tuple[Partition, ...]
    generation: int | None


@dataclass(frozen=True, slots=True)
class StreamJoinData:
    """User data of `stream-join-sticky` in a subscription (KIP-315).

    Attributes:
        numbers: Partition numbers the member has of all its topics.
        epoch: Epoch in which it was given them.
    """

    numbers: frozenset[int]
    epoch: int

    def owned(self, topics: Iterable[str]) -> tuple[Partition, ...]:
        """The numbers as claims on partitions of the topics subscribed to."""
        return tuple((topic, number) for topic in topics for number in sorted(self.numbers))


class _UnreadableError(Exception):
    """Not the data expected."""


def encode_sticky(owned: Iterable[Partition], generation: int | None) -> bytes:
    """Encode a previous assignment, in version 0 if there is no generation, else in version 1."""
    by_topic: dict[str, list[int]] = {}
    for topic, number in owned:
        by_topic.setdefault(topic, []).append(number)
    topics = [_string(topic) + _ints(numbers) for topic, numbers in by_topic.items()]
    tail = b"" if generation is None else _INT.pack(generation)
    return _INT.pack(len(topics)) + b"".join(topics) + tail


def decode_sticky(data: bytes | None) -> StickyData | None:
    """Decode version 1 or 0; None if there is no previous assignment."""
    if not data:
        return None
    try:
        reader = _Reader(data)
        owned = tuple(_owned(reader))
        generation = None if reader.at_end else reader.number()
        reader.expect_end()
    except _UnreadableError:
        return None
    return StickyData(owned, generation)


def encode_cooperative_sticky(generation: int) -> bytes:
    """Encode the generation that `cooperative-sticky` sends; what is owned is in the protocol."""
    return _INT.pack(generation)


def decode_cooperative_sticky(data: bytes | None) -> int | None:
    """Decode the generation; None if there is none."""
    return _only_int(data)


def encode_stream_join(numbers: Collection[int], epoch: int) -> bytes:
    """Encode what a member subscribes with under `stream-join-sticky`."""
    return _ints(sorted(set(numbers))) + _INT.pack(epoch)


def decode_stream_join(data: bytes | None) -> StreamJoinData | None:
    """Decode partition numbers and epoch; None if there is no previous assignment."""
    if not data:
        return None
    try:
        reader = _Reader(data)
        numbers = frozenset(reader.numbers())
        epoch = reader.number()
        reader.expect_end()
    except _UnreadableError:
        return None
    return StreamJoinData(numbers, epoch)


def encode_epoch(epoch: int) -> bytes:
    """Encode the epoch that `stream-join-sticky` hands out with every assignment."""
    return _INT.pack(epoch)


def decode_epoch(data: bytes | None) -> int | None:
    """Decode an assignment's epoch; None if there is none."""
    return _only_int(data)


class _Reader:
    """Kafka's primitive types, read one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at == len(self._data)

    def expect_end(self) -> None:
        if not self.at_end:
            raise _UnreadableError

    def number(self) -> int:
        value: int = _INT.unpack(self._take(_INT.size))[0]
        return value

    def count(self) -> int:
        size = self.number()
        if not 0 <= size <= len(self._data):
            raise _UnreadableError
        return size

    def numbers(self) -> tuple[int, ...]:
        """An array of numbers from 0."""
        size = self.count()
        values = struct.unpack(f">{size}i", self._take(size * _INT.size))
        if values and min(values) < 0:
            raise _UnreadableError
        return values

    def string(self) -> str:
        size: int = _SHORT.unpack(self._take(_SHORT.size))[0]
        try:
            return self._take(size).decode()
        except UnicodeDecodeError:
            raise _UnreadableError from None

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if size < 0 or len(taken) != size:
            raise _UnreadableError
        self._at += size
        return taken


def _owned(reader: _Reader) -> Iterable[Partition]:
    for _ in range(reader.count()):
        topic = reader.string()
        for number in reader.numbers():
            yield topic, number


def _only_int(data: bytes | None) -> int | None:
    if data is None or len(data) != _INT.size:
        return None
    value: int = _INT.unpack(data)[0]
    return value


def _string(text: str) -> bytes:
    encoded = text.encode()
    return _SHORT.pack(len(encoded)) + encoded


def _ints(values: Collection[int]) -> bytes:
    return _INT.pack(len(values)) + struct.pack(f">{len(values)}i", *values)
