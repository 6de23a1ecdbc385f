from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.dashboard.health import RULES, Level, judge, levels, problems
from tests.dashboard.sample import EVENING

WELL: dict[str, Any] = {
    "state": "stable",
    "policy": "sticky",
    "generation": 4,
    "member_count": 6,
    "partition_count": 42,
    "unassigned_count": 0,
    "rebalances_last_hour": 0,
    "fair": True,
    "min_load": 7,
    "max_load": 7,
    "moves_to_fairest": 0,
    "join_violations": 0,
    "topic_skew": 1.0,
    "lag": 0,
    "event_time": EVENING,
    "last_commit_time": EVENING,
}


def columns(*rows: dict[str, Any]) -> dict[str, Any]:
    made = {name: np.array([row[name] for row in rows]) for name in WELL}
    for name in ("event_time", "last_commit_time"):
        made[name] = np.array([row[name].timestamp() * 1e6 for row in rows]).astype(np.int64)
    return made


def level_of(**changes: Any) -> Level:
    groups = columns(WELL | changes)
    return Level(int(levels(groups, judge(groups))[0]))


def codes_of(**changes: Any) -> set[str]:
    return {code for code, holds in judge(columns(WELL | changes)).items() if holds[0]}


@pytest.mark.parametrize(
    ("changes", "codes", "level"),
    [
        ({}, set(), Level.OK),
        ({"member_count": 0}, set(), Level.IDLE),
        ({"unassigned_count": 8, "moves_to_fairest": 8}, {"unassigned"}, Level.CRITICAL),
        ({"state": "unsettled"}, {"unsettled"}, Level.CRITICAL),
        ({"rebalances_last_hour": 6}, set(), Level.OK),
        ({"rebalances_last_hour": 7}, {"flapping"}, Level.WARNING),
        ({"fair": False, "moves_to_fairest": 5}, {"unfair"}, Level.WARNING),
        ({"moves_to_fairest": 1}, {"lopsided"}, Level.NOTICE),
        ({"topic_skew": 1.6}, {"topic skew"}, Level.NOTICE),
        ({"topic_skew": 1.6, "member_count": 1}, set(), Level.OK),
        ({"member_count": 0, "lag": 3}, {"left behind"}, Level.NOTICE),
        ({"join_violations": 3}, set(), Level.OK),
        (
            {"join_violations": 3, "moves_to_fairest": 3, "policy": "stream-join-sticky"},
            {"split joins"},
            Level.WARNING,
        ),
    ],
)
def test_each_trouble_has_its_level(changes: dict[str, Any], codes: set[str], level: Level) -> None:
    assert codes_of(**changes) == codes
    assert level_of(**changes) == level


def test_a_group_with_lag_that_stopped_committing_is_critical() -> None:
    stopped = EVENING.replace(hour=1)
    assert codes_of(lag=10, last_commit_time=stopped) == {"silent"}
    assert codes_of(lag=0, last_commit_time=stopped) == set()


rows = st.fixed_dictionaries(
    {},
    optional={
        "state": st.sampled_from(["stable", "unsettled"]),
        "member_count": st.integers(0, 2),
        "unassigned_count": st.integers(0, 1),
        "rebalances_last_hour": st.sampled_from([0, 20]),
        "fair": st.booleans(),
        "moves_to_fairest": st.integers(0, 2),
        "topic_skew": st.sampled_from([1.0, 3.0]),
        "lag": st.integers(0, 1),
    },
)


@settings(derandomize=True)
@given(st.lists(rows, min_size=1, max_size=5))
def test_a_groups_level_is_that_of_its_worst_problem(changes: list[dict[str, Any]]) -> None:
    groups = [WELL | change for change in changes]
    verdicts = judge(columns(*groups))
    found = levels(columns(*groups), verdicts)
    for place, group in enumerate(groups):
        codes = frozenset(code for code, holds in verdicts.items() if holds[place])
        least = Level.OK if group["member_count"] else Level.IDLE
        worst = max([problem.level for problem in problems(group, codes)], default=least)
        assert found[place] == worst


def test_every_problem_has_words_and_a_remedy() -> None:
    for problem in problems(WELL, frozenset(rule.code for rule in RULES)):
        assert problem.sentence
        assert problem.remedy.endswith(".")
