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
from ortools.graph.python import max_flow, min_cost_flow

from assignors.parts import Longs, Mask, Part
from assignors.problem import NOBODY, IntArray
from assignors.quotas import deal, share_out


@dataclass(frozen=True, slots=True)
class Block:
    """Topics and the subscription classes that share them with loads `base` and `base` + 1.

    Attributes:
        topics: Mask over the topics.
        classes: Mask over the classes; each subscribes to some of the topics.
        base: The smaller load.
        extra: Members that have the larger load.
        tails: Per topic-to-class arc the topic, numbered within the block.
        heads: Per arc the class, numbered within the block.
        through: Per arc the partitions that go that way in one fairest assignment.
    """

    topics: Mask
    classes: Mask
    base: int
    extra: int
    tails: IntArray
    heads: IntArray
    through: Longs


def fairest_by_flow(part: Part) -> IntArray:
    """The fairest assignment that keeps the most of a part's claims.

    Returns:
        (p,) member that owns each partition.
    """
    owner = np.full(len(part.flats), NOBODY, dtype=np.int32)
    for block in blocks(part.subscribes, _sizes(part), part.counts):
        inner = part.narrowed(block.topics, block.classes)
        held = np.flatnonzero(block.topics[part.topic_of])
        members = np.flatnonzero(block.classes[part.class_of]).astype(np.int32)
        owner[held] = members[_solve(inner, block)]
    return owner


def filled_by_flow(part: Part) -> IntArray:
    """The fairest assignment that keeps all of a part's claims.

    What a member holds already is a topic of its own to the flow; members of one class that hold
    equally much share one.

    Returns:
        (p,) member that owns each partition.
    """
    held = np.bincount(part.claims[part.claims >= 0], minlength=len(part.members))
    free = np.flatnonzero(part.claims < 0)
    kinds, class_of = np.unique(
        np.stack([part.class_of, held], axis=1), axis=0, return_inverse=True
    )
    class_of = class_of.reshape(-1).astype(np.int32)
    sizes = np.bincount(class_of)
    subscribes = np.hstack([part.subscribes[kinds[:, 0]], np.eye(len(kinds), dtype=np.bool_)])
    waiting = np.bincount(part.topic_of[free], minlength=len(part.counts))
    counts = np.concatenate([waiting, kinds[:, 1] * sizes])
    owner = part.claims.copy()
    for block in blocks(subscribes, sizes, counts.astype(np.int32)):
        fresh = block.tails < np.count_nonzero(block.topics[: len(part.counts)])
        through = np.where(fresh, block.through, 0)
        mine = free[block.topics[part.topic_of[free]]]
        members = np.flatnonzero(block.classes[class_of]).astype(np.int32)
        inner_class = (np.cumsum(block.classes) - 1)[class_of[members]].astype(np.int32)
        wanted = _spread(block.heads, through, inner_class)
        owner[mine] = members[hand_out(block.tails, block.heads, through, wanted, inner_class)]
    return owner


def weighed(part: Part, *, per_square: int, per_move: int, most: int) -> Longs:
    """Loads of an assignment that is cheapest, squared loads and moves both having their price.

    Args:
        part: The part.
        per_square: Price of the sum of squared loads.
        per_move: Price of a partition that its claimant does not keep.
        most: Load that no member needs to exceed.

    Returns:
        (m,) loads.
    """
    carriage = Carriage(part, cost=per_move)
    steps = np.arange(most, dtype=np.int64)
    unloading = carriage.add(
        np.repeat(carriage.members, most),
        carriage.sink,
        np.ones(1, dtype=np.int64),
        cost=np.tile(per_square * (2 * steps + 1), len(part.members)),
    )
    carriage.solve()
    load: Longs = carriage.flows(unloading).reshape(len(part.members), most).sum(axis=1)
    return load


def with_loads(part: Part, load: Longs) -> IntArray:
    """The assignment with given loads that keeps the most of a part's claims.

    Args:
        part: The part.
        load: (m,) loads that some assignment has.

    Returns:
        (p,) member that owns each partition.
    """
    carriage = Carriage(part)
    carriage.add(carriage.members, carriage.sink, load)
    carriage.solve()
    heads, tails = (side.astype(np.int32) for side in np.nonzero(part.subscribes))
    kept = carriage.kept()
    owner = np.where(kept, part.claims, np.int32(NOBODY))
    through, wanted = carriage.flows(carriage.move), carriage.flows(carriage.get)
    owner[~kept] = hand_out(tails, heads, through, wanted, part.class_of)
    return owner


