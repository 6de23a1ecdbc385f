"""Previous ownership: KIP-54, KIP-341, KIP-792 and KIP-315."""

from assignors import DEPARTED, NOBODY, Member, Problem, assign

TOPICS = {"t": 2}


def previous(**members: Member) -> list[int]:
    return [*Problem.build(TOPICS, members).previous.tolist()]


def test_the_claim_of_the_higher_generation_wins() -> None:
    zombie = Member(("t",), (("t", 0), ("t", 1)), 2)
    assert previous(a=zombie, b=Member(("t",), (("t", 0),), 3)) == [1, 0]
    assert previous(b=zombie, a=Member(("t",), (("t", 0),), 3)) == [0, 1]


def test_no_generation_is_older_than_any() -> None:
    unknown = Member(("t",), (("t", 0),))
    assert previous(a=unknown, b=Member(("t",), (("t", 0),), 0)) == [1, NOBODY]
    assert previous(a=unknown) == [0, NOBODY]


def test_claimed_twice_in_one_generation_belongs_to_nobody() -> None:
    claim = Member(("t",), (("t", 0),), 3)
    assert previous(a=claim, b=claim) == [NOBODY, NOBODY]
    assert previous(a=claim, b=claim, c=Member(("t",), (("t", 0),), 2)) == [NOBODY, NOBODY]
    assert previous(a=claim, b=claim, c=Member(("t",), (("t", 0),), 4)) == [2, NOBODY]


def test_a_member_that_repeats_itself_does_not_contest_its_own_claim() -> None:
    assert previous(a=Member(("t",), (("t", 0), ("t", 0)), 3)) == [0, NOBODY]


def test_claims_on_what_does_not_exist_are_dropped() -> None:
    owned = (("t", 2), ("t", -1), ("gone", 0), ("t", 1))
    assert previous(a=Member(("t", "gone"), owned, 3)) == [NOBODY, 0]


def test_a_claim_on_a_topic_given_up_counts_as_departed_and_a_zombie_gains_nothing() -> None:
    gave_up = Member((), (("t", 0),), 3)
    assert previous(a=gave_up, b=Member(("t",), (("t", 0),), 2)) == [DEPARTED, NOBODY]


def test_what_a_present_member_must_give_up_first_is_withheld_by_the_cooperative_assignor() -> None:
    claim = Member(("t",), (("t", 0),), 3)
    contested = Problem.build(TOPICS, {"a": claim, "b": claim})
    assert contested.disputed == (0,)
    assert assign("cooperative-sticky", contested)[0] == NOBODY
    given_up = Problem.build(TOPICS, {"a": Member((), (("t", 0),), 3), "b": Member(("t",))})
    assert assign("cooperative-sticky", given_up).tolist() == [NOBODY, 1]
