"""Who owned what: the members' claims, resolved as the KIPs say.

The claim of the highest generation (or KIP-315's epoch) wins, so that a zombie takes nothing
(KIP-341, KIP-315); a partition claimed twice in that generation belongs to nobody (KIP-54,
KIP-792); claims on partitions that do not exist are dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

NOBODY = -1
"""A partition without a (previous) owner."""
DEPARTED = -2
"""The previous owner can keep nothing: it left the group, or gave up the topic."""

Partition = tuple[str, int]
_NO_GENERATION = -1
_UNCLAIMED = -(2**63)


class Claimant(Protocol):
    """What claims are read from."""

    @property
    def owned(self) -> tuple[Partition, ...]:
        """The partitions claimed."""

    @property
    def generation(self) -> int | None:
        """The generation of the claims."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The previous owners.

    Attributes:
        owners: Member index per flat partition, or `NOBODY`.
        disputed: Flat indexes that members claim but nobody owns.
    """

    owners: list[int]
    disputed: set[int]


def resolve(
    members: Sequence[Claimant], where: Mapping[str, tuple[int, int]], *, size: int
) -> Resolved:
    """Resolve the claims of a group's members.

    Whether a member still subscribes is not looked at: a zombie gains nothing where the true owner
    has unsubscribed.

    Args:
        members: In the order in which the answer numbers them.
        where: Flat index of each known topic's partition 0, and of the next topic's.
        size: Number of flat partitions.
    """
    owners = [NOBODY] * size
    generations = [_UNCLAIMED] * size
    disputed: set[int] = set()
    for index, member in enumerate(members):
        generation = _NO_GENERATION if member.generation is None else member.generation
        for topic, number in member.owned:
            start, end = where.get(topic, (0, 0))
            flat = start + number
            if not start <= flat < end:
                continue
            rival = generations[flat]
            if generation > rival:
                owners[flat] = index
                generations[flat] = generation
                if rival != _UNCLAIMED:
                    disputed.discard(flat)
            elif generation == rival and owners[flat] != index:
                owners[flat] = NOBODY
                disputed.add(flat)
    return Resolved(owners, disputed)
