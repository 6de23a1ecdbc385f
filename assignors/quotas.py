"""The closed form of the fairest assignment with the fewest moves, for interchangeable members.

Of U units over S members each gets floor(U / S), and the remainder's extra ones go to the members
that own most already. Each keeps what it owns up to that quota; what is left fills up the others.
No assignment is fairer, and no equally fair one keeps more.
"""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


def quotas(owned: npt.NDArray[np.int64], units: int) -> npt.NDArray[np.int64]:
    """Units each member is to have.

    Args:
        owned: (S,) units each member owns, S > 0.
        units: Units to share out.
    """
    base, extra = divmod(units, len(owned))
    shares = np.full(len(owned), base, dtype=np.int64)
    if extra:
        shares[np.argsort(-owned, kind="stable")[:extra]] += 1
    return shares


def most_kept(owned: npt.NDArray[np.int64], units: int) -> int:
    """Units that can stay where they are in a fairest assignment.

    Args:
        owned: (S,) units each member owns, S > 0.
        units: Units to share out.
    """
    base, extra = divmod(units, len(owned))
    above = int(np.count_nonzero(owned > base))
    return int(np.minimum(owned, base).sum()) + min(extra, above)


def share_out(claims: Ints, members: int, number_of: Ints | None = None) -> Ints:
    """Assign units to interchangeable members, as evenly as can be, then keeping the most.

    Args:
        claims: (U,) the member, 0 to `members` - 1, that owns the unit; negative for nobody.
        members: Number of members S > 0.
        number_of: (U,) partition number of each unit: a member with too many keeps the lowest
            numbers, as in Kafka's sticky assignor, so that what it keeps is spread over the
            topics. None takes the units' own order.

    Returns:
        (U,) the member each unit goes to.
    """
    owned = np.bincount(claims + 2, minlength=members + 2)[2:]
    if not owned.any():
        return np.arange(len(claims), dtype=np.int32) % np.int32(members)
    return hand_over(claims, owned, quotas(owned, len(claims)), number_of)


def hand_over(
    claims: Ints,
    owned: npt.NDArray[np.int64],
    shares: npt.NDArray[np.int64],
    number_of: Ints | None = None,
) -> Ints:
    """Bring interchangeable members to given shares, keeping the most.

    Args:
        claims: (U,) the member that owns the unit; negative for nobody.
        owned: (S,) units each member owns.
        shares: (S,) units each member is to have, U together.
        number_of: (U,) partition number of each unit, as for :func:`share_out`.

    Returns:
        (U,) the member each unit goes to.
    """
    owner = np.maximum(claims, -1)
    over = owned > shares
    if over.any():
        owner[_surplus(claims, over, shares, number_of)] = -1
    free = np.flatnonzero(owner < 0)
    if len(free):
        owner[free] = deal(shares - np.minimum(owned, shares))
    return owner


def deal(wanted: npt.NDArray[np.int64]) -> Ints:
    """Order in which members take what they want: one each in turn, until all have enough.

    Args:
        wanted: (S,) number each member takes.

    Returns:
        Member after member, as long as the sum of `wanted`.
    """
    takers = np.flatnonzero(wanted).astype(np.int32)
    takes = wanted[takers]
    if not len(takers) or takes.max() == 1:
        return takers
    slots = np.repeat(takers, takes)
    ends = np.cumsum(takes)
    turns = np.arange(len(slots)) - np.repeat(ends - takes, takes)
    return slots[np.argsort(turns, kind="stable")]


def _surplus(
    claims: Ints,
    over: npt.NDArray[np.bool_],
    shares: npt.NDArray[np.int64],
    number_of: Ints | None,
) -> npt.NDArray[np.int64]:
    """Units that members with more than their share give up."""
    held = np.flatnonzero(over[claims] & (claims >= 0))
    owner = claims[held]
    order = (
        np.argsort(owner, kind="stable")
        if number_of is None
        else np.lexsort((number_of[held], owner))
    )
    held, owner = held[order], owner[order]
    starts = np.searchsorted(owner, np.arange(len(over)))
    rank = np.arange(len(held)) - starts[owner]
    return held[rank >= shares[owner]]
