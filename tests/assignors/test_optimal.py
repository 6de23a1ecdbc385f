"""The exact ideal against every assignment there is."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assignors import IntArray, Member, Problem, assign, fairest, measures
from assignors.parts import Part
from tests.assignors.strategies import (
    every_assignment,
    small_problems,
    squares_of,
    sum_of_squares,
)


def best_of_all(problem: Problem) -> tuple[int, int]:
    """Lowest sum of squares, and with it the most kept."""
    owners = every_assignment(problem)
    squares = squares_of(problem, owners)
    least = int(squares.min())
    return least, int((owners[squares == least] == problem.claims).sum(axis=1).max())


def _agrees(problem: Problem) -> None:
    owner = assign("optimal", problem)
    squares, kept = best_of_all(problem)
    assert sum_of_squares(problem, owner) == squares
    assert measures.preserved(problem.claims, owner) == kept
    assert measures.is_fairest(problem, owner)
    assert measures.moves_to_fairest(problem, problem.previous) == problem.size - kept


@pytest.mark.parametrize("seed", range(4))
def test_equals_brute_force(seed: int) -> None:
    for problem in small_problems(seed, 1000):
        _agrees(problem)


def _no_quick_way(_part: Part) -> IntArray | None:
    return None


def test_equals_brute_force_by_flows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairest, "repaired", _no_quick_way)
    for problem in small_problems(11, 1000):
        _agrees(problem)


def test_the_fairest_are_told_from_the_others() -> None:
    for problem in small_problems(5, 60):
        owners = every_assignment(problem)
        squares = squares_of(problem, owners)
        for owner, fairest_of_all in zip(owners, squares == squares.min(), strict=True):
            assert measures.is_fairest(problem, owner) == fairest_of_all


def _pairwise_fair(problem: Problem, owner: IntArray) -> bool:
    load = measures.loads(problem, owner).tolist()
    subscribers = [problem.subscribers(topic).tolist() for topic in range(len(problem.topics))]
    return all(
        load[having] < load[other] + 2
        for having, topic in zip(owner.tolist(), problem.topic_of.tolist(), strict=True)
        for other in subscribers[topic]
    )


def test_the_fair_are_told_from_the_others() -> None:
    for problem in small_problems(6, 60):
        for owner in every_assignment(problem):
            assert measures.is_fair(problem, owner) == _pairwise_fair(problem, owner)


def _large(seed: int, subscriptions: Callable[[np.random.Generator, int], list[str]]) -> Problem:
    rng = np.random.default_rng(seed)
    topics = {f"t{index:02}": int(rng.integers(1, 60)) for index in range(20)}
    members = {
        f"m{index:03}": Member(tuple(subscriptions(rng, index)), generation=1)
        for index in range(150)
    }
    fresh = Problem.build(topics, members)
    owner = assign("range", fresh)
    owned: dict[str, list[tuple[str, int]]] = {name: [] for name in members}
    for flat in rng.permutation(fresh.size)[: fresh.size * 9 // 10].tolist():
        partition = (fresh.topics[fresh.topic_of[flat]], int(fresh.number_of[flat]))
        owned[fresh.members[owner[flat]]].append(partition)
    moved = {
        name: Member(tuple(subscriptions(rng, index)), tuple(owned[name]), 1)
        for index, name in enumerate(members)
    }
    return Problem.build(topics, moved)


def _random(rng: np.random.Generator, _index: int) -> list[str]:
    return [f"t{topic:02}" for topic in range(20) if rng.random() < 0.3] or ["t00"]


def _chain(_rng: np.random.Generator, index: int) -> list[str]:
    return [f"t{index * 19 // 150:02}", f"t{index * 19 // 150 + 1:02}"]


@pytest.mark.parametrize("subscriptions", [_random, _chain])
@pytest.mark.parametrize("seed", range(5))
def test_on_large_groups_no_policy_is_fairer_or_as_fair_and_stickier(
    subscriptions: Callable[[np.random.Generator, int], list[str]], seed: int
) -> None:
    problem = _large(seed, subscriptions)
    best = assign("optimal", problem)
    least = sum_of_squares(problem, best)
    assert measures.is_fairest(problem, best)
    for policy in ("range", "roundrobin", "fair", "sticky", "fairest-sticky"):
        owner = assign(policy, problem)
        squares = sum_of_squares(problem, owner)
        assert squares >= least
        if squares == least:
            kept = measures.preserved(problem.previous, owner)
            assert kept <= measures.preserved(problem.previous, best)


def test_a_chain_of_subscriptions_is_levelled_to_the_last_bit() -> None:
    """Members share a topic with each neighbour only, and all the load is at one end."""
    topics = {f"t{index}": 40 if index == 0 else 10 for index in range(9)}
    members = {
        f"m{index}": Member((f"t{index}", f"t{index + 1}"), ((f"t{index}", 0),), 1)
        for index in range(8)
    }
    problem = Problem.build(topics, members)
    owner = assign("optimal", problem)
    assert measures.is_fairest(problem, owner)
    assert not measures.is_fairest(problem, assign("roundrobin", problem))
    assert measures.loads(problem, owner).tolist() == [40, *([12] * 3), *([11] * 4)]


def test_the_join_form_moves_whole_numbers_and_the_fewest() -> None:
    topics = {"a": 6, "b": 6}
    everything = tuple((topic, number) for topic in topics for number in range(6))
    members = {"x": Member(("a", "b"), everything, 1), "y": Member(("a", "b"))}
    problem = Problem.build(topics, members)
    owner = assign("optimal-join", problem)
    assert measures.join_violations(problem, owner) == 0
    assert measures.loads(problem, owner).tolist() == [6, 6]
    assert measures.preserved(problem.previous, owner) == 6
    assert measures.moves_to_fairest(problem, problem.previous, joined=True) == 6


def test_the_join_form_assigns_topics_outside_any_join_too() -> None:
    problem = Problem.build(
        {"a": 4, "b": 4, "c": 3}, {"x": Member(("a", "b", "c")), "y": Member(("a", "b", "c"))}
    )
    owner = assign("optimal-join", problem)
    assert measures.unassigned(problem, owner) == 0
    assert measures.join_violations(problem, owner) == 0


def test_it_returns_where_kafkas_own_goes_round_in_circles() -> None:
    described = json.loads((Path(__file__).parent / "kafka_does_not_return.json").read_text())
    members = {
        name: Member(
            tuple(member["topics"]),
            tuple((topic, n) for topic, numbers in member["owned"].items() for n in numbers),
            5,
        )
        for name, member in described["members"].items()
    }
    problem = Problem.build(described["topics"], members)
    for policy in ("sticky", "cooperative-sticky", "fairest-sticky", "optimal"):
        assign(policy, problem)
    assert measures.loads(problem, assign("sticky", problem)).tolist() == [11, 11, 11, 12, 11]
