"""Members that go and come back, read from who joined and who left."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streaming.advice.history import Generation, MemberName

RETURN_MS = 300_000
"""A member that is back within this time, on the same host under the same client id, restarted."""

_BY_MEMBERS = frozenset({"joined", "left", "timed_out", "restarted", "emptied"})
"""Causes that are nothing but members coming and going."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """One member that left and came back as another.

    Attributes:
        place: ``CLIENT_ID@HOST``.
        left_at: index of the rebalance in which it left.
        back_at: index of the rebalance in which it was back, the same or a later one.
        absent_ms: milliseconds between the two, 0 where they are one.
    """

    place: str
    left_at: int
    back_at: int
    absent_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarts:
    """What static membership would have spared a group.

    Attributes:
        rebalances: indexes of the rebalances that had no other reason than members coming back.
        absences: the members that came back.
        longest_ms: the longest absence, which ``session.timeout.ms`` must exceed.
    """

    rebalances: tuple[int, ...]
    absences: tuple[Absence, ...]
    longest_ms: int


def restarts(rebalances: Sequence[Generation], *, return_ms: int = RETURN_MS) -> Restarts:
    """Find the rebalances that static membership (KIP-345) would have avoided.

    A static member that is back within its session time-out gets its partitions again, without a
    rebalance when it goes and without one when it comes. So a rebalance was needless if everybody
    who left in it came back in time, and everybody who joined in it was such a member.

    Args:
        rebalances: in order of time.
        return_ms: a longer absence is no restart, in milliseconds.
    """
    absences = tuple(_absences(rebalances, return_ms=return_ms))
    left = Counter((absence.left_at, absence.place) for absence in absences)
    back = Counter((absence.back_at, absence.place) for absence in absences)
    needless = tuple(
        index
        for index, rebalance in enumerate(rebalances)
        if _BY_MEMBERS.issuperset(rebalance.causes)
        and (rebalance.left or rebalance.joined)
        and Counter((index, name.place) for name in rebalance.left) <= left
        and Counter((index, name.place) for name in rebalance.joined) <= back
    )
    longest = max((absence.absent_ms for absence in absences), default=0)
    return Restarts(rebalances=needless, absences=absences, longest_ms=longest)


def leavers(rebalances: Sequence[Generation]) -> dict[str, tuple[int, ...]]:
    """Who left, by `MemberName.place`: indexes of the rebalances in which it did."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for index, rebalance in enumerate(rebalances):
        for place in dict.fromkeys(name.place for name in rebalance.left):
            found[place].append(index)
    return {place: tuple(indexes) for place, indexes in found.items()}


def _absences(rebalances: Sequence[Generation], *, return_ms: int) -> Iterator[Absence]:
    gone: defaultdict[str, list[int]] = defaultdict(list)
    for index, rebalance in enumerate(rebalances):
        for name in _dynamic(rebalance.left):
            gone[name.place].append(index)
        for name in _dynamic(rebalance.joined):
            if gone[name.place]:
                left_at = gone[name.place].pop()
                absent_ms = rebalance.started_ms - rebalances[left_at].started_ms
                if absent_ms <= return_ms:
                    yield Absence(
                        place=name.place, left_at=left_at, back_at=index, absent_ms=absent_ms
                    )


def _dynamic(names: Sequence[MemberName]) -> Iterator[MemberName]:
    return (name for name in names if name.instance_id is None)