def blocks(subscribes: Mask, sizes: Longs, counts: IntArray) -> Iterator[Block]:
    """Split a group into the blocks of its fairest loads.

    Args:
        subscribes: (k, t) whether a class subscribes to a topic.
        sizes: (k,) members of each class.
        counts: (t,) partitions of each topic.
    """
    subscribed = subscribes[sizes > 0].any(axis=0) & (counts > 0)
    waiting = [(subscribed, subscribes[:, subscribed].any(axis=1) & (sizes > 0))]
    while waiting:
        topics, classes = waiting.pop()
        if not topics.any():
            continue
        split = _feasible(subscribes, sizes, counts, topics, classes)
        if isinstance(split, Block):
            yield split
        else:
            upper_topics, upper_classes = split
            waiting.append((topics & ~upper_topics, classes & ~upper_classes))
            waiting.append((upper_topics, upper_classes))


def _feasible(
    subscribes: Mask, sizes: Longs, counts: IntArray, topics: Mask, classes: Mask
) -> Block | tuple[Mask, Mask]:
    """The block if even loads are possible, else masks of the topics and classes to split off."""
    supply, members = counts[topics].astype(np.int64), sizes[classes]
    base, extra = divmod(int(supply.sum()), int(members.sum()))
    heads, tails = (
        side.astype(np.int32) for side in np.nonzero(subscribes[np.ix_(classes, topics)])
    )
    topic_nodes = np.arange(len(supply), dtype=np.int32)
    class_nodes = np.arange(len(members), dtype=np.int32) + np.int32(len(supply))
    source, sink, larger = (np.int32(len(supply) + len(members) + i) for i in range(3))
    network = max_flow.SimpleMaxFlow()
    network.add_arcs_with_capacity(np.full(len(supply), source), topic_nodes, supply)
    inner = network.add_arcs_with_capacity(tails, class_nodes[heads], supply[tails])
    network.add_arcs_with_capacity(class_nodes, np.full(len(members), sink), members * base)
    network.add_arcs_with_capacity(class_nodes, np.full(len(members), larger), members)
    network.add_arc_with_capacity(larger, sink, extra)
    _expect(network.solve(source, sink) == network.OPTIMAL)
    if network.optimal_flow() == supply.sum():
        through = np.asarray(network.flows(inner), dtype=np.int64)
        return Block(topics, classes, base, extra, tails, heads, through)
    upper = np.zeros(len(supply) + len(members) + 3, dtype=np.bool_)
    upper[network.get_source_side_min_cut()] = True
    upper_topics, upper_classes = np.zeros_like(topics), np.zeros_like(classes)
    upper_topics[topics] = upper[topic_nodes]
    upper_classes[classes] = upper[class_nodes]
    return upper_topics, upper_classes


def _solve(part: Part, block: Block) -> IntArray:
    """Owners of a block's partitions."""
    if len(part.subscribes) == 1:
        return share_out(part.claims, len(part.members), part.number_of)
    if not (part.claims >= 0).any():
        wanted = _spread(block.heads, block.through, part.class_of)
        return hand_out(block.tails, block.heads, block.through, wanted, part.class_of)
    kept, through, wanted = _least_moves(part, block)
    owner = np.where(kept, part.claims, np.int32(NOBODY))
    owner[~kept] = hand_out(block.tails, block.heads, through, wanted, part.class_of)
    return owner


def _least_moves(part: Part, block: Block) -> tuple[Mask, Longs, Longs]:
    """Minimum-cost flow of one block.

    Returns:
        Which partitions are kept; how many others go by each topic-to-class arc; how many of those
        each member gets.
    """
    carriage = Carriage(part)
    larger = carriage.node()
    each = np.ones(len(part.members), dtype=np.int64)
    carriage.add(carriage.members, carriage.sink, each * block.base)
    carriage.add(carriage.members, larger, each)
    carriage.add(larger, carriage.sink, np.array([block.extra]))
    carriage.solve()
    return carriage.kept(), carriage.flows(carriage.move), carriage.flows(carriage.get)


