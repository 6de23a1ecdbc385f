import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assignors import DEPARTED, NOBODY, IntArray, Member, Problem, assign, measures
from tests.assignors.strategies import again, problems


def ints(*values: int) -> IntArray:
    return np.array(values, dtype=np.int32)


def two_topics(count: int = 2, members: str = "ab") -> Problem:
    return Problem.build(
        {"s": count, "t": count}, {member: Member(("s", "t")) for member in members}
    )


def test_loads_count_only_what_somebody_owns() -> None:
    assert measures.loads(two_topics(), ints(0, NOBODY, 1, 0)).tolist() == [2, 1]


@given(st.lists(st.integers(0, 50), max_size=12))
def test_balance_score_is_the_sum_over_all_pairs(load: list[int]) -> None:
    pairs = sum(abs(one - other) for one, other in itertools.combinations(load, 2))
    assert measures.balance_score(ints(*load)) == pairs


def test_an_empty_group_is_even() -> None:
    empty = Problem.build({}, {})
    nothing = ints()
    assert measures.max_minus_min(nothing) == 0
    assert measures.balance_score(nothing) == 0
    assert measures.is_fair(empty, nothing)
    assert measures.is_fairest(empty, nothing)
    assert measures.moves_to_fairest(empty, nothing) == 0
    assert measures.moves_to_fairest(empty, nothing, joined=True) == 0
    assert measures.necessary_churn(empty) == 0
    assert measures.topic_skew(empty, nothing) == 1.0


def test_fair_is_pairwise_and_fairest_is_not() -> None:
    """a can pass t0 to b, and b can pass t1 to c; a and c share nothing."""
    members = {"a": Member(("t0",)), "b": Member(("t0", "t1")), "c": Member(("t1",))}
    problem = Problem.build({"t0": 4, "t1": 2}, members)
    owner = ints(0, 0, 0, 1, 1, 2)
    assert measures.loads(problem, owner).tolist() == [3, 2, 1]
    assert measures.is_fair(problem, owner)
    assert not measures.is_fairest(problem, owner)
    assert measures.moves_to_fairest(problem, owner) == 2


def test_members_that_cannot_take_anything_do_not_make_it_unfair() -> None:
    members = {"a": Member(("t",)), "idle": Member(()), "other": Member(("s",))}
    problem = Problem.build({"t": 5, "s": 1}, members)
    owner = ints(2, 0, 0, 0, 0, 0)
    assert measures.is_fair(problem, owner)
    assert measures.is_fairest(problem, owner)
    only = Problem.build({"t": 5}, {"a": Member(("t",)), "idle": Member(())})
    assert measures.is_fair(only, ints(0, 0, 0, 0, 0))


def test_drift_counts_other_owners() -> None:
    assert measures.drift(ints(0, 1, NOBODY, NOBODY), ints(0, 0, NOBODY, 1)) == 2


def test_churn_counts_what_changed_hands_between_owners() -> None:
    previous = ints(0, 0, NOBODY, DEPARTED, DEPARTED, 1)
    live = ints(0, 1, 1, 1, NOBODY, NOBODY)
    assert measures.churn(previous, live) == 2
    assert measures.preserved(previous, live) == 1


def test_unassigned_partitions_are_something_to_gain_but_not_churn() -> None:
    problem = again(two_topics(), ints(0, NOBODY, 1, NOBODY))
    assert measures.unassigned(problem, problem.previous) == 2
    assert measures.moves_to_fairest(problem, problem.previous) == 2
    assert measures.necessary_churn(problem) == 0


def test_what_departed_members_had_must_change_hands() -> None:
    problem = again(two_topics(), ints(0, 0, DEPARTED, 1))
    assert measures.necessary_churn(problem) == 1


def test_a_member_that_joins_needs_its_share() -> None:
    problem = again(two_topics(3, "abc"), ints(0, 0, 0, 1, 1, 1))
    assert measures.necessary_churn(problem) == 2


@given(problem=problems())
def test_the_optimum_has_the_necessary_churn_and_nothing_to_gain(problem: Problem) -> None:
    best = assign("optimal", problem)
    assert measures.churn(problem.previous, best) == measures.necessary_churn(problem)
    assert measures.moves_to_fairest(problem, best) == 0
    assert measures.is_fair(problem, best)
    assert measures.is_fairest(problem, best)


@given(problem=problems())
def test_in_the_join_form_too(problem: Problem) -> None:
    best = assign("optimal-join", problem)
    assert measures.moves_to_fairest(problem, best, joined=True) == 0
    assert measures.join_violations(problem, best) == 0


@given(problem=problems())
def test_fairest_is_fair(problem: Problem) -> None:
    for policy in ("range", "roundrobin", "fair"):
        owner = assign(policy, problem)
        assert measures.is_fair(problem, owner) or not measures.is_fairest(problem, owner)
        if measures.moves_to_fairest(problem, owner) == 0:
            assert measures.is_fairest(problem, owner)


def test_a_join_moves_in_whole_partition_numbers() -> None:
    problem = again(two_topics(4, "ab"), ints(0, 0, 0, 0, 0, 0, 0, 0))
    assert measures.moves_to_fairest(problem, problem.previous) == 4
    assert measures.moves_to_fairest(problem, problem.previous, joined=True) == 4
    assert measures.necessary_churn(problem, joined=True) == 4
    lopsided = again(two_topics(3, "ab"), ints(0, 0, 1, 1, 0, 0))
    assert measures.moves_to_fairest(lopsided, lopsided.previous) == 1
    assert measures.moves_to_fairest(lopsided, lopsided.previous, joined=True) == 2


def test_a_broken_number_must_be_brought_together() -> None:
    problem = two_topics(2, "ab")
    live = ints(0, 1, 1, 0)
    assert measures.join_violations(problem, live) == 2
    assert measures.moves_to_fairest(problem, live, joined=True) == 2


@pytest.mark.parametrize(
    ("owner", "violations"),
    [
        ((0, 1, 0, 1), 0),
        ((0, 1, 0, 0), 1),
        ((0, 1, 0, NOBODY), 1),
        ((NOBODY, NOBODY, NOBODY, 1), 1),
        ((NOBODY, 1, NOBODY, 1), 0),
    ],
)
def test_violations_are_numbers_not_wholly_with_one_member(
    owner: tuple[int, ...], violations: int
) -> None:
    assert measures.join_violations(two_topics(), ints(*owner)) == violations


def test_an_owner_need_not_have_what_it_does_not_subscribe_to() -> None:
    members = {"a": Member(("s", "t")), "b": Member(("s",))}
    problem = Problem.build({"s": 2, "t": 3}, members, join_sets=[["s", "t"]])
    assert measures.join_violations(problem, ints(0, 1, 0, NOBODY, 0)) == 0
    assert measures.join_violations(problem, ints(0, 1, 0, 0, 0)) == 1


def test_topic_skew_shows_a_topic_on_one_member_though_loads_are_even() -> None:
    """As librdkafka's cooperative-sticky leaves it (its issue 4044, KAFKA-16277)."""
    problem = two_topics(10)
    one_each = ints(*[0] * 10, *[1] * 10)
    assert measures.is_fairest(problem, one_each)
    assert measures.topic_skew(problem, one_each) == 2.0
    assert measures.topic_skew(problem, assign("roundrobin", problem)) == 1.0


def test_as_even_as_whole_partitions_can_be_has_no_skew() -> None:
    problem = Problem.build({"t": 1}, {"a": Member(("t",)), "b": Member(("t",))})
    assert measures.topic_skew(problem, ints(1)) == 1.0
    assert measures.topic_skew(problem, ints(NOBODY)) == 0.0
