import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assignors.water import fill


@given(st.lists(st.integers(0, 9), min_size=1, max_size=7), st.integers(0, 40))
def test_each_unit_goes_to_the_least_loaded_the_first_of_equals(
    load: list[int], units: int
) -> None:
    taken = fill(np.array(load), units)
    expected = []
    for _ in range(units):
        taker = min(range(len(load)), key=load.__getitem__)
        load[taker] += 1
        expected.append(taker)
    assert taken.tolist() == expected
