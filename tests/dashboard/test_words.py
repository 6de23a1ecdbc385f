from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.dashboard import words


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "—"), (0, "0"), (1234567, "1,234,567"), (2.0, "2"), (1.714, "1.71"), (0.5, "0.5")],
)
def test_number(value: float | None, text: str) -> None:
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "—"), (999, "999"), (1000, "1.0 k"), (184_000, "184 k"), (2_500_000, "2.5 M")],
)
def test_compact(value: float | None, text: str) -> None:
    assert words.compact(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "—"), (0.0, "0 %"), (0.001, "< 1 %"), (0.26, "26 %"), (1.0, "100 %")]
)
def test_share(value: float | None, text: str) -> None:
    assert words.share(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "—"),
        (0, "0 s"),
        (0.4, "0.4 s"),
        (59, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3_600, "1 h"),
        (11_520, "3 h 12 min"),
        (90_000, "1 d 1 h"),
        (86_460, "1 d"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert words.duration(seconds) == text


@given(st.integers(0, 10**9))
def test_duration_never_promises_more_than_there_was(seconds: int) -> None:
    units = {"d": 86_400, "h": 3_600, "min": 60, "s": 1}
    parts = words.duration(seconds).split()
    told = sum(
        int(amount) * units[unit] for amount, unit in zip(parts[::2], parts[1::2], strict=True)
    )
    assert told <= seconds < told + units[parts[-1]] * (1 if told == seconds else 3_600)


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
    ],
)
def test_listing(items: list[str], text: str) -> None:
    assert words.listing(items) == text


def test_counted() -> None:
    assert words.counted(1, "move") == "1 move"
    assert words.counted(1_200, "move") == "1,200 moves"
    assert words.counted(2, "group is", "groups are") == "2 groups are"
