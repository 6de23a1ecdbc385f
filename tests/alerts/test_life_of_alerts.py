"""Whatever happens to a group, its alerts lead an orderly life."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.alerts.rules import (
    HEALTHY,
    AlertChange,
    AlertMemory,
    GroupFacts,
    MonitorFacts,
    RuleBook,
    evaluate,
)
from streaming.groups.machine import Recent
from streaming.settings.alerts import AlertsSettings
from streaming.tables.schemas import ALERTS

START = 1_700_000_000_000
RULES = RuleBook(AlertsSettings()).for_group("orders")


@st.composite
def lives(draw: st.DrawFn) -> list[GroupFacts]:
    """A group looked at some times: gaps of up to twenty minutes, measures that come and go."""
    now_ms, facts = START, []
    recent: list[Recent] = []
    for _ in range(draw(st.integers(1, 25))):
        now_ms += draw(st.integers(1, 1_200_000))
        if draw(st.booleans()):
            recent.append(Recent(time_ms=now_ms, culprit=draw(st.sampled_from(["", "a@h"]))))
        facts.append(
            GroupFacts(
                cluster="shop",
                group_id="orders",
                now_ms=now_ms,
                member_count=draw(st.sampled_from([4, 4, 4, 0])),
                partition_count=40,
                drift_count=draw(st.none() | st.integers(0, 40)),
                moves_to_fairest=draw(st.none() | st.integers(0, 40)),
                fair=draw(st.none() | st.booleans()),
                topic_skew=draw(st.none() | st.floats(1, 9)),
                unassigned_count=draw(st.none() | st.integers(0, 3)),
                lag=draw(st.none() | st.integers(0, 5_000)),
                lag_skew=draw(st.floats(1, 20)),
                recent=list(recent),
                rebalanced_ms=recent[-1].time_ms if recent else None,
                churn=40,
                avoidable_churn=draw(st.integers(0, 40)),
                unsettled_ms=draw(st.none() | st.integers(START, now_ms)),
                last_commit_ms=draw(st.none() | st.integers(START, now_ms)),
            )
        )
    return facts


def changes_of(life: list[GroupFacts]) -> list[AlertChange]:
    memory, changes = HEALTHY, list[AlertChange]()
    for facts in life:
        evaluation = evaluate(RULES, facts, memory)
        memory = AlertMemory.from_json(evaluation.memory.to_json())
        assert memory == evaluation.memory
        changes += evaluation.changes
    return changes


@settings(derandomize=True, max_examples=40)
@given(lives())
def test_every_alert_opens_once_changes_in_order_and_resolves_at_most_once(
    life: list[GroupFacts],
) -> None:
    rows = defaultdict(list)
    for change in changes_of(life):
        rows[change.alert_id].append(change)
    for alert in rows.values():
        assert [change.sequence for change in alert] == list(range(len(alert)))
        statuses = [change.status for change in alert]
        assert statuses[0] == "opened"
        assert set(statuses[1:-1]) <= {"open"}
        assert len({(c.rule, c.subject, c.severity, c.opened_ms) for c in alert}) == 1
        assert all(a.at_ms < b.at_ms for a, b in pairwise(alert))


@settings(derandomize=True, max_examples=40)
@given(lives())
def test_a_rule_has_one_open_alert_at_most(life: list[GroupFacts]) -> None:
    open_ids: dict[str, str] = {}
    for change in changes_of(life):
        if change.status == "opened":
            assert change.rule not in open_ids
            open_ids[change.rule] = change.alert_id
        elif change.status == "resolved":
            assert open_ids.pop(change.rule) == change.alert_id


@settings(derandomize=True, max_examples=25)
@given(lives())
def test_what_fires_can_be_taken_up_from_the_table(life: list[GroupFacts]) -> None:
    memory, last = HEALTHY, dict[str, dict[str, Any]]()
    for facts in life:
        evaluation = evaluate(RULES, facts, memory)
        memory = evaluation.memory
        last |= {change.alert_id: change.row() for change in evaluation.changes}
    firing = {rule: w.opened for rule, w in memory.watched.items() if w.opened}
    taken_up = AlertMemory.from_rows(last.values())
    assert {rule: watched.opened for rule, watched in taken_up.watched.items()} == firing


@settings(derandomize=True, max_examples=25)
@given(lives())
def test_looking_at_the_deadlines_misses_nothing(life: list[GroupFacts]) -> None:
    """Between two events nothing opens or resolves but at a deadline that was announced."""
    memory = HEALTHY
    for facts, following in pairwise(life):
        evaluation = evaluate(RULES, facts, memory)
        memory = evaluation.memory
        for now_ms in range(facts.now_ms + 1, following.now_ms, 60_000):
            later = evaluate(RULES, at(facts, now_ms), memory)
            if any(change.status != "open" for change in later.changes):
                assert evaluation.next_deadline_ms is not None
                assert evaluation.next_deadline_ms <= now_ms
                break


def at(facts: GroupFacts, now_ms: int) -> GroupFacts:
    values = {name: getattr(facts, name) for name in GroupFacts.__slots__}
    return GroupFacts(**(values | {"now_ms": now_ms}))


def test_a_row_has_the_columns_of_the_table() -> None:
    rules = RuleBook(
        AlertsSettings.model_validate({"rules": {"monitor_behind": {"for_seconds": 0}}})
    )
    facts = MonitorFacts(cluster="shop", now_ms=START, behind_seconds=61, behind_records=5)
    (opened,) = evaluate(rules.for_monitor(), facts, HEALTHY).changes
    columns = {name for name, _, _ in ALERTS.columns}
    assert opened.row().keys() == columns - {"processed_time", "batch_id"}
