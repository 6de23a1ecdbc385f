"""Each piece of advice on a life made for it, with its figure."""

from dataclasses import replace

import pytest

from streaming.advice import Advice, History, advise, verdict
from streaming.advice.restarts import restarts
from tests.advice.lives import Life, Person, people


def find(history: History, kind: str) -> list[Advice]:
    return [advice for advice in advise(history) if advice.kind == kind]


def coming_and_going(policy: str, protocol: str = "eager") -> Life:
    """Ten members; one after the other leaves for good, then new ones join."""
    life = Life(policy, {"a": 20, "b": 20}, protocol=protocol)
    for last in (10, 9, 8, 7, 8, 9, 10):
        life.rebalance(people(*range(last)), seconds=1000)
    return life


def test_an_assignor_that_forgets_is_told_how_many_moves_another_would_have_saved() -> None:
    (advice,) = find(coming_and_going("range").history, "assignor")
    assert advice.policy == "cooperative-sticky"
    assert advice.total == sum(g.churn for g in coming_and_going("range").history.rebalances)
    assert advice.costs["range"] == advice.total
    assert advice.saved == advice.total - advice.costs["cooperative-sticky"]
    assert advice.gist == (
        f"`cooperative-sticky` would have saved {advice.saved} of {advice.total} moves"
    )


def test_a_sticky_group_is_not_told_to_become_sticky() -> None:
    assert find(coming_and_going("sticky").history, "assignor") == []
    assert find(coming_and_going("cooperative-sticky").history, "assignor") == []


def test_a_group_that_joins_streams_is_not_told_to_split_what_it_joins() -> None:
    history = coming_and_going("stream-join-sticky").history
    kinds = {advice.kind for advice in advise(replace(history, broker_assigns=True))}
    assert kinds.isdisjoint({"assignor", "cooperative", "consumer_protocol"})
    kept = replace(coming_and_going("range").history, join_sets=(("a", "b"),))
    (advice,) = find(kept, "assignor")
    assert advice.policy == "stream-join-sticky"


def test_an_eager_group_hears_what_cooperation_would_have_left_running() -> None:
    history = coming_and_going("sticky").history
    (advice,) = find(history, "cooperative")
    held = 40 * 6 - 4 - 4 - 5  # all partitions at every rebalance, but those of who left
    assert advice.total in range(held - 3, held + 4)
    assert advice.saved < advice.total
    assert "6 rebalances" in advice.sentence
    assert find(coming_and_going("cooperative-sticky", "cooperative").history, "cooperative") == []


def test_kip_848_is_offered_only_where_the_brokers_have_it() -> None:
    history = coming_and_going("range").history
    assert find(history, "consumer_protocol") == []
    (advice,) = find(replace(history, broker_assigns=True), "consumer_protocol")
    assert "group.protocol=consumer" in advice.sentence


def test_a_group_of_the_new_protocol_is_advised_in_its_own_names() -> None:
    life = Life("range", {"a": 7, "b": 6}, protocol="consumer", group_type="consumer")
    for last in (6, 5, 4, 5, 6):
        life.rebalance(people(*range(last)), seconds=1000)
    (advice,) = find(life.history, "assignor")
    assert advice.policy == "uniform"
    assert "group.remote.assignor=uniform" in advice.sentence
    assert advice.costs.keys() == {"range", "uniform"}


def rolling_restart(*, seconds: float = 20, members: int = 6) -> Life:
    """Every member leaves, and comes back under a new member id."""
    life = Life("sticky", {"a": 12, "b": 12})
    now = people(*range(members))
    life.rebalance(now)
    for place in range(members):
        back = replace(now[place], member_id=f"again-{place}")
        life.rebalance([each for each in now if each != now[place]], seconds=600)
        now[place] = back
        life.rebalance(now, seconds=seconds)
    return life


def test_a_rolling_restart_is_what_static_membership_is_for() -> None:
    (advice,) = find(rolling_restart().history, "static_membership")
    assert (advice.saved, advice.total) == (12, 12)
    assert "6 members came back" in advice.sentence
    assert "after 20 s" in advice.sentence


def test_a_member_that_is_away_for_long_did_not_restart() -> None:
    assert find(rolling_restart(seconds=301).history, "static_membership") == []


def test_a_restart_within_one_rebalance_counts() -> None:
    life = Life("sticky", {"a": 4, "b": 4})
    life.rebalance([Person("x-1"), Person("y-1", host="i")])
    life.rebalance([Person("x-2"), Person("y-1", host="i")])
    life.rebalance([Person("x-2"), Person("y-2", host="i")])
    assert restarts(life.history.rebalances).rebalances == (0, 1)


def test_a_rebalance_that_had_another_reason_as_well_is_not_counted() -> None:
    life = rolling_restart(members=2)
    everybody = [*life.now, Person("new", host="elsewhere")]
    life.rebalance(everybody)
    life.rebalance(everybody, cause="partitions")
    found = restarts(life.history.rebalances)
    assert len(found.rebalances) == 4
    assert len(life.history.rebalances) == 6


