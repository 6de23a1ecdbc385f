"""Values kept until a table they were made from has a new version."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")
_ENTRIES = 128


class VersionCache:
    """The last value of each key, with what it was made from; the least used go first.

    Only one thread makes the value of a key at a time, so a crowd of readers costs one query.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, basis: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made anew if ``basis`` (table versions, time) is not the last one."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            found = self._entries.get(key)
            if found is not None and found[0] == basis:
                return cast("T", found[1])
            value = make()
            self._keep(key, basis, value)
            return value

    def _keep(self, key: Hashable, basis: Hashable, value: object) -> None:
        with self._lock:
            self._entries[key] = (basis, value)
            self._entries.move_to_end(key)
            while len(self._entries) > _ENTRIES:
                old, _ = self._entries.popitem(last=False)
                self._making.pop(old, None)
