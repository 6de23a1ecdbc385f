"""Wait for something to become true, and say what was awaited if it does not."""

import time
from collections.abc import Callable

_LOOK_EVERY_SECONDS = 0.05


def until(condition: Callable[[], bool], *, awaited: str, within_seconds: float = 60.0) -> None:
    """Return once the condition holds.

    Args:
        condition: Looked at about twenty times a second.
        awaited: What is awaited, for the error.
        within_seconds: When to give up.

    Raises:
        TimeoutError: It does not hold in time.
    """
    deadline = time.monotonic() + within_seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {within_seconds:.0f} s in vain for {awaited}")
        time.sleep(_LOOK_EVERY_SECONDS)
