from collections.abc import Sequence

from assignors import Member, Problem, assign

Racks = dict[str, Sequence[Sequence[str]]]


def owners(topics: dict[str, int], members: dict[str, Member], racks: Racks | None = None) -> str:
    problem = Problem.build(topics, members, partition_racks=racks)
    return "".join(problem.members[owner] for owner in assign("range", problem))


def test_the_first_members_get_one_more_topic_by_topic() -> None:
    both = {"a": Member(("s", "t")), "b": Member(("s", "t"))}
    assert owners({"s": 3, "t": 5}, both) == "aab" + "aaabb"


def test_only_subscribers_of_a_topic_share_it() -> None:
    members = {"a": Member(("s",)), "b": Member(("s", "t")), "c": Member(("t",))}
    assert owners({"s": 3, "t": 1}, members) == "aab" + "b"


def test_a_member_with_a_rack_gets_partitions_with_a_replica_there() -> None:
    members = {"a": Member(("t",), rack="r2"), "b": Member(("t",), rack="r1")}
    assert owners({"t": 4}, members, {"t": [["r1"], ["r1"], ["r2"], ["r2"]]}) == "bbaa"


def test_evenness_comes_before_racks() -> None:
    members = {"a": Member(("t",), rack="r1"), "b": Member(("t",), rack="r2")}
    assert owners({"t": 4}, members, {"t": [["r1"], ["r1"], ["r1"], ["r2"]]}) == "aabb"


def test_racks_that_hold_everything_change_nothing() -> None:
    members = {"a": Member(("t",), rack="r2"), "b": Member(("t",), rack="r1")}
    assert owners({"t": 2}, members, {"t": [["r1", "r2"], ["r2", "r1"]]}) == "ab"


def test_topics_alike_stay_together_number_by_number() -> None:
    members = {"a": Member(("s", "t"), rack="r2"), "b": Member(("s", "t"), rack="r1")}
    racks: Racks = {"s": [["r1"], ["r2"]], "t": [["r1"], ["r2"]]}
    assert owners({"s": 2, "t": 2}, members, racks) == "ba" + "ba"
    crossed: Racks = {"s": [["r1"], ["r2"]], "t": [["r2"], ["r1"]]}
    assert owners({"s": 2, "t": 2}, members, crossed) == "ab" + "ab"


def test_partitions_whose_replicas_have_no_rack_are_left_to_the_rest() -> None:
    members = {"a": Member(("t",), rack="r2"), "b": Member(("t",), rack="r1")}
    assert owners({"t": 2}, members, {"t": [["r1"]]}) == "ba"
