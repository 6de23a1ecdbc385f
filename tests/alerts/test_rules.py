"""Each rule on a group that is just well and on one that is just ill."""

import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from streaming.alerts.rules import HEALTHY, GroupFacts, MonitorFacts, RuleBook, evaluate
from streaming.alerts.rules.conditions import AVOIDABLE_MS, GROUP, HOUR_MS, MONITOR
from streaming.groups.machine import Recent
from streaming.groups.snapshot import MemberView, Snapshot
from streaming.settings.alerts import DEFAULTS, UNITS, AlertsSettings

NOW = 1_700_000_000_000


def member(name: str, **assigned: tuple[int, ...]) -> MemberView:
    return MemberView(
        member_id=name,
        instance_id=None,
        client_id="c",
        client_host="h",
        rack=None,
        topics=tuple(sorted(assigned)),
        session_timeout_ms=0,
        assigned=assigned,
    )


ASSIGNMENT = Snapshot(
    generation=3,
    time_ms=NOW,
    group_type="classic",
    protocol="eager",
    assignor="range",
    members=(
        member("m-0", clicks=(0, 1, 2, 3), views=(0, 1)),
        member("m-1", clicks=(), views=(2, 3)),
    ),
    counts={"views": 4, "clicks": 4, "zebras": 0},
)
WELL = GroupFacts(
    cluster="shop",
    group_id="orders",
    now_ms=NOW,
    member_count=4,
    partition_count=40,
    joined=True,
    drift_count=0,
    moves_to_fairest=0,
    fair=True,
    min_load=10,
    max_load=10,
    join_violations=0,
    topic_skew=1.0,
    settled=ASSIGNMENT,
    unassigned_count=0,
    lag=100_000,
    lag_skew=1.0,
    slowest_member="c-1@host-1",
    rebalanced_ms=NOW - 60_000,
    cause="left",
    last_commit_ms=NOW - 1_000,
)
AT_ONCE = AlertsSettings.model_validate(
    {"overrides": [{"groups": "*", "for_seconds": 0}]},
)
RULES = RuleBook(AT_ONCE).for_group("orders")

# On the threshold, which does not alert, and beyond it.
CASES: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "drift": ({"drift_count": 10}, {"drift_count": 11}),
    "moves_to_fairest": ({"moves_to_fairest": 4}, {"moves_to_fairest": 5}),
    "unfair": (
        {"fair": False, "moves_to_fairest": 0, "joined": True},
        {"fair": False, "moves_to_fairest": 3},
    ),
    "avoidable_churn": ({"avoidable_churn": 8}, {"avoidable_churn": 9, "churn": 20}),
    "flapping": (
        {"recent": [Recent(time_ms=NOW - 10 * age, culprit="x@y") for age in range(6, 0, -1)]},
        {"recent": [Recent(time_ms=NOW - 10 * age, culprit="x@y") for age in range(7, 0, -1)]},
    ),
    "join_violations": ({"join_violations": 3, "joined": False}, {"join_violations": 1}),
    "topic_skew": ({"topic_skew": 1.5}, {"topic_skew": 2.0}),
    "lag_skew": ({"lag_skew": 9.0, "lag": 999}, {"lag_skew": 5.1}),
    "unassigned": ({"unassigned_count": 0}, {"unassigned_count": 1}),
    "unsettled": ({"unsettled_ms": NOW - 120_000}, {"unsettled_ms": NOW - 120_001}),
    "commits_stopped": (
        {"last_commit_ms": NOW - 600_000, "rebalanced_ms": None},
        {"last_commit_ms": NOW - 600_001, "rebalanced_ms": None},
    ),
}


def test_every_rule_of_the_configuration_has_a_condition_a_unit_and_a_case() -> None:
    assert {*GROUP, *MONITOR} == {*DEFAULTS} == {*UNITS}
    assert {*CASES} == {*GROUP}


@pytest.mark.parametrize("rule", CASES)
def test_a_value_at_the_threshold_does_not_alert(rule: str) -> None:
    assert evaluate(RULES, replace(WELL, **CASES[rule][0]), HEALTHY).changes == ()


@pytest.mark.parametrize("rule", CASES)
def test_a_value_above_the_threshold_alerts(rule: str) -> None:
    changes = evaluate(RULES, replace(WELL, **CASES[rule][1]), HEALTHY).changes
    assert [change.rule for change in changes] == [rule]
    (opened,) = changes
    assert (opened.status, opened.sequence, opened.group_id) == ("opened", 0, "orders")
    assert opened.value > opened.threshold
    assert opened.summary.endswith(".")


@pytest.mark.parametrize("rule", CASES)
def test_a_group_that_is_well_again_resolves(rule: str) -> None:
    ill = evaluate(RULES, replace(WELL, **CASES[rule][1]), HEALTHY)
    later = replace(WELL, now_ms=NOW + HOUR_MS, last_commit_ms=NOW + HOUR_MS)
    well = evaluate(RULES, later, ill.memory)
    (resolved,) = well.changes
    assert (resolved.status, resolved.sequence) == ("resolved", 1)
    assert resolved.alert_id == ill.changes[0].alert_id
    assert resolved.resolved_ms == later.now_ms
    assert well.memory == HEALTHY


