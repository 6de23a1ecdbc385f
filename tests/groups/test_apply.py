"""Rebalances as the coordinator's events tell them, for every protocol."""

from collections.abc import Iterable
from dataclasses import replace

from streaming.events import (
    ClassicGeneration,
    ConsumerGroupEpoch,
    ConsumerMember,
    CurrentAssignment,
    CurrentRemoved,
    GroupEvent,
    GroupMember,
    GroupRemoved,
    MemberRemoved,
    Partitions,
    TargetAssignment,
    TargetEpoch,
    TargetRemoved,
)
from streaming.groups import codec
from streaming.groups.apply import apply, deadline_ms, expire, is_gone
from streaming.groups.causes import explain
from streaming.groups.machine import GroupMachine, Timing
from streaming.groups.snapshot import Settlement
from streaming.groups.topology import Topology

TOPOLOGY = Topology(counts={"t": 6, "u": 4}, names={"T": "t"})
TIMING = Timing(settle_ms=30_000, episode_gap_ms=60_000)
HALVES: dict[str, Partitions | None] = {"a": {"t": (0, 1, 2)}, "b": {"t": (3, 4, 5)}}


def generation(
    number: int, assigned: dict[str, Partitions | None], *, protocol: str = "range"
) -> ClassicGeneration:
    members = tuple(
        GroupMember(
            name,
            name.removeprefix("static-") if name.startswith("static-") else None,
            client_id=name,
            client_host="/h",
            topics=("t",),
            assigned=partitions,
        )
        for name, partitions in assigned.items()
    )
    return ClassicGeneration("g", "consumer", number, protocol, None, None, members)


def play(
    machine: GroupMachine, events: Iterable[tuple[int, GroupEvent]]
) -> list[Settlement | None]:
    """Apply events; the state goes through its stored form after each, as it does in production."""
    found = []
    for seconds, event in events:
        found.append(
            apply(machine, event, time_ms=seconds * 1000, topology=TOPOLOGY, timing=TIMING)
        )
        restored = codec.from_bytes(codec.to_bytes(machine))
        assert restored == machine
    return found


def owned(settlement: Settlement) -> dict[str, dict[str, tuple[int, ...]]]:
    return {member.member_id: dict(member.assigned) for member in settlement.snapshot.members}


def test_every_eager_generation_with_members_settles() -> None:
    machine = GroupMachine(group_id="g")
    first, second = play(
        machine,
        [
            (1, generation(1, {"a": {"t": (0, 1, 2, 3, 4, 5)}})),
            (2, generation(2, {"a": {"t": (0, 1, 2)}, "b": {"t": (3, 4, 5)}})),
        ],
    )
    assert first is not None
    assert first.previous is None
    assert second is not None
    assert second.previous is not None
    assert second.previous.generation == 1
    assert owned(second) == {"a": {"t": (0, 1, 2)}, "b": {"t": (3, 4, 5)}}
    assert second.snapshot.counts == {"t": 6}


def test_a_generation_between_join_and_sync_does_not_settle() -> None:
    machine = GroupMachine(group_id="g")
    joined, synced = play(
        machine,
        [(1, generation(1, {"a": None, "b": None})), (2, generation(1, {"a": {"t": (0,)}}))],
    )
    assert joined is None
    assert synced is not None


def test_an_empty_generation_is_no_settled_one_and_marks_the_group_empty() -> None:
    machine = GroupMachine(group_id="g")
    _, empty, again = play(
        machine,
        [
            (1, generation(1, {"a": {"t": (0,)}})),
            (2, generation(2, {})),
            (3, generation(3, {"b": {"t": (0,)}})),
        ],
    )
    assert empty is None
    assert again is not None
    assert again.emptied
    assert again.previous is not None
    assert again.previous.generation == 1


def test_cooperative_phases_count_as_one_rebalance() -> None:
    machine = GroupMachine(group_id="g")
    cooperative = "cooperative-sticky"
    first, withheld, settled = play(
        machine,
        [
            (1, generation(1, {"a": {"t": (0, 1, 2, 3, 4, 5)}}, protocol=cooperative)),
            (2, generation(2, {"a": {"t": (0, 1, 2)}, "b": {}}, protocol=cooperative)),
            (
                3,
                generation(3, {"a": {"t": (0, 1, 2)}, "b": {"t": (3, 4, 5)}}, protocol=cooperative),
            ),
        ],
    )
    assert first is not None
    assert withheld is None
    assert settled is not None
    assert [(phase.generation, phase.withheld) for phase in settled.phases] == [(2, 3), (3, 0)]
    assert settled.previous is not None
    assert settled.previous.generation == 1


