from __future__ import annotations

import pytest

from streaming.dashboard.links import Address, link
from streaming.dashboard.render import ago, prose, runs
from tests.dashboard.sample import EVENING


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([], ""), ([3], "3"), ([0, 1], "0, 1"), ([3, 1, 2, 0, 7, 9, 10], "0 to 3, 7, 9, 10")],
)
def test_runs(numbers: list[int], text: str) -> None:
    assert runs(numbers) == text


def test_prose_marks_code_and_escapes_the_rest() -> None:
    assert prose("set `a<b` & go") == "set <code>a&lt;b</code> &amp; go"


def test_ago_carries_the_exact_time() -> None:
    text = ago(EVENING.replace(minute=20), EVENING)
    assert 'datetime="2026-03-14T02:20:20+00:00"' in text
    assert ">31 min ago<" in text
    assert ago(None, EVENING) == "—"


def test_links_leave_out_what_is_not_set() -> None:
    assert link("/", q="", page=None) == "/"
    assert link("/group", id="a/b c&d", page=2) == "/group?id=a%2Fb+c%26d&page=2"
    here = Address("/", {"q": "x", "page": "3"})
    assert here.to(page=None, sort="lag") == "/?q=x&sort=lag"
