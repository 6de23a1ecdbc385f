"""The exact ideal where subscriptions differ, by network flows (OR-tools).

First the fairest loads: the members fall into blocks in which every load is b or b + 1. A block is
feasible if a flow topic -> subscription class -> loads takes every partition; if not, the minimum
cut splits it into topics whose subscribers must carry more, with those subscribers, and the rest.
Each split has fewer classes on both sides, so there are fewer flows than twice the classes. In a
fairest assignment every topic feeds one block only, so the blocks can then be solved one by one:
a minimum-cost flow in which a kept partition costs 0 and a moved one 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ortools.graph.python import max_flow, min_cost_flow

from assignors.problem import NOBODY, IntArray, Problem
from assignors.quotas import deal, share_out

Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Block:
    """Topics and the subscription classes that share them with loads `base` and `base` + 1.

    Attributes:
        topics: Topic indexes.
        classes: Class indexes; each subscribes to some of the topics.
        base: The smaller load.
        extra: Members that have the larger load.
        tails: Per topic-to-class arc the position in `topics`.
        heads: Per arc the position in `classes`.
        through: Per arc the partitions that go that way in one fairest assignment.
    """

    topics: IntArray
    classes: IntArray
    base: int
    extra: int
    tails: IntArray
    heads: IntArray
    through: Longs


def fairest_by_flow(problem: Problem, claims: IntArray) -> IntArray:
    """The fairest assignment that keeps the most of `claims`.

    Args:
        problem: The group.
        claims: (P,) member that owns the partition and subscribes to it, or `NOBODY`.

    Returns:
        (P,) member index of each partition's owner.
    """
    owner = np.full(problem.size, NOBODY, dtype=np.int32)
    sizes = np.bincount(problem.class_of, minlength=len(problem.classes))
    for block in blocks(problem.subscribes, sizes, problem.counts):
        flats = _flats(problem, block.topics)
        members = np.flatnonzero(np.isin(problem.class_of, block.classes)).astype(np.int32)
        if len(flats):
            owner[flats] = _solve(problem, block, flats, members, claims[flats])
    return owner


def blocks(subscribes: Mask, sizes: Longs, counts: IntArray) -> Iterator[Block]:
    """Split a group into the blocks of its fairest loads.

    Args:
        subscribes: (K, T) whether class k subscribes to topic t.
        sizes: (K,) members of each class.
        counts: (T,) partitions of each topic.
    """
    everybody = np.flatnonzero(subscribes.any(axis=1) & (sizes > 0)).astype(np.int32)
    subscribed = np.flatnonzero(subscribes[everybody].any(axis=0)).astype(np.int32)
    waiting = [(subscribed, everybody)]
    while waiting:
        topics, classes = waiting.pop()
        if not len(topics) or not len(classes):
            continue
        split = _feasible(subscribes, sizes, counts, topics, classes)
        if isinstance(split, Block):
            yield split
        else:
            upper_topics, upper_classes = split
            waiting.append((topics[~upper_topics], classes[~upper_classes]))
            waiting.append((topics[upper_topics], classes[upper_classes]))


def _feasible(
    subscribes: Mask, sizes: Longs, counts: IntArray, topics: IntArray, classes: IntArray
) -> Block | tuple[Mask, Mask]:
    """The block if even loads are possible, else masks of the topics and classes to split off."""
    supply, members = counts[topics].astype(np.int64), sizes[classes]
    base, extra = divmod(int(supply.sum()), int(members.sum()))
    heads, tails = (
        side.astype(np.int32) for side in np.nonzero(subscribes[np.ix_(classes, topics)])
    )
    source, sink, larger = (np.int32(len(topics) + len(classes) + i) for i in range(3))
    topic_nodes = np.arange(len(topics), dtype=np.int32)
    class_nodes = np.arange(len(classes), dtype=np.int32) + np.int32(len(topics))
    network = max_flow.SimpleMaxFlow()
    network.add_arcs_with_capacity(np.full(len(topics), source), topic_nodes, supply)
    inner = network.add_arcs_with_capacity(tails, class_nodes[heads], supply[tails])
    network.add_arcs_with_capacity(class_nodes, np.full(len(classes), sink), members * base)
    network.add_arcs_with_capacity(class_nodes, np.full(len(classes), larger), members)
    network.add_arc_with_capacity(larger, sink, extra)
    _expect(network.solve(source, sink) == network.OPTIMAL)
    if network.optimal_flow() == supply.sum():
        through = np.asarray(network.flows(inner), dtype=np.int64)
        return Block(topics, classes, base, extra, tails, heads, through)
    upper = np.zeros(len(topics) + len(classes) + 3, dtype=np.bool_)
    upper[network.get_source_side_min_cut()] = True
    return upper[: len(topics)], upper[len(topics) : len(topics) + len(classes)]


def _solve(
    problem: Problem, block: Block, flats: Longs, members: IntArray, claims: IntArray
) -> IntArray:
    """Owners of a block's partitions."""
    position = np.full(len(problem.members) + 2, NOBODY, dtype=np.int32)
    position[members] = np.arange(len(members), dtype=np.int32)
    mine = position[claims]
    if len(block.classes) == 1:
        return members[share_out(mine, len(members), problem.number_of[flats])]
    class_position = np.zeros(len(problem.classes), dtype=np.int32)
    class_position[block.classes] = np.arange(len(block.classes), dtype=np.int32)
    class_of = class_position[problem.class_of[members]]
    topic_of = np.repeat(np.arange(len(block.topics), dtype=np.int32), problem.counts[block.topics])
    if (mine >= 0).any():
        kept, through, wanted = _least_moves(block, topic_of, mine, class_of)
    else:
        kept, through = np.zeros(len(flats), dtype=np.bool_), block.through
        wanted = _spread(block, class_of)
    owner = np.where(kept, mine, np.int32(NOBODY))
    owner[~kept] = _hand_out(block, topic_of[~kept], through, wanted, class_of)
    return members[owner]