def test_of_two_members_of_one_host_that_left_only_as_many_came_back_as_did() -> None:
    twins = [Person("t-1"), Person("t-2"), Person("other", host="i")]
    life = Life("sticky", {"a": 4, "b": 4})
    life.rebalance(twins)
    life.rebalance(twins[2:])
    life.rebalance([Person("t-3"), twins[2]])
    assert restarts(life.history.rebalances).rebalances == (1,)


def test_static_members_are_not_told_to_become_static() -> None:
    life = Life("sticky", {"a": 4, "b": 4})
    named = [Person("x-1", instance_id="x"), Person("y-1", instance_id="y")]
    for members in (named, named[1:], named, named[1:], named):
        life.rebalance(members)
    assert find(life.history, "static_membership") == []


def flapping(cause: str) -> Life:
    """Five members, of which one leaves and joins again and again."""
    life = Life("sticky", {"a": 10, "b": 10})
    steady = people(0, 1, 2, 3)
    for turn in range(5):
        life.rebalance([*steady, Person(f"f-{turn}", client_id="slow", host="far")], seconds=900)
        life.rebalance(steady, seconds=900, cause=cause)
    return life


def test_a_member_that_leaves_again_and_again_is_named() -> None:
    (advice,) = find(flapping("left").history, "repeated_leaver")
    assert (advice.member, advice.saved, advice.total) == ("slow@far", 5, 9)
    assert "max.poll.interval.ms" in advice.sentence
    (advice,) = find(flapping("timed_out").history, "repeated_leaver")
    assert "5 times by time-out" in advice.sentence
    assert "session.timeout.ms" in advice.sentence


def test_in_rolling_restarts_nobody_leaves_more_often_than_the_others() -> None:
    life = rolling_restart()
    for turn in range(2):
        now = life.now
        for place, person in enumerate(now):
            life.rebalance([each for each in now if each != person], seconds=600)
            now = [each for each in now if each != person]
            now.insert(place, replace(person, member_id=f"turn-{turn}-{place}"))
            life.rebalance(now, seconds=10)
    assert find(life.history, "repeated_leaver") == []


def test_members_beyond_the_partitions_have_nothing_to_do() -> None:
    life = Life("sticky", {"a": 2, "b": 1})
    life.rebalance(people(*range(5)))
    (advice,) = find(life.history, "idle_members")
    assert (advice.saved, advice.total) == (2, 5)
    assert advice.gist == "2 of 5 members can never have a partition"


def test_idle_members_are_counted_by_what_they_subscribe_to() -> None:
    life = Life("sticky", {"a": 9, "b": 1})
    crowd = [Person(f"b{n}", topics=("b",)) for n in range(3)]
    life.rebalance([*crowd, Person("a", topics=("a",))])
    (advice,) = find(life.history, "idle_members")
    assert (advice.saved, advice.total) == (2, 4)


def test_nothing_is_said_of_a_life_without_rebalances() -> None:
    life = Life("range", {"a": 4, "b": 4})
    assert advise(life.history) == ()
    life.rebalance(people(0, 1))
    assert advise(life.history) == ()


def test_an_assignor_of_ones_own_is_compared_by_what_it_really_cost() -> None:
    life = Life("range", {"a": 20, "b": 20}, assignor="our-own")
    for last in (10, 9, 8, 9, 10):
        life.rebalance(people(*range(last)), seconds=1000)
    (advice,) = find(life.history, "assignor")
    assert advice.costs["our-own"] == advice.total
    assert advice.costs["range"] == advice.total


STATE = {
    "member_count": 3,
    "moves_to_fairest": 3,
    "fair": False,
    "unassigned_count": 0,
    "policy": "stream-join-sticky",
    "join_violations": 0,
}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({}, "3 moves would make this group fair."),
        ({"moves_to_fairest": 1}, "1 move would make this group fair."),
        ({"fair": True}, "This group is fair, 3 moves from the fairest."),
        ({"moves_to_fairest": 0}, "This group is as fair as it can be."),
        ({"member_count": 0}, "This group has no members."),
        ({"moves_to_fairest": None}, "This group has not settled yet."),
        (
            {"moves_to_fairest": 0, "unassigned_count": 1, "join_violations": 2},
            (
                "This group is as fair as it can be; 1 partition without an owner; "
                "2 partition numbers of a join split between members."
            ),
        ),
    ],
)
def test_the_verdict_is_one_sentence(changed: dict[str, object], sentence: str) -> None:
    assert verdict(STATE | changed) == sentence


def test_the_verdict_ends_with_the_best_advice() -> None:
    advice = advise(coming_and_going("range").history)
    assert verdict(STATE, advice) == f"3 moves would make this group fair; {advice[0].gist}."
    assert advice[0].kind == "assignor"
    assert advice[0].share == advice[0].saved / advice[0].total
