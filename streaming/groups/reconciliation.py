"""Members, targets and epochs of a group that the broker assigns (KIP-848, KIP-932, KIP-1071).

The coordinator writes one record per member and kind, so what a group looks like is put together
here. A member has settled when its epoch is the target assignment's, nothing of it is pending
revocation and it waits for no partition that another has yet to release.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

STABLE = "stable"
"""State of a member that waits for nothing."""

ById = dict[str, tuple[int, ...]]
"""Topic id (or subtopology id) to partition numbers."""


@dataclass(slots=True, kw_only=True)
class ReconcilingMember:
    """What is known of one member.

    Attributes:
        member_id: its id.
        instance_id, rack, client_id, client_host: as it gave them, or the broker saw them.
        topics: topics subscribed to by name.
        regex: the regular expression subscribed to, '' for none.
        assignor: the server assignor that it asks for, '' for the broker's choice.
        epoch: member epoch, None before its first current assignment.
        state: ``MemberState`` of the coordinator.
        assigned: partitions that it holds.
        revoking: partitions that it holds and must give up.
        target: partitions of its target assignment, None if there is none.
    """

    member_id: str
    instance_id: str | None = None
    rack: str | None = None
    client_id: str = ""
    client_host: str = ""
    topics: tuple[str, ...] = ()
    regex: str = ""
    assignor: str = ""
    epoch: int | None = None
    state: str = STABLE
    assigned: ById = field(default_factory=dict)
    revoking: ById = field(default_factory=dict)
    target: ById | None = None

    def has_settled(self, target_epoch: int) -> bool:
        """Whether it has reached the target epoch and holds what it is to hold."""
        return (
            self.epoch == target_epoch and self.state == STABLE and not any(self.revoking.values())
        )


@dataclass(slots=True, kw_only=True)
class Reconciliation:
    """What is known of a group that the broker assigns.

    Attributes:
        epoch: group epoch, None before the first.
        target_epoch: epoch of the target assignment, None before the first.
        members: by member id.
        regexes: topics that each regular expression resolved to.
        topics: topic id to name, as far as the group's own records said.
        lost: static members by instance id, others by member id, that are gone since the target
            assignment was made: what the others hold is not all of it.
        laggard: a member seen not to have settled; looked at first, so that a large group is not
            gone through at every record.
    """

    epoch: int | None = None
    target_epoch: int | None = None
    members: dict[str, ReconcilingMember] = field(default_factory=dict)
    regexes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    topics: dict[str, str] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    laggard: str = ""

    def member(self, member_id: str) -> ReconcilingMember:
        """The member of that id, made if it was not known: its records come in any order."""
        known = self.members.get(member_id)
        if known is None:
            known = self.members[member_id] = ReconcilingMember(member_id=member_id)
        return known

    def remove(self, member_id: str) -> None:
        """Forget a member; the target assignment is not whole until another is made."""
        member = self.members.pop(member_id, None)
        if member is not None:
            self.lost.add(member.instance_id or member_id)

    def replaced(self, instance_id: str | None) -> None:
        """A static member that was gone is back under a new member id, with its target."""
        if instance_id is not None:
            self.lost.discard(instance_id)

    def has_settled(self) -> bool:
        """Whether every member of the target assignment has settled at its epoch."""
        epoch = self.target_epoch
        if epoch is None or not self.members or self.lost:
            return False
        last = self.members.get(self.laggard)
        if last is not None and not last.has_settled(epoch):
            return False
        for member in self.members.values():
            if not member.has_settled(epoch):
                self.laggard = member.member_id
                return False
        return True

    def subscription(self, member: ReconcilingMember) -> tuple[str, ...]:
        """Topics that a member subscribes to, by name or by regular expression, sorted."""
        return tuple(sorted({*member.topics, *self.regexes.get(member.regex, ())}))

    def assignor(self, *, default: str) -> str:
        """The assignor that most members ask for; among equals the first by name."""
        votes: dict[str, int] = {}
        for member in self.members.values():
            if member.assignor:
                votes[member.assignor] = votes.get(member.assignor, 0) + 1
        return min(votes, key=lambda name: (-votes[name], name)) if votes else default


def withheld_count(members: Iterable[ReconcilingMember]) -> int:
    """Partitions of target assignments that their members do not hold yet."""
    return sum(
        len(set(target) - set(member.assigned.get(topic, ())))
        for member in members
        for topic, target in (member.target or {}).items()
    )