def _least_moves(
    block: Block, topic_of: IntArray, mine: IntArray, class_of: IntArray
) -> tuple[Mask, Longs, Longs]:
    """Minimum-cost flow of one block.

    Returns:
        Which partitions are kept; how many others go by each topic-to-class arc; how many of those
        each member gets.
    """
    members, topics = len(class_of), len(block.topics)
    held = np.flatnonzero(mine >= 0)
    order = held[np.argsort(topic_of[held].astype(np.int64) * members + mine[held], kind="stable")]
    keys = topic_of[order].astype(np.int64) * members + mine[order]
    pairs, starts, sizes = np.unique(keys, return_index=True, return_counts=True)
    topic_nodes = np.arange(topics, dtype=np.int32)
    class_nodes = np.arange(len(block.classes), dtype=np.int32) + np.int32(topics)
    member_nodes = np.arange(members, dtype=np.int32) + np.int32(topics + len(block.classes))
    larger, sink = (np.int32(topics + len(block.classes) + members + i) for i in range(2))
    supply = np.bincount(topic_of, minlength=topics)
    network = min_cost_flow.SimpleMinCostFlow()

    def add(tails: IntArray, heads: IntArray, capacities: Longs, cost: int) -> IntArray:
        costs = np.full(len(tails), cost, dtype=np.int64)
        arcs: IntArray = network.add_arcs_with_capacity_and_unit_cost(
            tails, heads, capacities, costs
        )
        return arcs

    stay = add(
        topic_nodes[pairs // members], member_nodes[(pairs % members).astype(np.int32)], sizes, 0
    )
    move = add(topic_nodes[block.tails], class_nodes[block.heads], supply[block.tails], 1)
    most = np.full(members, block.base + 1, dtype=np.int64)
    get = add(class_nodes[class_of], member_nodes, most, 0)
    add(member_nodes, np.full(members, sink), most - 1, 0)
    add(member_nodes, np.full(members, larger), np.ones(members, dtype=np.int64), 0)
    network.add_arc_with_capacity_and_unit_cost(larger, sink, block.extra, 0)
    network.set_nodes_supplies(topic_nodes, supply)
    network.set_node_supply(sink, -len(topic_of))
    _expect(network.solve() == network.OPTIMAL)
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    kept = np.zeros(len(topic_of), dtype=np.bool_)
    kept[order[rank < np.repeat(network.flows(stay), sizes)]] = True
    return kept, np.asarray(network.flows(move)), np.asarray(network.flows(get))


def _spread(block: Block, class_of: IntArray) -> Longs:
    """Loads of the members when nothing is kept: each class spreads its flow evenly."""
    totals = np.bincount(block.heads, weights=block.through, minlength=len(block.classes))
    sizes = np.bincount(class_of, minlength=len(block.classes))
    base, extra = np.divmod(totals.astype(np.int64), sizes)
    order = np.argsort(class_of, kind="stable")
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(class_of), dtype=np.int64)
    rank[order] = np.arange(len(class_of)) - starts[class_of[order]]
    shares: Longs = base[class_of] + (rank < extra[class_of])
    return shares


def _hand_out(
    block: Block, topic_of: IntArray, through: Longs, wanted: Longs, class_of: IntArray
) -> IntArray:
    """Owners of the partitions that are not kept, in their order (by topic).

    Args:
        block: The block.
        topic_of: Topic position of each of the partitions.
        through: How many go by each topic-to-class arc.
        wanted: How many each member gets.
        class_of: Class position of each member.
    """
    arcs = np.lexsort((block.heads, block.tails))
    classes = np.repeat(block.heads[arcs], through[arcs])
    takers = deal(wanted)
    takers = takers[np.argsort(class_of[takers], kind="stable")]
    owner = np.empty(len(topic_of), dtype=np.int32)
    owner[np.argsort(classes, kind="stable")] = takers
    return owner


def _flats(problem: Problem, topics: IntArray) -> Longs:
    """Flat indexes of the partitions of some topics, topic after topic."""
    counts = problem.counts[topics]
    starts = problem.first[topics]
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    flats: Longs = np.repeat(starts, counts) + within
    return flats


def _expect(solved: bool) -> None:  # noqa: FBT001 - a plain statement of fact
    if not solved:
        raise RuntimeError("the flow solver failed on a network that always has a solution")
