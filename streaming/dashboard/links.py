"""Links that carry the whole state of a page, so that they can be shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Mapping

Parameter = str | int | None


def link(path: str, **parameters: Parameter) -> str:
    """A path with its query; parameters that are None or empty are left out."""
    query = urlencode([(name, value) for name, value in parameters.items() if value not in _NONE])
    return f"{path}?{query}" if query else path


_NONE = (None, "")


@dataclass(frozen=True, slots=True)
class Address:
    """A page and its parameters, from which links to variants of it are made.

    Attributes:
        path: the page.
        parameters: what the request asked for; only those that the page knows.
    """

    path: str
    parameters: Mapping[str, str]

    def to(self, **changes: Parameter) -> str:
        """The link with some parameters changed; None takes one away."""
        return link(self.path, **{**self.parameters, **changes})
