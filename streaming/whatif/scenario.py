"""What to change about a group."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assignors import POLICIES, Member
from streaming.errors import MonitorError
from streaming.whatif.live import LiveGroup, as_members

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_ADDED_MEMBERS = 10_000
MOST_PARTITIONS = 200_000
"""Partitions of a group that a question may lead to; what a group has already is no question."""
_CHANGE = re.compile(r"(?P<topic>[^=]+)=(?P<sign>\+?)(?P<count>\d{1,7})")


class ScenarioError(MonitorError):
    """What is asked for cannot be tried on this group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A question to a group.

    Attributes:
        policy: policy of `assignors` that would assign.
        added: number of members that join, subscribed as most members are.
        removed: members that leave, by member id or group instance id.
        partitions: topics with the partitions they would have in all.
    """

    policy: str
    added: int = 0
    removed: tuple[str, ...] = ()
    partitions: Mapping[str, int] = field(default_factory=dict)


def parse_partitions(texts: Iterable[str], topics: Mapping[str, int]) -> dict[str, int]:
    """Read ``TOPIC=+4`` (so many more) and ``TOPIC=24`` (so many in all).

    Args:
        texts: the changes.
        topics: partitions of the group's topics now.

    Returns:
        Partitions in all, by topic.

    Raises:
        ScenarioError: malformed, or an unknown topic.
    """
    wanted: dict[str, int] = {}
    for text in texts:
        match = _CHANGE.fullmatch(text.strip())
        if not match:
            raise ScenarioError(f"Write TOPIC=+4 or TOPIC=24 for partitions, not {text!r}.")
        topic, count = match["topic"], int(match["count"])
        now = _known(topic, topics)
        wanted[topic] = now + count if match["sign"] else count
    return wanted


def changed_members(group: LiveGroup, scenario: Scenario) -> dict[str, Member]:
    """The members that the scenario leaves, owning what they own now.

    Raises:
        ScenarioError: a member to remove that is not there, or too many to add.
    """
    members = as_members(group)
    for name in scenario.removed:
        del members[_find(name, members)]
    if not 0 <= scenario.added <= MOST_ADDED_MEMBERS:
        raise ScenarioError(f"Add between 0 and {MOST_ADDED_MEMBERS:,} members.")
    subscription = _usual_subscription(group)
    for number in range(1, scenario.added + 1):
        members[_fresh(f"new-{number}", members)] = Member(topics=subscription)
    return members


def check(group: LiveGroup, scenario: Scenario) -> None:
    """Refuse what the policies or Kafka do not have.

    Raises:
        ScenarioError: no such policy, an unknown topic, or fewer partitions than there are.
    """
    if scenario.policy not in POLICIES:
        raise ScenarioError(
            f"There is no policy {scenario.policy!r}; there are {', '.join(POLICIES)}."
        )
    for topic, wanted in scenario.partitions.items():
        now = _known(topic, group.topics)
        if wanted < now:
            raise ScenarioError(f"{topic} has {now} partitions; Kafka can only add to them.")
    if scenario.partitions and partitions_then(group, scenario) > MOST_PARTITIONS:
        raise ScenarioError(f"Ask for at most {MOST_PARTITIONS:,} partitions in all.")


def partitions_then(group: LiveGroup, scenario: Scenario) -> int:
    """Partitions that the group would have."""
    return sum({**group.topics, **scenario.partitions}.values())


def _known(topic: str, topics: Mapping[str, int]) -> int:
    if topic not in topics:
        raise ScenarioError(f"Nobody in the group subscribes to {topic!r}.")
    return topics[topic]


def _find(name: str, members: Mapping[str, Member]) -> str:
    if name in members:
        return name
    for member_id, member in members.items():
        if member.instance_id == name:
            return member_id
    raise ScenarioError(f"There is no member {name!r} in the group; it may have left by now.")


def _usual_subscription(group: LiveGroup) -> tuple[str, ...]:
    counted = Counter(member.topics for member in group.members)
    return counted.most_common(1)[0][0] if counted else tuple(group.topics)


def _fresh(name: str, members: Mapping[str, Member]) -> str:
    while name in members:
        name += "'"
    return name
