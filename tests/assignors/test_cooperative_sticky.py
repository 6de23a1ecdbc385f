from hypothesis import given

from assignors import DEPARTED, NOBODY, Problem, assign
from assignors.cooperative_sticky import final_target
from tests.assignors.strategies import again, problems


@given(problem=problems())
def test_only_what_a_present_member_gives_up_is_withheld(problem: Problem) -> None:
    target = final_target(problem)
    for flat, owner in enumerate(assign("cooperative-sticky", problem).tolist()):
        free = problem.previous[flat] in {NOBODY, DEPARTED, target[flat]}
        if free and flat not in problem.disputed:
            assert owner == target[flat]
        else:
            assert owner == NOBODY


@given(problem=problems())
def test_the_second_phase_reaches_the_target(problem: Problem) -> None:
    second = again(problem, assign("cooperative-sticky", problem))
    settled = assign("cooperative-sticky", second)
    assert (settled != NOBODY).all()
    assert settled.tolist() == assign("sticky", second).tolist()
