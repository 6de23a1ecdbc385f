"""What the commands that read the tables have in common: where the tables are, and their reader."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from streaming.cli.configured import configured
from streaming.measuring.policies import JoinRule, JoinSets, Policies
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location

if TYPE_CHECKING:
    from collections.abc import Callable

    from streaming.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Reading:
    """The configuration and the tables it names.

    Attributes:
        settings: the configuration.
        reader: the tables.
    """

    settings: Settings
    reader: TableReader

    def joins_of(self, group_id: str) -> JoinSets:
        """Topics that a group joins; None for those co-subscribed with equal partition counts."""
        rules = self.settings.policies.joins
        joins = tuple(JoinRule(groups=rule.groups, topics=rule.topics) for rule in rules)
        return Policies(joins=joins).join_sets(group_id)


def reads_tables(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ``--config`` and ``--tables``, and a `Reading` as its first argument."""

    @configured("query.tables")
    @wraps(command)
    def wrapper(settings: Settings, **rest: Any) -> Any:
        reader = TableReader(Location.of(settings.query))
        return command(Reading(settings, reader), **rest)

    return wrapper


def plain_console() -> Console:
    """A console that takes no name of a group or a member for markup."""
    return Console(markup=False, highlight=False, emoji=False)


_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


class Span(click.ParamType[float]):
    """A stretch of time, such as ``90s``, ``10m``, ``6h`` or ``2d``; seconds."""

    name = "span"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Seconds of the text; a number is seconds already."""
        if isinstance(value, int | float):
            return float(value)
        number, unit = str(value)[:-1], str(value)[-1:]
        if unit not in _UNITS or not number.isascii() or not number.isdigit():
            self.fail(f"{value!r} is no stretch of time: write 90s, 10m, 6h or 2d", param, ctx)
        return float(int(number) * _UNITS[unit])