@pytest.mark.parametrize("rule", CASES)
def test_a_group_without_members_resolves_what_is_open(rule: str) -> None:
    ill = evaluate(RULES, replace(WELL, **CASES[rule][1]), HEALTHY)
    gone = GroupFacts(
        cluster="shop", group_id="orders", now_ms=NOW + 1, member_count=0, partition_count=0
    )
    (resolved,) = evaluate(RULES, gone, ill.memory).changes
    assert resolved.status == "resolved"
    assert "no members" in resolved.summary


def test_what_is_not_known_neither_opens_nor_resolves() -> None:
    ill = evaluate(RULES, replace(WELL, lag_skew=9.0, fair=False, moves_to_fairest=3), HEALTHY)
    assert len(ill.changes) == 2
    blind = GroupFacts(
        cluster="shop", group_id="orders", now_ms=NOW + 1, member_count=4, partition_count=40
    )
    after = evaluate(RULES, blind, ill.memory)
    assert after.changes == ()
    assert after.memory is ill.memory


def test_flapping_names_the_member_that_causes_it() -> None:
    culprits = ["a@h", "b@h", "b@h", "", "b@h", "a@h", "b@h", "b@h"]
    recent = [Recent(time_ms=NOW - 10 + n, culprit=culprits[n]) for n in range(8)]
    (opened,) = evaluate(RULES, replace(WELL, recent=recent), HEALTHY).changes
    assert opened.subject == "b@h"
    assert opened.summary == "8 rebalances in the last hour, 5 of them set off by b@h."


def test_topic_skew_names_the_topic() -> None:
    (opened,) = evaluate(RULES, replace(WELL, topic_skew=2.0), HEALTHY).changes
    assert opened.subject == "clicks"
    assert opened.summary == "One member owns 2.0 times the even share of topic clicks."


def test_flapping_ends_by_time_alone_and_says_when() -> None:
    recent = [Recent(time_ms=NOW - 70 + 10 * n, culprit="") for n in range(7)]
    ill = evaluate(RULES, replace(WELL, recent=recent, lag=0), HEALTHY)
    assert ill.next_deadline_ms == recent[0].time_ms + HOUR_MS
    still = replace(WELL, recent=recent, lag=0, now_ms=ill.next_deadline_ms - 1)
    assert evaluate(RULES, still, ill.memory).changes == ()
    over = replace(still, now_ms=ill.next_deadline_ms)
    (resolved,) = evaluate(RULES, over, ill.memory).changes
    assert resolved.status == "resolved"


def test_avoidable_churn_is_an_alert_for_a_quarter_of_an_hour() -> None:
    moved = replace(WELL, churn=20, avoidable_churn=20, rebalanced_ms=NOW, lag=0)
    ill = evaluate(RULES, moved, HEALTHY)
    assert ill.next_deadline_ms == NOW + AVOIDABLE_MS
    over = evaluate(RULES, replace(moved, now_ms=NOW + AVOIDABLE_MS), ill.memory)
    assert [change.status for change in over.changes] == ["resolved"]


@pytest.mark.parametrize(
    ("facts", "due_ms"),
    [
        (replace(WELL, unsettled_ms=NOW, lag=0), NOW + 120_001),
        (replace(WELL, last_commit_ms=NOW, rebalanced_ms=None), NOW + 600_001),
        (replace(WELL, last_commit_ms=0, rebalanced_ms=NOW), NOW + 600_001),
        (replace(WELL, last_commit_ms=0, lag=0), None),
        (replace(WELL, last_commit_ms=None), None),
    ],
)
def test_a_condition_that_time_alone_fulfils_says_when(
    facts: GroupFacts, due_ms: int | None
) -> None:
    before = evaluate(RULES, facts, HEALTHY)
    assert before.next_deadline_ms == due_ms
    if due_ms is not None:
        early = evaluate(RULES, replace(facts, now_ms=due_ms - 1), before.memory)
        assert early.changes == ()
        assert len(evaluate(RULES, replace(facts, now_ms=due_ms), early.memory).changes) == 1


def test_a_rule_waits_for_its_duration() -> None:
    rules = RuleBook(AlertsSettings()).for_group("orders")
    ill = replace(WELL, fair=False, moves_to_fairest=3, lag=0)
    first = evaluate(rules, ill, HEALTHY)
    assert first.changes == ()
    assert first.next_deadline_ms == NOW + 300_000
    early = evaluate(rules, replace(ill, now_ms=NOW + 299_999), first.memory)
    assert early.changes == ()
    (opened,) = evaluate(rules, replace(ill, now_ms=NOW + 301_000), early.memory).changes
    assert opened.opened_ms == NOW + 300_000
    assert opened.at_ms == NOW + 301_000


