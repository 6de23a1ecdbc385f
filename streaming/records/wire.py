"""Reading of single values, for the readers that `compiler` makes.

On bad bytes they raise `UnreadableRecordError`, `IndexError` or ``struct.error``; whoever calls a
reader turns the latter two into the first.
"""

from __future__ import annotations

import struct
import sys
from array import array
from binascii import b2a_base64
from itertools import islice
from operator import lt
from typing import TYPE_CHECKING, NoReturn

from streaming.records.errors import ReasonCode, UnreadableRecordError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MAX_STRING_BYTES = 0x7FFF
"""Kafka's own limit, which compact lengths could exceed."""
_MAX_VARINT_BYTES = 5
_MAX_INT32 = 0x7FFFFFFF
_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_POINTER_BYTES = 8
_NUMBER_BYTES = 32
_SHARED_BY_CPYTHON = 256
_SHARED_HERE = 1 << 16
_shared = {number: number for number in range(_SHARED_HERE)}.get
_PREPARED_RUNS = 257
_INT32_RUNS = tuple(struct.Struct(f">{count}i").unpack_from for count in range(_PREPARED_RUNS))


def uuid_text(raw: bytes) -> str:
    """Kafka's text of a 16-byte id: URL-safe base64 without padding."""
    return b2a_base64(raw, newline=False)[:22].translate(_URL_SAFE).decode("ascii")


def long_varint(data: bytes, pos: int, first: int) -> tuple[int, int]:
    """The rest of an unsigned varint whose first byte, before ``pos``, has its high bit set.

    Returns:
        The number and the position behind it.
    """
    value, shift = first & 0x7F, 7
    for _ in range(_MAX_VARINT_BYTES - 1):
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 # the continuation bit
            return _checked_varint(value, pos), pos
        shift += 7
    raise UnreadableRecordError(ReasonCode.BAD_LENGTH, f"endless varint before byte {pos}")


def _checked_varint(value: int, pos: int) -> int:
    if value > _MAX_INT32:
        raise UnreadableRecordError(ReasonCode.BAD_LENGTH, f"varint {value} before byte {pos}")
    return value


def varint(data: bytes, pos: int) -> tuple[int, int]:
    """An unsigned varint and the position behind it."""
    first = data[pos]
    return (first, pos + 1) if first < 0x80 else long_varint(data, pos + 1, first)  # noqa: PLR2004 # as above


def skip_tags(data: bytes, pos: int, count: int) -> int:
    """Position behind ``count`` tagged fields, none of which is known."""
    for _ in range(count):
        _, pos = varint(data, pos)
        size, pos = varint(data, pos)
        pos = tag_end(data, pos, size)
    return pos


def tag_end(data: bytes, pos: int, size: int) -> int:
    """Position behind a tagged field of ``size`` bytes."""
    if size > len(data) - pos:
        bad_length("a tagged field", size, len(data) - pos)
    return pos + size


def int32_run(data: bytes, pos: int, count: int, memory: int) -> tuple[tuple[int, ...], int]:
    """``count`` int32; the caller has checked that they are there.

    Partition numbers beyond those that CPython shares itself are shared here: each would take 32
    bytes otherwise, eight times what it takes in the record.

    Returns:
        The numbers, and the memory left.
    """
    if count >= _PREPARED_RUNS:
        return _long_int32_run(data, pos, count, memory)
    run = _INT32_RUNS[count](data, pos)
    memory -= count * _POINTER_BYTES
    if count and (run[0] > _SHARED_BY_CPYTHON or run[-1] > _SHARED_BY_CPYTHON):
        run = tuple(map(_shared, run, run))
        memory -= _unshared_bytes(run)
    return run, memory


def _long_int32_run(data: bytes, pos: int, count: int, memory: int) -> tuple[tuple[int, ...], int]:
    numbers = array("i", data[pos : pos + 4 * count])
    if sys.byteorder == "little":
        numbers.byteswap()
    copies = 1 if ascending(numbers) else 3  # in order, in a list being sorted, as read
    memory -= count * _POINTER_BYTES * copies + _unshared_bytes(numbers)
    return tuple(map(_shared, numbers, numbers)) if memory >= 0 else (), memory


def ascending(numbers: Sequence[int]) -> bool:
    """Whether numbers are in order, each once; found without a copy of them."""
    return all(map(lt, numbers, islice(numbers, 1, None)))


def _unshared_bytes(numbers: Collection[int]) -> int:
    if min(numbers) >= 0 and max(numbers) < _SHARED_HERE:
        return 0
    return _NUMBER_BYTES * sum(not 0 <= number < _SHARED_HERE for number in numbers)


def int16_run(data: bytes, pos: int, count: int) -> tuple[int, ...]:
    """``count`` int16; the caller has checked that they are there."""
    return struct.unpack_from(f">{count}h", data, pos)


def bad_length(path: str, length: int, remaining: int) -> NoReturn:
    """Raise for a length or count that is null, negative or longer than what remains."""
    if length == -1:
        raise UnreadableRecordError(ReasonCode.UNEXPECTED_NULL, f"{path} is null")
    if length < 0:
        raise UnreadableRecordError(ReasonCode.BAD_LENGTH, f"{path} has length {length}")
    if length <= remaining:
        raise UnreadableRecordError(
            ReasonCode.BAD_LENGTH, f"{path} of {length} bytes; text has {MAX_STRING_BYTES} at most"
        )
    raise UnreadableRecordError(
        ReasonCode.TRUNCATED, f"{path} announces {length}, {remaining} bytes remain"
    )


def bad_tag(path: str, size: int) -> NoReturn:
    """Raise for a known tagged field that does not end where its size says."""
    raise UnreadableRecordError(ReasonCode.BAD_TAG, f"{path} does not fill its {size} bytes")


def too_large(path: str, count: int) -> NoReturn:
    """Raise for a count whose elements would take too much memory."""
    raise UnreadableRecordError(
        ReasonCode.TOO_LARGE, f"{path}: {count} elements would take over ten times the record"
    )
