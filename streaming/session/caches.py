"""Where things are kept that are costly to make and safe to lose."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

_FOLDER = "kafka-rebalance-monitor"


def cache_folder() -> Path:
    """Return the folder of our caches, made if it is not there.

    `XDG_CACHE_HOME` moves it; otherwise it lies in `~/.cache`.
    """
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def only_one(purpose: str, *, wait: bool = True) -> Iterator[None]:
    """Let one process at a time through, e.g. so that parallel tests do not download twice.

    Args:
        purpose: Names the lock.
        wait: Whether to wait for a process that is inside with the same purpose.

    Raises:
        BlockingIOError: Another process is inside and we are not to wait.
    """
    with (cache_folder() / f"{purpose}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
