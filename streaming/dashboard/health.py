"""What is wrong with a group: rules over its current state, each with words and a way out.

The rules work on columns, one value per group, so that ten thousand groups cost no more than a few
array operations; the same rules give the sentences of a single row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from streaming.dashboard.words import compact, counted, duration, number, share
from streaming.measuring.policies import is_joined
from streaming.settings.alerts import DEFAULTS

FLAPPING_PER_HOUR = int(DEFAULTS["flapping"].threshold)
"""More rebalances than this within an hour are flapping, as for the alert."""
TOPIC_SKEW = DEFAULTS["topic_skew"].threshold
"""A topic of which a member holds more than so many times its share is skewed, as for the alert."""
SILENT_SECONDS = DEFAULTS["commits_stopped"].threshold
"""A group with something to read and no commit for longer has stopped, as for the alert."""

Columns = Mapping[str, npt.NDArray[Any]]
Row = Mapping[str, Any]
BoolArray = npt.NDArray[np.bool_]


class Level(IntEnum):
    """How urgent it is; groups are shown the most urgent first."""

    IDLE = 0
    OK = 1
    NOTICE = 2
    WARNING = 3
    CRITICAL = 4

    @property
    def word(self) -> str:
        """Lower-case name, as in links and JSON."""
        return self.name.lower()


SEVERITIES = {"info": Level.NOTICE, "warning": Level.WARNING, "critical": Level.CRITICAL}
"""Level of an alert by its severity."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a group.

    Attributes:
        code: name of the rule, stable.
        level: urgency.
        sentence: what is wrong, with the figures.
        remedy: what to do about it.
    """

    code: str
    level: Level
    sentence: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Rule:
    """When a group has a problem, and how to say so.

    Attributes:
        code: name, stable.
        level: urgency.
        holds: columns of groups to a boolean per group.
        sentence: one group to the words.
        remedy: what to do about it.
    """

    code: str
    level: Level
    holds: Callable[[Columns], BoolArray]
    sentence: Callable[[Row], str]
    remedy: str


def _peopled(groups: Columns) -> BoolArray:
    return groups["member_count"] > 0


def _split(groups: Columns) -> BoolArray:
    """Split joins; they mean nothing for groups that are not held against a join policy."""
    joins = np.array([is_joined(policy) for policy in groups["policy"]], dtype=np.bool_)
    return joins & (groups["join_violations"] > 0)


def _silent(groups: Columns) -> BoolArray:
    # Times are microseconds, 0 where there is none.
    quiet = groups["event_time"] - groups["last_commit_time"] > SILENT_SECONDS * 1_000_000
    known = groups["last_commit_time"] > 0
    return quiet & known & (groups["lag"] > 0) & _peopled(groups)


def _silent_seconds(row: Row) -> float:
    return float((row["event_time"] - row["last_commit_time"]).total_seconds())


RULES = (
    Rule(
        "unassigned",
        Level.CRITICAL,
        lambda groups: (groups["unassigned_count"] > 0) & _peopled(groups),
        lambda row: (
            f"nobody reads {number(row['unassigned_count'])} of "
            f"{counted(row['partition_count'], 'partition')}"
        ),
        "Look at the rebalance that is open or at who left last; restart the member that "
        "does not give its partitions up or does not take them.",
    ),
    Rule(
        "unsettled",
        Level.CRITICAL,
        lambda groups: groups["state"] == "unsettled",
        lambda row: f"the rebalance at generation {row['generation']} has not settled",
        "Find the member that has not acknowledged: its epoch or its owned partitions are "
        "behind the others'. Restart it.",
    ),
    Rule(
        "silent",
        Level.CRITICAL,
        _silent,
        lambda row: (
            f"no commit for {duration(_silent_seconds(row))}, with "
            f"{compact(row['lag'])} records to read"
        ),
        "Its members are there and do not get on: look at their logs and stacks for a record "
        "or a call that they hang on, then restart them.",
    ),
    Rule(
        "flapping",
        Level.WARNING,
        lambda groups: groups["rebalances_last_hour"] > FLAPPING_PER_HOUR,
        lambda row: f"{counted(row['rebalances_last_hour'], 'rebalance')} in the last hour",
        "Look at who joined and left: the same client coming back means crashes or "
        "`max.poll.interval.ms` exceeded; `group.instance.id` makes restarts free.",
    ),
    Rule(
        "unfair",
        Level.WARNING,
        # Joined topics move together: such a group can be as fair as can be and not fair by KIP-54.
        lambda groups: ~groups["fair"] & (groups["moves_to_fairest"] > 0) & _peopled(groups),
        lambda row: (
            f"unfair: loads from {row['min_load']} to {row['max_load']}; "
            f"{counted(row['moves_to_fairest'], 'move')} would make it fair"
        ),
        "Change `partition.assignment.strategy` in its members (for KIP-848 "
        "`group.remote.assignor`); what-if shows what each policy would do.",
    ),
    Rule(
        "split joins",
        Level.WARNING,
        _split,
        lambda row: (
            f"{counted(row['join_violations'], 'partition number')} of joined topics "
            "with more than one member; "
            f"{counted(row['moves_to_fairest'], 'move')} would unite them"
        ),
        "A join needs the same partition of all its topics in one member: use "
        "`stream-join-sticky` or `range`, and equal subscriptions.",
    ),
    Rule(
        "lopsided",
        Level.NOTICE,
        lambda groups: (
            (groups["moves_to_fairest"] > groups["unassigned_count"])
            & groups["fair"]
            & ~_split(groups)
        ),
        lambda row: f"{counted(row['moves_to_fairest'], 'move')} would make it fairest",
        "Fair by KIP-54, yet a chain of moves would even it out further; see what-if.",
    ),
    Rule(
        "topic skew",
        Level.NOTICE,
        lambda groups: (groups["topic_skew"] > TOPIC_SKEW) & (groups["member_count"] > 1),
        lambda row: (
            f"one member holds {number(round(row['topic_skew'], 1))} times its share of a topic"
        ),
        "Balanced by count, not by topic: if one topic is heavier, that member carries it alone. "
        "Compare `range` and `roundrobin` in what-if.",
    ),
    Rule(
        "left behind",
        Level.NOTICE,
        lambda groups: (groups["member_count"] == 0) & (groups["lag"] > 0),
        lambda row: f"no members, and {compact(row['lag'])} records to read",
        "Start its consumers, or delete the group if it is no longer needed.",
    ),
)


def levels(groups: Columns, verdicts: Mapping[str, BoolArray]) -> npt.NDArray[np.int8]:
    """The most urgent level of each group, by `judge`'s verdicts."""
    result = np.where(_peopled(groups), Level.OK, Level.IDLE).astype(np.int8)
    for rule in RULES:
        np.maximum(result, np.where(verdicts[rule.code], rule.level, 0), out=result)
    return result


def judge(groups: Columns) -> dict[str, BoolArray]:
    """Every rule's verdict over all groups, by code."""
    return {rule.code: rule.holds(groups) for rule in RULES}


def problems(row: Row, codes: frozenset[str]) -> tuple[Problem, ...]:
    """The problems of one group in words, the most urgent first.

    Args:
        row: columns of the group.
        codes: rules that hold for it.
    """
    return tuple(
        Problem(rule.code, rule.level, rule.sentence(row), rule.remedy)
        for rule in RULES
        if rule.code in codes
    )


def drift_words(row: Row) -> str:
    """``11 of 42 (26 %)``."""
    part = f"{number(row['drift_count'])} of {number(row['partition_count'])}"
    return f"{part} ({share(row['drift_share'])})"
