"""The quick way, the flows, and the split into parts, against each other on larger groups."""

import random

import numpy as np
import pytest

from assignors import Member, Problem, assign, fairest, measures
from assignors.parts import connected, whole
from assignors.repair import repaired
from tests.assignors.strategies import again, sum_of_squares


def group(seed: int) -> Problem:
    """30 members, 12 topics; what they own comes from other subscriptions than they have now."""
    rng = random.Random(seed)
    topics = {f"t{index:02}": rng.randint(1, 30) for index in range(12)}
    dense = rng.uniform(0.1, 0.9)

    def members(changed: float) -> dict[str, Member]:
        return {
            f"m{index:02}": Member(
                tuple(topic for topic in topics if rng.random() < dense)
                if rng.random() < changed
                else tuple(topics)
            )
            for index in range(30)
        }

    before = Problem.build(topics, members(0.3))
    after = Problem.build(topics, members(0.8))
    if before.topics != after.topics:
        return group(seed + 1000)
    owner = assign(rng.choice(["range", "sticky", "roundrobin"]), before)
    gone = rng.randrange(30)
    return again(after, np.where(owner == gone, np.int32(-2), owner))


@pytest.mark.parametrize("seed", range(60))
def test_the_quick_way_is_as_exact_as_the_flows(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = group(seed)
    quick = assign("optimal", problem)
    monkeypatch.setattr(fairest, "repaired", lambda _part: None)
    by_flow = assign("optimal", problem)
    assert sum_of_squares(problem, quick) == sum_of_squares(problem, by_flow)
    kept = [measures.preserved(problem.claims, owner) for owner in (quick, by_flow)]
    assert kept[0] == kept[1]
    assert measures.is_fairest(problem, by_flow)


def test_the_quick_way_is_taken_and_left() -> None:
    taken = [
        repaired(whole(problem, problem.claims)) is not None for problem in map(group, range(30))
    ]
    assert {*taken} == {True, False}


def test_parts_share_neither_topics_nor_members() -> None:
    members = {
        "a": Member(("s",)),
        "b": Member(("t", "u")),
        "c": Member(("u", "v")),
        "d": Member(()),
        "e": Member(("s",)),
    }
    problem = Problem.build({"s": 2, "t": 1, "u": 3, "v": 1}, members)
    first, second = connected(whole(problem, problem.claims))
    assert (first.members.tolist(), first.flats.tolist()) == ([0, 4], [0, 1])
    assert (second.members.tolist(), second.flats.tolist()) == ([1, 2], [2, 3, 4, 5, 6])
    assert second.subscribes.tolist() == [[True, True, False], [False, True, True]]
