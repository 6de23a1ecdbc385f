"""Moves against fairness, held against every assignment there is."""

import itertools

import numpy as np

from assignors import IntArray, Member, Problem, assign, measures
from assignors.curve import assignment_at, curve
from tests.assignors.strategies import every_assignment, small_problems, squares_of


def moves(problem: Problem, owners: IntArray) -> IntArray:
    taken = (owners != problem.claims) & (problem.claims >= 0)
    return np.asarray(taken.sum(axis=-1), dtype=np.int32)


def test_with_as_many_moves_nothing_is_fairer() -> None:
    for problem in small_problems(31, 400):
        owners = every_assignment(problem)
        squares, spent = squares_of(problem, owners), moves(problem, owners)
        points = curve(problem)
        for point in points:
            assert point.sum_of_squares == squares[spent <= point.moves_count].min()
            owner = assignment_at(problem, point)
            assert measures.loads(problem, owner).tolist() == list(point.loads)
            assert moves(problem, owner) == point.moves_count
        assert points[-1].sum_of_squares == squares.min()
        assert points[0].moves_count == 0 or len(points) == 1


def test_points_rise_in_moves_and_gain_in_fairness() -> None:
    for problem in small_problems(32, 200):
        points = curve(problem)
        assert all(
            one.moves_count < other.moves_count and one.sum_of_squares > other.sum_of_squares
            for one, other in itertools.pairwise(points)
        )


def chain(length: int, heavy: int) -> Problem:
    topics = {f"t{index}": heavy if index < length // 2 else 6 for index in range(length)}
    members = {}
    for index in range(length):
        own = tuple((f"t{index}", number) for number in range(topics[f"t{index}"]))
        members[f"m{index}"] = Member((f"t{index}", f"t{(index + 1) % length}"), own, 1)
    return Problem.build(topics, members)


def test_in_a_chain_the_last_bit_of_fairness_is_dear() -> None:
    problem = chain(10, 20)
    points = curve(problem)
    first, *_, before_last, last = points
    assert first.moves_count == 0
    assert last.moves_count == measures.moves_to_fairest(problem, problem.previous)
    price_of_first = points[1].moves_count / (first.sum_of_squares - points[1].sum_of_squares)
    price_of_last = (last.moves_count - before_last.moves_count) / (
        before_last.sum_of_squares - last.sum_of_squares
    )
    assert price_of_last > price_of_first


def test_the_points_are_bounded_and_keep_the_ends() -> None:
    for problem in (chain(10, 20), uniform()):
        few, all_points = curve(problem, most_points=3), curve(problem, most_points=1000)
        assert len(few) <= 3 < len(all_points)
        assert (few[0], few[-1]) == (all_points[0], all_points[-1])


def uniform() -> Problem:
    owned = tuple(("t", number) for number in range(30))
    return Problem.build(
        {"t": 30}, {"a": Member(("t",), owned, 1), "b": Member(("t",)), "idle": Member(())}
    )


def test_equal_subscriptions_pay_one_move_for_one_step() -> None:
    points = curve(uniform())
    assert [point.moves_count for point in points] == list(range(16))
    assert points[-1].max_minus_min == 15
    assert points[-1].loads == (15, 15, 0)


def test_nothing_to_gain_is_one_point() -> None:
    problem = Problem.build({"t": 4}, {"a": Member(("t",)), "b": Member(("t",))})
    (only,) = curve(problem)
    assert (only.moves_count, only.sum_of_squares) == (0, 8)
    owner = assignment_at(problem, only)
    assert measures.loads(problem, owner).tolist() == [2, 2]
    assert owner.tolist() == assign("sticky", problem).tolist()
