"""What the collector says: everything once, in order, and not again after a restart."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.cluster.changes import departure, group_changes, offset_changes
from streaming.cluster.history import History
from streaming.cluster.observation import (
    ClassicGroup,
    Observed,
    ReconciledGroup,
    ReconcilingMember,
)
from streaming.events import (
    ClassicGeneration,
    ConsumerGroupEpoch,
    ConsumerMember,
    CurrentAssignment,
    CurrentRemoved,
    Event,
    GroupMember,
    GroupRemoved,
    MemberRemoved,
    OffsetCommit,
    OffsetRemoved,
    TargetAssignment,
    TargetEpoch,
    TargetRemoved,
    from_json,
    to_json,
)

IDS = {"orders": "id-of-orders", "payments": "id-of-payments"}
NOW_MS = 1_700_000_000_000


def member(name: str, *, assigned: tuple[int, ...] = (0, 1)) -> GroupMember:
    return GroupMember(
        name, None, "client", "/host", topics=("orders",), assigned={"orders": assigned}
    )


def classic(*members: GroupMember) -> ClassicGroup:
    return ClassicGroup("g", "consumer", "range", members)


def reconciling(name: str, assigned: tuple[int, ...], target: tuple[int, ...]) -> ReconcilingMember:
    return ReconcilingMember(
        name, None, "client", "/host", {"orders": assigned}, {"orders": target}
    )


def reconciled(*members: ReconcilingMember) -> ReconciledGroup:
    return ReconciledGroup("g", "uniform", members)


class Said:
    """What was said so far, and what is said next."""

    def __init__(self) -> None:
        self.history = History()

    def look(self, group: Observed, *, now_ms: int = NOW_MS) -> list[Event]:
        known = self.history.of("g")
        events = list(group_changes(group, known, topic_ids=IDS, now_ms=now_ms))
        return self.note(events)

    def note(self, events: list[Event]) -> list[Event]:
        for event in events:
            self.history.note(event)
        return events


def test_a_generation_is_said_once() -> None:
    said = Said()
    (event,) = said.look(classic(member("a")))
    assert event == ClassicGeneration(
        "g",
        "consumer",
        generation=NOW_MS // 1000,
        protocol="range",
        leader=None,
        state_time_ms=NOW_MS,
        members=(member("a"),),
    )
    assert said.look(classic(member("a")), now_ms=NOW_MS + 60_000) == []


def test_generations_rise_within_a_second_and_after_a_long_sleep() -> None:
    said = Said()
    numbers = []
    for delay_ms in (0, 1, 2, 60_000):
        (event,) = said.look(classic(member(f"a{delay_ms}")), now_ms=NOW_MS + delay_ms)
        assert isinstance(event, ClassicGeneration)
        numbers.append(event.generation)
    first = NOW_MS // 1000
    assert numbers == [first, first + 1, first + 2, first + 60]


@pytest.mark.parametrize(
    "changed",
    [
        replace(member("a"), topics=("orders", "payments")),
        replace(member("a"), assigned={"orders": (0,)}),
        replace(member("a"), owned_generation=3),
        replace(member("a"), instance_id="static"),
    ],
)
def test_any_change_of_a_member_is_another_generation(changed: GroupMember) -> None:
    said = Said()
    said.look(classic(member("a")))
    assert len(said.look(classic(changed))) == 1


def test_a_reconciling_group_in_the_coordinators_order() -> None:
    said = Said()
    events = said.look(reconciled(reconciling("a", (0, 1), (0, 1))))
    epoch = NOW_MS // 1000
    assert [type(event) for event in events] == [
        ConsumerMember,
        ConsumerGroupEpoch,
        TargetAssignment,
        TargetEpoch,
        CurrentAssignment,
    ]
    assert events[-1] == CurrentAssignment(
        "g", "a", epoch, 0, "stable", {"id-of-orders": (0, 1)}, {}
    )
    assert said.look(reconciled(reconciling("a", (0, 1), (0, 1)))) == []


def test_a_member_reaches_the_epoch_when_it_has_its_target() -> None:
    said = Said()
    said.look(reconciled(reconciling("a", (0, 1), (0, 1))))
    first, second = NOW_MS // 1000, NOW_MS // 1000 + 1
    moving = reconciled(reconciling("a", (0, 1), (0,)), reconciling("b", (), (1,)))
    currents = [e for e in said.look(moving) if isinstance(e, CurrentAssignment)]
    assert [(e.member_id, e.member_epoch, e.state) for e in currents] == [
        ("a", first, "unrevoked_partitions"),
        ("b", 0, "unreleased_partitions"),
    ]
    assert currents[0].assigned == {"id-of-orders": (0,)}
    assert currents[0].pending_revocation == {"id-of-orders": (1,)}
    done = said.look(reconciled(reconciling("a", (0,), (0,)), reconciling("b", (1,), (1,))))
    assert all(isinstance(event, CurrentAssignment) for event in done)
    assert [(e.member_epoch, e.state) for e in done if isinstance(e, CurrentAssignment)] == [
        (second, "stable"),
        (second, "stable"),
    ]


def test_a_member_that_went_is_taken_back_in_full() -> None:
    said = Said()
    said.look(reconciled(reconciling("a", (0,), (0,)), reconciling("b", (1,), (1,))))
    events = said.look(reconciled(reconciling("a", (0, 1), (0, 1))))
    assert events[:3] == [
        CurrentRemoved("g", "b"),
        TargetRemoved("g", "b"),
        MemberRemoved("g", "b"),
    ]


def test_a_group_that_changes_its_protocol_is_removed_and_made_again() -> None:
    said = Said()
    said.look(classic(member("a")))
    upgraded = said.look(reconciled(reconciling("a", (0, 1), (0, 1))))
    assert upgraded[0] == GroupRemoved("g", "classic")
    back = said.look(classic(member("a")))
    assert [type(event) for event in back] == [GroupRemoved, ClassicGeneration]


def offsets_of(said: Said, offset: int, *, now_ms: int = NOW_MS) -> list[Event]:
    found = {("orders", 0): (offset, 2, "note")} if offset >= 0 else {}
    known = said.history.of("g")
    return said.note(list(offset_changes("g", found, known, topic_ids=IDS, now_ms=now_ms)))


def test_commits_bear_the_time_they_were_first_seen_at() -> None:
    said = Said()
    assert offsets_of(said, 5) == [
        OffsetCommit("g", "orders", 0, 5, 2, "note", NOW_MS, topic_id="id-of-orders")
    ]
    assert offsets_of(said, 5, now_ms=NOW_MS + 1) == []
    (later,) = offsets_of(said, 6, now_ms=NOW_MS + 2)
    assert isinstance(later, OffsetCommit)
    assert later.commit_time_ms == NOW_MS + 2
    assert offsets_of(said, -1) == [OffsetRemoved("g", "orders", 0)]
    assert list(said.history) == []


def test_a_deleted_group_leaves_nothing_behind() -> None:
    said = Said()
    said.look(classic(member("a")))
    offsets_of(said, 5)
    gone = said.note(list(departure("g", said.history.of("g"))))
    assert gone == [OffsetRemoved("g", "orders", 0), GroupRemoved("g", "classic")]
    assert list(said.history) == []


NUMBERS = st.sets(st.integers(0, 3)).map(lambda found: tuple(sorted(found)))
CLASSIC = st.lists(
    st.builds(lambda name, numbers: member(name, assigned=numbers), st.text(), NUMBERS),
    unique_by=lambda each: each.member_id,
).map(lambda members: classic(*members))
RECONCILED = st.lists(
    st.builds(reconciling, st.text(), NUMBERS, NUMBERS), unique_by=lambda each: each.member_id
).map(lambda members: reconciled(*members))


@given(st.lists(CLASSIC | RECONCILED, min_size=1))
@settings(derandomize=True)
def test_whatever_was_seen_a_restarted_collector_has_nothing_to_add(groups: list[Observed]) -> None:
    said, restarted = Said(), Said()
    for number, group in enumerate(groups):
        for event in said.look(group, now_ms=NOW_MS + number):
            restarted.note([from_json(to_json(event))])
    assert said.look(groups[-1]) == []
    assert restarted.look(groups[-1]) == []
