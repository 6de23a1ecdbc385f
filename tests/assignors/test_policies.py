"""What holds for every policy."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assignors import NOBODY, POLICIES, Member, Problem, UnknownPolicyError, assign, measures
from tests.assignors.strategies import again, groups, problems, sum_of_squares

COMPLETE = tuple(sorted(set(POLICIES) - {"cooperative-sticky", "stream-join-sticky"}))
STICKY = ("sticky", "fairest-sticky", "cooperative-sticky", "stream-join-sticky", "optimal")
Group = tuple[dict[str, int], dict[str, Member]]


@pytest.mark.parametrize("policy", POLICIES)
@given(problem=problems())
def test_only_subscribers_are_assigned(policy: str, problem: Problem) -> None:
    owner = assign(policy, problem)
    assert owner.dtype == np.int32
    assert owner.tolist() == problem.claimable(owner).tolist()


@pytest.mark.parametrize("policy", COMPLETE)
@given(problem=problems())
def test_every_partition_with_a_subscriber_is_assigned(policy: str, problem: Problem) -> None:
    assert measures.unassigned(problem, assign(policy, problem)) == 0


@pytest.mark.parametrize("policy", [*STICKY, "optimal-join"])
@given(problem=problems())
def test_a_second_run_on_its_own_result_moves_nothing(policy: str, problem: Problem) -> None:
    settled = assign(policy, problem)
    if policy == "cooperative-sticky":
        settled = assign("sticky", problem)
    assert assign(policy, again(problem, settled)).tolist() == settled.tolist()


@pytest.mark.parametrize("policy", POLICIES)
@given(group=groups(), seed=st.integers(0, 1000))
def test_the_order_of_the_input_does_not_matter(policy: str, group: Group, seed: int) -> None:
    topics, members = group
    rng = random.Random(seed)
    shuffled = {
        name: Member(
            tuple(rng.sample(member.topics, len(member.topics))),
            tuple(rng.sample(member.owned, len(member.owned))),
            member.generation,
            member.instance_id,
        )
        for name, member in rng.sample([*members.items()], len(members))
    }
    problem = Problem.build(topics, members)
    other = Problem.build(dict(rng.sample([*topics.items()], len(topics))), shuffled)
    assert problem.members == other.members
    assert assign(policy, problem).tolist() == assign(policy, other).tolist()


@settings(max_examples=300)
@given(problem=problems(most_partitions=12))
def test_optimal_never_loses(problem: Problem) -> None:
    best = assign("optimal", problem)
    least = sum_of_squares(problem, best)
    for policy in COMPLETE:
        owner = assign(policy, problem)
        squares = sum_of_squares(problem, owner)
        assert squares >= least
        if squares == least:
            kept = measures.preserved(problem.previous, owner)
            assert kept <= measures.preserved(problem.previous, best)


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_to_assign(policy: str) -> None:
    assert assign(policy, Problem.build({}, {})).tolist() == []
    assert assign(policy, Problem.build({"t": 3}, {})).tolist() == []
    assert assign(policy, Problem.build({"t": 3}, {"m": Member(())})).tolist() == []
    assert assign(policy, Problem.build({"t": 0}, {"m": Member(("t", "gone"))})).tolist() == []


@pytest.mark.parametrize("policy", POLICIES)
def test_topics_without_any_member_in_array_form(policy: str) -> None:
    empty = Problem.from_arrays(
        topics=("t",), counts=[2], members=(), class_of=[], classes=[], previous=[NOBODY, NOBODY]
    )
    assert assign(policy, empty).tolist() == [NOBODY, NOBODY]


def test_an_unknown_policy_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownPolicyError, match=r"'roundrobbin'.*range, roundrobin"):
        assign("roundrobbin", Problem.build({}, {}))
