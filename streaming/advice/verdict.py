"""The state of a group in one sentence."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from streaming.advice.advice import Advice
from streaming.measuring.policies import is_joined


def verdict(state: Mapping[str, Any], advice: Sequence[Advice] = ()) -> str:
    """Say how a group stands, and the best advice, in one sentence.

    Args:
        state: its row of ``group_state``, of which the columns ``member_count``,
            ``moves_to_fairest``, ``fair``, ``unassigned_count``, ``policy`` and
            ``join_violations`` are read.
        advice: as `advise` gave it, the first is the best.

    Returns:
        For example «3 moves would make this group fair; `cooperative-sticky` would have saved 41
        of 44 moves.».
    """
    if not state["member_count"]:
        return "This group has no members."
    moves = state["moves_to_fairest"]
    if moves is None:
        return "This group has not settled yet."
    clauses = [
        _balance(moves, fair=bool(state["fair"])),
        *_troubles(state["unassigned_count"] or 0, _violations(state)),
        *(piece.gist for piece in advice[:1]),
    ]
    return f"{'; '.join(clauses)}."


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 move``, ``3 moves``; the noun takes a plain ``s``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _balance(moves: int, *, fair: bool) -> str:
    if not moves:
        return "This group is as fair as it can be"
    if fair:
        return f"This group is fair, {counted(moves, 'move')} from the fairest"
    return f"{counted(moves, 'move')} would make this group fair"


def _violations(state: Mapping[str, Any]) -> int:
    """Split joins; to a group that joins nothing, topics split between members are no trouble."""
    return (state["join_violations"] or 0) if is_joined(state["policy"] or "") else 0


def _troubles(unassigned: int, violations: int) -> Iterator[str]:
    if unassigned:
        yield f"{counted(unassigned, 'partition')} without an owner"
    if violations:
        yield f"{counted(violations, 'partition number')} of a join split between members"