class Carriage:
    """A minimum-cost flow that carries a part's partitions to its members.

    Topic -> member for what the member owns, topic -> class -> member for what moves. How members
    are loaded, the caller says with arcs from `members` to `sink`.

    Attributes:
        members: Nodes of the members.
        sink: Node at which everything ends.
        stay: Arcs of the pairs of a topic and a member that owns some of it.
        move: Arcs from topics to classes, in the order of the subscriptions, class by class.
        get: Arcs from classes to members.
    """

    def __init__(self, part: Part, *, cost: int = 1) -> None:
        """Lay the network.

        Args:
            part: The part whose partitions go to its members.
            cost: Cost of a moved partition.
        """
        self._part = part
        self._network = min_cost_flow.SimpleMinCostFlow()
        self._nodes = 0
        topics, classes = self._node_range(len(part.counts)), self._node_range(len(part.subscribes))
        self.members = self._node_range(len(part.members))
        self.sink = self.node()
        held = np.flatnonzero(part.claims >= 0)
        keys = part.topic_of[held].astype(np.int64) * len(part.members) + part.claims[held]
        self._order = held[np.argsort(keys, kind="stable")]
        pairs, starts, self._sizes = np.unique(np.sort(keys), return_index=True, return_counts=True)
        self._ranks = np.arange(len(held)) - np.repeat(starts, self._sizes)
        owned, owners = np.divmod(pairs, len(part.members))
        supply = part.counts.astype(np.int64)
        heads, tails = np.nonzero(part.subscribes)
        self.stay = self.add(topics[owned], self.members[owners], self._sizes)
        self.move = self.add(topics[tails], classes[heads], supply[tails], cost=cost)
        most = np.full(len(part.members), len(part.flats), dtype=np.int64)
        self.get = self.add(classes[part.class_of], self.members, most)
        self._network.set_nodes_supplies(topics, supply)
        self._network.set_node_supply(int(self.sink[0]), -len(part.flats))

    def node(self) -> IntArray:
        """A new node, as an array of one."""
        return self._node_range(1)

    def add(
        self, tails: IntArray, heads: IntArray, capacities: Longs, *, cost: Longs | int = 0
    ) -> IntArray:
        """Add arcs; arrays of one are repeated.

        Returns:
            The arcs.
        """
        tails, heads, capacities, costs = np.broadcast_arrays(
            tails, heads, capacities, np.int64(cost)
        )
        arcs: IntArray = self._network.add_arcs_with_capacity_and_unit_cost(
            tails, heads, capacities, costs
        )
        return arcs

    def solve(self) -> None:
        """Find the cheapest flow."""
        _expect(self._network.solve() == self._network.OPTIMAL)

    def flows(self, arcs: IntArray) -> Longs:
        """Flow on each arc."""
        return np.asarray(self._network.flows(arcs), dtype=np.int64)

    def kept(self) -> Mask:
        """(p,) which partitions stay with the member that claims them, lowest numbers first."""
        kept = np.zeros(len(self._part.flats), dtype=np.bool_)
        kept[self._order[self._ranks < np.repeat(self.flows(self.stay), self._sizes)]] = True
        return kept

    def _node_range(self, size: int) -> IntArray:
        nodes = np.arange(self._nodes, self._nodes + size, dtype=np.int32)
        self._nodes += size
        return nodes


def _spread(heads: IntArray, through: Longs, class_of: IntArray) -> Longs:
    """(m,) what each member gets if every class spreads its flow evenly over its members."""
    sizes = np.bincount(class_of)
    totals = np.bincount(heads, weights=through, minlength=len(sizes)).astype(np.int64)
    base, extra = np.divmod(totals, sizes)
    order = np.argsort(class_of, kind="stable")
    rank = np.empty(len(class_of), dtype=np.int64)
    rank[order] = np.arange(len(class_of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shares: Longs = base[class_of] + (rank < extra[class_of])
    return shares


def hand_out(
    tails: IntArray, heads: IntArray, through: Longs, wanted: Longs, class_of: IntArray
) -> IntArray:
    """Members for the partitions that are given out, in the partitions' order (by topic).

    Args:
        tails: Topic of each topic-to-class arc.
        heads: Class of each.
        through: Partitions that go that way.
        wanted: (m,) how many of them each member gets.
        class_of: (m,) class of each member.
    """
    arcs = np.lexsort((heads, tails))
    classes = np.repeat(heads[arcs], through[arcs])
    takers = deal(wanted)
    takers = takers[np.argsort(class_of[takers], kind="stable")]
    owner = np.empty(len(classes), dtype=np.int32)
    owner[np.argsort(classes, kind="stable")] = takers
    return owner


def _sizes(part: Part) -> Longs:
    return np.bincount(part.class_of, minlength=len(part.subscribes))


def _expect(solved: bool) -> None:  # noqa: FBT001 - a plain statement of fact
    if not solved:
        raise RuntimeError("the flow solver failed on a network that always has a solution")
