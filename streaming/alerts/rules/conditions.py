"""The condition of each rule: its value, its subject, its sentence, and when it changes by itself.

`GROUP` and `MONITOR` hold them by rule name. A value must exceed the rule's threshold; None says
that it is not known now, which neither opens nor resolves an alert.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Any

from streaming.alerts.rules.facts import GroupFacts, MonitorFacts

HOUR_MS = 3_600_000
AVOIDABLE_MS = 900_000
"""A rebalance that moved too much stays an alert for this long, or until the next rebalance."""
LEAST_LAG = 1_000
"""Below this lag of the whole group, in records, its skew among the members means nothing."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition.

    Attributes:
        value: facts to the value; None where it is not known.
        summary: facts to one sentence for the person woken.
        subject: facts to the topic or member that it is about, '' for the group.
        changes_ms: facts and threshold to the time at which the value crosses the threshold without
            any event; None if it does not.
    """

    value: Callable[[Any], float | None]
    summary: Callable[[Any], str]
    subject: Callable[[Any], str] | None = None
    changes_ms: Callable[[Any, float], int | None] | None = None


def _drift(facts: GroupFacts) -> float | None:
    count = facts.drift_count
    return count / (facts.partition_count or 1) if count else count


def _drift_text(facts: GroupFacts) -> str:
    return (
        f"{facts.drift_count:,} of {facts.partition_count:,} partitions are with another member"
        f" than `{facts.policy}` would give them to."
    )


def _moves(facts: GroupFacts) -> float | None:
    count = facts.moves_to_fairest
    return count / (facts.partition_count or 1) if count else count


def _moves_text(facts: GroupFacts) -> str:
    return (
        f"{facts.moves_to_fairest:,} of {facts.partition_count:,} partitions would have to move to"
        " make the group as fair as it can be."
    )


def _unfair(facts: GroupFacts) -> float | None:
    # Joined topics move together: their group can be as fair as can be and not fair by KIP-54.
    return None if facts.fair is None else float(not facts.fair and facts.moves_to_fairest != 0)


def _unfair_text(facts: GroupFacts) -> str:
    return (
        f"Its {facts.member_count:,} members own between {facts.min_load:,} and"
        f" {facts.max_load:,} partitions, and a member with two fewer could take one (KIP-54)."
    )


def _avoidable(facts: GroupFacts) -> float:
    if not facts.avoidable_churn or facts.rebalanced_ms is None:
        return 0.0
    if facts.now_ms >= facts.rebalanced_ms + AVOIDABLE_MS:
        return 0.0
    return facts.avoidable_churn / (facts.partition_count or 1)


def _avoidable_text(facts: GroupFacts) -> str:
    return (
        f"The last rebalance ({facts.cause}) moved {facts.churn:,} of {facts.partition_count:,}"
        f" partitions; {facts.avoidable_churn:,} of them need not have moved."
    )


def _avoidable_ends(facts: GroupFacts, threshold: float) -> int | None:
    if facts.rebalanced_ms is None or _avoidable(facts) <= threshold:
        return None
    return facts.rebalanced_ms + AVOIDABLE_MS


def _flapping(facts: GroupFacts) -> float:
    return sum(1 for _ in _last_hour(facts)) if facts.recent else 0


def _last_hour(facts: GroupFacts) -> Iterator[tuple[int, str]]:
    """Rebalances of the last hour, the newest first."""
    since_ms = facts.now_ms - HOUR_MS
    for rebalance in reversed(facts.recent):
        if rebalance.time_ms <= since_ms:
            return
        yield rebalance.time_ms, rebalance.culprit


def _flapping_text(facts: GroupFacts) -> str:
    culprits = [culprit for _, culprit in _last_hour(facts)]
    blame = _culprit(facts)
    share = f", {culprits.count(blame):,} of them set off by {blame}" if blame else ""
    return f"{len(culprits):,} rebalances in the last hour{share}."


def _culprit(facts: GroupFacts) -> str:
    """The member that set off most rebalances of the last hour, '' where none set off two."""
    found = Counter(culprit for _, culprit in _last_hour(facts) if culprit)
    blamed, times = next(iter(found.most_common(1)), ("", 0))
    return blamed if times > 1 else ""


def _flapping_ends(facts: GroupFacts, threshold: float) -> int | None:
    """When so many rebalances are an hour old that the rest no longer exceeds the threshold."""
    allowed = int(threshold)
    if len(facts.recent) <= allowed:
        return None
    times = [time_ms for time_ms, _ in _last_hour(facts)]
    return times[allowed] + HOUR_MS if len(times) > allowed else None


def _joins(facts: GroupFacts) -> float | None:
    return facts.join_violations if facts.joined else 0


def _joins_text(facts: GroupFacts) -> str:
    return (
        f"{facts.join_violations:,} partition numbers of its joined topics are split between"
        " members: none of these has both sides of the join (KIP-315)."
    )


def _topic_skew(facts: GroupFacts) -> float | None:
    return facts.topic_skew


def _topic_skew_text(facts: GroupFacts) -> str:
    topic = _skewed_topic(facts)
    named = f"topic {topic}" if topic else "a topic"
    return f"One member owns {facts.topic_skew:.1f} times the even share of {named}."


def _skewed_topic(facts: GroupFacts) -> str:
    """The topic of which a member owns most beyond the even share; '' where that is not known."""
    settled = facts.settled
    if settled is None or not settled.counts:
        return ""

    def skew(topic: str) -> float:
        owned = [len(member.assigned.get(topic, ())) for member in settled.members]
        subscribers = sum(topic in member.topics for member in settled.members)
        even = ceil(settled.counts[topic] / max(subscribers, 1))
        return max(owned, default=0) / max(even, 1)

    return max(sorted(settled.counts), key=skew)


def _lag_skew(facts: GroupFacts) -> float | None:
    if facts.lag is None:
        return None
    return facts.lag_skew if facts.lag >= LEAST_LAG else 0.0


def _lag_skew_text(facts: GroupFacts) -> str:
    member = facts.slowest_member or "One member"
    return (
        f"{member} is {facts.lag_skew:.1f} times as far behind as the mean; the group lags"
        f" {facts.lag:,} records."
    )


def _slowest_member(facts: GroupFacts) -> str:
    return facts.slowest_member


def _unassigned(facts: GroupFacts) -> float | None:
    return facts.unassigned_count


def _unassigned_text(facts: GroupFacts) -> str:
    return (
        f"{facts.unassigned_count:,} of {facts.partition_count:,} partitions have no owner: nobody"
        " reads them."
    )


def _unsettled(facts: GroupFacts) -> float:
    return 0.0 if facts.unsettled_ms is None else (facts.now_ms - facts.unsettled_ms) / 1000


def _unsettled_text(facts: GroupFacts) -> str:
    return f"A rebalance has been under way for {_unsettled(facts):,.0f} s and does not settle."


def _unsettled_begins(facts: GroupFacts, threshold: float) -> int | None:
    if facts.unsettled_ms is None:
        return None
    return _later(facts.unsettled_ms + int(threshold * 1000) + 1, facts.now_ms)


def _later(time_ms: int, now_ms: int) -> int | None:
    return time_ms if time_ms > now_ms else None


def _stopped(facts: GroupFacts) -> float | None:
    if facts.lag is None:
        return None
    since_ms = _silent_since(facts)
    return 0.0 if since_ms is None else (facts.now_ms - since_ms) / 1000


def _silent_since(facts: GroupFacts) -> int | None:
    """Since when a group with something to read commits nothing; None if there is no need to."""
    if facts.last_commit_ms is None or not facts.lag:
        return None
    # Nobody could commit before the present members had their partitions.
    return max(facts.last_commit_ms, facts.rebalanced_ms or 0)


def _stopped_text(facts: GroupFacts) -> str:
    seconds = _stopped(facts) or 0.0
    return f"No offset commit for {seconds:,.0f} s, with {facts.lag:,} records to read."


def _stopped_begins(facts: GroupFacts, threshold: float) -> int | None:
    since_ms = _silent_since(facts)
    if since_ms is None:
        return None
    return _later(since_ms + int(threshold * 1000) + 1, facts.now_ms)


def _behind(facts: MonitorFacts) -> float | None:
    return facts.behind_seconds if facts.behind_records != 0 else 0.0


def _behind_text(facts: MonitorFacts) -> str:
    return (
        f"The monitor is {facts.behind_seconds:,.0f} s behind, with {facts.behind_records or 0:,}"
        " records to read: what it shows is that old."
    )


GROUP: Mapping[str, Condition] = MappingProxyType(
    {
        "drift": Condition(_drift, _drift_text),
        "moves_to_fairest": Condition(_moves, _moves_text),
        "unfair": Condition(_unfair, _unfair_text),
        "avoidable_churn": Condition(_avoidable, _avoidable_text, changes_ms=_avoidable_ends),
        "flapping": Condition(_flapping, _flapping_text, _culprit, _flapping_ends),
        "join_violations": Condition(_joins, _joins_text),
        "topic_skew": Condition(_topic_skew, _topic_skew_text, _skewed_topic),
        "lag_skew": Condition(_lag_skew, _lag_skew_text, _slowest_member),
        "unassigned": Condition(_unassigned, _unassigned_text),
        "unsettled": Condition(_unsettled, _unsettled_text, changes_ms=_unsettled_begins),
        "commits_stopped": Condition(_stopped, _stopped_text, changes_ms=_stopped_begins),
    }
)
"""Conditions over `GroupFacts`."""

MONITOR: Mapping[str, Condition] = MappingProxyType(
    {"monitor_behind": Condition(_behind, _behind_text)}
)
"""Conditions over `MonitorFacts`."""
