"""One group's assignment problem, in the array form that every assignor and measure works on."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, repeat

import numpy as np
import numpy.typing as npt

from assignors.claims import DEPARTED, NOBODY, Partition, resolve

__all__ = ["DEPARTED", "NOBODY", "IntArray", "Member", "Partition", "Problem"]

IntArray = npt.NDArray[np.int32]
PartitionRacks = Mapping[str, Sequence[Collection[str]]]


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a group as its subscription describes it.

    Attributes:
        topics: The subscription.
        owned: Partitions the member says it owns.
        generation: Generation (KIP-315: epoch) in which it was given them; None is older than all.
        instance_id: `group.instance.id` of a static member (KIP-345).
        rack: `client.rack` (KIP-881).
    """

    topics: tuple[str, ...]
    owned: tuple[Partition, ...] = ()
    generation: int | None = None
    instance_id: str | None = None
    rack: str | None = None


# Not slotted: cached_property keeps what is derived on demand in the instance's dictionary.
@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Topics, members, subscriptions and previous owners, sorted, independent of the input's order.

    Partitions are numbered flat: topic after topic, partition after partition. With T topics,
    M members and P partitions:

    Attributes:
        topics: (T,) names, sorted, of the existing topics that somebody subscribes to.
        counts: (T,) partitions of each topic.
        first: (T+1,) flat index of each topic's partition 0; P is the last entry.
        members: (M,) member ids in the order of Kafka's `MemberInfo`: static members first, by
            instance id, then the others by member id.
        class_of: (M,) subscription class of each member; equal subscriptions share a class.
        classes: Per class the sorted indexes of its topics.
        previous: (P,) member index of the previous owner, `NOBODY`, or `DEPARTED`.
        instance_ids: (M,) instance ids, or None where the caller gave none.
        racks: (M,) racks, or None where the caller gave none.
        partition_racks: Racks of the replicas, by topic and partition, or None.
        disputed: Flat indexes of partitions that `previous` gives to nobody although a present
            member claims them: such a member must give them up before another may have them.
        named_joins: Sets of topic indexes that the caller named as joins, or None.
    """

    topics: tuple[str, ...]
    counts: IntArray
    first: npt.NDArray[np.int64]
    members: tuple[str, ...]
    class_of: IntArray
    classes: tuple[IntArray, ...]
    previous: IntArray
    instance_ids: tuple[str | None, ...] | None = None
    racks: tuple[str | None, ...] | None = None
    partition_racks: PartitionRacks | None = None
    disputed: tuple[int, ...] = ()
    named_joins: tuple[tuple[int, ...], ...] | None = None

    @classmethod
    def build(
        cls,
        topics: Mapping[str, int],
        members: Mapping[str, Member],
        *,
        join_sets: Sequence[Collection[str]] | None = None,
        partition_racks: PartitionRacks | None = None,
    ) -> "Problem":
        """Make a problem from names, resolving the members' claims as the KIPs say.

        Args:
            topics: Partitions of every existing topic; topics nobody subscribes to are left out.
            members: The group's members by member id.
            join_sets: Topics that must be co-located, set by set; by default those of
                :attr:`join_sets`.
            partition_racks: Racks of each partition's replicas, by topic, in partition order.
        """
        order = _kafka_order(members)
        group = [members[member] for member in order]
        kinds: dict[tuple[str, ...], int] = {}  # hashing a subscription is dear: once a member
        kind_of = [kinds.setdefault(member.topics, len(kinds)) for member in group]
        wanted = set().union(*kinds)
        names = tuple(sorted(name for name in wanted if topics.get(name, 0) > 0))
        counts = np.array([topics[name] for name in names], dtype=np.int32)
        first = _starts(counts)
        classes, class_of_kind = _classes(names, kinds)
        where = dict(zip(names, pairwise(first.tolist()), strict=True))
        resolved = resolve(group, where, size=int(first[-1]))
        claimed = cls(
            topics=names,
            counts=counts,
            first=first,
            members=order,
            class_of=class_of_kind[kind_of],
            classes=classes,
            previous=np.array(resolved.owners, dtype=np.int32),
            instance_ids=tuple([member.instance_id for member in group]),
            racks=tuple([member.rack for member in group]),
            partition_racks=partition_racks,
            disputed=tuple(sorted(resolved.disputed)),
            named_joins=None if join_sets is None else _named(join_sets, names),
        )
        return claimed._without_given_up()

    @classmethod
    def from_arrays(  # noqa: PLR0913 - keyword-only: the arrays that make a problem
        cls,
        *,
        topics: tuple[str, ...],
        counts: npt.ArrayLike,
        members: tuple[str, ...],
        class_of: npt.ArrayLike,
        classes: Iterable[npt.ArrayLike],
        previous: npt.ArrayLike,
        instance_ids: tuple[str | None, ...] | None = None,
        join_sets: tuple[tuple[int, ...], ...] | None = None,
    ) -> "Problem":
        """Make a problem from arrays that are in order already; nothing but shapes is checked.

        Args:
            topics: (T,) sorted names; somebody subscribes to each.
            counts: (T,) partitions of each.
            members: (M,) member ids in `MemberInfo` order.
            class_of: (M,) subscription class of each member.
            classes: Per class the sorted topic indexes.
            previous: (P,) previous owners; a member that no longer subscribes may stand here, its
                claim is not honoured.
            instance_ids: (M,) instance ids.
            join_sets: Sets of topic indexes that must be co-located.

        Raises:
            ValueError: If an array's length does not fit the others.
        """
        sizes = np.asarray(counts, dtype=np.int32)
        first = _starts(sizes)
        owners = np.asarray(previous, dtype=np.int32)
        member_classes = np.asarray(class_of, dtype=np.int32)
        if len(sizes) != len(topics) or len(member_classes) != len(members):
            raise ValueError("counts must be as long as topics, class_of as long as members")
        if len(owners) != first[-1]:
            raise ValueError(f"previous has {len(owners)} entries for {first[-1]} partitions")
        return cls(
            topics=topics,
            counts=sizes,
            first=first,
            members=members,
            class_of=member_classes,
            classes=tuple([np.asarray(subscribed, dtype=np.int32) for subscribed in classes]),
            previous=owners,
            instance_ids=instance_ids,
            named_joins=join_sets,
        )

    @property
    def size(self) -> int:
        """Number of partitions P."""
        return len(self.previous)

    @cached_property
    def topic_of(self) -> IntArray:
        """(P,) topic index of each partition."""
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)

    @cached_property
    def number_of(self) -> IntArray:
        """(P,) number of each partition within its topic."""
        starts = np.repeat(self.first[:-1].astype(np.int32), self.counts)
        return np.arange(self.size, dtype=np.int32) - starts

    @cached_property
    def subscribes(self) -> npt.NDArray[np.bool_]:
        """(K, T) whether class k subscribes to topic t."""
        matrix = np.zeros((len(self.classes), len(self.topics)), dtype=np.bool_)
        if self.classes:
            rows = np.repeat(np.arange(len(self.classes)), [len(topics) for topics in self.classes])
            matrix[rows, np.concatenate(self.classes)] = True
        return matrix

    @cached_property
    def uniform(self) -> bool:
        """Whether all members that subscribe to anything subscribe to the same topics."""
        wanting = [len(subscribed) for subscribed in self.classes if len(subscribed)]
        return not wanting or (len(wanting) == 1 and wanting[0] == len(self.topics))

    @cached_property
    def pool(self) -> IntArray | None:
        """Indexes of the members that subscribe to anything; None means all of them."""
        if all(len(subscribed) for subscribed in self.classes):
            return None
        wanting = np.array([len(subscribed) > 0 for subscribed in self.classes], dtype=np.bool_)
        return np.flatnonzero(wanting[self.class_of]).astype(np.int32)

    @cached_property
    def claims(self) -> IntArray:
        """(P,) previous owner where it is a member that still subscribes, else `NOBODY`."""
        return self.claimable(self.previous)

    @cached_property
    def join_sets(self) -> tuple[tuple[int, ...], ...]:
        """Sets of topic indexes that must be co-located.

        As the caller named them, else the topics with equal partition counts and the same
        subscribers: those for which Kafka's range assignor promises co-partitioning (KIP-881).
        """
        return _default_joins(self) if self.named_joins is None else self.named_joins

    def claimable(self, owner: IntArray) -> IntArray:
        """The owners that may keep what they own: subscribed members; `NOBODY` for the rest."""
        if self.uniform and self.pool is None:
            return np.maximum(owner, NOBODY)
        allowed = (owner >= 0) & self.subscribes[self.class_of[owner], self.topic_of]
        return np.where(allowed, owner, np.int32(NOBODY))

    def _without_given_up(self) -> "Problem":
        """Claims on topics that the claimant no longer subscribes to are dropped, last of all."""
        given_up = np.flatnonzero(self.claims != self.previous)
        if not len(given_up):
            return self
        previous = self.previous.copy()
        previous[given_up] = DEPARTED
        disputed = tuple(sorted({*self.disputed, *given_up.tolist()}))
        return replace(self, previous=previous, disputed=disputed)

    def subscribers(self, topic: int) -> IntArray:
        """Indexes of the members that subscribe to a topic, in member order."""
        return np.flatnonzero(self.subscribes[:, topic][self.class_of]).astype(np.int32)


def _starts(counts: IntArray) -> npt.NDArray[np.int64]:
    first = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=first[1:])
    return first


def _java_order(text: str) -> bytes:
    """Sort key of Java's `String.compareTo`, which compares UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def _kafka_order(members: Mapping[str, Member]) -> tuple[str, ...]:
    """Order of `AbstractPartitionAssignor.MemberInfo`."""
    static = [
        (_java_order(member.instance_id), _java_order(name), name)
        for name, member in members.items()
        if member.instance_id is not None
    ]
    dynamic = [name for name, member in members.items() if member.instance_id is None]
    dynamic.sort(key=None if all(map(str.isascii, dynamic)) else _java_order)
    return (*(name for *_, name in sorted(static)), *dynamic)


