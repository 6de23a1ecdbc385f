"""The worked examples of docs/measures.md, from snapshots to figures."""

from streaming.groups.snapshot import Episode, MemberView, Phase, Settlement, Snapshot
from streaming.measuring.measures import Measured, measure
from streaming.measuring.policies import JoinRule, Policies, ReferenceRule


def member(name: str, assigned: dict[str, range], topics: str = "ab") -> MemberView:
    return MemberView(
        member_id=name,
        instance_id=None,
        client_id="c",
        client_host="/h",
        rack=None,
        topics=tuple(topics),
        session_timeout_ms=45_000,
        assigned={topic: tuple(numbers) for topic, numbers in assigned.items()},
    )


def snapshot(number: int, *members: MemberView, protocol: str = "eager") -> Snapshot:
    return Snapshot(
        generation=number,
        time_ms=number * 1000,
        group_type="classic",
        protocol=protocol,
        assignor="range",
        members=members,
        counts={"a": 10, "b": 10},
    )


def settlement(now: Snapshot, before: Snapshot | None) -> Settlement:
    return Settlement(
        group_id="g",
        snapshot=now,
        previous=before,
        settled=True,
        phases=(Phase(generation=now.generation, time_ms=now.time_ms, withheld=0),),
        emptied=False,
        episode=Episode(name="e", first=before, last_ms=0),
    )


BEFORE = snapshot(
    1,
    member("m0", {"a": range(5), "b": range(5)}),
    member("m1", {"a": range(5, 10), "b": range(5, 10)}),
)
RANGE = (
    member("m0", {"a": range(4), "b": range(4)}),
    member("m1", {"a": range(4, 7), "b": range(4, 7)}),
    member("m2", {"a": range(7, 10), "b": range(7, 10)}),
)


def range_joined(protocol: str = "eager", policies: Policies | None = None) -> Measured:
    return measure(
        settlement(snapshot(2, *RANGE, protocol=protocol), BEFORE), policies or Policies(), lags={}
    )


def test_the_worked_example_of_a_third_member_under_range() -> None:
    measured = range_joined()
    standing, cost = measured.standing, measured.cost
    assert standing.loads.tolist() == [8, 6, 6]
    assert standing.balance_score == 4
    assert measured.reference.ideal_balance_score == 2
    assert (standing.fair, standing.fairest) == (False, False)
    assert standing.moves_to_fairest == 1
    assert (cost.churn, cost.necessary_churn, cost.avoidable_churn) == (8, 6, 2)
    assert cost.revoked == 20
    assert standing.join_violations == 0


def test_a_cooperative_protocol_revokes_only_what_moves() -> None:
    assert range_joined("cooperative").cost.revoked == 8


def test_the_first_generation_costs_nothing() -> None:
    measured = measure(settlement(BEFORE, None), Policies(), lags={})
    assert (measured.cost.churn, measured.cost.necessary_churn, measured.cost.revoked) == (0, 0, 0)


def test_under_a_join_policy_moves_come_in_partition_numbers() -> None:
    policies = Policies(joins=(JoinRule(groups="g", topics=(("a", "b"),)),))
    measured = range_joined(policies=policies)
    assert measured.reference.policy == "stream-join-sticky"
    assert measured.standing.moves_to_fairest == 0
    assert measured.cost.necessary_churn == 6


def test_a_reference_policy_is_the_first_rule_that_matches() -> None:
    policies = Policies(
        references=(
            ReferenceRule(groups="x*", policy="range"),
            ReferenceRule(groups="*", policy="roundrobin"),
        )
    )
    assert policies.reference("g", "range") == "roundrobin"
    assert policies.measured("roundrobin") == ("roundrobin", "sticky", "stream-join-sticky")


def test_a_member_that_left_moves_what_it_owned_of_necessity() -> None:
    now = snapshot(2, member("m0", {"a": range(10), "b": range(10)}))
    cost = measure(settlement(now, BEFORE), Policies(), lags={}).cost
    assert (cost.churn, cost.necessary_churn, cost.avoidable_churn) == (10, 10, 0)


def test_lag_is_shared_out_over_the_live_owners() -> None:
    lags = {("a", 0): 30, ("a", 9): 6}
    standing = measure(settlement(snapshot(2, *RANGE), BEFORE), Policies(), lags=lags).standing
    assert standing.member_lag is not None
    assert standing.member_lag.tolist() == [30, 0, 6]
    assert standing.lag == 36
    assert standing.lag_skew == 2.5


def test_one_member_with_all_of_a_topic_is_balanced_and_skewed() -> None:
    now = snapshot(2, member("m0", {"a": range(10)}), member("m1", {"b": range(10)}))
    standing = measure(settlement(now, BEFORE), Policies(), lags={}).standing
    assert standing.balance_score == 0
    assert standing.topic_skew == 2.0
