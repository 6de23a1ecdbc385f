"""Hold the rules against the facts: the one place where alerts open, change and resolve.

Pure, and made for ten thousand healthy groups a batch: a group of which no condition holds and none
is remembered costs one comparison a rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Literal

from streaming.alerts.rules.conditions import Condition
from streaming.alerts.rules.facts import Facts, GroupFacts
from streaming.alerts.rules.memory import HEALTHY, AlertMemory, Opened, Watched
from streaming.settings.alerts import Severity

Status = Literal["opened", "open", "resolved"]

_NEWS_FACTOR = 1.5
_NEWS_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule as it holds for a group.

    Attributes:
        name: its name.
        threshold: the value must exceed it.
        for_ms: how long it must, in milliseconds.
        severity: info, warning or critical.
        condition: its value and its words.
    """

    name: str
    threshold: float
    for_ms: int
    severity: Severity
    condition: Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertChange:
    """One row of the ``alerts`` table; times in milliseconds of Unix time."""

    cluster: str
    alert_id: str
    sequence: int
    status: Status
    rule: str
    severity: Severity
    group_id: str
    subject: str
    value: float
    threshold: float
    summary: str
    opened_ms: int
    resolved_ms: int | None
    at_ms: int

    def row(self) -> dict[str, Any]:
        """The columns of the ``alerts`` table but ``processed_time`` and ``batch_id``."""
        return {
            "cluster": self.cluster,
            "alert_id": self.alert_id,
            "sequence": self.sequence,
            "status": self.status,
            "rule": self.rule,
            "severity": self.severity,
            "group_id": self.group_id,
            "subject": self.subject,
            "value": self.value,
            "threshold": self.threshold,
            "summary": self.summary,
            "opened_time": _time(self.opened_ms),
            "resolved_time": None if self.resolved_ms is None else _time(self.resolved_ms),
            "event_time": _time(self.at_ms),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came of an evaluation.

    Attributes:
        memory: to be handed in the next time; the same object if nothing changed.
        changes: rows for the ``alerts`` table.
        next_deadline_ms: when to evaluate again though nothing happens; None if there is no need.
    """

    memory: AlertMemory
    changes: tuple[AlertChange, ...] = ()
    next_deadline_ms: int | None = None


_NOTHING = Evaluation(HEALTHY)


@dataclass(slots=True)
class _Draft:
    """An evaluation in the making."""

    facts: Facts
    watched: dict[str, Watched]
    changes: list[AlertChange] = field(default_factory=list)
    deadlines: list[int] = field(default_factory=list)


def evaluate(rules: Sequence[Rule], facts: Facts, memory: AlertMemory) -> Evaluation:
    """Hold the rules against one group's facts; call it once per group and micro-batch.

    Args:
        rules: those that hold for the group (`RuleBook`).
        facts: the group now. A group without members resolves whatever is open.
        memory: what the last evaluation left.
    """
    if isinstance(facts, GroupFacts) and not facts.member_count:
        return _end_all(facts, memory, why="the group has no members")
    draft = _Draft(facts, dict(memory.watched)) if memory.watched else None
    for rule in rules:
        condition = rule.condition
        value = condition.value(facts)
        if value is not None:
            if value > rule.threshold:
                draft = draft or _Draft(facts, {})
                _holds(draft, rule, value)
            elif draft is not None and rule.name in draft.watched:
                _ends(draft, rule.name, value=value, threshold=rule.threshold)
        if condition.changes_ms is not None:
            at_ms = condition.changes_ms(facts, rule.threshold)
            if at_ms is not None:
                draft = draft or _Draft(facts, {})
                draft.deadlines.append(at_ms)
    if draft is None:
        return _NOTHING
    for name in memory.watched.keys() - {rule.name for rule in rules}:
        _ends(draft, name, why="the rule was switched off")
    return _finish(draft, memory)


def _end_all(facts: Facts, memory: AlertMemory, *, why: str) -> Evaluation:
    if not memory.watched:
        return _NOTHING
    draft = _Draft(facts, dict(memory.watched))
    for name in memory.watched:
        _ends(draft, name, why=why)
    return _finish(draft, memory)


def _finish(draft: _Draft, memory: AlertMemory) -> Evaluation:
    if draft.watched != memory.watched:
        memory = AlertMemory(draft.watched) if draft.watched else HEALTHY
    return Evaluation(memory, tuple(draft.changes), min(draft.deadlines, default=None))


def _holds(draft: _Draft, rule: Rule, value: float) -> None:
    facts = draft.facts
    watched = draft.watched.get(rule.name) or Watched(facts.now_ms)
    opened, due_ms = watched.opened, watched.since_ms + rule.for_ms
    if opened is not None:
        if _is_news(opened, value, facts.now_ms):
            opened = replace(
                opened, sequence=opened.sequence + 1, value=value, told_ms=facts.now_ms
            )
            draft.changes.append(_change(facts, rule, opened, "open"))
    elif facts.now_ms >= due_ms:
        opened = _open(facts, rule, value, due_ms)
        draft.changes.append(_change(facts, rule, opened, "opened"))
    else:
        draft.deadlines.append(due_ms)
    draft.watched[rule.name] = Watched(watched.since_ms, opened)


def _is_news(opened: Opened, value: float, now_ms: int) -> bool:
    grown = value >= _NEWS_FACTOR * opened.value
    shrunk = value * _NEWS_FACTOR <= opened.value
    return (grown or shrunk) and now_ms - opened.told_ms >= _NEWS_MS


def _open(facts: Facts, rule: Rule, value: float, opened_ms: int) -> Opened:
    subject = rule.condition.subject(facts) if rule.condition.subject is not None else ""
    identity = "\0".join((facts.cluster, facts.group_id, subject, str(opened_ms)))
    return Opened(
        alert_id=f"{rule.name}-{blake2b(identity.encode(), digest_size=8).hexdigest()}",
        subject=subject,
        severity=rule.severity,
        opened_ms=opened_ms,
        sequence=0,
        value=value,
        told_ms=facts.now_ms,
    )


def _change(facts: Facts, rule: Rule, opened: Opened, status: Status) -> AlertChange:
    return AlertChange(
        cluster=facts.cluster,
        alert_id=opened.alert_id,
        sequence=opened.sequence,
        status=status,
        rule=rule.name,
        severity=opened.severity,
        group_id=facts.group_id,
        subject=opened.subject,
        value=opened.value,
        threshold=rule.threshold,
        summary=rule.condition.summary(facts),
        opened_ms=opened.opened_ms,
        resolved_ms=None,
        at_ms=facts.now_ms,
    )


def _ends(
    draft: _Draft, name: str, *, value: float = 0.0, threshold: float = 0.0, why: str = ""
) -> None:
    opened = draft.watched.pop(name).opened
    if opened is None:
        return
    facts = draft.facts
    minutes = (facts.now_ms - opened.opened_ms) / 60_000
    draft.changes.append(
        AlertChange(
            cluster=facts.cluster,
            alert_id=opened.alert_id,
            sequence=opened.sequence + 1,
            status="resolved",
            rule=name,
            severity=opened.severity,
            group_id=facts.group_id,
            subject=opened.subject,
            value=value,
            threshold=threshold,
            summary=f"Over after {minutes:,.0f} min{f': {why}' if why else ''}.",
            opened_ms=opened.opened_ms,
            resolved_ms=facts.now_ms,
            at_ms=facts.now_ms,
        )
    )


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
