"""Parameters of a page, as far as they make sense; anything else is as if it were not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_LONGEST = 500
_LARGEST = 10**9


def text(query: Mapping[str, str], name: str) -> str:
    """A text, without blanks around it."""
    return query.get(name, "").strip()[:_LONGEST]


def choice(query: Mapping[str, str], name: str, allowed: Collection[str], default: str) -> str:
    """One of several words."""
    value = query.get(name, "")
    return value if value in allowed else default


def whole(query: Mapping[str, str], name: str, default: int) -> int:
    """A number from 0 to a thousand million."""
    value = query.get(name, "")
    if not (value.isascii() and value.isdigit()):
        return default
    return min(int(value[:10]), _LARGEST)
