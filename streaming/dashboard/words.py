"""Figures as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_THOUSANDS = (("G", 10**9), ("M", 10**6), ("k", 10**3))
_TEN = 10


def number(value: float | None) -> str:
    """``12,345``; a dash where nothing is known; fractions with two digits at most."""
    if value is None:
        return "—"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def compact(value: float | None) -> str:
    """``184 k``: three digits at most, for columns that must stay narrow."""
    if value is None:
        return "—"
    for unit, size in _THOUSANDS:
        if abs(value) >= size:
            scaled = value / size
            return f"{scaled:.1f} {unit}" if scaled < _TEN else f"{scaled:.0f} {unit}"
    return number(value)


def share(value: float | None) -> str:
    """``26 %`` of 0.26; a share that is not nothing is never written as 0 %."""
    if value is None:
        return "—"
    percent = value * 100
    if 0 < percent < 1:
        return "< 1 %"
    return f"{percent:.0f} %"


def duration(seconds: float | None) -> str:
    """``26 min``, ``3 h 12 min``: the two largest units at most."""
    if seconds is None:
        return "—"
    if 0 < seconds < _TEN:
        return f"{seconds:.1f} s" if seconds != int(seconds) else f"{int(seconds)} s"
    rest, parts = int(seconds), list[str]()
    for unit, size in _SECONDS:
        amount, rest = divmod(rest, size)
        if amount or parts:
            parts.append(f"{amount} {unit}" if amount else "")
    return " ".join(part for part in parts[:2] if part) or "0 s"


def counted(amount: int, noun: str, plural: str | None = None) -> str:
    """``1 move``, ``3 moves``."""
    return f"{number(amount)} {noun if amount == 1 else plural or noun + 's'}"


def listing(items: Sequence[str], *, most: int = 3) -> str:
    """``a, b and c``; beyond ``most``, ``a, b, c and 4 more``."""
    shown, more = list(items[:most]), len(items) - most
    if more > 0:
        shown.append(f"{more} more")
    if len(shown) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
