"""The join form against every assignment of units there is."""

import random
from collections.abc import Iterator

import numpy as np

from assignors import NOBODY, Member, Problem, assign, measures
from assignors.units import in_units
from tests.assignors.strategies import Longs, again, every_assignment, squares_of


def joined_groups(seed: int, count: int) -> Iterator[Problem]:
    """Joins of two and three topics, held in all ways: whole, shared, in part, by departed."""
    rng = random.Random(seed)
    for _ in range(count):
        topics = {"a": rng.randint(1, 4), "b": 0, "c": rng.randint(1, 3), "d": rng.randint(0, 2)}
        topics["b"] = topics["a"]
        joins = rng.choice([[["a", "b"]], [["a", "b", "c"]], [["a", "b"], ["c", "d"]]])
        wanted = [tuple("abcd"), tuple("abcd"), ("a", "b"), ("c", "d"), ("a", "c")]
        members = {name: Member(rng.choice(wanted)) for name in "xyz"[: rng.randint(1, 3)]}
        problem = Problem.build(topics, members, join_sets=joins)
        whole = rng.random() < 0.3
        owner = np.array(
            [rng.randint(-2, len(members) - 1) for _ in range(problem.size)], dtype=np.int32
        )
        yield again(problem, in_units(problem, problem.join_sets).expand(owner) if whole else owner)


def units_kept(problem: Problem, owners: Longs) -> Longs:
    """(N,) partitions kept by (N, U) owners of units."""
    units = in_units(problem, problem.join_sets)
    expanded = np.array([units.expand(row) for row in owners.astype(np.int32)])
    kept: Longs = ((expanded == problem.previous) & (expanded >= 0)).sum(axis=1)
    return kept


def test_equals_brute_force() -> None:
    for problem in joined_groups(3, 400):
        if not problem.size:
            continue
        units = in_units(problem, problem.join_sets)
        owners = every_assignment(units.problem)
        squares = squares_of(units.problem, owners)
        best = int(units_kept(problem, owners[squares == squares.min()]).max())
        owner = assign("optimal-join", problem)
        assert measures.preserved(problem.previous, owner) == best
        assert measures.join_violations(problem, owner) == 0
        held = units.owners(owner)
        assert (held[held != NOBODY] >= 0).all()
        moved = np.count_nonzero((owner != problem.previous) & (owner >= 0))
        assert measures.moves_to_fairest(problem, problem.previous, joined=True) == moved
        churn = measures.churn(problem.previous, owner)
        assert measures.necessary_churn(problem, joined=True) == churn


def test_a_shared_number_goes_to_whoever_has_most_of_it() -> None:
    members = {"x": Member(("a", "b", "c")), "y": Member(("a", "b", "c"))}
    problem = Problem.build({"a": 2, "b": 2, "c": 2}, members)
    mixed = again(problem, np.array([0, 1, 1, 0, 1, 0], dtype=np.int32))
    assert assign("optimal-join", mixed).tolist() == [1, 0] * 3
    assert measures.moves_to_fairest(mixed, mixed.previous, joined=True) == 2
