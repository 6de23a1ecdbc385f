import numpy as np
import pytest

from assignors import DEPARTED, NOBODY, Member, Problem


def test_only_existing_topics_that_somebody_subscribes_to_count() -> None:
    problem = Problem.build(
        {"b": 2, "a": 1, "empty": 0, "unread": 9}, {"m": Member(("b", "a", "x"))}
    )
    assert problem.topics == ("a", "b")
    assert problem.counts.tolist() == [1, 2]
    assert problem.first.tolist() == [0, 1, 3]
    assert problem.topic_of.tolist() == [0, 1, 1]
    assert problem.number_of.tolist() == [0, 0, 1]


def test_static_members_come_first_by_instance_id_then_the_others_by_member_id() -> None:
    members = {
        "a": Member(("t",)),
        "b": Member(("t",), instance_id="z"),
        "c": Member(("t",), instance_id="y"),
        "B": Member(("t",)),
    }
    assert Problem.build({"t": 1}, members).members == ("c", "b", "B", "a")


def test_member_ids_are_ordered_as_java_orders_strings() -> None:
    """By UTF-16 code units, in which an emoji comes before a letter of full width."""
    wide, emoji = "\uff21", "\U0001f600"
    problem = Problem.build({"t": 1}, {wide: Member(("t",)), emoji: Member(("t",))})
    assert problem.members == (emoji, wide)


def test_equal_subscriptions_share_a_class_whatever_their_order() -> None:
    members = {"a": Member(("s", "t")), "b": Member(("t", "s", "s")), "c": Member(("t", "gone"))}
    problem = Problem.build({"s": 1, "t": 1}, members)
    assert problem.class_of.tolist() == [0, 0, 1]
    assert [topics.tolist() for topics in problem.classes] == [[0, 1], [1]]
    assert problem.subscribes.tolist() == [[True, True], [False, True]]
    assert not problem.uniform


def test_members_that_subscribe_to_nothing_are_not_in_the_pool() -> None:
    problem = Problem.build({"t": 2}, {"a": Member(()), "b": Member(("t",))})
    assert problem.uniform
    assert problem.pool is not None
    assert problem.pool.tolist() == [1]


def test_a_claim_of_a_member_that_gave_up_the_topic_is_not_honoured() -> None:
    problem = Problem.from_arrays(
        topics=("s", "t"),
        counts=[1, 2],
        members=("a", "b"),
        class_of=[0, 1],
        classes=[[0], [0, 1]],
        previous=[0, 0, DEPARTED],
    )
    assert problem.claims.tolist() == [0, NOBODY, NOBODY]
    assert problem.subscribers(0).tolist() == [0, 1]


def test_arrays_must_fit_each_other() -> None:
    with pytest.raises(ValueError, match="previous has 1 entries for 2 partitions"):
        Problem.from_arrays(
            topics=("t",), counts=[2], members=("m",), class_of=[0], classes=[[0]], previous=[0]
        )
    with pytest.raises(ValueError, match="as long as"):
        Problem.from_arrays(
            topics=("t",), counts=[2, 1], members=(), class_of=[], classes=[], previous=[0] * 3
        )


def test_topics_with_equal_counts_and_the_same_subscribers_are_joins() -> None:
    topics = {"a": 3, "b": 3, "c": 4, "d": 3}
    members = {"x": Member(("a", "b", "c", "d")), "y": Member(("a", "b", "c"))}
    assert Problem.build(topics, members).join_sets == ((0, 1),)


def test_named_joins_take_the_place_of_the_default() -> None:
    topics = {"a": 3, "b": 3, "c": 4}
    members = {"x": Member(("a", "b", "c"))}
    named = Problem.build(topics, members, join_sets=[["c", "a", "gone"], ["b", "gone"]])
    assert named.join_sets == ((0, 2),)


def test_owners_are_of_the_contracts_type() -> None:
    problem = Problem.build({"t": 2}, {"m": Member(("t",))})
    assert problem.previous.dtype == np.int32
    assert problem.size == 2