def _classes(
    names: tuple[str, ...], subscriptions: Collection[tuple[str, ...]]
) -> tuple[tuple[IntArray, ...], IntArray]:
    """The distinct sets of existing topics, and which of them each subscription is."""
    index = {name: position for position, name in enumerate(names)}
    rows = np.repeat(np.arange(len(subscriptions)), [len(topics) for topics in subscriptions])
    columns = [*map(index.get, chain.from_iterable(subscriptions), repeat(len(names)))]
    wanted = np.zeros((len(subscriptions), len(names) + 1), dtype=np.bool_)
    wanted[rows, columns] = True
    existing = wanted[:, :-1]
    kinds: dict[bytes, int] = {}
    class_of = [kinds.setdefault(row, len(kinds)) for row in map(bytes, existing)]
    distinct = np.frombuffer(b"".join(kinds), dtype=np.bool_).reshape(len(kinds), len(names))
    ends = [0, *np.cumsum(distinct.sum(axis=1)).tolist()]
    topics = np.nonzero(distinct)[1].astype(np.int32)
    classes = tuple([topics[start:end] for start, end in pairwise(ends)])
    return classes, np.array(class_of, dtype=np.int32)


def _named(
    join_sets: Sequence[Collection[str]], names: tuple[str, ...]
) -> tuple[tuple[int, ...], ...]:
    index = {name: position for position, name in enumerate(names)}
    present = (sorted(index[name] for name in set(joined) & set(names)) for joined in join_sets)
    return tuple(tuple(joined) for joined in present if len(joined) > 1)


def _default_joins(problem: Problem) -> tuple[tuple[int, ...], ...]:
    alike: dict[tuple[int, bytes], list[int]] = {}
    single_class = len(problem.classes) == 1
    for topic, count in enumerate(problem.counts.tolist()):
        subscribers = b"" if single_class else problem.subscribes[:, topic].tobytes()
        alike.setdefault((count, subscribers), []).append(topic)
    return tuple(tuple(topics) for topics in alike.values() if len(topics) > 1)
