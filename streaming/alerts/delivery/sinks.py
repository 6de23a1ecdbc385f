"""What every sink has in common."""

from collections.abc import Sequence
from typing import Protocol

from streaming.alerts.delivery.outbox import Notice, Repeating


class SinkError(Exception):
    """A sink did not take a lot of notices; it will be tried again. Never holds an address."""


class RefusedError(SinkError):
    """A sink refused a lot for what is in it; trying the same again will not help."""


class Sink(Protocol):
    """Somewhere alerts are sent."""

    @property
    def name(self) -> str:
        """Stable identity, fit for a file name and a log line; never a secret."""

    @property
    def repeating(self) -> Repeating | None:
        """How it is told again of what fires; None for a channel, which is told once."""

    def has_forgotten(self) -> bool:
        """Whether it was started anew since it was asked last, and may know nothing any more.

        Raises:
            SinkError: it does not answer.
        """

    def lot(self, waiting: int) -> int:
        """How many of the waiting notices it takes at once."""

    def send(self, notices: Sequence[Notice]) -> None:
        """Send one lot, whole or not at all.

        Raises:
            SinkError: it did not take the lot.
        """

    def close(self) -> None:
        """Let go of connections."""
