"""The fairest assignment of units of which members hold different amounts, by network flows."""

import numpy as np
from ortools.graph.python import min_cost_flow

from assignors.flows import Block, blocks, hand_out
from assignors.parts import Longs, Mask, Part, whole
from assignors.problem import NOBODY, IntArray, Problem


def heaviest(problem: Problem, unit: IntArray, member: IntArray, weight: IntArray) -> IntArray:
    """The fairest assignment that leaves the most weight where it is.

    Args:
        problem: The problem over units.
        unit: Unit of each pair of a unit and a member that has some of it.
        member: Member of the pair, a subscriber.
        weight: What the member has of the unit, from 1.

    Returns:
        (U,) member index of each unit's owner, or `NOBODY`.
    """
    owner = np.full(problem.size, NOBODY, dtype=np.int32)
    part = whole(problem, owner)
    sizes = np.bincount(part.class_of, minlength=len(part.subscribes))
    for block in blocks(part.subscribes, sizes, part.counts):
        inner = part.narrowed(block.topics, block.classes)
        unit_at = np.full(problem.size, NOBODY, dtype=np.int32)
        unit_at[inner.flats] = np.arange(len(inner.flats), dtype=np.int32)
        member_at = np.full(len(problem.members), NOBODY, dtype=np.int32)
        member_at[inner.members] = np.arange(len(inner.members), dtype=np.int32)
        here = (unit_at[unit] >= 0) & (member_at[member] >= 0)
        pairs = (unit_at[unit[here]], member_at[member[here]], weight[here])
        owner[inner.flats] = inner.members[_solve(inner, block, *pairs)]
    return owner


def _solve(
    part: Part, block: Block, unit: IntArray, member: IntArray, weight: IntArray
) -> IntArray:
    """Owners of a block's units: one node per unit, one path from it per member that has some."""
    network = min_cost_flow.SimpleMinCostFlow()
    sizes = (len(part.flats), len(part.counts), len(part.subscribes), len(part.members), 1, 1)
    ends = np.cumsum(sizes)
    units, topics, classes, members, larger, sink = (
        np.arange(end - size, end, dtype=np.int32) for size, end in zip(sizes, ends, strict=True)
    )

    def add(tails: IntArray, heads: IntArray, capacity: Longs | int, cost: Longs | int) -> IntArray:
        arrays = np.broadcast_arrays(tails, heads, np.int64(capacity), np.int64(cost))
        arcs: IntArray = network.add_arcs_with_capacity_and_unit_cost(*arrays)
        return arcs

    whole_weight = int(weight.max(initial=0))
    stay = add(units[unit], members[member], 1, whole_weight - weight.astype(np.int64))
    add(units, topics[part.topic_of], 1, whole_weight)
    move = add(topics[block.tails], classes[block.heads], len(units), 0)
    get = add(classes[part.class_of], members, len(units), 0)
    add(members, sink, block.base, 0)
    add(members, larger, 1, 0)
    add(larger, sink, block.extra, 0)
    network.set_nodes_supplies(units, np.ones(len(units), dtype=np.int64))
    network.set_node_supply(int(sink[0]), -len(units))
    if network.solve() != network.OPTIMAL:
        raise RuntimeError("the flow solver failed on a network that always has a solution")
    owner = np.full(len(units), NOBODY, dtype=np.int32)
    stays: Mask = np.asarray(network.flows(stay)) > 0
    owner[unit[stays]] = member[stays]
    through, wanted = (np.asarray(network.flows(arcs), dtype=np.int64) for arcs in (move, get))
    owner[owner < 0] = hand_out(block.tails, block.heads, through, wanted, part.class_of)
    return owner