def test_a_rebalance_that_runs_out_of_time_is_written_once_and_completed_later() -> None:
    machine = GroupMachine(group_id="g")
    cooperative = "cooperative-sticky"
    play(
        machine,
        [
            (1, generation(1, {"a": {"t": (0, 1, 2, 3, 4, 5)}}, protocol=cooperative)),
            (2, generation(2, {"a": {"t": (0, 1, 2)}, "b": {}}, protocol=cooperative)),
        ],
    )
    assert deadline_ms(machine, timing=TIMING) == 32_000
    assert expire(machine, now_ms=31_999, topology=TOPOLOGY, timing=TIMING) is None
    standing = expire(machine, now_ms=32_000, topology=TOPOLOGY, timing=TIMING)
    assert standing is not None
    assert not standing.settled
    assert expire(machine, now_ms=99_000, topology=TOPOLOGY, timing=TIMING) is None
    (completed,) = play(
        machine,
        [(99, generation(3, {"a": {"t": (0, 1, 2)}, "b": {"t": (3, 4, 5)}}, protocol=cooperative))],
    )
    assert completed is not None
    assert completed.settled
    assert completed.previous is not None
    assert completed.previous.generation == 1


def test_a_static_member_that_returns_under_a_new_id_moves_nothing() -> None:
    machine = GroupMachine(group_id="g")
    event = generation(1, {"static-a": {"t": (0, 1)}})
    renamed = ClassicGeneration(
        "g",
        "consumer",
        1,
        "range",
        None,
        None,
        (GroupMember("new-id", "a", "a", "/h", topics=("t",), assigned={"t": (0, 1)}),),
    )
    first, again = play(machine, [(1, event), (2, renamed)])
    assert first is not None
    assert again is None
    assert machine.settled is not None
    assert machine.settled.members[0].member_id == "new-id"


def test_rebalances_close_together_share_an_episode() -> None:
    machine = GroupMachine(group_id="g")
    settled = play(
        machine,
        [
            (1, generation(1, {"a": {"t": (0,)}})),
            (50, generation(2, {"a": {"t": (0,)}, "b": {}})),
            (200, generation(3, {"a": {"t": (0,)}})),
        ],
    )
    names = [settlement.episode.name for settlement in settled if settlement]
    assert names[0] == names[1] != names[2]


def member(name: str) -> ConsumerMember:
    return ConsumerMember("g", name, None, None, name, "/h", ("t",), None, 300_000, None)


def current(
    name: str, epoch: int, partitions: tuple[int, ...], state: str = "stable"
) -> CurrentAssignment:
    revoking: Partitions = {"T": (3, 4, 5)} if state == "unrevoked_partitions" else {}
    return CurrentAssignment("g", name, epoch, epoch - 1, state, {"T": partitions}, revoking)


def target(name: str, partitions: tuple[int, ...]) -> TargetAssignment:
    return TargetAssignment("g", name, {"T": partitions})


JOINED: list[tuple[int, GroupEvent]] = [
    (1, ConsumerGroupEpoch("g", 1)),
    (1, member("a")),
    (1, target("a", (0, 1, 2, 3, 4, 5))),
    (1, TargetEpoch("g", 1)),
    (1, current("a", 1, (0, 1, 2, 3, 4, 5))),
]


def test_a_kip_848_group_settles_when_every_member_holds_its_target() -> None:
    machine = GroupMachine(group_id="g")
    *before, first = play(machine, JOINED)
    assert before == [None] * 4
    assert first is not None
    found = play(
        machine,
        [
            (2, member("b")),
            (2, ConsumerGroupEpoch("g", 2)),
            (2, target("a", (0, 1, 2))),
            (2, target("b", (3, 4, 5))),
            (2, TargetEpoch("g", 2)),
            (2, current("b", 2, (), state="unreleased_partitions")),
            (3, current("a", 1, (0, 1, 2), state="unrevoked_partitions")),
            (4, current("a", 2, (0, 1, 2))),
            (5, current("b", 2, (3, 4, 5))),
        ],
    )
    assert found[:-1] == [None] * 8
    settled = found[-1]
    assert settled is not None
    assert settled.snapshot.generation == 2
    assert owned(settled) == {"a": {"t": (0, 1, 2)}, "b": {"t": (3, 4, 5)}}
    assert settled.phases[0].time_ms == 2000
    assert settled.snapshot.assignor == "uniform"


def test_a_changed_subscription_is_the_cause_of_the_next_epoch() -> None:
    machine = GroupMachine(group_id="g")
    play(machine, JOINED)
    *_, settled = play(
        machine,
        [
            (2, replace(member("a"), topics=("t", "u"))),
            (2, ConsumerGroupEpoch("g", 2)),
            (2, target("a", (0, 1, 2, 3, 4, 5))),
            (2, TargetEpoch("g", 2)),
            (2, current("a", 2, (0, 1, 2, 3, 4, 5))),
        ],
    )
    assert settled is not None
    assert explain(settled, last_commits_ms={}).main == "subscription"


