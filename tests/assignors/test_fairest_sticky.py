import numpy as np
from hypothesis import given

from assignors import Problem, assign
from tests.assignors.strategies import (
    every_assignment,
    problems,
    small_problems,
    squares_of,
    sum_of_squares,
)


@given(problem=problems())
def test_all_that_is_owned_stays(problem: Problem) -> None:
    owner = assign("fairest-sticky", problem)
    held = problem.claims >= 0
    assert owner[held].tolist() == problem.claims[held].tolist()


def test_nothing_that_keeps_all_is_fairer() -> None:
    for problem in small_problems(21, 600):
        owners = every_assignment(problem)
        keeping = owners[((owners == problem.claims) | (problem.claims < 0)).all(axis=1)]
        least = int(np.min(squares_of(problem, keeping)))
        assert sum_of_squares(problem, assign("fairest-sticky", problem)) == least
