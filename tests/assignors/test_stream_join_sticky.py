"""KIP-315, against its draft played out one selection at a time."""

import random

import numpy as np
import pytest
from hypothesis import given

from assignors import NOBODY, IntArray, Member, Problem, assign, measures
from assignors.stream_join_sticky import next_epoch
from assignors.units import in_units
from tests.assignors.strategies import problems


def play(previous: list[int], members: int) -> list[int]:
    """The KIP's selection: own numbers first, then free ones, then from whoever has most left.

    In every round those that still have numbers of their own select first. Of equally rich members
    the one that has selected in this round already is stolen from first.
    """
    left = {
        member: [n for n, owner in enumerate(previous) if owner == member]
        for member in range(members)
    }
    free = [number for number, owner in enumerate(previous) if owner < 0]
    owner = [NOBODY] * len(previous)
    while NOBODY in owner:
        order = sorted(range(members), key=lambda member: not left[member])
        for turn, member in enumerate(order):
            done = order[:turn]
            richest = max(left, key=lambda rival: (len(left[rival]), rival in done))
            source = left[member] or free or left[richest]
            if source:
                owner[source.pop(0)] = member
    return owner


@pytest.mark.parametrize("seed", range(300))
def test_the_closed_form_ends_as_the_draft_does(seed: int) -> None:
    rng = random.Random(seed)
    count, members = rng.randint(1, 14), rng.randint(1, 6)
    previous = [rng.randint(-1, min(members - 1, rng.randint(0, 5))) for _ in range(count)]
    problem = Problem.from_arrays(
        topics=("clicks", "impressions"),
        counts=[count, count],
        members=tuple("abcdef"[:members]),
        class_of=[0] * members,
        classes=[[0, 1]],
        previous=previous * 2,
    )
    owner = assign("stream-join-sticky", problem)
    drafted = play(previous, members)
    expected = np.array(drafted * 2, dtype=np.int32)
    assert sorted(measures.loads(problem, owner)) == sorted(measures.loads(problem, expected))
    kept = measures.preserved(problem.previous, owner)
    assert kept == measures.preserved(problem.previous, expected)


@given(problem=problems())
def test_no_join_is_broken_and_no_unit_moved_without_need(problem: Problem) -> None:
    owner = assign("stream-join-sticky", problem)
    assert measures.join_violations(problem, owner) == 0
    if not problem.size:
        return
    units = in_units(problem, [range(len(problem.topics))])
    previous = units.owners(problem.previous)
    moved = int(np.count_nonzero(numbers(problem, owner) != previous))
    assert moved == measures.moves_to_fairest(units.problem, previous)


def numbers(problem: Problem, owner: IntArray) -> IntArray:
    """(U,) owner of each partition number up to the smallest count."""
    least = int(problem.counts.min())
    rows = np.stack([owner[start : start + least] for start in problem.first[:-1].tolist()])
    return np.asarray(rows.max(axis=0), dtype=np.int32)


def test_a_member_gets_a_number_of_the_topics_it_subscribes_to() -> None:
    members = {"a": Member(("s", "t")), "b": Member(("s",))}
    problem = Problem.build({"s": 2, "t": 2}, members)
    assert assign("stream-join-sticky", problem).tolist() == [0, 1, 0, NOBODY]


def test_the_next_epoch_follows_the_highest_known() -> None:
    assert next_epoch([]) == 1
    assert next_epoch([None, 3, 2]) == 4
