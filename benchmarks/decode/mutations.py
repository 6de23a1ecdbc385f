"""Damaged records: real ones cut, stretched, and with hostile lengths, tags, versions and bytes."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

Record: TypeAlias = tuple[bytes, bytes | None]
_Damage: TypeAlias = Callable[[random.Random, bytearray], None]

_LENGTHS = (-1, -2, -32768, 0, 1, 127, 128, 255, 32767, 65535, 2**24, 2**31 - 1, -(2**31))
_VARINTS = (b"\x00", b"\x01", b"\x7f", b"\xff\x7f", b"\xff" * 4 + b"\x0f", b"\x80" * 9)
_BAD_TEXT = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\x80")


def mutated(
    records: Sequence[Record], count: int, *, seed: int, most_damages: int = 4
) -> Iterator[Record]:
    """Damage records drawn at random.

    Args:
        records: well-formed keys and values.
        count: how many damaged ones to give.
        seed: the same seed gives the same records.
        most_damages: one to this many damages are done to a record, to its key or its value.
    """
    rng = random.Random(seed)
    for _ in range(count):
        key, value = rng.choice(records)
        for _ in range(rng.randint(1, most_damages)):
            if value is None or rng.random() < _KEY_SHARE:
                key = _damaged(rng, key)
            else:
                value = _damaged(rng, value)
        yield key, value


_KEY_SHARE = 0.2


def _damaged(rng: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    rng.choice(_DAMAGES)(rng, found)
    return bytes(found)


def _place(rng: random.Random, data: bytearray) -> int:
    return rng.randrange(len(data) + 1)


def _cut(rng: random.Random, data: bytearray) -> None:
    del data[_place(rng, data) :]


def _remove(rng: random.Random, data: bytearray) -> None:
    start = _place(rng, data)
    del data[start : start + rng.randint(1, 8)]


def _insert(rng: random.Random, data: bytearray) -> None:
    place = _place(rng, data)
    data[place:place] = rng.randbytes(rng.randint(1, 16))


def _flip(rng: random.Random, data: bytearray) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(rng: random.Random, data: bytearray) -> None:
    start = _place(rng, data)
    size = rng.randint(1, 16)
    data[start : start + size] = rng.randbytes(size)


def _length(rng: random.Random, data: bytearray) -> None:
    size = rng.choice((2, 4))
    number = rng.choice(_LENGTHS) & (1 << 8 * size) - 1
    start = _place(rng, data)
    data[start : start + size] = number.to_bytes(size, "big")


def _varint(rng: random.Random, data: bytearray) -> None:
    start = _place(rng, data)
    data[start : start + 1] = rng.choice(_VARINTS)


def _text(rng: random.Random, data: bytearray) -> None:
    start, bad = _place(rng, data), rng.choice(_BAD_TEXT)
    data[start : start + len(bad)] = bad


def _version(rng: random.Random, data: bytearray) -> None:
    data[0:2] = struct.pack(">h", rng.choice((-1, -32768, *range(30), 32767)))


def _tags(rng: random.Random, data: bytearray) -> None:
    """A section of tagged fields in the place of the last byte, which often is an empty one."""
    count = rng.randint(0, 4)
    section = bytearray([count])
    for _ in range(count):
        size = rng.choice((0, 1, 4, 8, 16))
        section += bytes([rng.randrange(4), size]) + rng.randbytes(size)
    data[-1:] = section


def _repeat(rng: random.Random, data: bytearray) -> None:
    start = _place(rng, data)
    part = data[start : start + rng.randint(1, 64)]
    data[start:start] = part * rng.randint(1, 64)


def _zeros(rng: random.Random, data: bytearray) -> None:
    data += bytes(rng.randint(1, 4096))


def _random(rng: random.Random, data: bytearray) -> None:
    data[2:] = rng.randbytes(rng.randrange(512))


_DAMAGES: tuple[_Damage, ...] = (
    _cut,
    _remove,
    _insert,
    _flip,
    _overwrite,
    _length,
    _varint,
    _text,
    _version,
    _tags,
    _repeat,
    _zeros,
    _random,
)
