"""The verdict on a group, in sentences that carry their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streaming.advice import verdict as in_one_sentence
from streaming.dashboard.health import Level, Problem
from streaming.dashboard.words import counted, number, share

if TYPE_CHECKING:
    from streaming.advice import Advice
    from streaming.dashboard.group import History

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A group in words.

    Attributes:
        level: urgency.
        headline: the one thing to know.
        sentences: what else is known: what would help, how even it is, what was moved in vain.
        problems: what is wrong, the most urgent first, each with what to do.
    """

    level: Level
    headline: str
    sentences: tuple[str, ...]
    problems: tuple[Problem, ...]


def verdict(row: Row, history: History, advice: Sequence[Advice], *, window: str) -> Verdict:
    """Judge a group.

    Args:
        row: the group as `Groups.find` gives it.
        history: its rebalances and drift over a window.
        advice: what its recorded life says, the best first.
        window: name of that window.
    """
    sentences = (in_one_sentence(row, advice), _loads(row), _waste(row, history, window))
    return Verdict(
        level=row["level"],
        headline=_headline(row),
        sentences=tuple(sentence for sentence in sentences if sentence),
        problems=row["problems"],
    )


def _headline(row: Row) -> str:
    problems: Sequence[Problem] = row["problems"]
    if problems:
        first = problems[0].sentence
        return first[0].upper() + first[1:] + "."
    if row["level"] == Level.IDLE:
        return "No members, nothing to read."
    if row["level"] > Level.OK:
        return "An alert is open."
    return "All is well: nothing to gain by moving anything."


def _loads(row: Row) -> str:
    if not row["member_count"]:
        return ""
    loads = f"{counted(row['member_count'], 'member')} with {_range(row)} partitions each"
    moves, total = row["moves_to_fairest"] or 0, row["partition_count"] or 0
    if not moves:
        return f"{loads}."
    portion = share(moves / total if total else 0.0)
    return f"{loads}; {portion} of the partitions would have to move."


def _range(row: Row) -> str:
    if row["min_load"] == row["max_load"]:
        return number(row["min_load"])
    return f"{number(row['min_load'])} to {number(row['max_load'])}"


def _waste(row: Row, history: History, window: str) -> str:
    if not history.churn:
        return ""
    if not history.avoidable_churn:
        return f"All {counted(history.churn, 'move')} of the last {window} were needed."
    return (
        f"`{row['policy']}` would have saved {number(history.avoidable_churn)} of "
        f"{counted(history.churn, 'move')} of the last {window}."
    )
