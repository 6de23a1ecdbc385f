from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.dashboard import charts

amounts = st.integers(0, 10_000)


@given(st.lists(st.tuples(amounts, amounts), min_size=1, max_size=100))
def test_bars_stay_within_the_plot_and_keep_proportions(values: list[tuple[int, int]]) -> None:
    most = max(lower + upper for lower, upper in values) or 1
    bars = charts.bars(values, most=most)
    for bar, (lower, upper) in zip(bars, values, strict=True):
        assert 0 <= bar.x <= bar.x + bar.width <= charts.WIDTH
        assert bar.lower == pytest.approx(lower / most * 100, abs=0.01)
        assert bar.upper_y == pytest.approx(100 - (lower + upper) / most * 100, abs=0.02)
    assert all(a.x + a.width < b.x for a, b in pairwise(bars))


@given(st.floats(0, 10**12))
def test_ceiling_is_round_and_not_smaller(value: float) -> None:
    top = charts.ceiling(value)
    assert top >= max(value, 1)
    assert re.fullmatch(r"[1-9]0*|1[0-25]0*|250*", str(top))


def test_steps_hold_each_value_until_the_next() -> None:
    assert charts.steps([(0.0, 10), (0.5, 0)], most=10) == "M0,0H500V100H1000"
    assert charts.steps([], most=10) == ""


def test_line_runs_through_the_points() -> None:
    assert charts.line([(0, 4), (2, 0)], most_x=2, most_y=4) == "M0,0L1000,100"
    assert charts.line([], most_x=1, most_y=1) == ""


def test_ribbons_join_the_rows_of_their_names() -> None:
    found = charts.ribbons([("a", "x", 4), ("b", "x", 1), ("?", "x", 9)], ["a", "b"], ["x"])
    assert [ribbon.path for ribbon in found] == [
        "M0,5C45,5 55,5 100,5",
        "M0,15C45,15 55,5 100,5",
    ]
    assert found[0].thickness > found[1].thickness


def test_a_bar_at_the_edge_stays_visible() -> None:
    [first, last] = charts.placed_bars([(0.0, 1, 0), (1.0, 1, 0)], most=1)
    assert first.x == 0
    assert last.x + last.width == charts.WIDTH
