"""Why a record could not be read."""

from __future__ import annotations

from enum import StrEnum


class ReasonCode(StrEnum):
    """Reason of a dead letter; the values are stored and documented, so they never change."""

    MISSING_KEY = "missing_key"
    """The record has no key."""
    UNKNOWN_TYPE = "unknown_type"
    """The key names a record type that no known Kafka version writes."""
    UNKNOWN_VERSION = "unknown_version"
    """The value has a version that is not known for its record type."""
    TRUNCATED = "truncated"
    """A field, length or count runs past the end of the record."""
    BAD_LENGTH = "bad_length"
    """A length or count is negative, or a variable-length integer never ends."""
    UNEXPECTED_NULL = "unexpected_null"
    """A field that must be there is null."""
    BAD_TEXT = "bad_text"
    """Text is not valid UTF-8."""
    BAD_TAG = "bad_tag"
    """A tagged field does not fill the size that it announces."""
    TOO_LARGE = "too_large"
    """Reading it would take more memory than ten times its size."""
    BAD_EVENT = "bad_event"
    """A record of the events topic is not the JSON form of an event."""


class UnreadableRecordError(ValueError):
    """A record, or bytes embedded in one, that cannot be read.

    Attributes:
        reason: code, as stored with the dead letter.
        detail: what was wrong and where, for a person.
    """

    def __init__(self, reason: ReasonCode, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[UnreadableRecordError], tuple[ReasonCode, str]]:
        return (UnreadableRecordError, (self.reason, self.detail))