def test_a_duration_that_is_broken_off_begins_anew() -> None:
    rules = RuleBook(AlertsSettings()).for_group("orders")
    ill = replace(WELL, fair=False, moves_to_fairest=3)
    memory = evaluate(rules, ill, HEALTHY).memory
    memory = evaluate(rules, replace(WELL, now_ms=NOW + 200_000), memory).memory
    assert memory == HEALTHY
    later = replace(ill, now_ms=NOW + 301_000, last_commit_ms=NOW + 301_000)
    assert evaluate(rules, later, memory).changes == ()


def test_a_value_that_changes_much_is_told_but_not_more_than_once_a_minute() -> None:
    memory = evaluate(RULES, replace(WELL, unassigned_count=2), HEALTHY).memory
    told = []
    for seconds, count in ((30, 4), (61, 2), (62, 3), (90, 9), (122, 9), (200, 8)):
        facts = replace(WELL, now_ms=NOW + 1000 * seconds, unassigned_count=count)
        facts = replace(facts, last_commit_ms=facts.now_ms)
        evaluation = evaluate(RULES, facts, memory)
        memory = evaluation.memory
        told += [(seconds, c.status, c.sequence, c.value) for c in evaluation.changes]
    assert told == [(62, "open", 1, 3), (122, "open", 2, 9)]


def test_a_rule_switched_off_resolves_its_alerts() -> None:
    memory = evaluate(RULES, replace(WELL, fair=False, moves_to_fairest=3), HEALTHY).memory
    off = RuleBook(AlertsSettings.model_validate({"rules": {"unfair": {"enabled": False}}}))
    (resolved,) = evaluate(
        off.for_group("orders"), replace(WELL, fair=False, moves_to_fairest=3), memory
    ).changes
    assert resolved.status == "resolved"
    assert "switched off" in resolved.summary


def test_severity_and_subject_stay_as_they_were_when_the_alert_opened() -> None:
    opened = evaluate(RULES, replace(WELL, topic_skew=3.0), HEALTHY)
    settings = {"rules": {"topic_skew": {"severity": "critical"}}}
    rules = RuleBook(AlertsSettings.model_validate(settings)).for_group("orders")
    other = replace(WELL, topic_skew=9.0, settled=None, now_ms=NOW + 60_000)
    (change,) = evaluate(rules, other, opened.memory).changes
    assert (change.status, change.severity, change.subject) == ("open", "info", "clicks")


def test_overrides_hold_for_the_groups_that_match_and_the_later_wins() -> None:
    settings = AlertsSettings.model_validate(
        {
            "rules": {"drift": {"threshold": 0.5, "severity": "warning"}},
            "overrides": [
                {"groups": "pay-*", "rule": "drift", "threshold": 0.05},
                {"groups": "*-test", "enabled": False},
                {"groups": "pay-test", "rule": "drift", "enabled": True, "threshold": 0.9},
            ],
        }
    )
    book = RuleBook(settings)
    assert [rule.threshold for rule in book.for_group("pay-eu") if rule.name == "drift"] == [0.05]
    assert [rule.threshold for rule in book.for_group("other") if rule.name == "drift"] == [0.5]
    assert book.for_group("a-test") == ()
    assert [(rule.name, rule.threshold) for rule in book.for_group("pay-test")] == [("drift", 0.9)]
    assert book.for_group("pay-eu") is book.for_group("pay-us")


def test_what_goes_to_the_executors_holds_no_address_of_a_sink() -> None:
    sinks = {"apprise": ["json://me:hush@host"]}
    settings = AlertsSettings.model_validate({"sinks": sinks, "rules": {"drift": {"threshold": 1}}})
    text = pickle.dumps(RuleBook(settings))
    assert b"hush" not in text
    book: RuleBook = pickle.loads(text)  # noqa: S301 - our own, a line above
    assert book.for_group("orders") == RuleBook(settings).for_group("orders")


def test_no_rule_holds_where_alerts_are_switched_off() -> None:
    book = RuleBook(AlertsSettings(enabled=False))
    assert book.for_group("orders") == book.for_monitor() == ()


def test_the_monitor_is_behind_only_if_there_is_something_to_read() -> None:
    rules = RuleBook(AT_ONCE).for_monitor()
    quiet = MonitorFacts(cluster="shop", now_ms=NOW, behind_seconds=9e5, behind_records=0)
    assert evaluate(rules, quiet, HEALTHY).changes == ()
    behind = replace(quiet, behind_records=7)
    (opened,) = evaluate(rules, behind, HEALTHY).changes
    assert (opened.rule, opened.group_id, opened.subject) == ("monitor_behind", "", "")
    assert "7 records to read" in opened.summary
    read_nothing = replace(behind, now_ms=NOW + 1, behind_seconds=None)
    memory = evaluate(rules, behind, HEALTHY).memory
    assert evaluate(rules, read_nothing, memory).changes == ()
    caught_up = replace(read_nothing, behind_records=0)
    assert [c.status for c in evaluate(rules, caught_up, memory).changes] == ["resolved"]
