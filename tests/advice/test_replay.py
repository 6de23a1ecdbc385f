"""Replays: a life under its own assignor is what it was, under another what it would have been."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assignors
from streaming.advice import History, replay
from streaming.advice.replay import Replayer
from tests.advice.lives import Life, Person, people

OWN = ("range", "roundrobin", "sticky", "cooperative-sticky", "fair")


@st.composite
def lives(draw: st.DrawFn) -> History:
    """Members with subscriptions of their own come and go, partitions are added."""
    counts = {"a": draw(st.integers(1, 9)), "b": draw(st.integers(1, 9))}
    life = Life(draw(st.sampled_from(OWN)), counts)
    subscriptions = st.sampled_from([("a",), ("b",), ("a", "b"), ("a", "b")])
    everybody = [Person(f"m{n}", host=f"h{n}", topics=draw(subscriptions)) for n in range(6)]
    for _ in range(draw(st.integers(1, 8))):
        life.rebalance(draw(st.lists(st.sampled_from(everybody), min_size=1, unique=True)))
        if draw(st.booleans()):
            life.counts["a"] += draw(st.integers(0, 3))
    return life.history


@settings(derandomize=True, max_examples=200, deadline=None)
@given(lives())
def test_under_its_own_assignor_a_life_costs_what_it_really_cost(history: History) -> None:
    own = replay(history, history.generations[0].snapshot.assignor)
    assert [step.churn for step in own.steps] == [each.churn for each in history.rebalances]
    assert own.steps == Replayer(history).recorded().steps


@settings(derandomize=True, max_examples=100, deadline=None)
@given(lives(), st.sampled_from(OWN))
def test_another_policy_goes_on_from_its_own_answers(history: History, policy: str) -> None:
    """The same memberships, lived under the policy from the start, cost the same."""
    lived = Life(policy, {})
    by_id: dict[str, Person] = {}
    for generation in history.generations:
        lived.counts |= generation.snapshot.counts
        members = [
            by_id.setdefault(
                view.member_id,
                Person(view.member_id, host=view.client_host, topics=view.topics),
            )
            for view in generation.snapshot.members
        ]
        lived.rebalance(members)
    if policy in ("range", "roundrobin", "fair"):
        found = [step.churn for step in replay(history, policy).steps]
        assert found == [each.churn for each in lived.history.rebalances]


def test_a_cooperative_policy_stops_only_what_moves() -> None:
    life = Life("range", {"a": 10, "b": 10})
    life.rebalance(people(0, 1))
    life.rebalance(people(0, 1, 2))
    eager, cooperative = replay(life.history, "sticky"), replay(life.history, "cooperative-sticky")
    assert (eager.held, eager.stopped) == (20, 20)
    assert (cooperative.held, cooperative.stopped) == (20, 6)


def test_the_worked_example_of_the_measures() -> None:
    """docs/measures.md: a third member joins two under range; 8 moves where 6 would have done."""
    life = Life("range", {"a": 10, "b": 10})
    life.rebalance(people(0, 1))
    life.rebalance(people(0, 1, 2))
    assert replay(life.history, "range").churn == 8
    assert replay(life.history, "sticky").churn == 6
    assert replay(life.history, "sticky").balance_score == 2


def test_a_static_member_keeps_its_partitions_under_a_new_member_id() -> None:
    life = Life("sticky", {"a": 4, "b": 4})
    life.rebalance([Person("x-1", instance_id="x"), Person("y-1", instance_id="y")])
    life.rebalance([Person("x-2", instance_id="x"), Person("y-1", instance_id="y")])
    assert replay(life.history, "sticky").churn == 0
    assert replay(life.history, "range").churn == 0


def test_partitions_and_topics_that_come_and_go_are_carried_by_name() -> None:
    life = Life("sticky", {"a": 4, "b": 4, "c": 4})
    both, other = ("a", "b"), ("b", "c")
    life.rebalance([Person("m0", topics=both), Person("m1", topics=both)])
    life.counts["b"] = 6
    life.rebalance([Person("m0", topics=other), Person("m1", topics=other)])
    assert [step.churn for step in replay(life.history, "sticky").steps] == [
        life.history.rebalances[0].churn
    ]


def test_a_policy_that_does_not_exist_is_refused() -> None:
    life = Life("range", {"a": 2, "b": 2})
    life.rebalance(people(0))
    with pytest.raises(assignors.UnknownPolicyError):
        replay(life.history, "best")
