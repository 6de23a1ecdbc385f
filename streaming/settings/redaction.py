"""Keep secrets out of what we write."""

from collections.abc import Collection, Iterator
from typing import Any

from pydantic import BaseModel, SecretStr

BLOT = "***"
_SHORTEST = 4
"""A shorter text would blot out half of every message, and protects nothing."""


def redact(text: str, secrets: Collection[str]) -> str:
    """Return the text with every secret in it replaced, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, BLOT)
    return text


def secrets_in(value: Any) -> Iterator[str]:
    """Yield every secret text in a model, mapping or sequence."""
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from secrets_in(getattr(value, name))
    elif isinstance(value, dict):
        for item in value.values():
            yield from secrets_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from secrets_in(item)
