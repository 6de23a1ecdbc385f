"""The exact ideal of the join form: loads in units, moves in partitions.

The sum of squared loads, counted in units, is as low as it can be; among the assignments that have
it, one that leaves the most partitions where they are. Where every unit is with one member that is
the closed form or the flow over units. Units that several members share weigh differently with
each of them: that takes a flow of its own (:mod:`assignors.unit_flows`).
"""

import numpy as np

from assignors.fairest import fairest
from assignors.problem import NOBODY, IntArray, Problem
from assignors.units import Units, in_units


def fairest_joined(problem: Problem, owner: IntArray) -> IntArray:
    """The fairest assignment of the problem's units that moves the fewest partitions.

    Args:
        problem: The group; its join sets say what a unit is.
        owner: (P,) who has what, to be kept as far as possible.

    Returns:
        (P,) member index of each partition's owner, or `NOBODY`.
    """
    units = in_units(problem, problem.join_sets)
    claims = problem.claimable(owner)
    holder = units.problem.claimable(units.owners(claims))
    if not units.problem.members:
        return units.expand(holder)
    if _alike(units, claims, holder):
        return units.expand(fairest(units.problem, holder))
    # Late: it brings OR-tools, a tenth of a second that whole joins need not spend.
    from assignors.unit_flows import heaviest  # noqa: PLC0415 - see above

    return units.expand(heaviest(units.problem, *_weights(units, claims)))


def _alike(units: Units, claims: IntArray, holder: IntArray) -> bool:
    """Whether each unit is with one member or none, and all that are with one weigh the same."""
    weight = np.concatenate(
        [np.empty(0, dtype=np.int64)]
        + [np.count_nonzero(rows >= 0, axis=0) for rows in units.rows(claims)]
    )
    weight = weight[weight > 0]
    held = int(np.count_nonzero(holder >= 0))
    return len(weight) == held and (not held or bool(weight.min() == weight.max()))


def _weights(units: Units, claims: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Pairs of a unit and a member that has some of its partitions, and how many."""
    found = []
    for start, rows in zip(units.problem.first.tolist(), units.rows(claims), strict=False):
        numbers = np.broadcast_to(np.arange(start, start + rows.shape[1]), rows.shape)
        found.append(np.stack([numbers[rows > NOBODY], rows[rows > NOBODY]]))
    pairs, weights = np.unique(np.concatenate(found, axis=1), axis=1, return_counts=True)
    unit, member = pairs.astype(np.int32)
    return unit, member, weights.astype(np.int32)
