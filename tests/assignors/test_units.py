import numpy as np

from assignors import DEPARTED, NOBODY, Member, Problem, assign, measures
from assignors.units import in_units


def problem(**subscriptions: str) -> Problem:
    topics = {"a": 3, "b": 2, "c": 3, "d": 1}
    return Problem.build(topics, {name: Member(tuple(s)) for name, s in subscriptions.items()})


def test_numbers_go_up_to_the_smallest_count_of_a_join() -> None:
    units = in_units(problem(x="abcd"), [(0, 1)])
    assert units.joins == ((0, 1), (2,), (3,))
    assert units.problem.topics == ("a+b", "c", "d")
    assert units.problem.counts.tolist() == [2, 3, 1]


def test_joins_with_a_common_topic_are_one() -> None:
    assert in_units(problem(x="abcd"), [(0, 1), (3, 2), (1, 2)]).joins == ((0, 1, 2, 3),)
    members = {"x": Member(("a", "b", "c")), "y": Member(("a", "b", "c"))}
    overlapping = Problem.build(
        {"a": 2, "b": 2, "c": 2}, members, join_sets=[["a", "b"], ["b", "c"]]
    )
    owner = assign("optimal-join", overlapping)
    assert measures.unassigned(overlapping, owner) == 0
    assert measures.join_violations(overlapping, owner) == 0


def test_a_unit_has_an_owner_if_its_partitions_have_one() -> None:
    units = in_units(problem(x="ab", y="ab"), [(0, 1)])
    owner = np.array([0, 1, 1, 0, NOBODY], dtype=np.int32)
    assert units.owners(owner).tolist() == [0, 1]
    mixed = np.array([0, DEPARTED, 1, 1, NOBODY], dtype=np.int32)
    assert units.owners(mixed).tolist() == [DEPARTED, DEPARTED]


def test_an_owner_gets_the_topics_it_subscribes_to_and_nothing_above_the_count() -> None:
    units = in_units(problem(x="ab", y="a"), [(0, 1)])
    assert units.expand(np.array([0, 1], dtype=np.int32)).tolist() == [0, 1, NOBODY, 0, NOBODY]


def test_members_with_the_same_joins_are_alike() -> None:
    units = in_units(problem(x="ab", y="a", z="d"), [(0, 1)])
    assert units.problem.class_of.tolist() == [0, 0, 1]
