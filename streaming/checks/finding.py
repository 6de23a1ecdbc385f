"""What a check found."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from streaming.errors import MonitorError

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `check`.

    Attributes:
        subject: What was looked at.
        state: `ok`; `warning` for what a run copes with; `failed` for what stops it.
        said: What was found, and what to do about it.
    """

    subject: str
    state: State
    said: str


Check = Callable[[], Iterator[Finding]]


def carry_out(subject: str, check: Check) -> Iterator[Finding]:
    """Yield what a check finds; an error meant for the operator is a finding too."""
    try:
        yield from check()
    except MonitorError as error:
        yield Finding(subject, "failed", str(error))
