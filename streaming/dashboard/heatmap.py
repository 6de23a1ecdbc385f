"""Members by topics: who reads how much of what, and what the target would change about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streaming.whatif.live import LiveGroup, Owners

SHADES = 7
MEMBERS_SHOWN = 40
TOPICS_SHOWN = 16


@dataclass(frozen=True, slots=True)
class Cell:
    """Partitions of one topic with one member.

    Attributes:
        count: partitions now.
        target: partitions under the target assignment.
        shade: 0 (none) to `SHADES`, by the share of the topic's largest holding.
        subscribed: whether the member subscribes to the topic at all.
    """

    count: int
    target: int
    shade: int
    subscribed: bool

    @property
    def change(self) -> int:
        """Partitions it would gain, or lose if negative."""
        return self.target - self.count


@dataclass(frozen=True, slots=True)
class Line:
    """One member's line.

    Attributes:
        member_id: the member.
        load: partitions now.
        target: partitions under the target assignment.
        cells: one per topic shown.
    """

    member_id: str
    load: int
    target: int
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap:
    """Members by topics; of large groups the part where most would change.

    Attributes:
        topics: topics shown, sorted.
        partitions: partitions of each of them.
        lines: members shown, sorted by name.
        hidden_members: members left out.
        hidden_topics: topics left out.
        most: largest load, now or under the target, of any member.
    """

    topics: Sequence[str]
    partitions: Sequence[int]
    lines: Sequence[Line]
    hidden_members: int
    hidden_topics: int
    most: int


def heatmap(
    group: LiveGroup, target: Owners, *, members: int = MEMBERS_SHOWN, topics: int = TOPICS_SHOWN
) -> Heatmap:
    """Count who holds what.

    Args:
        group: the group.
        target: owners to compare with.
        members: members to show at most.
        topics: topics to show at most.
    """
    now, then = _held(group.live), _held(target)
    changes = Counter[str]()
    topic_changes = Counter[str]()
    for key in now.keys() | then.keys():
        topic, member = key
        changes[member] += abs(then[key] - now[key])
        topic_changes[topic] += abs(then[key] - now[key])
    loads, targets = _loads(now), _loads(then)
    chosen = _most((each.member_id for each in group.members), changes, loads, members)
    columns = _most(group.topics, topic_changes, Counter(group.topics), topics)
    subscriptions = {each.member_id: frozenset(each.topics) for each in group.members}
    largest = {topic: max((now[topic, m] for m in loads), default=0) for topic in columns}
    return Heatmap(
        topics=columns,
        partitions=[group.topics[topic] for topic in columns],
        lines=[
            Line(
                member,
                loads[member],
                targets[member],
                [
                    Cell(
                        now[topic, member],
                        then[topic, member],
                        _shade(now[topic, member], largest[topic]),
                        topic in subscriptions[member],
                    )
                    for topic in columns
                ],
            )
            for member in chosen
        ],
        hidden_members=len(group.members) - len(chosen),
        hidden_topics=len(group.topics) - len(columns),
        most=max([*loads.values(), *targets.values()], default=0),
    )


def _held(owners: Owners) -> Counter[tuple[str, str]]:
    return Counter((partition[0], owner) for partition, owner in owners.items() if owner)


def _loads(held: Counter[tuple[str, str]]) -> Counter[str]:
    loads = Counter[str]()
    for (_, member), count in held.items():
        loads[member] += count
    return loads


def _most(
    names: Iterable[str], changes: Counter[str], sizes: Counter[str], limit: int
) -> list[str]:
    """The names where most changes, then the largest; in the order of their names."""
    ranked = sorted(names, key=lambda name: (-changes[name], -sizes[name], name))
    return sorted(ranked[:limit])


def _shade(count: int, largest: int) -> int:
    return -(-count * SHADES // largest) if largest else 0
