"""What-if: from the tables to an answer, held against plain counting."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assignors import POLICIES
from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from streaming.whatif.comparing import compare, fairness_curve
from streaming.whatif.form import as_json
from streaming.whatif.live import AssignmentMissingError, LiveGroup, LiveMember, read_group
from streaming.whatif.moves import Move, moves_between, streams
from streaming.whatif.outcome import evaluate
from streaming.whatif.scenario import Scenario, ScenarioError, parse_partitions
from tests.dashboard import sample
from tests.dashboard.sample import CLUSTER, EVENING

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> TableReader:
    folder = tmp_path_factory.mktemp("tables")
    sample.write(folder, sample.rows_of(EVENING, healthy_count=2))
    return TableReader(Location(str(folder)))


@pytest.fixture(scope="module")
def lopsided(reader: TableReader) -> LiveGroup:
    return read_group(reader, cluster=CLUSTER, group_id="orders-fulfilment", generation=4)


def member(name: str, topics: tuple[str, ...], instance_id: str | None = None) -> LiveMember:
    return LiveMember(
        member_id=name,
        instance_id=instance_id,
        client_id=name,
        client_host=None,
        rack=None,
        topics=topics,
        partition_count=0,
        ideal_partition_count=0,
        gained_count=0,
        lost_count=0,
        lag=None,
    )


def group_of(
    topics: dict[str, int], members: list[LiveMember], live: dict[tuple[str, int], str | None]
) -> LiveGroup:
    return LiveGroup(
        cluster="c",
        group_id="g",
        generation=1,
        time=EVENING,
        members=tuple(members),
        topics=topics,
        live=live,
        previous={},
        ideal={},
    )


def test_a_group_is_read_as_it_was_written(lopsided: LiveGroup) -> None:
    written = sample.lopsided(EVENING)
    assert lopsided.live == written.live
    assert lopsided.topics == written.topics
    assert {each.member_id for each in lopsided.members} == set(written.members)
    assert lopsided.time == EVENING - timedelta(minutes=26)


def test_of_a_group_that_began_again_only_the_last_life_is_read(tmp_path: Path) -> None:
    old = sample.Group("g", {"t": 4, "gone": 2}, ["a-1", "b-1"])
    new = sample.Group("g", {"t": 4}, ["c-1"])
    old.settle(EVENING - timedelta(days=2), "first")
    new.settle(EVENING - timedelta(days=1), "first")
    sample.write(tmp_path, old.rows)
    sample.write(tmp_path, new.rows)
    found = read_group(
        TableReader(Location(str(tmp_path))), cluster=CLUSTER, group_id="g", generation=1
    )
    assert found.live == new.live
    assert [each.member_id for each in found.members] == ["c-1"]


def test_a_generation_that_is_not_there_is_said(reader: TableReader) -> None:
    with pytest.raises(AssignmentMissingError, match="generation 99"):
        read_group(reader, cluster=CLUSTER, group_id="orders-fulfilment", generation=99)


def test_sticky_makes_the_lopsided_group_fair_with_five_moves(lopsided: LiveGroup) -> None:
    outcome = evaluate(lopsided, Scenario(policy="sticky"))
    assert (outcome.before.max_load, outcome.before.min_load, outcome.before.fair) == (12, 6, False)
    assert (outcome.after.max_load, outcome.after.min_load, outcome.after.fair) == (7, 7, True)
    assert outcome.churn == len(outcome.moves) == outcome.before.moves_to_fairest == 5
    assert outcome.revoked == 42


def test_what_is_revoked_depends_on_the_protocol(lopsided: LiveGroup) -> None:
    scenario = Scenario(policy="sticky", removed=(lopsided.members[0].member_id,))
    assert evaluate(lopsided, scenario).revoked == 30
    assert evaluate(lopsided, scenario, protocol="consumer").revoked == 0
    cooperative = Scenario(policy="cooperative-sticky")
    assert evaluate(lopsided, cooperative).revoked == 5


def test_members_leave_by_instance_id_and_join_under_fresh_names() -> None:
    live: dict[tuple[str, int], str | None] = {("t", 0): "new-1", ("t", 1): "b"}
    group = group_of(
        {"t": 2}, [member("new-1", ("t",)), member("b", ("t",), instance_id="static")], live
    )
    outcome = evaluate(group, Scenario(policy="sticky", added=1, removed=("static",)))
    assert [(load.member_id, load.after) for load in outcome.loads] == [
        ("b", None),
        ("new-1", 1),
        ("new-1'", 1),
    ]


def test_added_partitions_are_given_out_and_are_no_churn(lopsided: LiveGroup) -> None:
    outcome = evaluate(lopsided, Scenario(policy="sticky", partitions={"paid": 37}))
    assert outcome.after.partition_count == 72
    assert outcome.after.fairest
    assert outcome.churn == 0
    assert {(move.topic, move.source) for move in outcome.moves} == {("paid", None)}


def test_nobody_left_leaves_every_partition_without_owner(lopsided: LiveGroup) -> None:
    everybody = tuple(each.member_id for each in lopsided.members)
    outcome = evaluate(lopsided, Scenario(policy="sticky", removed=everybody))
    assert outcome.after.member_count == 0
    assert set(outcome.assignment.values()) <= {None}
    assert fairness_curve(lopsided, outcome.scenario) == ()


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (Scenario(policy="best"), "no policy 'best'"),
        (Scenario(policy="sticky", removed=("x",)), "no member 'x'"),
        (Scenario(policy="sticky", removed=("fulfilment-1-00001eef",) * 2), "no member"),
        (Scenario(policy="sticky", added=-1), "between 0 and"),
        (Scenario(policy="sticky", partitions={"paid": 3}), "paid has 7 partitions"),
        (Scenario(policy="sticky", partitions={"paid": 200_000}), "at most 200,000 partitions"),
        (Scenario(policy="sticky", partitions={"x": 3}), "Nobody in the group subscribes to 'x'"),
    ],
)
def test_what_cannot_be_tried_is_refused(
    lopsided: LiveGroup, scenario: Scenario, words: str
) -> None:
    with pytest.raises(ScenarioError, match=words):
        evaluate(lopsided, scenario)


def test_partitions_are_written_as_more_or_in_all() -> None:
    assert parse_partitions(["t=+4", " u=24"], {"t": 2, "u": 3}) == {"t": 6, "u": 24}
    for wrong in ("t", "t=", "t=-1", "t=four", "=4", "x=4"):
        with pytest.raises(ScenarioError):
            parse_partitions([wrong], {"t": 2})


def test_every_policy_is_compared(lopsided: LiveGroup) -> None:
    found = compare(lopsided, Scenario(policy="range", added=1))
    assert [each.scenario.policy for each in found] == list(POLICIES)
    assert all(each.scenario.added == 1 for each in found)


def test_streams_gather_moves_by_giver_and_receiver() -> None:
    moves = [Move("t", 3, "a", "b"), Move("u", 0, "a", "b"), Move("t", 1, None, "b")]
    first, second = streams(moves)
    assert (first.source, first.target, first.by_topic) == ("a", "b", {"t": [3], "u": [0]})
    assert (second.source, second.by_topic) == (None, {"t": [1]})


def test_json_holds_every_partition_once(lopsided: LiveGroup) -> None:
    scenario = Scenario(policy="range", added=1, partitions={"paid": 9})
    answer = as_json(lopsided, evaluate(lopsided, scenario), fairness_curve(lopsided, scenario))
    held = [tuple(each) for owned in answer["assignment"].values() for each in owned]
    assert len(held) == len(set(held)) == 44
    assert answer["unassigned"] == []
    assert {name: len(owned) for name, owned in answer["assignment"].items()} == {
        load["member_id"]: load["after"] for load in answer["loads"]
    }


@st.composite
def live_groups(draw: st.DrawFn) -> LiveGroup:
    topics = draw(
        st.dictionaries(st.sampled_from("tuv"), st.integers(1, 6), min_size=1, max_size=3)
    )
    names = draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=5, unique=True))
    subscriptions = {
        name: tuple(sorted(draw(st.sets(st.sampled_from(sorted(topics)), min_size=1))))
        for name in names
    }
    live: dict[tuple[str, int], str | None] = {}
    for topic, count in topics.items():
        able = [name for name, subscription in subscriptions.items() if topic in subscription]
        for number in range(count if able else 0):
            live[topic, number] = draw(st.sampled_from([*able, None]))
    known = {topic: count for topic, count in topics.items() if (topic, 0) in live}
    return group_of(known, [member(name, subscriptions[name]) for name in names], live)


questions: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"policy": st.sampled_from(POLICIES), "added": st.integers(0, 3), "leave": st.integers(0, 2)}
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(group=live_groups(), question=questions)
def test_an_answer_agrees_with_counting(group: LiveGroup, question: dict[str, Any]) -> None:
    leaving = tuple(each.member_id for each in group.members[: question["leave"]])
    scenario = Scenario(policy=question["policy"], added=question["added"], removed=leaving)
    outcome = evaluate(group, scenario)
    assert outcome.moves == tuple(moves_between(group.live, outcome.assignment))
    held = Counter(owner for owner in outcome.assignment.values() if owner)
    assert {load.member_id: load.after for load in outcome.loads if load.after is not None} == {
        load.member_id: held[load.member_id]
        for load in outcome.loads
        if load.member_id not in leaving
    }
    assert outcome.churn == sum(
        bool(owner and group.live.get(partition) and group.live[partition] != owner)
        for partition, owner in outcome.assignment.items()
    )
    assert outcome.after.unassigned_count == list(outcome.assignment.values()).count(None)


@pytest.mark.parametrize("policy", ["optimal", "optimal-join"])
@settings(derandomize=True, deadline=None, max_examples=100)
@given(group=live_groups())
def test_the_moves_shown_are_as_many_as_the_measure_says(policy: str, group: LiveGroup) -> None:
    outcome = evaluate(group, Scenario(policy=policy))
    given_out = [move for move in outcome.moves if move.target is not None]
    assert len(given_out) == outcome.before.moves_to_fairest


@settings(derandomize=True, deadline=None, max_examples=100)
@given(group=live_groups(), added=st.integers(0, 2))
def test_the_curve_ends_where_the_optimal_policy_does(group: LiveGroup, added: int) -> None:
    scenario = Scenario(policy="optimal", added=added)
    points = fairness_curve(group, scenario)
    outcome = evaluate(group, scenario)
    assert points[-1].moves_count == outcome.churn
    assert points[-1].balance_score == outcome.after.balance_score
    assert [point.moves_count for point in points] == sorted(
        {point.moves_count for point in points}
    )