def test_a_member_that_leaves_a_kip_848_group_is_gone_at_the_next_epoch() -> None:
    machine = GroupMachine(group_id="g")
    play(machine, JOINED)
    play(
        machine,
        [
            (2, member("b")),
            (2, ConsumerGroupEpoch("g", 2)),
            (2, target("a", (0, 1, 2))),
            (2, target("b", (3, 4, 5))),
            (2, TargetEpoch("g", 2)),
            (4, current("a", 2, (0, 1, 2))),
            (5, current("b", 2, (3, 4, 5))),
        ],
    )
    found = play(
        machine,
        [
            (9, CurrentRemoved("g", "b")),
            (9, TargetRemoved("g", "b")),
            (9, MemberRemoved("g", "b")),
            (9, ConsumerGroupEpoch("g", 3)),
            (9, target("a", (0, 1, 2, 3, 4, 5))),
            (9, TargetEpoch("g", 3)),
            (10, current("a", 3, (0, 1, 2, 3, 4, 5))),
        ],
    )
    assert found[:-1] == [None] * 6
    settled = found[-1]
    assert settled is not None
    assert settled.previous is not None
    assert [member.member_id for member in settled.previous.members] == ["a", "b"]
    assert [member.member_id for member in settled.snapshot.members] == ["a"]


def test_a_target_that_lost_a_member_on_the_way_is_no_settled_one() -> None:
    machine = GroupMachine(group_id="g")
    play(machine, JOINED)
    found = play(
        machine,
        [
            (2, member("b")),
            (2, ConsumerGroupEpoch("g", 2)),
            (2, target("a", (0, 1, 2))),
            (2, target("b", (3, 4, 5))),
            (2, TargetEpoch("g", 2)),
            (2, current("b", 2, (), state="unreleased_partitions")),
            (4, current("a", 2, (0, 1, 2))),
            (5, CurrentRemoved("g", "b")),
            (5, TargetRemoved("g", "b")),
            (5, MemberRemoved("g", "b")),
            (5, ConsumerGroupEpoch("g", 3)),
            (6, target("a", (0, 1, 2, 3, 4, 5))),
            (6, TargetEpoch("g", 3)),
            (7, current("a", 3, (0, 1, 2, 3, 4, 5))),
        ],
    )
    assert found[:-1] == [None] * 13
    settled = found[-1]
    assert settled is not None
    assert [phase.generation for phase in settled.phases] == [1, 2, 3]


def test_a_static_member_of_a_kip_848_group_comes_back_without_a_rebalance() -> None:
    def static(name: str) -> ConsumerMember:
        return replace(member(name), instance_id="s")

    machine = GroupMachine(group_id="g")
    everything = (0, 1, 2, 3, 4, 5)
    found = play(
        machine,
        [
            (1, ConsumerGroupEpoch("g", 1)),
            (1, static("a")),
            (1, target("a", everything)),
            (1, TargetEpoch("g", 1)),
            (1, current("a", 1, everything)),
            (2, CurrentRemoved("g", "a")),
            (2, TargetRemoved("g", "a")),
            (2, MemberRemoved("g", "a")),
            (2, static("a2")),
            (2, target("a2", everything)),
            (2, current("a2", 1, everything)),
        ],
    )
    assert [settled is not None for settled in found] == [False] * 4 + [True] + [False] * 6
    assert machine.pending is None
    assert machine.settled is not None
    assert machine.settled.members[0].member_id == "a2"


def test_a_topic_id_without_a_name_is_kept_until_it_has_one() -> None:
    machine = GroupMachine(group_id="g")
    for time, event in JOINED:
        assert (
            apply(machine, event, time_ms=time * 1000, topology=Topology(), timing=TIMING) is None
        )
    settled = expire(machine, now_ms=2000, topology=TOPOLOGY, timing=TIMING)
    assert settled is not None
    assert settled.settled
    assert owned(settled) == {"a": {"t": (0, 1, 2, 3, 4, 5)}}


def test_owners_survive_the_change_from_classic_to_kip_848() -> None:
    machine = GroupMachine(group_id="g")
    play(machine, [(1, generation(1, {"a": {"t": (0, 1, 2, 3, 4, 5)}}))])
    found = play(
        machine,
        [
            (2, GroupRemoved("g", "classic")),
            (2, member("a")),
            (2, ConsumerGroupEpoch("g", 2)),
            (2, target("a", (0, 1, 2, 3, 4, 5))),
            (2, TargetEpoch("g", 2)),
            (2, current("a", 2, (0, 1, 2, 3, 4, 5))),
        ],
    )
    settled = found[-1]
    assert settled is not None
    assert settled.snapshot.group_type == "consumer"
    assert settled.previous is not None
    assert settled.previous.group_type == "classic"


def test_a_removed_group_is_forgotten_after_a_while_and_begins_anew() -> None:
    machine = GroupMachine(group_id="g")
    play(machine, [(1, generation(7, {"a": {"t": (0,)}})), (2, GroupRemoved("g", "classic"))])
    assert not is_gone(machine, now_ms=31_000, timing=TIMING)
    assert is_gone(machine, now_ms=32_000, timing=TIMING)
    (again,) = play(machine, [(3, generation(1, {"b": {"t": (0,)}}))])
    assert again is not None
    assert again.previous is None
