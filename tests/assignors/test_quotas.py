import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assignors.quotas import deal, most_kept, quotas, share_out


def claims(members: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(-2, members - 1), max_size=30)


@st.composite
def claimed(draw: st.DrawFn) -> tuple[int, np.ndarray]:
    members = draw(st.integers(1, 6))
    return members, np.array(draw(claims(members)), dtype=np.int32)


@given(claimed())
def test_shares_are_even_and_go_to_those_that_own_most(group: tuple[int, np.ndarray]) -> None:
    members, owner = group
    owned = np.bincount(owner[owner >= 0], minlength=members)
    shares = quotas(owned, len(owner))
    assert shares.sum() == len(owner)
    assert shares.max() - shares.min() <= 1
    larger, smaller = owned[shares == shares.max()], owned[shares < shares.max()]
    assert not len(smaller) or larger.min() >= smaller.max()


@given(claimed())
def test_as_much_is_kept_as_even_shares_allow(group: tuple[int, np.ndarray]) -> None:
    members, owner = group
    owned = np.bincount(owner[owner >= 0], minlength=members)
    shared = share_out(owner, members)
    kept = np.count_nonzero(shared == owner)
    assert (
        kept == most_kept(owned, len(owner)) == np.minimum(owned, quotas(owned, len(owner))).sum()
    )


def test_a_member_with_too_many_keeps_the_lowest_numbers_over_all_topics() -> None:
    number_of = np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)
    shared = share_out(np.zeros(6, dtype=np.int32), 2, number_of)
    assert shared.tolist() == [0, 0, 1, 0, 1, 1]


def test_members_take_one_each_in_turn() -> None:
    assert deal(np.array([1, 0, 3, 2])).tolist() == [0, 2, 3, 2, 3, 2]
    assert deal(np.array([0, 0])).tolist() == []
