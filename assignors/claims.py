"""Who owned what: the members' claims, resolved as the KIPs say.

The claim of the highest generation (or KIP-315's epoch) wins, so that a zombie takes nothing
(KIP-341, KIP-315); a partition claimed twice in that generation belongs to nobody (KIP-54,
KIP-792); claims on partitions that do not exist, or that their claimant no longer subscribes to,
are dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

NOBODY = -1
"""A partition without a (previous) owner."""
DEPARTED = -2
"""The previous owner can keep nothing: it left the group, or gave up the topic."""

Partition = tuple[str, int]
_NO_GENERATION = -1


class Claimant(Protocol):
    """What claims are read from."""

    @property
    def topics(self) -> tuple[str, ...]:
        """The subscription."""

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
        previous: (P,) member index, `NOBODY` or `DEPARTED`.
        disputed: Flat indexes that a present member claims but `previous` gives to nobody.
    """

    previous: npt.NDArray[np.int32]
    disputed: tuple[int, ...]


def resolve(
    members: Sequence[Claimant], first: Mapping[str, int], counts: Mapping[str, int], *, size: int
) -> Resolved:
    """Resolve the claims of a group's members.

    Args:
        members: In the order in which the answer numbers them.
        first: Flat index of partition 0 of each known topic.
        counts: Partitions of each topic.
        size: Number of flat partitions.
    """
    owners = [NOBODY] * size
    generations: dict[int, int] = {}
    disputed: set[int] = set()
    for index, member in enumerate(members):
        generation = _NO_GENERATION if member.generation is None else member.generation
        for flat in {*_existing(member.owned, first, counts)}:
            rival = generations.get(flat)
            if rival is None or generation > rival:
                owners[flat] = index
                generations[flat] = generation
                disputed.discard(flat)
            elif generation == rival:
                owners[flat] = NOBODY
                disputed.add(flat)
    _drop_unsubscribed(owners, members, first, counts, disputed)
    return Resolved(np.array(owners, dtype=np.int32), tuple(sorted(disputed)))


def _existing(
    owned: Sequence[Partition], first: Mapping[str, int], counts: Mapping[str, int]
) -> list[int]:
    return [
        first[topic] + number
        for topic, number in owned
        if topic in first and 0 <= number < counts[topic]
    ]


def _drop_unsubscribed(
    owners: list[int],
    members: Sequence[Claimant],
    first: Mapping[str, int],
    counts: Mapping[str, int],
    disputed: set[int],
) -> None:
    """Only after the contest: a zombie gains nothing where the true owner has unsubscribed."""
    for index, member in enumerate(members):
        gone = {topic for topic, _ in member.owned}.difference(member.topics)
        lost = [claim for claim in member.owned if claim[0] in gone] if gone else []
        for flat in _existing(lost, first, counts):
            if owners[flat] == index:
                owners[flat] = DEPARTED
                disputed.add(flat)
